import pandas as pd
import pytest

from measurand.audits.exposure.statistics.counts import (
    mean_differences,
    pair_arms,
    rows_by_size,
    study_counts,
)
from measurand.audits.exposure.statistics.effects import paired_effects
from measurand.core.errors import BadInput, UnknownName
from tests.shared_data import needs_data, path


def table(**columns):
    rows = [
        (50, 50, lm, task, subsample, 0.5, 0.58, 0.6)
        for lm in ("bert", "gpt2")
        for task in ("trec", "emo")
        for subsample in (1, 2)
    ]
    names = ["m", "n", "lm", "task", "subsample", "acc_base", "acc_extra", "acc_test"]
    return pd.DataFrame(rows, columns=names).assign(**columns)


def changed(row, column, value):
    rows = table()
    rows[column] = rows[column].astype(object)
    rows.loc[row, column] = value
    return rows


def test_counts_are_rounded_and_never_cut_off():
    assert int(0.58 * 50) == 28  # what cutting off would give
    assert (study_counts(table())["extra"] == 29).all()


@pytest.mark.parametrize(("n", "digits"), [(200, 3), (120, 2), (7, 4), (2000, 3)])
def test_accuracies_may_be_written_with_few_digits(n, digits):
    right = [n // 3, n // 2 + 1, n - 2]
    arms = zip(("acc_base", "acc_extra", "acc_test"), right, strict=True)
    written = {arm: round(count / n, digits) for arm, count in arms}
    counts = study_counts(table(n=n, **written))
    room = 0.5 * n / 10**digits + 0.5
    for arm, count in zip(("base", "extra", "test"), right, strict=True):
        assert (counts[arm] - count).abs().max() <= room


@needs_data
def test_the_published_accuracies_fit_their_items():
    published = pd.read_csv(path("exposure/accuracies_m50.csv"))
    counted = study_counts(published)
    named = [column for column in published if column.startswith("correct_")]
    pd.testing.assert_frame_equal(study_counts(published.drop(columns=named)), counted)


def test_counts_win_over_accuracies():
    counts = study_counts(table(correct_extra=30))
    assert (counts["extra"] == 30).all()
    assert (counts["test"] == 30).all()
    assert (counts["base"] == 25).all()


def test_boost_and_bias_share_the_extra_arm():
    counts = study_counts(table())
    boost, bias = pair_arms(counts, "boost"), pair_arms(counts, "bias")
    assert (boost.table["treatment"] == bias.table["control"]).all()
    assert boost.differences.mean() == pytest.approx(0.08)
    assert mean_differences(counts)["bias"].tolist() == pytest.approx([2.0, 2.0])


def test_table_1_weighs_tasks_and_not_draws():
    rows = [
        {"m": 50, "n": 100, "lm": "A", "task": task, "subsample": draw}
        | {"correct_base": 50, "correct_extra": 55, "correct_test": 55 + gain}
        for task, draws, gain in (("big", 90, 5), ("small", 3, -5))
        for draw in range(draws)
    ]
    counts = study_counts(pd.DataFrame(rows))
    assert mean_differences(counts)["bias"].tolist() == pytest.approx([0.0])
    decides = paired_effects(pair_arms(counts, "bias")).together.estimate
    assert decides.value == pytest.approx(0.0)


def test_one_model_needs_no_lm_column():
    rows = table()
    assert len(study_counts(rows[rows["lm"] == "bert"].drop(columns="lm"))) == 4


def test_sizes_are_analysed_one_at_a_time():
    counts = study_counts(pd.concat([table(), table(n=100)]))
    assert [size for size, _ in rows_by_size(counts)] == [(50, 50), (50, 100)]
    with pytest.raises(BadInput, match="mix sizes"):
        pair_arms(counts, "bias")
    with pytest.raises(UnknownName, match="did you mean 'bias'"):
        pair_arms(counts, "bais")


ONE_SUBSAMPLE = table()[
    lambda rows: (rows["subsample"] == 1) | (rows["task"] == "trec")
]


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        (table(acc_test=1.2), r"row 1 .*acc_test 1.2; it must lie from 0 to 1"),
        (table(acc_base=-0.1), r"acc_base -0.1; it must lie from 0 to 1"),
        (table(correct_base=51), r"correct_base 51; it must lie from 0 to n"),
        (table(correct_base=3.5), r"correct_base that is no whole number"),
        (table(n=0), r"has n '0'; it must be a whole number of at least 1"),
        (table(n=50.5), r"has n '50.5'; it must be a whole number of at least 1"),
        (changed(1, "n", "many"), r"row 2 .* has n 'many'; it must be a whole number"),
        (changed(1, "m", float("inf")), r"row 2 .* has m 'inf'; it must be a whole"),
        (ONE_SUBSAMPLE, r"task emo \(m 50, n 50\) has one subsample"),
        (changed(3, "acc_extra", None), r"row 4 \(lm bert, task emo, subsample 2\)"),
        (changed(3, "acc_extra", "high"), r"has no acc_extra; every triple needs"),
        (changed(2, "task", None), r"row 3 .* has no task"),
        (table().drop(index=3), r"subsample 2 of task emo .* for gpt2 but not for"),
        (pd.concat([table(), table()[:1]]), r"row 9 .* is there twice"),
        (table().drop(columns="m"), r"no column 'm'; a study needs m, n"),
        (table().drop(columns="acc_test"), r"no column 'acc_test' or 'correct_test'"),
        (table()[:0], r"the study has no rows"),
        (table(n=25, acc_test=0.569), r"acc_extra 0.58, which is 14.50 of n 25 items"),
        (
            table(n=30_000, acc_base=1 / 7),
            r"acc_base 0.142857, which is 4285.71 of n 30000 items",
        ),
        (table(acc_base=1 / 3), r"acc_base 0.333333, which is 16.67 of n 50 items"),
    ],
)
def test_bad_input_is_refused_in_one_line(rows, line):
    with pytest.raises(BadInput, match=line) as refused:
        study_counts(rows)
    assert "\n" not in str(refused.value)


def test_each_accuracy_is_held_to_its_own_digits():
    whole = table(n=150, acc_base=100 / 150)
    short = table(n=300, acc_base=0.667)
    counts = study_counts(pd.concat([whole, short], ignore_index=True))
    assert counts["base"].tolist() == [100] * 8 + [200] * 8


def test_accuracies_that_were_cut_off_are_counts_too():
    cut = {"n": 1_700, "acc_base": 0.5005}  # 851 of them are 0.50059
    assert (study_counts(table(**cut))["base"] == 851).all()


def test_numbered_models_and_tasks_are_names():
    numbers = {"bert": 1, "gpt2": 2, "trec": 1, "emo": 2}
    rows = table()
    for name in ("lm", "task"):
        rows[name] = rows[name].map(numbers)
    counts = study_counts(rows)
    assert {*counts["lm"]} == {*counts["task"]} == {"1", "2"}


def test_repeated_trainings_are_told_apart_by_their_number():
    twice = pd.concat([table(training=1), table(training=2)])
    assert len(study_counts(twice)) == 16


def test_seeds_tell_repeated_trainings_apart_and_are_numbered_within_a_draw():
    seeds = pd.concat([table(), table()]).assign(seed=range(16))
    assert study_counts(seeds)["training"].tolist() == [1] * 8 + [2] * 8
