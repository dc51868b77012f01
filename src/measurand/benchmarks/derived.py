"""Metadata that the text alone gives: no label is ever looked at.

Where cuts are needed (short and long, low and high) they are the terciles of the
train part, so that test items cannot move them.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.benchmarks.formats import BATCH, TEXT
from measurand.benchmarks.phrasing import fold_rare_forms, query_form, query_type
from measurand.core.errors import BadInput, join_names
from measurand.core.words import NEGATIONS, count_sentences, words

OF_QUERY = {
    "query_form": "the question word of the query, or the form of its claim",
    "query_type": "what the query asks for or is about, guessed from its words",
    "query_length": "words in the query, by the terciles of train",
    "query_negation": "whether the query holds a negation",
}
OF_EVIDENCE = {
    "evidence_overlap": "share of query words in the evidence, by terciles of train",
    "evidence_sentences": "how many sentences the evidence holds",
}
MANY = 3  # as many sentences as this, or more, are counted alike


@dataclass(frozen=True)
class _TextMeasures:
    """What is measured on each item before anything is cut into classes."""

    forms: list[str]
    types: list[str]
    negations: list[str]
    lengths: NDArray[np.int64]
    overlaps: NDArray[np.float64]
    sentences: list[str]


def metadata_schema(evidence: str | None) -> dict[str, str]:
    """What each derived column means, one line each."""
    return OF_QUERY if evidence is None else {**OF_QUERY, **OF_EVIDENCE}


def derive_metadata(
    train: pd.DataFrame, test: pd.DataFrame, query: str, evidence: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables with the columns of `metadata_schema` added."""
    taken = [name for name in metadata_schema(evidence) if name in train.columns]
    if taken:
        raise BadInput(
            f"{join_names(taken)} would be derived but names a column in use; "
            "rename that column, or name metadata with --metadata"
        )
    train_measures = _measure_texts(train, query, evidence)
    test_measures = _measure_texts(test, query, evidence)
    return (
        train.assign(
            **_metadata_columns(train_measures, train_measures, train.index, evidence)
        ),
        test.assign(
            **_metadata_columns(test_measures, train_measures, test.index, evidence)
        ),
    )


def _measure_texts(
    table: pd.DataFrame, query: str, evidence: str | None
) -> _TextMeasures:
    """The measures of each item; every text is cut into words once."""
    forms, types, negations, counts = [], [], [], []
    lengths, overlaps = [], []
    queries = _iterate_texts(table[query])
    contexts: Iterable[str] = (
        repeat("") if evidence is None else _iterate_texts(table[evidence])
    )
    for question, context in zip(queries, contexts, strict=False):
        question_words = words(question)
        shape = query_form(question, question_words)
        forms.append(shape)
        types.append(query_type(question, question_words, shape))
        negations.append("no" if NEGATIONS.isdisjoint(question_words) else "yes")
        lengths.append(len(question_words))
        if evidence is not None:
            distinct = set(question_words)
            overlaps.append(
                len(distinct.intersection(words(context))) / max(len(distinct), 1)
            )
            sentence_count = count_sentences(context)
            counts.append(f"{MANY}+" if sentence_count >= MANY else str(sentence_count))
    return _TextMeasures(
        forms, types, negations, np.array(lengths), np.array(overlaps), counts
    )


def _iterate_texts(column: "pd.Series[str]") -> Iterator[str]:
    """The cells, a batch at a time: faster than one by one, smaller than all."""
    for start in range(0, len(column), BATCH):
        yield from column.iloc[start : start + BATCH].to_numpy(object)


def _metadata_columns(
    measures: _TextMeasures,
    train: _TextMeasures,
    index: "pd.Index[str]",
    evidence: str | None,
) -> dict[str, "pd.Series[str]"]:
    """The derived columns of one part, cut where the train part says."""
    derived: dict[str, Sequence[str]] = {
        "query_form": fold_rare_forms(measures.forms, train.forms),
        "query_type": measures.types,
        "query_length": _tercile_names(
            measures.lengths, train.lengths, ("short", "medium", "long")
        ),
        "query_negation": measures.negations,
    }
    if evidence is not None:
        derived["evidence_overlap"] = _tercile_names(
            measures.overlaps, train.overlaps, ("low", "medium", "high")
        )
        derived["evidence_sentences"] = measures.sentences
    return {
        name: pd.Series(list(values), index=index, dtype=TEXT)
        for name, values in derived.items()
    }


def _tercile_names(
    values: NDArray[np.float64] | NDArray[np.int64],
    train: NDArray[np.float64] | NDArray[np.int64],
    thirds: tuple[str, str, str],
) -> list[str]:
    """The third of each value; a value at a tercile belongs below it.

    >>> _tercile_names(np.array([1, 2, 9]), np.array([1, 2, 3]), ("low", "medium", "high"))
    ['low', 'medium', 'high']
    """
    edges = np.quantile(train, [1 / 3, 2 / 3], method="inverted_cdf")
    return [thirds[third] for third in np.searchsorted(edges, values)]
