"""What audits state alike: an account in bits, and chance for choices.

What an audit gives is the bits its reader gains about each item's label from the query
alone, from the evidence alone and from both; so two audits of one file cannot disagree.

Where items bring their own choices, who reads nothing guesses one of them, and so
reaches chance and not the majority; and who reads a part alone reads it with the
choices, since nobody could choose otherwise.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from measurand.core.arrays import Clusters, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report
from measurand.core.reader import Reader
from measurand.stats.information import SHARES, account_bits

BITS = "bits"


def estimate_cells(estimate: Estimate | None, name: str = "") -> dict[str, float]:
    """An estimate as the cells of a table that is drawn; missing where there is none.

    >>> estimate_cells(Estimate(0.3, 0.2, 0.4, 0.95, 9, "made"), "x")
    {'x': 0.3, 'x_low': 0.2, 'x_high': 0.4}
    """
    ends = (np.nan,) * 3
    if estimate is not None:
        ends = estimate.value, estimate.low, estimate.high
    names = (name, f"{name}_low", f"{name}_high") if name else ("value", "low", "high")
    return dict(zip(names, ends, strict=True))


def bits_findings(
    name: str,
    query: Floats,
    evidence: Floats,
    joint: Floats,
    *,
    rng: np.random.Generator,
    clusters: Clusters,
) -> list[Finding]:
    """The bits that only the query gives, only the evidence, either, or both together.

    Args:
        name: The reader's name.
        query: What the query alone predicts of each item's label, in bits (PVI).
        evidence: What the evidence alone predicts.
        joint: What both predict.
        rng: Where the resamples come from.
        clusters: Items with one number are drawn together.
    """
    account = account_bits(query, evidence, joint, rng=rng, clusters=clusters)
    return [Finding(BITS, name, part, bits) for part, bits in account.items()]


def bits_exhibits(findings: Sequence[Finding]) -> list[Exhibit]:
    """What each part predicts; the four bars of a reader add up to both."""
    rows = [
        {"group": f.reader, "bar": f.condition, **estimate_cells(f.estimate)}
        for f in findings
        if f.statistic == BITS and f.condition in SHARES
    ]
    caption = (
        "Bits about the label: what only the query tells, only the evidence, either, "
        "and only both together"
    )
    exhibit = Exhibit(BITS, "bars", pd.DataFrame(rows), caption, {"x_title": "bits"})
    return [exhibit] if rows else []


WHY_BRIEF = "a brief audit leaves it out; run it without `brief`"
DOINGS = {
    "truncated": "cut",
    "spelled": "read by their letters, without vectors, most words of a text in",
    "unparsed": "gave an answer that names no class, or none, about",
    "without_temperature": "was asked, as its server wants, without temperature about",
}
SEVERAL_RIGHT = "several_right"  # items whose right choice stands twice


def several_right_warnings(benchmark: Benchmark) -> list[str]:
    """A line on items whose right choice stands twice, where there are any."""
    several = benchmark.notes.get(SEVERAL_RIGHT, 0)
    if not several:
        return []
    return [
        f"in {several} items the right choice stands twice, and whoever takes the "
        "other copy is counted wrong: every accuracy is too low there; mend them"
    ]


def share_warnings(
    name: str, remarks: Mapping[str, float | str], much: float
) -> list[str]:
    """A line on each share of the items that a reader cut or left unanswered."""
    shares = {what: float(remarks.get(what, 0.0)) for what in DOINGS}
    return [
        f"{name} {DOINGS[what]} {100 * share:.0f} % of the items"
        for what, share in shares.items()
        if share > much
    ]


# The names of a model that was trained on such pairs before, and labels of these.
TRAINED_ON_PAIRS = "minilm", "all-MiniLM-L6-v2"
INFERENCE = {"entailment", "neutral", "contradiction"}


def pretraining_warnings(
    readers: Mapping[str, Reader], benchmark: Benchmark
) -> list[str]:
    """A line on each reader whose model was trained on pairs like these."""
    labels = {str(label).casefold() for label in benchmark.classes}
    if "entailment" not in labels or not labels <= INFERENCE:
        return []
    return [
        f"{name} reads with all-MiniLM-L6-v2, which was trained on the pairs of SNLI "
        "and MultiNLI: on items of these it is no model that has not seen them"
        for name, reader in readers.items()
        if getattr(reader, "model", None) in TRAINED_ON_PAIRS
    ]


def one_order_warnings(remarks: Mapping[str, Mapping[str, float | str]]) -> list[str]:
    """A line on each reader that names letters and was shown one order of choices."""
    return [
        f"{name} was shown choices in one order, so that who likes one letter better "
        "does so in every figure; `orders` 4 shows four"
        for name, remark in remarks.items()
        if remark.get("orders") == 1
    ]


MAJORITY, CHANCE = "the majority", "chance"


def say_chance(report: Report, names: Mapping[str, str]) -> Report:
    """The report with chance for the majority, and other names for some statistics."""
    names = {"majority": "chance", **names}
    findings = [
        replace(
            finding,
            statistic=names.get(finding.statistic, finding.statistic),
            reader="chance" if finding.reader == "majority" else finding.reader,
        )
        for finding in report.findings
    ]
    exhibits = [
        replace(
            exhibit,
            caption=exhibit.caption.replace(MAJORITY, CHANCE),
            settings={k: _say_in(v) for k, v in exhibit.settings.items()},
        )
        for exhibit in report.exhibits
    ]
    return replace(
        report,
        findings=tuple(findings),
        exhibits=tuple(exhibits),
        warnings=tuple(line.replace(MAJORITY, CHANCE) for line in report.warnings),
    )


def _say_in(setting: object) -> object:
    """What a chart says, in these words: the titles of its axes among it.

    >>> _say_in("accuracy over the majority"), _say_in("over majority"), _say_in(0.25)
    ('accuracy over chance', 'over chance', 0.25)
    """
    if not isinstance(setting, str):
        return setting
    return setting.replace(MAJORITY, CHANCE).replace("majority", CHANCE)
