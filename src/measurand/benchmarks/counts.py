"""What is counted of a benchmark, and whether its items are enough for an audit."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.benchmarks.choices import count_choices, sort_choices
from measurand.core.errors import BadInput, quote

MOST_CLASSES = 26  # more, of which most stand once, may be answers
FEWEST = 20  # fewer items than this cannot be learned from and asked about


def benchmark_counts(
    train: pd.DataFrame,
    test: pd.DataFrame,
    query: str,
    evidence: str | None,
    label: str,
    choices: str | None = None,
    screened: bool = False,
) -> dict[str, int]:
    """How many items there are, stand twice, contradict each other, or leak.

    - duplicates: items whose inputs and label stand in an earlier item;
    - conflicts: items whose inputs stand elsewhere with another label; of choices the
      order does not count, and the right text is the label; drawn ones are no input;
    - overlap: test items whose inputs stand in train;
    - shared_queries, shared_evidence: test items of which that text stands in train;
    - duplicate_choices, several_right: items with a choice, or the right one, twice.
    """
    n = len(train)
    inputs_given = (query, evidence, None if screened else choices)
    texts = [name for name in inputs_given if name is not None]
    if choices is not None:
        train, test = (sort_choices(side, choices, label) for side in (train, test))
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
        "shared_queries": _count_shared(train[query], test[query]),
    }
    if evidence is not None:
        notes["shared_evidence"] = _count_shared(train[evidence], test[evidence])
    if choices is not None:
        sides = pd.concat([train, test])
        notes |= count_choices(sides[choices], sides[label])
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


def _count_shared(train: "pd.Series[str]", test: "pd.Series[str]") -> int:
    """How many test texts stand in train; a blank is no text."""
    known = set(train.tolist())
    return sum(text in known for text in test.tolist() if text.strip())


def check_enough_items(train: "pd.Series[str]", test: "pd.Series[str]") -> None:
    """Nothing, where there are items to learn from and to ask about."""
    for side, labels in (("train", train), ("test", test)):
        if labels.empty:
            raise BadInput(
                f"no labelled {side} items are left; give some, or drop test"
            )
    check_count(len(train) + len(test))


def check_count(count: int) -> None:
    """Raise where so many items are too few, however they are split."""
    if count < FEWEST:
        items = "is 1 item" if count == 1 else f"are {count} items"
        raise BadInput(f"there {items}; at least {FEWEST} are needed")


def check_benchmark_labels(
    train: "pd.Series[str]", test: "pd.Series[str]", label: str
) -> None:
    """Nothing, where the labels of train and test can be learned and asked about."""
    column = f"label column {quote(label)}"
    counts = train.value_counts().add(test.value_counts(), fill_value=0)
    if len(counts) == 1:
        raise BadInput(
            f"the {column} holds one class only, {quote(str(counts.index[0]))}; "
            "at least two are needed, or name another column with `label`"
        )
    single = counts.index[counts == 1]
    if len(single):
        free = ""
        if 2 * len(single) > len(counts) > MOST_CLASSES:
            free = f", or these with `answers` {quote(label, 200)} if they are free"
        raise BadInput(
            f"{len(single)} of {len(counts)} classes in the {column} have one item "
            f"only, such as {quote(str(single[0]))}; remove these items, or name "
            f"another column with `label`{free}"
        )
    unseen = test[~test.isin(train.unique())].unique()
    if len(unseen):
        raise BadInput(
            f"{len(unseen)} labels of test are not in train, such as "
            f"{quote(str(unseen[0]))}; choose another `split_by` or `seed`, or give "
            "another test file"
        )
