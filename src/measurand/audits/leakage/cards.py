"""Clusters, words and epochs in plain words: what an author looks at.

What words and shapes of texts say about labels needs no reader.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.regions import Regions
from measurand.core.clusters import shared_clusters
from measurand.core.errors import Undefined
from measurand.core.items import Items
from measurand.stats.tokens import feature_statistics, text_features, token_statistics

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
    """One row a cluster: how large, how far off, by which words, with examples."""
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


@dataclass(frozen=True, eq=False)
class WordStatistics:
    """Words and features of each field against the labels, over all items.

    Attributes:
        tokens: A table a field, of words and word pairs, the surest first.
        features: How much negation, length and overlap tell, a row a field and feature.
        not_run: Features that never vary.
    """

    tokens: Mapping[str, pd.DataFrame]
    features: pd.DataFrame
    not_run: Mapping[str, str]

    def surest(self, field: str) -> pd.DataFrame:
        """The words that surely stand more often with a label than they should."""
        table = self.tokens[field]
        return table[table["found"] & (table["z"] > 0)]


def word_statistics(canonical: CanonicalBenchmark) -> WordStatistics:
    """Every word of every field, held against the labels."""
    sides = [canonical.benchmark.train, canonical.benchmark.test]
    names = dict(canonical.labels)
    labels = pd.concat([side.labels for side in sides], ignore_index=True)
    texts = {
        field: pd.concat([side.column(field) for side in sides], ignore_index=True)
        for field in canonical.fields
    }
    group = [
        pd.concat([side.column(column) for side in sides], ignore_index=True)
        for column in [sides[0].group]
        if column
    ]
    contest = [
        pd.concat([side.column(column) for side in sides], ignore_index=True)
        for column in [sides[0].contest]
        if column
    ]
    tokens, shapes, not_run = {}, [], {}
    for field, field_texts in texts.items():
        # A text that many items share has its label once; of choices, one is right.
        groups = shared_clusters(contest or [field_texts, *group])
        token_table = token_statistics(field_texts, labels, groups=groups)
        tokens[field] = token_table.assign(label=token_table["label"].map(names))
        others = pd.DataFrame({f: t for f, t in texts.items() if f != field})
        try:
            shape_table = text_features(
                field_texts, others if len(others.columns) else None
            )
            shape_statistics = feature_statistics(shape_table, labels, groups=groups)
            shapes.append(shape_statistics.assign(field=field))
        except Undefined as reason:
            not_run[f"features of {field}"] = str(reason)
    feature_table = pd.concat(shapes, ignore_index=True) if shapes else pd.DataFrame()
    return WordStatistics(tokens, feature_table, not_run)
