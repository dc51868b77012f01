"""Several reports of one audit, side by side.

For the evidence audit this gives the paper's Figure 1 (the decision map, and ΔEvi by
benchmark and reader) and Table 1; for any audit it gives paired differences of
accuracy between reports about the same items.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest, norm

from measurand.core.errors import BadInput, BadOption
from measurand.core.finding import Estimate, Exhibit, Finding, Report, Verdict

CORRECT = "correct:"  # what the columns of answers per reader start with
LEAST_SHARED = 20  # below this many shared items a difference says nothing
LEVEL = 0.95
HEADLINES = ("mpds", "delta_evi")
PLAIN = "plain"  # the shuffle that the paper's ΔEvi is defined by
REGIONS = {"margin": 0.02, "direct": 0.9}  # where a report does not say


def compare(reports: Sequence[Report]) -> Report:
    """A report on the reports, in the order given."""
    if len(reports) < 2:
        raise BadOption(
            f"comparing takes two reports or more; {len(reports)} was given"
        )
    audits = sorted({report.audit for report in reports})
    if len(audits) > 1 or audits == ["compare"]:
        raise BadInput(
            f"these reports are of {', '.join(audits)}; give reports of one audit"
        )
    names = _names(reports)
    placed = pd.concat([_placed(n, r) for n, r in zip(names, reports, strict=True)])
    paired = pd.DataFrame(list(_paired(names, reports)))
    verdicts = Counter(report.verdict.label for report in reports)
    counted = ", ".join(f"{n} {label}" for label, n in verdicts.most_common())
    return Report(
        audit="compare",
        benchmark={"name": ", ".join(names), "reports": len(reports)},
        verdict=Verdict("compared", "", None, f"{len(reports)} reports: {counted}"),
        findings=(*_restated(names, reports), *_differences(paired)),
        settings={"audit": audits[0], "least_shared": LEAST_SHARED, "level": LEVEL},
        not_run={} if len(paired) else {"paired differences": NOT_PAIRED},
        warnings=[
            f"{name}: {warning}"
            for name, report in zip(names, reports, strict=True)
            for warning in report.warnings
        ],
        exhibits=_exhibits(
            placed, _decisions(names, reports), paired, _regions(reports)
        ),
    )


NOT_PAIRED = (
    f"no two reports share a benchmark, a reader and {LEAST_SHARED} items whose "
    "answers they keep"
)


def _names(reports: Sequence[Report]) -> list[str]:
    names = [str(report.benchmark.get("name", "benchmark")) for report in reports]
    many, seen = Counter(names), Counter[str]()
    for place, name in enumerate(names):
        seen[name] += 1
        if many[name] > 1:
            names[place] = f"{name} ({seen[name]})"
    return names


def _stated(report: Report, statistic: str) -> dict[str, Finding]:
    stated: dict[str, Finding] = {}
    for found in report.findings:
        if found.statistic == statistic:
            first = found.reader not in stated
            if first or found.condition == PLAIN != stated[found.reader].condition:
                stated[found.reader] = found
    return stated


def _placed(name: str, report: Report) -> pd.DataFrame:
    deltas, ratios = _stated(report, "delta_evi"), _stated(report, "mpds")
    return pd.DataFrame(
        [
            {
                "benchmark": name,
                "reader": reader,
                **_numbers("mpds", ratios.get(reader)),
                **_numbers("delta", found),
                "region": found.decision or report.verdict.region,
            }
            for reader, found in deltas.items()
        ]
    )


def _numbers(name: str, found: Finding | None) -> dict[str, float]:
    stated = found.estimate if found else None
    return {
        name: stated.value if stated else np.nan,
        f"{name}_low": stated.low if stated else np.nan,
        f"{name}_high": stated.high if stated else np.nan,
    }


def _decisions(names: Sequence[str], reports: Sequence[Report]) -> pd.DataFrame:
    rows = []
    for name, report in zip(names, reports, strict=True):
        row = {"benchmark": name, "verdict": report.verdict.label}
        for statistic in HEADLINES:
            stated = _stated(report, statistic).items()
            row |= {
                statistic: ", ".join(f"{r} {f.estimate.value:.3f}" for r, f in stated)
            }
        rows.append({**row, "why": report.verdict.reason})
    return pd.DataFrame(rows)


def _restated(names: Sequence[str], reports: Sequence[Report]) -> Iterator[Finding]:
    for name, report in zip(names, reports, strict=True):
        for found in report.findings:
            if found.decision:
                yield Finding(
                    found.statistic,
                    found.reader,
                    f"{name}, {found.condition}",
                    found.estimate,
                    found.decision,
                )


def _paired(
    names: Sequence[str], reports: Sequence[Report]
) -> Iterator[dict[str, Any]]:
    for (first, one), (second, two) in combinations(
        zip(names, reports, strict=True), 2
    ):
        if not _same_benchmark(one, two):
            continue
        left, right = _answers(one), _answers(two)
        shared = left.index.intersection(right.index)
        for column in left.columns.intersection(right.columns):
            gap = (right.loc[shared, column] - left.loc[shared, column]).dropna()
            if len(gap) >= LEAST_SHARED:
                reader = str(column).removeprefix(CORRECT)
                where = {"reader": reader, "first": first, "second": second}
                yield {**where, **_difference(gap.to_numpy())}


def _same_benchmark(one: Report, two: Report) -> bool:
    return any(
        one.benchmark.get(key) is not None
        and one.benchmark.get(key) == two.benchmark.get(key)
        for key in ("name", "digest")
    )


def _answers(report: Report) -> pd.DataFrame:
    items = report.items[~report.items.index.duplicated()]
    chosen = [name for name in items.columns if str(name).startswith(CORRECT)]
    columns = {name: pd.to_numeric(items[name], errors="coerce") for name in chosen}
    return pd.DataFrame(columns, items.index, dtype=float)


def _difference(gap: NDArray[np.float64]) -> dict[str, Any]:
    mean = gap.mean()
    half = norm.ppf((1 + LEVEL) / 2) * gap.std(ddof=1) / np.sqrt(len(gap))
    gained, lost = int((gap > 0).sum()), int((gap < 0).sum())
    # McNemar's exact test: of the items that changed, did half go each way?
    p = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    return {
        "value": mean,
        "low": mean - half,
        "high": mean + half,
        "n": len(gap),
        "gained": gained,
        "lost": lost,
        "p": p,
    }


def _differences(paired: pd.DataFrame) -> Iterator[Finding]:
    for row in paired.to_dict("records"):
        estimate = Estimate(
            row["value"],
            row["low"],
            row["high"],
            LEVEL,
            row["n"],
            f"paired normal; exact McNemar p = {row['p']:.3g}",
        )
        clear = row["low"] > 0 or row["high"] < 0
        where = f"{row['second']} − {row['first']}"
        decision = "differs" if clear else "undecided"
        yield Finding("accuracy_difference", row["reader"], where, estimate, decision)


def _regions(reports: Sequence[Report]) -> dict[str, Any]:
    for report in reports:
        for exhibit in report.exhibits:
            if exhibit.kind == "decision_map":
                return {**REGIONS, **exhibit.settings}
    return dict(REGIONS)


def _exhibits(
    placed: pd.DataFrame,
    decisions: pd.DataFrame,
    paired: pd.DataFrame,
    regions: dict[str, Any],
) -> tuple[Exhibit, ...]:
    made = []
    if len(placed):
        effects = placed.rename(
            columns={"benchmark": "group", "reader": "name", "delta": "value"}
        ).rename(columns={"delta_low": "low", "delta_high": "high"})
        effects = effects[["group", "name", "value", "low", "high"]]
        margin = {"margin": regions["margin"], "x_title": "ΔEvi"}
        made += [
            Exhibit("map", "decision_map", placed, MAP_CAPTION, regions),
            Exhibit("effects", "intervals", effects, EFFECTS_CAPTION, margin),
        ]
    made += [Exhibit("decisions", "table", decisions, DECISIONS_CAPTION)]
    if len(paired):
        named = paired.assign(
            name=paired["reader"] + ": " + paired["second"] + " − " + paired["first"]
        )
        settings = {"margin": 0.0, "x_title": "difference of accuracy"}
        made += [Exhibit("paired", "intervals", named, PAIRED_CAPTION, settings)]
    return tuple(made)


DECISIONS_CAPTION = "What each report decided, and why"
MAP_CAPTION = (
    "Metadata predictability (MPDS) against evidence sensitivity (ΔEvi), "
    "for every benchmark and reader that has both"
)
EFFECTS_CAPTION = "Evidence sensitivity (ΔEvi) by benchmark and reader"
PAIRED_CAPTION = "Difference of accuracy on the items that two reports share"
