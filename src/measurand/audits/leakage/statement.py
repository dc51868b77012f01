"""What a leakage report states beside its findings."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.cards import WorkList, aims_by_item
from measurand.audits.leakage.choices import published_warnings
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.repair import Repair
from measurand.audits.leakage.rules import share_choices
from measurand.audits.leakage.scores import LeakageBaselines, gold_logs
from measurand.audits.leakage.settings import CLUSTERINGS, SHOWN, LeakageSettings
from measurand.audits.leakage.verdict import explain_shift
from measurand.core.arrays import Bools
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import count_clusters
from measurand.core.finding import merge_remarks
from measurand.core.names import ROW, name_condition, own_column
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe, given_settings
from measurand.experiment.statements import (
    one_order_warnings,
    several_right_warnings,
    share_warnings,
)
from measurand.stats.agreement import agreement_bounds
from measurand.stats.information import pvi

SIDE, KEEP, WRITE, AIM = map(own_column, ("side", "keep", "write", "aim"))
WITHOUT_QUESTION = own_column("without_question")
ROUGH = 30  # clusters of items under which an interval is called rough
MISLED = 0.5  # bits surely lost by reading a part, beyond what no calibration leaves
MUCH = 0.05  # a share of items cut that a reader of the report should know


def describe_leakage_benchmark(
    original: Benchmark, canonical: CanonicalBenchmark
) -> dict[str, object]:
    """The benchmark as a report states it: never a path."""
    counts = canonical.scored_items.labels.value_counts()
    split = canonical.benchmark
    return (
        original.describe()
        | {
            "labels": {
                canonical.labels[n]: int(counts.get(n, 0))
                for n in sorted(canonical.labels)
            },
            "train": len(split.train),
            "test": len(split.test),
            "evaluated": "out of fold" if canonical.pool is not None else "test items",
            "digest": {"train": split.train.digest, "test": split.test.digest},
        }
        | (
            {
                "test_parts": {
                    name: len(part) for name, part in original.test_parts.items()
                }
            }
            if original.test_parts
            else {}
        )
    )


def leakage_settings(
    seed: int,
    readers: Mapping[str, Reader],
    readings: Sequence[LeakageReading],
    canonical: CanonicalBenchmark,
    baselines: LeakageBaselines,
    settings: LeakageSettings,
) -> dict[str, object]:
    """Everything that was chosen before the run."""
    cut = canonical.pool is not None
    return {
        "margin": settings.margin,
        "margin_bits": baselines.margin_bits,
        "readers_sharing_error": baselines.readers,
        "seed": seed,
        "calibrate": settings.calibrate,
        "strongest": settings.strongest,
        "controls": settings.controls,
        "check_inference": settings.check_inference,
        "k": settings.k,
        "effective_k": _effective_k(readings),
        "components": settings.components,
        "clusterings": CLUSTERINGS,
        "folds": settings.folds if cut else 0,
        "fold_draws": settings.draws if cut else 0,
        "reference_accuracy": settings.reference,
        **given_settings(settings, "seeds", "tsne"),
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "called": [reading.name for reading in readings if reading.name not in readers],
        "thresholds": SHOWN | {"margin": settings.margin},
        "remarks": merge_remarks(readings),
    }


def _misled_warnings(readings: Sequence[LeakageReading]) -> list[str]:
    """Who is far surer than right of a part: training taught it what does not hold."""
    return [
        f"{reading.name} is far surer than right of {field} alone ({part.bits.over} "
        "bits): what tells the label in training does not in the test items, and more "
        "items of this kind would not help; look what its right texts share there"
        for reading in readings
        for field, part in reading.stage.parts.items()
        if part.bits.over.high + part.shift_bits < -MISLED
    ]


def _effective_k(readings: Sequence[LeakageReading]) -> int | None:
    """The clusters that PECO is of; None where no reader embeds items."""
    counts = [len(part.centres) for r in readings for part in r.regions.values()]
    return max(counts, default=None)


def leakage_warnings(
    canonical: CanonicalBenchmark,
    baselines: LeakageBaselines,
    readings: Sequence[LeakageReading],
) -> list[str]:
    """What a reader of the report should know before quoting it."""
    name = canonical.benchmark.name
    messages = published_warnings(name) if canonical.has_choices else []
    cluster_count = count_clusters(baselines.clusters)
    if cluster_count < ROUGH:
        messages.append(
            f"only {cluster_count} clusters of items that hang together: intervals are "
            "rough"
        )
    if baselines.shift_bits >= baselines.margin_bits:
        messages.append(explain_shift(baselines))
    fields = canonical.benchmark.test.fields
    if len(fields) == 1:
        messages.append(
            f"{fields[0]} is all there is of an item: that it tells the label may be "
            "the task itself, and no leak"
        )
    if canonical.has_choices and share_choices(canonical.scored_items):
        messages.append(
            "all items offer the same choices, so that their length, form and likeness "
            "are not asked apart from their words; if these are classes, what leaks "
            "here is which of them is commonest"
        )
    if canonical.pool is None:
        messages += _misled_warnings(readings)
    else:
        messages.append(
            "no test items were given: accuracies are out of fold, and clusters are of "
            f"the {len(canonical.benchmark.test)} items of one seeded split"
        )
    for reading in readings:
        messages += share_warnings(reading.name, reading.remarks, MUCH)
        if reading.stage.faulty:
            messages.append(
                f"{reading.name} reads something from a part alone where training "
                "labels were dealt anew: its word does not count"
            )
        if reading.stage.collapsed:
            messages.append(
                f"{reading.name} is not clearly above the majority with all fields"
            )
        messages += [
            f"{reading.name} says one class whatever {name_condition(field)} alone is"
            for field, part in reading.stage.parts.items()
            if part.one_class
        ]
        messages += _infeasible_agreements(reading, len(canonical.benchmark.classes))
    overlap = canonical.benchmark.notes.get("overlap", 0)
    if overlap and canonical.pool is None:
        messages.append(f"{overlap} test items stand in the training items too")
    messages += one_order_warnings(merge_remarks(readings))
    return [*messages, *several_right_warnings(canonical.benchmark)]


def _infeasible_agreements(reading: LeakageReading, classes: int) -> list[str]:
    """Agreements that the two accuracies do not allow: a sign of mixed-up items."""
    messages, pair = [], reading.answers.pair
    for field, alone in reading.answers.alone.items():
        for run in range(len(pair.probabilities)):
            low, high = agreement_bounds(
                float(pair.right[run].mean()), float(alone.right[run].mean()), classes
            )
            agree = float((pair.answers[run] == alone.answers[run]).mean())
            if not low - 1e-9 <= agree <= high + 1e-9:
                messages.append(
                    f"{reading.name} agrees with itself on {field} impossibly often"
                )
    return messages


def leakage_item_table(
    canonical: CanonicalBenchmark,
    readings: Sequence[LeakageReading],
    repairs: Repair,
    work: WorkList | None,
    baselines: LeakageBaselines,
) -> pd.DataFrame:
    """One row an item: who answers it, where it lies, what to do about it."""
    train, test = canonical.benchmark.train, canonical.benchmark.test
    names = dict(canonical.labels)
    parts = []
    for side, items in (("train", train), ("test", test)):
        table = items.table[[*items.fields, items.label]].copy()
        table[items.label] = table[items.label].map(names)
        table[SIDE] = side
        parts.append(table)
    table = pd.concat(parts)
    called = [*canonical.rows[0], *canonical.rows[1]]
    if called != table.index.astype(str).tolist():
        table[ROW] = called
    in_test = (table[SIDE] == "test").to_numpy()
    for reading in readings:
        scored = in_test if canonical.pool is None else np.ones(len(table), bool)
        for column, values in _answer_columns(reading, baselines).items():
            table[column] = values.reindex(table.index).where(scored).to_numpy()
        for field, regions in reading.regions.items():
            numbers = np.concatenate([regions.trained, regions.clusters])
            table[own_column("cluster", field, reading.name)] = numbers
        if reading.epoch_map is not None:
            inside = reading.epoch_map.reindex(list(table.index))
            for what in ("confidence", "variability", "correctness"):
                test_values = inside[what].where(in_test)
                table[own_column(what, reading.name)] = test_values.to_numpy()
    if canonical.has_choices:
        table[WITHOUT_QUESTION] = _answered_alone(canonical, readings, table)
    for rule, removal in sorted(repairs.removals.items()):
        removed = np.concatenate([removal.train, removal.test])
        table[own_column("remove", rule)] = removed
    if work is not None:
        aims = aims_by_item(work)
        rows = zip(table[SIDE], table.index.astype(str), strict=True)
        table[AIM] = [aims.get(row, "") for row in rows]
        for column, field in ((KEEP, "keep"), (WRITE, "write")):
            table[column] = np.where(table[AIM] != "", work.tasks[field].iloc[0], "")
    return table


def _answered_alone(
    canonical: CanonicalBenchmark,
    readings: Sequence[LeakageReading],
    table: pd.DataFrame,
) -> Bools:
    """Which items the reader to whom the choices tell most answers without a question.

    In most runs; items that were not scored are none of them.
    """
    field = str(canonical.benchmark.test.choices)
    best = max(readings, key=lambda r: r.stage.parts[field].bits.over.value)
    runs = best.answers.alone[field]
    right = pd.Series(runs.right.mean(axis=0) > 1 / 2, index=list(runs.ids))
    inside = right.reindex(table.index.astype(str), fill_value=False)
    if canonical.pool is None:
        inside &= (table[SIDE] == "test").to_numpy()
    return np.asarray(inside, bool)


def _answer_columns(
    reading: LeakageReading, baselines: LeakageBaselines
) -> dict[str, "pd.Series[float]"]:
    """What is right and how many bits it gives: all fields (the pair), and each."""
    pair: tuple[str, str, tuple[str, ...]] = ("pair_right", "pair_pvi", ())
    runs_of = {pair: reading.answers.pair}
    for field, runs in reading.answers.alone.items():
        runs_of["right", "pvi", (field,)] = runs
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
    """Files for who repairs: what rules that mend keep and remove; the work list.

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
