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
from measurand.benchmarks.phrasing import folded, form, kind
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
class Measures:
    """What is measured on each item before anything is cut into classes."""

    forms: list[str]
    types: list[str]
    negations: list[str]
    lengths: NDArray[np.int64]
    overlaps: NDArray[np.float64]
    sentences: list[str]


def schema(evidence: str | None) -> dict[str, str]:
    """What each derived column means, one line each."""
    return OF_QUERY if evidence is None else {**OF_QUERY, **OF_EVIDENCE}


def with_metadata(
    train: pd.DataFrame, test: pd.DataFrame, query: str, evidence: str | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both tables with the columns of `schema` added."""
    taken = [name for name in schema(evidence) if name in train.columns]
    if taken:
        raise BadInput(
            f"{join_names(taken)} would be derived but names a column in use; "
            "rename that column, or name metadata with --metadata"
        )
    seen = measured(train, query, evidence)
    asked = measured(test, query, evidence)
    return (
        train.assign(**columns(seen, seen, train.index, evidence)),
        test.assign(**columns(asked, seen, test.index, evidence)),
    )


def measured(table: pd.DataFrame, query: str, evidence: str | None) -> Measures:
    """The measures of each item; every text is cut into words once."""
    forms, types, negations, counts = [], [], [], []
    lengths, overlaps = [], []
    queries = texts(table[query])
    contexts: Iterable[str] = repeat("") if evidence is None else texts(table[evidence])
    for asked, context in zip(queries, contexts, strict=False):
        read = words(asked)
        shape = form(asked, read)
        forms.append(shape)
        types.append(kind(asked, read, shape))
        negations.append("no" if NEGATIONS.isdisjoint(read) else "yes")
        lengths.append(len(read))
        if evidence is not None:
            distinct = set(read)
            overlaps.append(
                len(distinct.intersection(words(context))) / max(len(distinct), 1)
            )
            held = count_sentences(context)
            counts.append(f"{MANY}+" if held >= MANY else str(held))
    return Measures(
        forms, types, negations, np.array(lengths), np.array(overlaps), counts
    )


def texts(column: "pd.Series[str]") -> Iterator[str]:
    """The cells, a batch at a time: faster than one by one, smaller than all."""
    for start in range(0, len(column), BATCH):
        yield from column.iloc[start : start + BATCH].to_numpy(object)


def columns(
    here: Measures, train: Measures, index: "pd.Index[str]", evidence: str | None
) -> dict[str, "pd.Series[str]"]:
    """The derived columns of one part, cut where the train part says."""
    made: dict[str, Sequence[str]] = {
        "query_form": folded(here.forms, train.forms),
        "query_type": here.types,
        "query_length": cut(here.lengths, train.lengths, ("short", "medium", "long")),
        "query_negation": here.negations,
    }
    if evidence is not None:
        made["evidence_overlap"] = cut(
            here.overlaps, train.overlaps, ("low", "medium", "high")
        )
        made["evidence_sentences"] = here.sentences
    return {
        name: pd.Series(list(values), index=index, dtype=TEXT)
        for name, values in made.items()
    }


def cut(
    values: NDArray[np.float64] | NDArray[np.int64],
    train: NDArray[np.float64] | NDArray[np.int64],
    thirds: tuple[str, str, str],
) -> list[str]:
    """The third of each value; a value at a tercile belongs below it.

    >>> cut(np.array([1, 2, 9]), np.array([1, 2, 3]), ("low", "medium", "high"))
    ['low', 'medium', 'high']
    """
    edges = np.quantile(train, [1 / 3, 2 / 3], method="inverted_cdf")
    return [thirds[place] for place in np.searchsorted(edges, values)]
