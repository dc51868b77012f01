from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.compare.compare import compare
from measurand.core.finding import Report, Verdict
from measurand.stats.uncertainty import mean_interval

ROLES = {"query": "claim", "evidence": "text", "label": "label"}
TRUTH = 0.1


def answered(right, texts, roles=ROLES, **columns):
    """A report on items, of which the reader got some right; rows may share texts."""
    table = pd.DataFrame(
        {
            "claim": [f"claim {t}" for t in texts],
            "text": [f"text {t}" for t in texts],
            "measurand.correct:tfidf": np.asarray(right, bool),
            **columns,
        },
        [f"i{i}" for i in range(len(texts))],
    )
    benchmark = {"name": "copied", "roles": roles}
    return Report("evidence", benchmark, Verdict("", "", None, ""), (), {}, items=table)


def stated(first, second, texts, **options):
    reports = [answered(right, texts, **options) for right in (first, second)]
    return compare(reports).finding("accuracy_difference", "tfidf")


def outcomes(gained, lost, count):
    """Right or not before and after: so many gained and so many lost."""
    before, after = np.zeros(count, bool), np.zeros(count, bool)
    after[:gained] = before[gained : gained + lost] = True
    return before, after


def test_rows_that_are_copies_do_not_make_a_difference_certain():
    before, after = (np.repeat(x, 4) for x in outcomes(30, 20, 250))
    copies = np.repeat(np.arange(250), 4)
    found = stated(before, after, copies)
    assert (found.decision, found.estimate.n) == ("undecided", 1000)
    assert found.estimate.method.startswith("paired t over 250 clusters; sign flips")
    # A copy tells nothing new: the interval is that of the 250 rows.
    lost, gained = outcomes(30, 20, 250)
    alone = mean_interval(gained.astype(float) - lost, None, 0.95)
    ends = found.estimate.low, found.estimate.high
    assert ends == pytest.approx((alone.low, alone.high), abs=0.0001)
    # As if independent, the same answers would be called a difference.
    assert stated(before, after, np.arange(1000)).decision == "differs"


def test_a_true_difference_of_copied_rows_is_still_seen():
    before, after = (np.repeat(x, 4) for x in outcomes(40, 10, 250))
    assert stated(before, after, np.repeat(np.arange(250), 4)).decision == "differs"


def test_a_difference_of_few_clusters_needs_flips_of_clusters_too():
    # Five clusters that all gain alike: flips give at least 2 / 2**5 of the time as
    # much, though an interval of gaps that are alike has no width.
    before, after = np.zeros(40, bool), np.ones(40, bool)
    found = stated(before, after, np.arange(40) % 5)
    assert found.estimate.low > 0
    assert found.decision == "undecided"


def test_two_crossed_ways_of_sharing_count_both():
    before, after = (np.repeat(x, 4) for x in outcomes(30, 20, 250))
    crossed = [f"text {i}" for i in np.random.default_rng(0).permutation(1000) % 300]
    found = stated(before, after, np.repeat(np.arange(250), 4), text=crossed)
    assert "250 and 300 crossed clusters" in found.estimate.method
    assert found.decision == "undecided"


def test_a_text_that_all_items_share_joins_none():
    before, after = outcomes(30, 5, 100)
    found = stated(before, after, np.arange(100), text="one text for all")
    assert found.estimate.method.startswith("paired score interval over items")
    assert found.decision == "differs"


def test_items_that_all_hang_together_give_no_difference():
    reports = [
        answered(right, np.arange(40), {**ROLES, "group": "source"}, source="one")
        for right in outcomes(20, 5, 40)
    ]
    assert "paired differences" in compare(reports).not_run


def test_items_whose_texts_were_not_kept_are_said_to_be_taken_for_independent():
    before, after = outcomes(30, 5, 100)
    for roles in ({}, {"query": "not kept"}):
        found = stated(before, after, np.arange(100), roles=roles)
        assert "items taken for independent" in found.estimate.method
        assert found.decision == "differs"


def test_texts_are_those_of_the_rows_that_were_answered():
    """A leakage report keeps train rows of the same ids, with other texts."""
    column = "measurand.right:claim:tfidf"
    reports = []
    for right in outcomes(30, 5, 100):
        test = answered(right, np.arange(100))
        train = test.items.assign(claim="x", text="y", **{column: None})
        rows = test.items.assign(**{column: right.astype(float)})
        items = pd.concat([train, rows]).drop(columns="measurand.correct:tfidf")
        reports.append(replace(test, audit="leakage", items=items))
    found = compare(reports).finding("accuracy_difference", "tfidf")
    assert found.estimate.method.startswith("paired score interval over items")


@pytest.mark.parametrize("n", [20, 40])
def test_the_interval_of_few_items_covers_where_few_change(n):
    covered, runs = 0, 100
    for seed in range(runs):
        gained = np.random.default_rng(seed).random(n) < 0.05
        seen = stated(np.zeros(n, bool), gained, np.arange(n)).estimate
        assert seen.low < seen.high
        covered += seen.low <= 0.05 <= seen.high
    assert covered >= 0.95 * runs


@pytest.mark.slow
def test_the_interval_of_copied_rows_covers_and_errs_as_often_as_it_says():
    rng, runs = np.random.default_rng(0), 200
    covered = wrong = 0
    for _ in range(runs):
        copies = np.repeat(np.arange(100), rng.integers(1, 6, 100))
        change = rng.choice([-1, 0, 1], 100, p=[0.1, 0.7, 0.2])[copies]
        seen = stated(change < 0, change > 0, copies).estimate
        covered += seen.low <= TRUTH <= seen.high
        change = rng.choice([-1, 0, 1], 100, p=[0.15, 0.7, 0.15])[copies]
        wrong += stated(change < 0, change > 0, copies).decision == "differs"
    assert 0.91 < covered / runs < 0.985
    assert wrong / runs < 0.085
