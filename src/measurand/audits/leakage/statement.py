"""What a leakage report states besides its findings."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.arms.arm import DRAWS
from measurand.arms.pool import FOLDS, LABEL
from measurand.arms.statement import deciding_channel
from measurand.audits.leakage.asking import is_one_class
from measurand.audits.leakage.cards import WorkList, aims_by_item
from measurand.audits.leakage.choices import published_warnings
from measurand.audits.leakage.conclude import LeakFacts
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.repair import Repair
from measurand.audits.leakage.scores import LeakageBaselines, gold_logs
from measurand.audits.leakage.settings import CLUSTERINGS, SHOWN
from measurand.audits.leakage.sides import Sides
from measurand.core.arrays import Bools, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.finding import merge_remarks
from measurand.core.names import ROW, own_column
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe, given_settings
from measurand.experiment.statements import (
    one_order_warnings,
    several_right_warnings,
    share_warnings,
)
from measurand.settings.leakage import LeakageSettings
from measurand.stats.information import pvi

SIDE, KEEP, WRITE, AIM = map(own_column, ("side", "keep", "write", "aim"))
WITHOUT_QUESTION = own_column("without_question")
FIRST = "tfidf"  # a channel that every report keeps item by item
MUCH = 0.05  # a share of items cut that a reader of the report should know


def describe_leakage_benchmark(original: Benchmark, sides: Sides) -> dict[str, object]:
    """The benchmark as a report states it: never a path."""
    test, pool = sides.benchmark.test, sides.pool
    counts = test.labels.map(sides.label).value_counts()
    described = original.describe() | {
        "labels": {label: int(counts.get(label, 0)) for label in original.classes},
        "train": len(sides.benchmark.train),
        "test": len(test),
        "digest": {
            "train": sides.benchmark.train.digest,
            "test": sides.benchmark.test.digest,
        },
        "pooled": len(pool),
    }
    parts = {name: len(part) for name, part in original.test_parts.items()}
    return described | ({"test_parts": parts} if parts else {})


def leakage_settings(
    seed: int,
    readers: Mapping[str, Reader],
    readings: Sequence[LeakageReading],
    facts: LeakFacts,
    settings: LeakageSettings,
) -> dict[str, object]:
    """Everything that was chosen before the run."""
    return {
        "margin": settings.margin,
        "margin_bits": max((part.margin_bits for part in facts.parts), default=0.0),
        "seed": seed,
        "check_inference": settings.check_inference,
        "k": settings.k,
        "effective_k": _effective_k(readings),
        "components": settings.components,
        "clusterings": CLUSTERINGS,
        "pool_folds": FOLDS,
        "pool_draws": DRAWS,
        "reference_accuracy": settings.reference,
        **given_settings(settings, "seeds", "tsne"),
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "thresholds": SHOWN | {"margin": settings.margin},
        "remarks": merge_remarks(readings),
    }


def _effective_k(readings: Sequence[LeakageReading]) -> int | None:
    """The clusters that PECO is of; None where no reader embeds items."""
    counts = [len(part.centres) for r in readings for part in r.regions.values()]
    return max(counts, default=None)


def leakage_warnings(
    original: Benchmark, sides: Sides, readings: Sequence[LeakageReading]
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    messages = published_warnings(original.name) if sides.has_choices else []
    if len(sides.fields) == 1:
        messages.append(
            f"{sides.column(sides.fields[0])} is all there is of an item: that it "
            "predicts the label may be the task itself, and no leak"
        )
    if not sides.pool.given:
        messages.append(
            "no test items were given: figures of the published protocol are of the "
            f"{len(sides.benchmark.test)} test items of one seeded split"
        )
    for reading in readings:
        messages += share_warnings(reading.name, reading.remarks, MUCH)
        messages += [
            f"{reading.name} predicts one class whatever {sides.column(field)} alone is"
            for field, runs in reading.answers.alone.items()
            if is_one_class(runs)
        ]
    overlap = original.notes.get("overlap", 0)
    if overlap and sides.pool.given:
        messages.append(f"{overlap} test items stand in the training items too")
    messages += one_order_warnings(merge_remarks(readings))
    return [*messages, *several_right_warnings(original)]


def leakage_item_table(
    sides: Sides,
    readings: Sequence[LeakageReading],
    facts: LeakFacts,
    repairs: Repair,
    work: WorkList | None,
    baselines: LeakageBaselines,
) -> pd.DataFrame:
    """One row per item: who answers it, where it lies, what to do about it."""
    train, test = sides.benchmark.train, sides.benchmark.test
    table = pd.concat(
        [
            items.table[[*items.fields, items.label]].assign(**{SIDE: side})
            for side, items in (("train", train), ("test", test))
        ]
    )
    table[LABEL] = table[LABEL].map(sides.label)
    called = [*sides.rows[0], *sides.rows[1]]
    if called != table.index.astype(str).tolist():
        table[ROW] = called
    in_test = (table[SIDE] == "test").to_numpy()
    for column, scores in _pooled_columns(sides, facts).items():
        table[column] = scores
    for reading in readings:
        for column, values in _answer_columns(sides, reading, baselines).items():
            table[column] = values.reindex(table.index).where(in_test).to_numpy()
        for field, regions in reading.regions.items():
            numbers = np.concatenate([regions.trained, regions.clusters])
            column = own_column("cluster", sides.column(field), reading.name)
            table[column] = numbers
        if reading.epoch_map is not None:
            inside = reading.epoch_map.reindex(list(table.index))
            for what in ("confidence", "variability", "correctness"):
                test_values = inside[what].where(in_test)
                table[own_column(what, reading.name)] = test_values.to_numpy()
    if sides.has_choices:
        table[WITHOUT_QUESTION] = _answered_alone(sides, readings, table)
    for rule, removal in sorted(repairs.removals.items()):
        removed = np.concatenate([removal.train, removal.test])
        table[own_column("remove", rule)] = removed
    if work is not None:
        aims = aims_by_item(work)
        rows = zip(table[SIDE], table.index.astype(str), strict=True)
        table[AIM] = [aims.get(row, "") for row in rows]
        for column, field in ((KEEP, "keep"), (WRITE, "write")):
            table[column] = np.where(table[AIM] != "", work.tasks[field].iloc[0], "")
    return table.rename(columns=dict(sides.pool.names))


def _pooled_columns(sides: Sides, facts: LeakFacts) -> dict[str, Floats]:
    """How much oftener than on permuted labels each item is predicted, by part."""
    order = np.concatenate(sides.places)
    return {
        own_column("over", sides.column(part.part), channel): (
            part.accuracy[channel].scores - part.accuracy[channel].base
        )[order]
        for part in facts.parts
        for channel in dict.fromkeys((FIRST, deciding_channel(part)))
    }


def _answered_alone(
    sides: Sides, readings: Sequence[LeakageReading], table: pd.DataFrame
) -> Bools:
    """Which test items are answered without the question, by who answers most so.

    In most runs; items that were not scored are none of them.
    """
    field = str(sides.benchmark.test.choices)
    answered = [reading.answers.alone[field] for reading in readings]
    best = max(answered, key=lambda runs: float(runs.right.mean()))
    right = pd.Series(best.right.mean(axis=0) > 1 / 2, index=list(best.ids))
    inside = right.reindex(table.index.astype(str), fill_value=False)
    return np.asarray(inside & (table[SIDE] == "test").to_numpy(), bool)


def _answer_columns(
    sides: Sides, reading: LeakageReading, baselines: LeakageBaselines
) -> dict[str, "pd.Series[float]"]:
    """What is right and how many bits it gives: all fields (the pair), and each."""
    pair: tuple[str, str, tuple[str, ...]] = ("pair_right", "pair_pvi", ())
    runs_of = {pair: reading.answers.pair}
    for field, runs in reading.answers.alone.items():
        runs_of["right", "pvi", (sides.column(field),)] = runs
    columns = {}
    for (right, bits, names), runs in runs_of.items():
        # Bits of the first run, as PVI is of one reader.
        figures = {
            right: runs.right.mean(axis=0),
            bits: pvi(gold_logs(runs, 0), baselines.null),
        }
        for what, values in figures.items():
            column = own_column(what, *names, reading.name)
            columns[column] = pd.Series(values, index=list(runs.ids))
    return columns


def repair_files(
    items: pd.DataFrame, repairs: Repair, work: WorkList | None
) -> dict[str, bytes]:
    """Files for whoever repairs: what rules that repair keep and remove; the work list.

    Items have the names that their file has for them, as on the page.
    """
    files = {}
    names = np.array([str(name) for name in items.get(ROW, items.index)], object)
    for rule in sorted(repairs.removals):
        removed = items[own_column("remove", rule)].to_numpy(bool)
        for what, chosen in (("kept", ~removed), ("removed", removed)):
            listed = "\n".join(names[chosen]) + "\n"
            files[f"repair/{what}_{rule}.txt"] = listed.encode()
    if work is not None:
        rows = zip(items[SIDE], items.index.astype(str), strict=True)
        called = dict(zip(rows, names, strict=True))
        tasks = zip(work.tasks["side"], work.tasks.index.astype(str), strict=True)
        index = pd.Index([called[task] for task in tasks], name="id")
        files["repair/work_list.csv"] = work.tasks.set_axis(index).to_csv().encode()
        files["repair/work_counts.csv"] = work.counts.to_csv(index=False).encode()
    return files
