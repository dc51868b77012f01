"""What the pool of all items shows: readers, findings, and the table of parts.

Readers that learn in seconds are cross-fitted over the whole pool. The others are asked
about the given split; what they gain there is held against the same items' best answers
without the evidence, on items whose texts are new to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from measurand.arms.alone import CHANNELS, part_arm
from measurand.arms.answers import ask_arms
from measurand.arms.contrast import mean_difference, rival_gain
from measurand.arms.families import FEWEST_FAMILIES, PAIR, Family
from measurand.arms.need import ALONE, ERROR, LOOKS, pool_readers
from measurand.arms.pool import CHOICES, EVIDENCE, QUERY, Pool
from measurand.arms.split import FEWEST_NEW, SplitItems
from measurand.arms.table import PartRow, exact_estimate, parts_exhibit
from measurand.audits.evidence.conclude import NeedFacts, SplitReading, gather_facts
from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.settings import POOLED
from measurand.core.arrays import Floats
from measurand.core.clause import Name
from measurand.core.errors import PastBudget
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Verdict
from measurand.core.reader import Reader
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import way_to_run

EVIDENCE_READERS = ("tfidf", "form")  # channels that read the evidence alone


def gather_again(
    experiment: Experiment, pool: Pool, before: NeedFacts, readers: Mapping[str, Reader]
) -> tuple[NeedFacts, dict[str, str]]:
    """The facts of the pool by more readers; as they were where these take too long."""
    chosen = pool_readers(readers)
    try:
        facts = gather_facts(experiment, pool, chosen, before.margin)
    except PastBudget as past:
        name = [*chosen][-1]
        return before, {f"gain of {name}": way_to_run("evidence", past)}
    return replace(facts, further=before.further), {}


def compare_on_split(
    reading: EvidenceReading, facts: NeedFacts, items: SplitItems, looks: int
) -> tuple[SplitReading | None, dict[str, str]]:
    """What a reader gains on the given split, over the best without the evidence.

    Rivals are those of the pool and, where it was asked, the reader's own answers to
    the query alone. One that writes is held against what it writes without evidence.

    Args:
        reading: What the reader answered.
        facts: What the pool shows.
        items: The items that it was asked about.
        looks: How many such readers share the error.
    """
    name = reading.name
    chosen = items.new if reading.learns_labels else np.ones(len(items.rows), bool)
    family = Family(
        PAIR, np.unique(items.family.numbers[chosen], return_inverse=True)[1]
    )
    if chosen.sum() < FEWEST_NEW or family.effective < FEWEST_FAMILIES:
        count = int(chosen.sum())
        why = (
            f"{count} test items have texts that are new to it; {FEWEST_NEW} are needed"
        )
        return None, {f"gain of {name}": why}
    rivals: dict[str, Floats] = {}
    if not reading.written:
        rows = items.rows[chosen]
        rivals = {rival: right[rows] for rival, right in facts.need.rivals.items()}
    if "query_only" in reading.alone:
        rivals[f"{name}, query"] = _by_item(reading.alone["query_only"])[chosen]
    right = _by_item(reading.right)[chosen]
    error = ERROR / looks
    levels = 1 - 2 * error / LOOKS, 1 - 2 * error / len(rivals)
    gain = rival_gain(right, rivals, family, levels, 1 - 2 * error)
    loss, learns = reading.effect.interval(0.95), reading.learns_labels
    return SplitReading(name, gain, loss, learns, bool(chosen.all())), {}


def find_evidence_alone(
    experiment: Experiment, pool: Pool, facts: NeedFacts
) -> tuple[dict[str, Floats], dict[str, Estimate]]:
    """How often the evidence alone is right, and where it is as good as both."""
    if pool.items.column(EVIDENCE).nunique() < 2:
        return {}, {}
    arms = {n: part_arm(CHANNELS[n], EVIDENCE, pool) for n in EVIDENCE_READERS}
    answers = ask_arms(experiment, pool, arms.values())
    scores = {name: answers[arm].mean for name, arm in arms.items()}
    family, joint = facts.need.family, facts.need.scores[facts.need.gain.reader]
    as_good = {
        name: _mean_right(right, family)
        for name, right in scores.items()
        if mean_difference(joint, right, family, 0.90).high < facts.margin
    }
    best = max(as_good, key=lambda name: as_good[name].value, default=None)
    return scores, {} if best is None else {best: as_good[best]}


def pooled_findings(
    facts: NeedFacts, evidence: Mapping[str, Floats], verdict: Verdict
) -> list[Finding]:
    """Every figure of the pool: of readers with the evidence, and of those without."""
    need, family = facts.need, facts.need.family
    findings = [
        Finding("accuracy", name, POOLED, _mean_right(right, family))
        for name, right in need.scores.items()
    ]
    for name, gain in need.gain.by_reader.items():
        decision = verdict.label if name == verdict.stage else None
        findings.append(Finding("gain", name, POOLED, gain, decision))
    findings += [
        Finding("delta_evi", name, POOLED, loss.interval(0.95))
        for name, loss in need.losses.items()
    ]
    findings += [
        Finding(
            "query_only",
            name.removesuffix(", query"),
            POOLED,
            _mean_right(right, family),
        )
        for name, right in need.rivals.items()
        if name.endswith(", query")
    ]
    findings += [
        Finding("evidence_only", name, POOLED, _mean_right(right, family))
        for name, right in evidence.items()
    ]
    room = exact_estimate(facts.room, len(family.numbers))
    return [*findings, Finding("room", need.gain.rival, POOLED, room)]


def parts_of(pool: Pool, facts: NeedFacts, evidence: Mapping[str, Floats]) -> Exhibit:
    """The table of parts: the query alone, the evidence alone, and both."""
    need = facts.need
    base = float(need.rivals["majority"].mean())
    query = {name: need.rivals[f"{name}, query"] for name in ALONE}
    rows = [
        _row(pool, (QUERY,), query, base),
        *([_row(pool, (EVIDENCE,), evidence, base)] if evidence else []),
        _both_row(pool, facts, base),
    ]
    has_choices = pool.items.choices is not None
    return parts_exhibit(rows, "chance" if has_choices else "majority class")


def _both_row(pool: Pool, facts: NeedFacts, base: float) -> PartRow:
    need, reader = facts.need, facts.gained.reader
    loss = need.losses.get(reader)
    return PartRow(
        _names(pool, (QUERY, EVIDENCE)),
        reader,
        base,
        accuracy=_mean_right(need.scores[reader], need.family),
        gain=facts.gain,
        loss=None if loss is None else loss.interval(0.95),
        bound=exact_estimate(facts.room, len(pool)),
        families=facts.families,
    )


def _row(
    pool: Pool, parts: Sequence[str], scores: Mapping[str, Floats], base: float
) -> PartRow:
    """One part alone, by the reader that is most often right."""
    family = pool.families[parts[0]]
    reader = max(scores, key=lambda name: float(scores[name].mean()))
    return PartRow(
        _names(pool, parts),
        reader,
        base,
        # Where all items share their text, nothing is known of another text.
        accuracy=_mean_right(scores[reader], family) if len(family.sizes) > 1 else None,
        families=family.effective,
    )


def _names(pool: Pool, parts: Sequence[str]) -> tuple[Name, ...]:
    """What the file calls the columns; who reads a part of choices reads these too."""
    chosen = (*parts, *([CHOICES] if pool.items.choices is not None else []))
    return tuple(Name("column", pool.names[part]) for part in chosen)


def _mean_right(scores: Floats, family: Family) -> Estimate:
    return mean_difference(scores, np.zeros(len(scores)), family)


def _by_item(scores: "pd.Series[float]") -> Floats:
    return np.asarray(scores, float)
