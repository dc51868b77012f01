"""Counts about the rows that a reader of a report should know."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.core.errors import BadInput, quote


def benchmark_counts(
    train: pd.DataFrame,
    test: pd.DataFrame,
    query: str,
    evidence: str | None,
    label: str,
) -> dict[str, int]:
    """How many items there are, stand twice, contradict each other, or leak.

    - duplicates: items whose inputs and label stand in an earlier item;
    - conflicts: items whose inputs stand elsewhere with another label;
    - overlap: test items whose inputs stand in train;
    - shared_queries, shared_evidence: test items of which that text stands in train.
    """
    n = len(train)
    texts = [query] if evidence is None else [query, evidence]
    codes = {column: _number_cells(train, test, column) for column in [*texts, label]}
    table = pd.DataFrame(codes)
    inputs = table.groupby(texts, sort=False).ngroup()
    kinds = table[label].groupby(inputs).transform("nunique")
    notes = {
        "items_train": n,
        "items_test": len(test),
        "duplicates": int(table.duplicated().sum()),
        "conflicts": int((kinds > 1).sum()),
        "overlap": _count_overlap(np.asarray(inputs, np.int64), n),
        "shared_queries": _count_overlap(codes[query], n),
    }
    if evidence is not None:
        notes["shared_evidence"] = _count_overlap(codes[evidence], n)
    return notes


def _number_cells(
    train: pd.DataFrame, test: pd.DataFrame, column: str
) -> NDArray[np.int64]:
    """A number for each text, train first: equal texts have equal numbers."""
    codes, _ = pd.factorize(pd.concat([train[column], test[column]]))
    return np.asarray(codes, np.int64)


def _count_overlap(numbers: NDArray[np.int64], n: int) -> int:
    """How many of the numbers after the first `n` stand among these."""
    return int(np.isin(numbers[n:], numbers[:n]).sum())


FEWEST = 20  # fewer items than this cannot be learned from and asked about


def check_benchmark_labels(
    train: "pd.Series[str]", test: "pd.Series[str]", label: str
) -> None:
    """Nothing, where the labels of train and test can be learned and asked about."""
    column = f"label column {quote(label)}"
    for side, labels in (("train", train), ("test", test)):
        if labels.empty:
            raise BadInput(
                f"no labelled {side} items are left; give some, or drop test"
            )
    counts = train.value_counts().add(test.value_counts(), fill_value=0)
    if counts.sum() < FEWEST:
        raise BadInput(
            f"there are {counts.sum():.0f} items; at least {FEWEST} are needed"
        )
    if len(counts) == 1:
        raise BadInput(
            f"the {column} holds one class only, {quote(str(counts.index[0]))}; "
            "at least two are needed, or name another column with `label`"
        )
    single = counts.index[counts == 1]
    if len(single):
        raise BadInput(
            f"{len(single)} of {len(counts)} classes in the {column} have one item "
            f"only, such as {quote(str(single[0]))}; remove these items, or name "
            "another column with `label`"
        )
    unseen = test[~test.isin(train.unique())].unique()
    if len(unseen):
        raise BadInput(
            f"{len(unseen)} labels of test are not in train, such as "
            f"{quote(str(unseen[0]))}; choose another `split_by` or `seed`, or give "
            "another test file"
        )
