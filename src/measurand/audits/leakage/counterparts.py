"""Counterparts: the paper's remedy for a part that leaks.

A text that gives its label away is kept as it is, and somebody writes another other
part for it, so that another label is right. Where this was done, the same text stands
with several labels, and nothing in it tells which. To write the leaking part anew is no
remedy: that is how the leak came about.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.regions import Regions

COLUMNS = ("side", "cluster", "keep", "write", "label", "aim")


@dataclass(frozen=True, eq=False)
class WorkList:
    """The counterparts that would make the labels of biased clusters even.

    Attributes:
        tasks: One row a counterpart; the index is the id of the item whose text is
            kept. `keep` is the field that stays, `write` what is written for it,
            `label` what the item has now, `aim` what the new one should have.
        counts: How many counterparts, by side, cluster and aim, and for how many items.
        task: What to ask of an annotator, in a sentence.
    """

    tasks: pd.DataFrame
    counts: pd.DataFrame
    task: str


def list_counterparts(
    canonical: CanonicalBenchmark, field: str, regions: Regions
) -> WorkList:
    """What to write for the texts in biased clusters of a field, another beside it."""
    others = " and ".join(name for name in canonical.fields if name != field)
    sides = {
        "train": (canonical.benchmark.train, regions.trained),
        "test": (canonical.benchmark.test, regions.clusters),
    }
    shares = canonical.benchmark.train.labels.value_counts(normalize=True)
    rows, ids = [], []
    for side, (items, clusters) in sides.items():
        for cluster in regions.biased:
            inside = items.labels[clusters == cluster]
            for item_id, label, aim in _assign_labels(inside, shares):
                ids.append(item_id)
                names = canonical.labels[label], canonical.labels[aim]
                rows.append((side, cluster, field, others, *names))
    tasks = pd.DataFrame(rows, columns=list(COLUMNS), index=pd.Index(ids, name="id"))
    return WorkList(
        tasks, _count_tasks(tasks), _describe_task(canonical, field, others)
    )


def _assign_labels(
    labels: "pd.Series[str]", shares: "pd.Series[float]"
) -> Iterator[tuple[str, str, str]]:
    """The id, the label and the aim of each counterpart that a cluster needs.

    The fewest that give the cluster the shares of the training items; those of a label
    go round among the items that have another.
    """
    counts = labels.value_counts().reindex(shares.index, fill_value=0)
    if labels.empty:
        return
    size = float((counts / shares).max())
    for aim in sorted(shares.index):
        needed = round(size * float(shares[aim])) - int(counts[aim])
        givers = labels[labels != aim]
        for number in range(needed if len(givers) else 0):
            place = number % len(givers)
            yield str(givers.index[place]), str(givers.iloc[place]), str(aim)


def _count_tasks(tasks: pd.DataFrame) -> pd.DataFrame:
    """How many counterparts by side, cluster and aim, and for how many items."""
    columns = ["side", "cluster", "keep", "write", "aim"]
    grouped = tasks.reset_index().groupby(columns, sort=True)["id"]
    table = grouped.agg(["size", "nunique"]).reset_index()
    return table.rename(columns={"size": "to_write", "nunique": "items"})


def _describe_task(canonical: CanonicalBenchmark, field: str, others: str) -> str:
    """What an annotator is asked, and how the field came about where it is known."""
    elicited = canonical.benchmark.elicited
    ask = f"keep each {field} as it is and write a new {others} for it, so that the "
    ask += "label named under aim is right"
    if elicited == field:
        return (
            f"{field} was written for the label, which is how it came to tell it: {ask}"
        )
    if elicited in others.split(" and "):
        return f"{elicited} is what was written for a label before, too: {ask}"
    return ask


def aims_by_item(work: WorkList) -> dict[tuple[str, str], str]:
    """The labels that the counterparts of an item should have, by its side and id."""
    rows = work.tasks.reset_index().groupby(["side", "id"])["aim"]
    return {
        (str(side), str(item_id)): ", ".join(sorted(set(aims)))
        for (side, item_id), aims in rows
    }
