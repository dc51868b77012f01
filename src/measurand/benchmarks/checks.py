"""What a benchmark needs before anything can be said about it."""

import pandas as pd

from measurand.core.errors import BadInput, quote

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
            "at least two are needed, or name another column with --label"
        )
    single = counts.index[counts == 1]
    if len(single):
        raise BadInput(
            f"{len(single)} of {len(counts)} classes in the {column} have one item "
            f"only, such as {quote(str(single[0]))}; remove these items, or name "
            "another column with --label"
        )
    unseen = test[~test.isin(train.unique())].unique()
    if len(unseen):
        raise BadInput(
            f"{len(unseen)} labels of test are not in train, such as "
            f"{quote(str(unseen[0]))}; choose another --split-by or --seed, or give "
            "another test file"
        )
