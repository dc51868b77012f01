"""All items of a file on both sides, in folds that share no text."""

import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.split import FOLD, fold_benchmark


def rows(n, texts=10):
    return pd.DataFrame(
        {
            "query": [f"question {i}" for i in range(n)],
            "evidence": [f"text {i % texts}" for i in range(n)],
            "label": ["no", "yes", "yes"] * (n // 3),
        }
    )


def test_every_item_stands_in_one_fold_with_all_that_share_its_text():
    benchmark = from_frames(rows(60), name="made")
    folded = fold_benchmark(benchmark, 3, seed=0)
    table = folded.test.table
    assert folded.train is folded.test
    assert sorted(table.index, key=int) == [str(i) for i in range(60)]
    assert set(table[FOLD]) == {"0", "1", "2"}
    assert (table.groupby("evidence")[FOLD].nunique() == 1).all()
    assert folded.folds == 3
    assert folded.roles["split"] == "all items, in 3 folds, by query and evidence"
    assert folded.test.digest == fold_benchmark(benchmark, 3, seed=0).test.digest
    assert folded.test.digest != fold_benchmark(benchmark, 3, seed=1).test.digest


def test_there_are_no_more_folds_than_groups():
    benchmark = from_frames(rows(60, texts=2), name="made")
    assert fold_benchmark(benchmark, 5, seed=0).folds == 2


@pytest.mark.parametrize("given", [True, False])
def test_sides_that_were_given_and_one_fold_stay_as_they_are(given):
    sides = (rows(60), rows(30)) if given else (rows(60),)
    benchmark = from_frames(*sides, name="made")
    assert fold_benchmark(benchmark, 3 if given else 1, seed=0) is benchmark
