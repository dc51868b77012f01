"""What the pool of all items shows: readers, findings, and the table of parts.

Readers that learn in seconds are cross-fitted over the whole pool. The others are asked
about the given split; what they gain there is held against the same items' best answers
without the evidence, on items whose texts are new to them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.arms.alone import CHANNELS, part_arm
from measurand.arms.answers import ask_arms
from measurand.arms.contrast import mean_difference, rival_gain
from measurand.arms.families import FEWEST_FAMILIES, PAIR, Family
from measurand.arms.need import ALONE, ERROR, LOOKS, READERS
from measurand.arms.pool import CHOICES, EVIDENCE, QUERY, Pool
from measurand.arms.table import PartRow, exact_estimate, parts_exhibit
from measurand.audits.evidence.conclude import NeedFacts, SplitReading
from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.settings import FEWEST_NEW, POOLED
from measurand.benchmarks.split import FOLD
from measurand.core.arrays import Bools, Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Verdict
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import identity
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import is_cross_fitted

EVIDENCE_READERS = ("tfidf", "form")  # channels that read the evidence alone


def pool_readers(readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """The light readers, and those given that learn in seconds.

    One of ours that was given under another name, or with the same settings, is not
    asked twice; a name of ours for another reader is told apart.
    """
    chosen = dict(READERS)
    for name, reader in readers.items():
        quick = skip_temperature(reader)
        known = any(identity(quick) == identity(r) for r in chosen.values())
        if is_cross_fitted(reader) and not known:
            chosen[f"{name} (given)" if name in READERS else name] = quick
    return chosen


@dataclass(frozen=True, eq=False)
class SplitItems:
    """The items that were asked about as the split was given, in the pool.

    Attributes:
        rows: Where each of them stands in the pool.
        new: Which of them share no text, or nearly, with what was learned from.
        family: The families of these items.
    """

    rows: Ints
    new: Bools
    family: Family


def find_split_items(pool: Pool, tested: Benchmark) -> SplitItems:
    """The test items in the pool, and which of them training has not seen nearly."""
    cut = tested.folds > 1
    places = {
        name: row
        for row, (name, origin) in enumerate(zip(pool.ids, pool.origin, strict=True))
        if cut or origin == "test"
    }
    rows = np.array([places[str(name)] for name in tested.test.ids])
    families = pool.families[PAIR].numbers
    # Who was tested in a fold learned from the others; else from train alone.
    fold = np.full(len(pool), -1)
    fold[rows] = tested.test.column(FOLD).astype(int) if cut else 0
    learned = np.ones(len(pool), bool) if cut else pool.origin == "train"
    highest = np.full(families.max() + 1, -2)
    np.maximum.at(highest, families[learned], fold[learned])
    lowest = np.full(families.max() + 1, len(pool))
    np.minimum.at(lowest, families[learned], fold[learned])
    own = families[rows]
    apart = (highest[own] == fold[rows]) & (lowest[own] == fold[rows])
    return SplitItems(rows, apart | (highest[own] == -2), Family(PAIR, own))


def read_split(
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
    family, both = facts.need.family, facts.need.scores[facts.need.gain.reader]
    as_good = {
        name: _accuracy(right, family)
        for name, right in scores.items()
        if mean_difference(both, right, family, 0.90).high < facts.margin
    }
    best = max(as_good, key=lambda name: as_good[name].value, default=None)
    return scores, {} if best is None else {best: as_good[best]}


def pooled_findings(
    facts: NeedFacts, evidence: Mapping[str, Floats], verdict: Verdict
) -> list[Finding]:
    """Every figure of the pool: of readers with the evidence, and of those without."""
    need, family = facts.need, facts.need.family
    findings = [
        Finding("accuracy", name, POOLED, _accuracy(right, family))
        for name, right in need.scores.items()
    ]
    for name, gain in need.gain.each.items():
        decision = verdict.label if name == verdict.stage else None
        findings.append(Finding("gain", name, POOLED, gain, decision))
    findings += [
        Finding("delta_evi", name, POOLED, loss.interval(0.95))
        for name, loss in need.losses.items()
    ]
    findings += [
        Finding(
            "query_only", name.removesuffix(", query"), POOLED, _accuracy(right, family)
        )
        for name, right in need.rivals.items()
        if name.endswith(", query")
    ]
    findings += [
        Finding("evidence_only", name, POOLED, _accuracy(right, family))
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
    need, reader = facts.need, facts.need.gain.reader
    loss = need.losses.get(reader)
    return PartRow(
        _names(pool, (QUERY, EVIDENCE)),
        reader,
        base,
        accuracy=_accuracy(need.scores[reader], need.family),
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
        accuracy=_accuracy(scores[reader], family),
        families=family.effective,
    )


def _names(pool: Pool, parts: Sequence[str]) -> tuple[Name, ...]:
    """What the file calls the columns; who reads a part of choices reads these too."""
    chosen = (*parts, *([CHOICES] if pool.items.choices is not None else []))
    return tuple(Name("column", pool.names[part]) for part in chosen)


def _accuracy(scores: Floats, family: Family) -> Estimate:
    return mean_difference(scores, np.zeros(len(scores)), family)


def _by_item(scores: "pd.Series[float]") -> Floats:
    return np.asarray(scores, float)
