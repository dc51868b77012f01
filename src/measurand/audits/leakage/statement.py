"""What a leakage report states beside its findings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.leakage.cards import aims
from measurand.audits.leakage.reading import Read
from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.repair import Repair
from measurand.audits.leakage.scores import Ground, gold_logs
from measurand.audits.leakage.settled import Settled
from measurand.audits.leakage.thresholds import SHOWN
from measurand.core.benchmark import Benchmark
from measurand.core.reader import Reader
from measurand.core.recipe import describe_recipe
from measurand.stats.agreement import feasible
from measurand.stats.information import pvi

ROUGH = 30  # clusters of items under which an interval is called rough
MUCH = 0.05  # a share of items cut that a reader of the report should know


def described(given: Benchmark, made: Settled) -> dict[str, object]:
    """The benchmark as a report states it: never a path."""
    counts = made.evaluated.labels.value_counts()
    split = made.benchmark
    return {
        "name": given.name,
        "roles": dict(given.roles),
        "labels": {made.labels[n]: int(counts.get(n, 0)) for n in sorted(made.labels)},
        "train": len(split.train),
        "test": len(split.test),
        "evaluated": "out of fold" if made.whole is not None else "test items",
        "counts": dict(given.notes),
        "planted": given.planted,
        "digest": {"train": split.train.digest, "test": split.test.digest},
    }


def settings(
    readers: Mapping[str, Reader], reads: Sequence[Read], chosen: Mapping[str, Any]
) -> dict[str, object]:
    """Everything that was chosen before the run."""
    return {
        **chosen,
        "readers": {name: describe_recipe(reader) for name, reader in readers.items()},
        "called": [one.name for one in reads if one.name not in readers],
        "thresholds": SHOWN | {"margin": chosen["margin"]},
        "remarks": {
            one.name: dict(one.said.pair.remarks)
            for one in reads
            if one.said.pair.remarks
        },
    }


def warnings(made: Settled, base: Ground, reads: Sequence[Read]) -> list[str]:
    """What a reader of the report should know before quoting it."""
    said = []
    found = len(np.unique(base.clusters))
    if found < ROUGH:
        said.append(
            f"only {found} clusters of items that hang together: intervals are rough"
        )
    fields = made.benchmark.test.fields
    if len(fields) == 1:
        said.append(
            f"{fields[0]} is all there is of an item: that it tells the label may be "
            "the task itself, and no leak"
        )
    if made.whole is not None:
        said.append(
            "no test items were given: accuracies are out of fold, and clusters are of "
            f"the {len(made.benchmark.test)} items of one seeded split"
        )
    for one in reads:
        share = float(one.said.pair.remarks.get("truncated", 0.0))
        if share > MUCH:
            said.append(f"{one.name} cut {100 * share:.0f} % of the items")
        if one.stage.collapsed:
            said.append(f"{one.name} is not clearly above the majority with all fields")
        said += infeasible(one, len(made.benchmark.classes))
    overlap = made.benchmark.notes.get("overlap", 0)
    if overlap and made.whole is None:
        said.append(f"{overlap} test items stand in the training items too")
    return said


def infeasible(one: Read, classes: int) -> list[str]:
    """Agreements that the two accuracies do not allow: a sign of mixed-up items."""
    said, pair = [], one.said.pair
    for field, alone in one.said.alone.items():
        for run in range(len(pair.probabilities)):
            low, high = feasible(
                float(pair.right[run].mean()), float(alone.right[run].mean()), classes
            )
            agree = float((pair.answers[run] == alone.answers[run]).mean())
            if not low - 1e-9 <= agree <= high + 1e-9:
                said.append(
                    f"{one.name} agrees with itself on {field} impossibly often"
                )
    return said


def item_table(
    made: Settled, reads: Sequence[Read], mended: Repair, base: Ground
) -> pd.DataFrame:
    """One row an item: who answers it, where it lies, what to do about it."""
    train, test = made.benchmark.train, made.benchmark.test
    names = dict(made.labels)
    parts = []
    for side, items in (("train", train), ("test", test)):
        table = items.table[[*items.fields, items.label]].copy()
        table[items.label] = table[items.label].map(names)
        parts.append(table.assign(side=side))
    table = pd.concat(parts)
    for one in reads:
        for field, runs in {"pair": one.said.pair, **one.said.alone}.items():
            # Bits of the first run, as PVI is of one reader.
            shown = {
                "right": runs.right.mean(axis=0),
                "pvi": pvi(gold_logs(runs, 0), base.null),
            }
            for what, values in shown.items():
                known = pd.Series(values, index=list(runs.ids)).reindex(table.index)
                if made.whole is None:
                    known = known.where((table["side"] == "test").to_numpy())
                table[f"{what}:{field}:{one.name}"] = known.to_numpy()
        for field, found in one.regions.items():
            numbers = np.concatenate([found.trained, found.clusters])
            table[f"cluster:{field}:{one.name}"] = numbers
        if one.map is not None:
            inside = one.map.reindex(list(table.index))
            for what in ("confidence", "variability", "correctness"):
                held = inside[what].where((table["side"] == "test").to_numpy())
                table[f"{what}:{one.name}"] = held.to_numpy()
    for rule, removal in sorted(mended.removals.items()):
        table[f"remove:{rule}"] = np.concatenate([removal.train, removal.test])
    worst = reads[0].regions.get(mended.field)
    if worst is not None:
        table["rewrite"], table["aim"] = rewritten(
            made, mended.field, table, worst, reads[0].name
        )
    return table


def rewritten(
    made: Settled, field: str, table: pd.DataFrame, found: Regions, reader: str
) -> tuple[list[str], list[str]]:
    """The part to rewrite and the label to aim for in biased clusters."""
    wanted = aims(made.benchmark.test, found, made.benchmark.train)
    aim = {
        c: made.labels[n] for c, n in zip(wanted["cluster"], wanted["aim"], strict=True)
    }
    clusters = table[f"cluster:{field}:{reader}"]
    label = made.benchmark.test.label
    lacking = [aim.get(int(c), "") for c in clusters]
    # An item that already has the label its cluster lacks is left alone.
    asked = [
        goal if goal and goal != own else ""
        for goal, own in zip(lacking, table[label], strict=True)
    ]
    return [field if goal else "" for goal in asked], asked


def exported(items: pd.DataFrame) -> dict[str, bytes]:
    """Files for who repairs: ids kept and removed by each rule, and the work list."""
    files = {}
    for column in items.columns:
        if str(column).startswith("remove:"):
            rule, gone = str(column).partition(":")[2], items[column].to_numpy(bool)
            for what, chosen in (("kept", ~gone), ("removed", gone)):
                ids = [str(one) for one in items.index[chosen]]
                files[f"{what}_{rule}.txt"] = ("\n".join(ids) + "\n").encode()
    if "rewrite" in items:
        asked = items.loc[items["rewrite"] != "", ["side", "rewrite", "aim"]]
        files["work_list.csv"] = asked.to_csv().encode()
    return files
