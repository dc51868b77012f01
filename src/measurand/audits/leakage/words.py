"""What words and shapes of texts say about labels, without any reader."""

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.core.clusters import shared_clusters
from measurand.core.errors import Undefined
from measurand.stats.tokens import feature_statistics, text_features, token_statistics


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
    tokens, shapes, not_run = {}, [], {}
    for field, field_texts in texts.items():
        # A text that many items share has its label once.
        groups = shared_clusters([field_texts, *group])
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
