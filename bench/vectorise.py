"""Our counts of words and word pairs against scikit-learn's TfidfVectorizer."""

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from bench.figures import Figure, cpu
from bench.texts import pairs
from measurand.readers.ngrams import fit_grams
from measurand.text.words import words

TEXTS = 60_000


def run(arguments: Sequence[str]) -> list[Figure]:
    """Fit and transform the same texts with both, from the same words."""
    texts = [item["premise"] + " " + item["hypothesis"] for item in pairs(TEXTS)]
    ours, (_, features) = cpu(lambda: fit_grams(texts, least=2))
    theirs, usual = cpu(lambda: vectoriser().fit_transform(texts))
    shapes = float(features.shape == usual.shape and features.nnz == usual.nnz)
    weights = float(np.allclose(np.sort(features.data), np.sort(usual.data)))
    sizes = f"{features.shape[0]:,} × {features.shape[1]:,} with {features.nnz:,} cells"
    return [
        Figure(f"same shape and cells: {sizes}", shapes, "", least=1.0),
        Figure("same weights", weights, "", least=1.0),
        Figure("grams", ours, "s"),
        Figure("TfidfVectorizer", theirs, "s"),
        Figure("TfidfVectorizer over grams", theirs / ours, "times", least=1.0),
    ]


def vectoriser() -> TfidfVectorizer:
    """Scikit-learn's vectoriser with the settings of ours."""
    settings = {"ngram_range": (1, 2), "min_df": 2, "sublinear_tf": True}
    return TfidfVectorizer(tokenizer=words, token_pattern=None, **settings)
