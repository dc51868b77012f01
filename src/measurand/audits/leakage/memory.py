"""Parts that readers may only remember: texts that training has too, with labels.

Where the text of a test item, or a copy of it with some words changed, stands in
training, a reader may know its label by heart and have learned nothing that holds for
another text. So a leak must show in the items whose text is new. Where it does not, a
memory of texts alone tells as surely, and nothing leaks once the same items are split
so that such texts stay together, the part is called remembered, and no verdict rests on
it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.leakage.asking import (
    Evaluation,
    Runs,
    ask_alone,
    is_one_class,
    open_evaluation,
)
from measurand.audits.leakage.canonical import CanonicalBenchmark, join_items
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.scores import (
    LEAKS,
    REMEMBERED,
    LeakageBaselines,
    PartReading,
    leakage_baselines,
    part_leakage,
    read_part,
    runs_in_bits,
)
from measurand.core.arrays import Bools
from measurand.core.clusters import count_clusters, linked_clusters
from measurand.core.errors import PastBudget
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs
from measurand.core.items import Items, pack_choices, with_columns
from measurand.core.names import FAMILY, NEW_TEXTS, TEXTS_APART, name_condition
from measurand.core.near_texts import compare_texts
from measurand.core.reader import Reader
from measurand.interventions.fields import Keep
from measurand.readers.baselines import LookupReader


@dataclass(frozen=True)
class RecalledParts:
    """Parts that leak to a reader, of which it knows texts.

    Attributes:
        remembered: Those that it may only remember: how many scored items have a new
            text, and how many there are.
        of_new: What those tell that leak where texts are new, of the items there.
        apart: What those tell that a memory tells too and that leak all the same, once
            copies of a text stay together.
    """

    remembered: dict[str, tuple[int, int]]
    of_new: dict[str, PartReading]
    apart: dict[str, PartReading]


def mark_remembered(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    baselines: LeakageBaselines,
) -> LeakageReading:
    """The reading, with the parts named that leak only where texts are known.

    Where a leak holds for new texts too, or once copies stay together, its figure there
    stands beside.
    """
    alone = reading.answers.alone
    leaking = {field: alone[field] for field in reading.stage.leaking_parts}
    found = recall_parts(evaluation, (reading.name, reader), leaking, baselines)
    conditions = {name_condition(field) for field in found.remembered}
    findings = [
        replace(finding, decision=REMEMBERED)
        if finding.decision == LEAKS and finding.condition in conditions
        else finding
        for finding in reading.findings
    ]
    for parts, which in ((found.of_new, NEW_TEXTS), (found.apart, TEXTS_APART)):
        for field, part in parts.items():
            condition = f"{name_condition(field)}, {which}"
            findings += [
                Finding("over_majority", reading.name, condition, part.accuracy.over),
                Finding("v_information", reading.name, condition, part.bits.over),
            ]
    stage = replace(
        reading.stage,
        remembered=found.remembered,
        of_new=found.of_new,
        apart=found.apart,
    )
    return replace(reading, stage=stage, findings=tuple(findings))


def recall_parts(
    evaluation: Evaluation,
    named_reader: tuple[str, Reader],
    leaking: Mapping[str, Runs],
    baselines: LeakageBaselines,
) -> RecalledParts:
    """Of parts that leak to a reader, what it may only remember, and what it may not.

    Args:
        evaluation: The benchmark, and how its readers are asked.
        named_reader: Who found the leaks.
        leaking: What it answered from each of these parts.
        baselines: What answers are held against.
    """
    found = RecalledParts({}, {}, {})
    for field, runs in leaking.items():
        canonical = _name_families(evaluation.canonical, field)
        terms = canonical, baselines, len(evaluation.canonical.parts)
        new = _has_new_text(canonical, field)
        # Choices that all items share are no copies of each other.
        few = canonical.scored_items.column(FAMILY).nunique() < evaluation.folds
        if new.all() or (canonical.has_choices and few):
            continue
        there = _read(runs, *terms, new)
        if there is not None and there.decision == LEAKS:
            found.of_new[field] = there
        elif any(_leaks(runs, *terms) for runs in _ask_memories(evaluation, canonical)):
            together = _read_apart(evaluation, named_reader, field, *terms)
            if together is not None and together.decision == LEAKS:
                found.apart[field] = together
            else:
                found.remembered[field] = int(new.sum()), len(new)
    return found


def _name_families(canonical: CanonicalBenchmark, field: str) -> CanonicalBenchmark:
    """The same items, with the family of each text of a field in a column of ours."""
    benchmark = canonical.benchmark
    sides = [benchmark.train, benchmark.test]
    sides = sides if canonical.pool is None else [*sides, canonical.pool]
    texts = [text for items in sides for text in items.column(field)]
    numbers = zip(texts, compare_texts(texts).families, strict=True)
    # Nobody could remember a blank, so that each is of a family of its own.
    names = pd.Series([str(n) if text.strip() else "" for text, n in numbers])
    families = linked_clusters([names]).astype(str)
    cuts = np.cumsum([len(items) for items in sides[:-1]])
    train, test, *pool = [
        _with_family(items, names)
        for items, names in zip(sides, np.split(families, cuts), strict=True)
    ]
    return replace(
        canonical,
        benchmark=replace(benchmark, train=train, test=test, test_parts={}),
        pool=pool[0] if pool else None,
    )


def _has_new_text(canonical: CanonicalBenchmark, field: str) -> Bools:
    """Which scored items have a text that has no kin where readers learn."""
    items, benchmark = canonical.scored_items, canonical.benchmark
    families = items.column(FAMILY).reset_index(drop=True)
    if canonical.pool is None:
        known = set(benchmark.train.column(FAMILY))
        return ~families.isin(known).to_numpy(bool)
    apart = families
    if field in benchmark.drawn_by:
        # Items with the very same text share a fold; others of its family need not.
        apart = families[~items.column(field).reset_index(drop=True).duplicated()]
    return ~families.isin(set(apart[apart.duplicated()])).to_numpy(bool)


def _ask_memories(
    evaluation: Evaluation, canonical: CanonicalBenchmark
) -> Iterator[Runs]:
    """What a memory of families alone answers, split as the reader was.

    Of choices, one that knows each by its very words, and one by its family too.
    """
    if not canonical.has_choices:
        with _open_otherwise(evaluation, canonical) as named:
            yield ask_alone(named, LookupReader(FAMILY), AsIs())
        return
    field = _free_name(canonical.benchmark.test)
    beside = _name_beside_choices(canonical, field)
    for known in (beside, _name_choices(beside)):
        with _open_otherwise(evaluation, known) as named:
            yield ask_alone(named, LookupReader(field), AsIs())


def _free_name(items: Items) -> str:
    """A name that no column has; no field may be called as our columns are."""
    name = "family"
    while name in items.table:
        name += "_"
    return name


def _name_beside_choices(
    canonical: CanonicalBenchmark, field: str
) -> CanonicalBenchmark:
    """The same items, the family of all choices of an item beside each of them.

    They are read one by one: what was right is a choice, and no letter. Within a choice
    of signs alone the name of a family would be the one word that a memory sees.
    """

    def name_beside(items: Items) -> Items:
        return items.with_field(field, items.column(FAMILY).tolist())

    return _change_items(canonical, name_beside)


def _name_choices(canonical: CanonicalBenchmark) -> CanonicalBenchmark:
    """The same items, each choice called by its family."""
    benchmark, pool = canonical.benchmark, canonical.pool
    sides = [s for s in (benchmark.train, benchmark.test, pool) if s is not None]
    texts = [*dict.fromkeys(t for s in sides for row in s.choice_texts for t in row)]
    families = compare_texts(texts).families.tolist()
    names = {text: f"text{n}" for text, n in zip(texts, families, strict=True)}

    def name_each(items: Items) -> Items:
        rows = [pack_choices([names[t] for t in row]) for row in items.choice_texts]
        return items.with_field(str(items.choices), rows)

    return _change_items(canonical, name_each)


def _change_items(
    canonical: CanonicalBenchmark, change: Callable[[Items], Items]
) -> CanonicalBenchmark:
    """The same benchmark with its items changed, on all sides."""
    benchmark, pool = canonical.benchmark, canonical.pool
    train, test = change(benchmark.train), change(benchmark.test)
    return replace(
        canonical,
        benchmark=replace(benchmark, train=train, test=test),
        pool=None if pool is None else change(pool),
    )


def _read_apart(
    evaluation: Evaluation,
    named_reader: tuple[str, Reader],
    field: str,
    canonical: CanonicalBenchmark,
    baselines: LeakageBaselines,
    parts: int,
) -> PartReading | None:
    """What a reader finds when no family stands on two sides; None if it cannot be."""
    name, reader = named_reader
    apart = _hold_together(canonical)
    items = apart.scored_items
    if items.column(FAMILY).nunique() < evaluation.folds:
        return None
    try:
        with _open_otherwise(evaluation, apart) as split:
            runs = ask_alone(split, reader, Keep(field), name=name)
    except PastBudget:
        return None
    terms = baselines.reference, baselines.margin, baselines.readers
    clusters = linked_clusters([items.column(FAMILY)])
    return _read(runs, apart, leakage_baselines(items, clusters, *terms), parts)


def _hold_together(canonical: CanonicalBenchmark) -> CanonicalBenchmark:
    """All items, to be cut into folds of which each family has one."""
    benchmark, pool = canonical.benchmark, canonical.pool
    sides = [benchmark.train, benchmark.test] if pool is None else [pool]
    ties = [FAMILY, *([sides[0].group] if sides[0].group else [])]
    table = pd.concat([items.table[ties] for items in sides])
    groups = linked_clusters([table[column] for column in ties]).astype(str)
    together = _with_family(join_items(sides) if pool is None else pool, groups)
    return replace(
        canonical, benchmark=replace(benchmark, drawn_by=(FAMILY,)), pool=together
    )


def _with_family(items: Items, names: NDArray[np.str_]) -> Items:
    return items.with_table(with_columns(items.table, {FAMILY: names}))


def _open_otherwise(
    evaluation: Evaluation, canonical: CanonicalBenchmark
) -> AbstractContextManager[Evaluation]:
    """The same place for the same items with other columns, or cut in other ways."""
    cuts = evaluation.folds, evaluation.draws
    return open_evaluation(evaluation.split_experiment, canonical, *cuts)


def _leaks(
    runs: Runs, canonical: CanonicalBenchmark, baselines: LeakageBaselines, parts: int
) -> bool:
    """Whether these answers give labels of the scored items away."""
    told = _read(runs, canonical, baselines, parts)
    return told is not None and told.decision == LEAKS


def _read(
    runs: Runs,
    canonical: CanonicalBenchmark,
    baselines: LeakageBaselines,
    parts: int,
    kept: Bools | None = None,
) -> PartReading | None:
    """What these answers give away, of all scored items or of some; None of too few."""
    items = canonical.scored_items
    if kept is not None:
        items = items.rows(kept)
        if len(items) == 0 or len(items.classes) < 2:
            return None
        clusters = canonical.benchmark.clusters(items)
        if count_clusters(clusters) < 2:
            return None
        terms = baselines.reference, baselines.margin, baselines.readers
        baselines = leakage_baselines(items, clusters, *terms)
        inside = np.isin(np.array(runs.ids, str), np.array(items.ids, str))
        runs = Runs(
            tuple(np.array(runs.ids, object)[inside]),
            runs.gold[inside],
            runs.probabilities[:, inside],
            runs.remarks,
        )
    tests = baselines.count_tests(parts)
    return read_part(
        part_leakage(runs, baselines, tests, seeded=False),
        runs_in_bits(runs, baselines, tests),
        baselines,
        one_class=is_one_class(runs),
    )
