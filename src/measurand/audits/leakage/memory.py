"""Parts that readers may only remember: texts that training has too, with labels.

Where the text of a test item, or a copy of it with some words changed, stands in
training, a reader may know its label by heart and have learned nothing that holds for
another text. So a leak must show in the items whose text is new. Where it does not, a
memory of texts alone tells as surely, and nothing leaks once the same items are split
so that such texts stay together, the part is called remembered, and no verdict rests on
it.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import replace

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
from measurand.core.names import NEW_TEXTS, name_condition, own_column
from measurand.core.near_texts import compare_texts
from measurand.core.reader import Reader
from measurand.interventions.fields import Keep
from measurand.readers.baselines import LookupReader

FAMILY = own_column("family")


def mark_remembered(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    baselines: LeakageBaselines,
) -> LeakageReading:
    """The reading, with the parts named that leak only where texts are known.

    Where a leak holds for new texts too, its figure for these stands beside.
    """
    alone = reading.answers.alone
    leaking = {field: alone[field] for field in reading.stage.leaking_parts}
    remembered, new = remembered_parts(
        evaluation, (reading.name, reader), leaking, baselines
    )
    conditions = {name_condition(field) for field in remembered}
    findings = [
        replace(finding, decision=REMEMBERED)
        if finding.decision == LEAKS and finding.condition in conditions
        else finding
        for finding in reading.findings
    ]
    for field, part in new.items():
        condition = f"{name_condition(field)}, {NEW_TEXTS}"
        findings += [
            Finding("over_majority", reading.name, condition, part.accuracy.over),
            Finding("v_information", reading.name, condition, part.bits.over),
        ]
    stage = replace(reading.stage, remembered=remembered, of_new=new)
    return replace(reading, stage=stage, findings=tuple(findings))


def remembered_parts(
    evaluation: Evaluation,
    named_reader: tuple[str, Reader],
    leaking: Mapping[str, Runs],
    baselines: LeakageBaselines,
) -> tuple[dict[str, tuple[int, int]], dict[str, PartReading]]:
    """Of parts that leak to a reader, those that it may only remember.

    Returns:
        By part, how many scored items have a new text, and how many there are; and of
        parts that leak where texts are new, what they tell there, where not all are.
    """
    remembered = dict[str, tuple[int, int]]()
    of_new = dict[str, PartReading]()
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
            of_new[field] = there
        elif _leaks(_ask_memory(evaluation, canonical), *terms) and not _leaks_apart(
            evaluation, named_reader, field, *terms
        ):
            remembered[field] = int(new.sum()), len(new)
    return remembered, of_new


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


def _ask_memory(evaluation: Evaluation, canonical: CanonicalBenchmark) -> Runs:
    """What a memory of families alone answers, split as the reader was."""
    choices = canonical.benchmark.test.choices
    if choices is not None:
        canonical = _name_in_choices(canonical)
    with _open_otherwise(evaluation, canonical) as named:
        return ask_alone(named, LookupReader(choices or FAMILY), AsIs())


def _name_in_choices(canonical: CanonicalBenchmark) -> CanonicalBenchmark:
    """The same items, the family of all choices of an item beside each of them.

    They are read one by one: what was right is a choice, and no letter.
    """

    def name_in(items: Items) -> Items:
        rows = zip(items.column(FAMILY), items.choice_texts, strict=True)
        named = [pack_choices([f"{f} {text}" for text in texts]) for f, texts in rows]
        return items.with_field(str(items.choices), named)

    benchmark, pool = canonical.benchmark, canonical.pool
    train, test = name_in(benchmark.train), name_in(benchmark.test)
    return replace(
        canonical,
        benchmark=replace(benchmark, train=train, test=test),
        pool=None if pool is None else name_in(pool),
    )


def _leaks_apart(
    evaluation: Evaluation,
    named_reader: tuple[str, Reader],
    field: str,
    canonical: CanonicalBenchmark,
    baselines: LeakageBaselines,
    parts: int,
) -> bool:
    """Whether a reader finds the leak when no family stands on two sides."""
    name, reader = named_reader
    apart = _hold_together(canonical)
    items = apart.scored_items
    if items.column(FAMILY).nunique() < evaluation.folds:
        return False
    try:
        with _open_otherwise(evaluation, apart) as split:
            runs = ask_alone(split, reader, Keep(field), name=name)
    except PastBudget:
        return False
    terms = baselines.reference, baselines.margin, baselines.readers
    clusters = linked_clusters([items.column(FAMILY)])
    return _leaks(runs, apart, leakage_baselines(items, clusters, *terms), parts)


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
