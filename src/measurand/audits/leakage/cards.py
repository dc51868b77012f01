"""What an author works with: cards of clusters, and counterparts.

A text that gives its label away is kept as it is, and somebody writes another other
part for it, so that another label is right. Where this was done, the same text stands
with several labels, and nothing in it says which. To write the leaking part again is no
remedy: that is how the leak came about.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.leakage.regions import Regions
from measurand.audits.leakage.sides import Sides
from measurand.core.items import Items
from measurand.stats.tokens import token_statistics

WORDS = 8  # n-grams that tell a cluster from the rest
EXAMPLES = 5  # items nearest to the middle of a cluster
LONG = 300  # letters of an example


def cluster_cards(
    items: Items,
    field: str,
    regions: Regions,
    correct: "pd.Series[float]",
    labels: Mapping[str, str],
) -> pd.DataFrame:
    """One row per cluster: how large, how far off, by which words, with examples."""
    texts = items.column(field)
    inside = pd.Series([f"c{c}" for c in regions.clusters], index=texts.index)
    token_table = _distinguishing_words(texts, inside)
    biased = set(regions.biased)
    rows = []
    for cluster, row in regions.score.by_cluster.iterrows():
        members = np.flatnonzero(regions.clusters == cluster)
        distances = np.linalg.norm(
            regions.points[members] - regions.centres[int(str(cluster))], axis=1
        )
        nearest = members[np.argsort(distances, kind="stable")[:EXAMPLES]]
        counts = items.labels.iloc[members].value_counts()
        words = token_table.loc[token_table["label"] == f"c{cluster}", "token"].head(
            WORDS
        )
        rows.append(
            {
                "cluster": int(str(cluster)),
                "size": int(row["size"]),
                "effect": float(row["divergence"]),
                "p": float(row["p"]),
                "q": float(row["q"]),
                "answered": float(correct.iloc[members].mean()),
                "labels": json.dumps(
                    {labels[n]: int(counts.get(n, 0)) for n in sorted(labels)}
                ),
                "words": json.dumps(words.tolist()),
                "examples": json.dumps([texts.iloc[i][:LONG] for i in nearest]),
                "biased": int(str(cluster)) in biased,
            }
        )
    return pd.DataFrame(rows)


def _distinguishing_words(
    texts: "pd.Series[str]", inside: "pd.Series[str]"
) -> pd.DataFrame:
    """The n-grams that surely stand more often in a cluster than elsewhere."""
    if inside.nunique() < 2:
        return pd.DataFrame(columns=["token", "label"])
    token_table = token_statistics(texts, inside)
    return token_table[(token_table["z"] > 0) & token_table["found"]]


def cartography(
    epochs: np.ndarray, gold: np.ndarray, ids: tuple[str, ...]
) -> pd.DataFrame:
    """Confidence, variability and correctness of each item over the epochs."""
    gold_probabilities = epochs[:, np.arange(len(gold)), gold]
    correct = epochs.argmax(axis=2) == gold
    return pd.DataFrame(
        {
            "confidence": gold_probabilities.mean(axis=0),
            "variability": gold_probabilities.std(axis=0),
            "correctness": correct.mean(axis=0),
        },
        index=list(ids),
    )


COLUMNS = ("side", "cluster", "keep", "write", "label", "aim")


@dataclass(frozen=True, eq=False)
class WorkList:
    """The counterparts that would make the labels of biased clusters even.

    Attributes:
        tasks: One row per counterpart; the index is the id of the item whose text is
            kept. `keep` is the field that stays, `write` what is written for it,
            `label` what the item has now, `aim` what the new one should have.
        counts: How many counterparts, by side, cluster and aim, and for how many items.
        task: What to ask of an annotator, in a sentence.
    """

    tasks: pd.DataFrame
    counts: pd.DataFrame
    task: str


def list_counterparts(
    sides: Sides, field: str, regions: Regions, elicited: str | None
) -> WorkList:
    """What to write for the texts in biased clusters of a field, another next to it.

    `elicited` is the part that was written for the label, where that is known.
    """
    called = sides.column(field)
    others = " and ".join(sides.column(f) for f in sides.fields if f != field)
    by_side = {
        "train": (sides.benchmark.train, regions.trained),
        "test": (sides.benchmark.test, regions.clusters),
    }
    shares = sides.benchmark.train.labels.value_counts(normalize=True)
    rows, ids = [], []
    for side, (items, clusters) in by_side.items():
        for cluster in regions.biased:
            inside = items.labels[clusters == cluster]
            for item_id, label, aim in _assign_labels(inside, shares):
                ids.append(item_id)
                names = sides.label(label), sides.label(aim)
                rows.append((side, cluster, called, others, *names))
    tasks = pd.DataFrame(rows, columns=list(COLUMNS), index=pd.Index(ids, name="id"))
    return WorkList(
        tasks, _count_tasks(tasks), _describe_task(elicited, called, others)
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
            position = number % len(givers)
            yield str(givers.index[position]), str(givers.iloc[position]), str(aim)


def _count_tasks(tasks: pd.DataFrame) -> pd.DataFrame:
    """How many counterparts by side, cluster and aim, and for how many items."""
    columns = ["side", "cluster", "keep", "write", "aim"]
    grouped = tasks.reset_index().groupby(columns, sort=True)["id"]
    table = grouped.agg(["size", "nunique"]).reset_index()
    return table.rename(columns={"size": "to_write", "nunique": "items"})


def _describe_task(elicited: str | None, field: str, others: str) -> str:
    """What an annotator is asked, and how the field came about where it is known."""
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
