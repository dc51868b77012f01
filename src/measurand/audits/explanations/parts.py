"""The rationale as a part of its items: what it predicts alone, and what it adds.

All items are read together, as the other audits of a file read them. The judged
column stands next to its input in one pool; of every further column it is asked what it
predicts alone. Readers that learn in seconds are cross-fitted over the pool; what
others answered of the given split counts on items whose texts are new to them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from measurand.arms.alone import ERROR, PartAlone, measure_parts
from measurand.arms.contrast import mean_difference, rival_gain
from measurand.arms.families import FEWEST_FAMILIES, PAIR, Family
from measurand.arms.need import (
    VIEWS,
    is_gain_memory,
    measure_need,
    pool_readers,
    without_rationale,
)
from measurand.arms.pool import Pool, open_pool
from measurand.arms.split import FEWEST_NEW, find_split_items
from measurand.arms.statement import alone_findings, alone_row, cue_exhibit
from measurand.arms.table import PartRow, exact_estimate, parts_exhibit
from measurand.audits.explanations.facts import Column, Gain, RationaleFacts
from measurand.audits.explanations.fields import (
    free_field_name,
    restrict_fields,
    role_columns,
)
from measurand.audits.explanations.reading import RationaleReading
from measurand.core.arrays import Floats
from measurand.core.benchmark import Benchmark
from measurand.core.choices import guess_scores
from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding
from measurand.core.items import Items
from measurand.core.names import name_condition
from measurand.core.reader import Reader
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import is_cross_fitted


@dataclass(frozen=True, eq=False)
class Judged:
    """The judged column next to its input.

    Attributes:
        column: What the file calls it.
        pool: Its items, with the fields of the input.
        part: Its name in the pool.
        tested: The same items as they were split.
    """

    column: str
    pool: Pool
    part: str
    tested: Benchmark


def open_judged(
    benchmark: Benchmark,
    fields: Sequence[str],
    column: str,
    texts: tuple[Sequence[str], Sequence[str]],
) -> Judged:
    """The pool of a column, whose texts are those of train and of test."""
    rest = tuple(field for field in fields if field != column)
    column = free_field_name(column, [*rest, *role_columns(benchmark)])
    sides = [{column: text} for text in texts]
    tested = restrict_fields(benchmark, rest, sides, {column: column})
    pool = open_pool(tested)
    part = next(part for part, name in pool.names.items() if name == column)
    return Judged(column, pool, part, tested)


def measure_facts(
    experiment: Experiment,
    judged: Judged,
    further: Sequence[str],
    readers: Mapping[str, Reader],
) -> RationaleFacts:
    """What every column predicts alone, and what the judged one adds to its input."""
    pool, part = judged.pool, judged.part
    error = ERROR / (1 + len(further))
    own = measure_parts(experiment, pool, error, chosen=[part])
    columns = [_column(judged.column, pool, own.get(part))]
    for name in further:
        apart = _open_column(experiment.benchmark, name)
        alone = measure_parts(experiment, apart, error)
        columns.append(_column(name, apart, next(iter(alone.values()), None)))
    need = measure_need(
        experiment,
        pool,
        pool_readers(readers),
        part=part,
        without=partial(without_rationale, part=part),
    )
    return RationaleFacts(
        columns,
        need,
        need.gain.low > 0 and is_gain_memory(experiment, pool, need),
        families=pool.effective,
        size=len(pool),
    )


def _column(name: str, pool: Pool, part: PartAlone | None) -> Column:
    baseline = float(guess_scores(pool.items).mean())
    return Column(Name("column", name), part, pool.labels, baseline)


def _open_column(benchmark: Benchmark, column: str) -> Pool:
    """The pool of one further column alone; of the sides that have it."""
    sides = [s for s in (benchmark.train, benchmark.test) if column in s.table]
    label, group = benchmark.test.label, benchmark.test.group
    kept = [column, label, *([group] if group else [])]
    table = pd.concat([side.table[kept] for side in sides])
    items = Items(table, (column,), label, (), group)
    first = np.arange(len(items)) % 2 == 0  # all are read together in any case
    benchmark = Benchmark(benchmark.name, items.rows(first), items.rows(~first), column)
    return open_pool(benchmark)


def add_readings(
    facts: RationaleFacts,
    judged: Judged,
    readings: Sequence[RationaleReading],
    readers: Mapping[str, Reader],
    explainer: str,
) -> RationaleFacts:
    """The facts with what readers gain that are too dear to be cross-fitted."""
    items = find_split_items(judged.pool, judged.tested)
    numbers = np.unique(items.family.numbers[items.new], return_inverse=True)[1]
    family = Family(PAIR, numbers)
    dear = [r for r in readings if r.name in readers]
    dear = [r for r in dear if not is_cross_fitted(readers[r.name])]
    if items.new.sum() < FEWEST_NEW or family.effective < FEWEST_FAMILIES or not dear:
        return facts
    rows, gains = items.rows[items.new], []
    pooled = {name: right[rows] for name, right in facts.need.rivals.items()}
    for reading in dear:
        told = reading.information[explainer]
        own = {"input": told.right0, "rationale": told.right_r}
        rivals = pooled | {
            f"{reading.name}, {view}": right[items.new] for view, right in own.items()
        }
        error = ERROR / len(dear)
        levels = 1 - 2 * error, 1 - 2 * error / len(rivals)
        gain = rival_gain(told.right1[items.new], rivals, family, levels, 1 - 2 * error)
        gains.append(Gain(reading.name, gain))
    return replace(facts, further=gains)


def part_findings(facts: RationaleFacts, explainer: str) -> Iterator[Finding]:
    """What the columns predict alone, what readers gain, and how much there is room."""
    for number, column in enumerate(facts.columns):
        name = name_condition(column.name.text)
        condition = f"{explainer}, {name}" if number else explainer
        if column.part is not None:
            base = column.baseline
            yield from alone_findings(column.part, condition, base, facts.size)
    for reader, gain in facts.need.gain.by_reader.items():
        yield Finding("gain", reader, explainer, gain)
    for further in facts.further:
        yield Finding("gain", further.reader, explainer, further.gain)
    room = exact_estimate(facts.room, facts.size)
    yield Finding("room", facts.need.gain.rival, explainer, room)


def part_exhibits(judged: Judged, facts: RationaleFacts) -> list[Exhibit]:
    """The table of parts: the input, each column alone, and both; certified cues."""
    need, size = facts.need, facts.size
    baseline = float(np.mean(guess_scores(judged.pool.items)))
    rest = [part for part in judged.pool.parts if part != judged.part]
    names = tuple(Name("column", judged.pool.names[part]) for part in rest)
    loss = need.losses.get(need.gain.reader)
    inputs = {
        name: scores
        for name, scores in need.rivals.items()
        if name.rpartition(", ")[2] in VIEWS
    }
    best = max(inputs, key=lambda name: float(inputs[name].mean()))
    rows = [
        PartRow(
            names,
            best.partition(", ")[0],
            baseline,
            accuracy=_accuracy(inputs[best], need.family),
            families=need.family.effective,
        ),
        *(
            alone_row(column.part, column.name, column.baseline, size)
            for column in facts.columns
            if column.part is not None
        ),
        PartRow(
            (*names, facts.judged.name),
            need.gain.reader,
            baseline,
            accuracy=_accuracy(need.scores[need.gain.reader], need.family),
            gain=need.gain.estimate,
            loss=None if loss is None else loss.interval(0.95),
            bound=exact_estimate(facts.room, size),
            families=facts.families,
        ),
    ]
    labels = facts.judged.labels
    cues = [(cue, c.name) for c in facts.columns if c.part for cue in c.part.cues]
    return [parts_exhibit(rows, "majority class"), *cue_exhibit(cues, labels)]


def _accuracy(scores: Floats, family: Family) -> Estimate:
    return mean_difference(scores, np.zeros(len(scores)), family)
