"""Clusters, words and epochs in plain words: what an author looks at."""

import json
from collections.abc import Mapping

import numpy as np
import pandas as pd

from measurand.audits.leakage.regions import Regions
from measurand.core.items import Items
from measurand.stats.tokens import token_statistics

WORDS = 8  # n-grams that tell a cluster from the rest
EXAMPLES = 5  # items nearest to the middle of a cluster
LONG = 300  # letters of an example


def cards(
    items: Items,
    field: str,
    found: Regions,
    answered: "pd.Series[float]",
    labels: Mapping[str, str],
) -> pd.DataFrame:
    """One row a cluster: how large, how far off, by which words, with examples."""
    texts = items.column(field)
    inside = pd.Series([f"c{c}" for c in found.clusters], index=texts.index)
    told = distinguishing(texts, inside)
    biased = set(found.biased)
    rows = []
    for cluster, row in found.score.by_cluster.iterrows():
        members = np.flatnonzero(found.clusters == cluster)
        away = np.linalg.norm(
            found.points[members] - found.centres[int(str(cluster))], axis=1
        )
        nearest = members[np.argsort(away, kind="stable")[:EXAMPLES]]
        counts = items.labels.iloc[members].value_counts()
        words = told.loc[told["label"] == f"c{cluster}", "token"].head(WORDS)
        rows.append(
            {
                "cluster": int(str(cluster)),
                "size": int(row["size"]),
                "effect": float(row["divergence"]),
                "p": float(row["p"]),
                "q": float(row["q"]),
                "answered": float(answered.iloc[members].mean()),
                "labels": json.dumps(
                    {labels[n]: int(counts.get(n, 0)) for n in sorted(labels)}
                ),
                "words": json.dumps(words.tolist()),
                "examples": json.dumps([texts.iloc[i][:LONG] for i in nearest]),
                "biased": int(str(cluster)) in biased,
            }
        )
    return pd.DataFrame(rows)


def distinguishing(texts: "pd.Series[str]", inside: "pd.Series[str]") -> pd.DataFrame:
    """The n-grams that surely stand more often in a cluster than elsewhere."""
    if inside.nunique() < 2:
        return pd.DataFrame(columns=["token", "label"])
    told = token_statistics(texts, inside)
    return told[(told["z"] > 0) & told["found"]]


def aims(items: Items, found: Regions, trained: Items) -> pd.DataFrame:
    """The label that each cluster lacks most: what a rewritten item should aim for."""
    whole = trained.labels.value_counts(normalize=True)
    rows = []
    for cluster in found.biased:
        here = items.labels[found.clusters == cluster].value_counts(normalize=True)
        lacking = {n: float(whole[n] - here.get(n, 0.0)) for n in sorted(whole.index)}
        rows.append((cluster, max(lacking, key=lambda n: lacking[n])))
    return pd.DataFrame(rows, columns=["cluster", "aim"])


def cartography(
    epochs: np.ndarray, gold: np.ndarray, ids: tuple[str, ...]
) -> pd.DataFrame:
    """Confidence, variability and correctness of each item over the epochs."""
    own = epochs[:, np.arange(len(gold)), gold]
    right = epochs.argmax(axis=2) == gold
    return pd.DataFrame(
        {
            "confidence": own.mean(axis=0),
            "variability": own.std(axis=0),
            "correctness": right.mean(axis=0),
        },
        index=list(ids),
    )
