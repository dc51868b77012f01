"""What rationales tell beyond x: figures by hand, and planted rationales both ways."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from measurand.audits.explanations import estimates
from measurand.audits.explanations.dealing import NullGain
from measurand.audits.explanations.estimates import (
    informativeness,
    las,
    lcig,
    lcig_within_label,
    rationale_bits,
    rationale_only,
    residual_bits,
    residual_leakage,
    rev,
    simulatability,
)
from measurand.audits.explanations.information import (
    Information,
    SeedRun,
    measure_information,
)
from measurand.audits.explanations.information_arms import (
    BASELINES,
    STATED,
    rev_baselines,
)
from measurand.audits.explanations.leaks import Detection
from measurand.core.errors import NotApplicable
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from measurand.stats.scores import wilson_share
from tests.audits.explanations.planted import planted, skewed


def made(*runs, residual=None, null=None):
    n = len(runs[0].log_p0)
    nobody, even = np.zeros(n, bool), np.full(n, np.log(0.5))
    right = nobody if residual is None else np.array(residual, bool)
    return Information(
        ids=tuple(map(str, range(n))),
        gold=np.zeros(n, np.int64),
        runs=runs,
        null=null,
        label_null=null,
        residual=Detection(right, even, even),
        curve={},
        majority=0.5,
        masked_test=["_"] * n,
        empty=nobody,
        one_class=0.5,
    )


def run(p0, p1, right0=None, right1=None, right_r=None):
    def bools(values):
        return np.array([0] * len(p0) if values is None else values, bool)

    logs = np.log(p0), np.log(p1)
    rights = bools(right0), bools(right1), bools(right_r)
    even = np.full(len(p0), np.log(0.5))
    return SeedRun(*logs, logs[1], *rights, even, {"b": logs[1] - logs[0]})


def test_information_is_a_mean_of_log_ratios_in_nats():
    one = made(run([0.5, 0.25], [1.0, 0.125]))
    assert lcig(one).value == pytest.approx((np.log(2) - np.log(2)) / 2)
    two = made(run([0.5, 0.25], [1.0, 0.5]))
    assert lcig(two).value == rev(two, "b").value == pytest.approx(np.log(2))
    assert lcig(two).n == 2
    assert informativeness(two).value == pytest.approx(2 / 3)


def test_informativeness_clips_the_mean_and_never_an_item():
    noise = made(run([0.5] * 4, [0.6, 0.4, 0.6, 0.39]))
    assert informativeness(noise).value == 0.0
    assert informativeness(noise).high > 0
    sure = made(run([0.5, 0.5], [1.0, 1.0]))
    assert float(informativeness(sure)) == informativeness(sure).high == 1.0


def test_las_weighs_leaking_and_other_items_alike():
    said = las(
        made(
            run(
                [0.5] * 5,
                [0.5] * 5,
                right0=[0, 0, 1, 1, 1],
                right1=[1, 1, 1, 0, 1],
                right_r=[1, 1, 1, 0, 0],
            )
        )
    )
    assert said.leaking.value == pytest.approx(2 / 3)
    assert said.nonleaking.value == pytest.approx(-1 / 2)
    assert (said.leaking.n, said.nonleaking.n, said.overall.n) == (3, 2, 5)
    assert said.overall.value == pytest.approx((2 / 3 - 1 / 2) / 2)


def test_a_cell_without_items_leaves_las_without_a_value():
    said = las(made(run([0.5] * 3, [0.5] * 3, right1=[1, 0, 1], right_r=[1, 1, 1])))
    assert said.overall is said.nonleaking is None
    assert said.leaking.value == pytest.approx(2 / 3)


def test_simulatability_and_the_detectors_are_plain_accuracies():
    rights = {"right0": [1, 0, 0, 0], "right1": [1, 1, 1, 0], "right_r": [1, 1, 1, 1]}
    one = made(run([0.5] * 4, [0.5] * 4, **rights))
    assert simulatability(one).value == 0.5
    assert rationale_only(one).value == 1.0
    assert residual_leakage(one).value == 0.0


def test_a_detector_that_is_right_on_all_items_is_not_certain():
    n = 20
    one = made(run([0.5] * n, [0.5] * n, right_r=[1] * n))
    bound = wilson_share(n, n).low
    assert rationale_only(one).low == bound
    assert residual_leakage(one).high == pytest.approx(1 - bound)
    assert rationale_only(one).method == "Wilson over items"


def test_seeds_are_averaged_and_their_spread_widens_the_interval():
    calm, wild = run([0.5] * 9, [0.5] * 9), run([0.5] * 9, [1.0] * 9)
    both = made(calm, wild)
    assert lcig(both).value == pytest.approx(np.log(2) / 2)
    assert lcig(both).low < 0 < np.log(2) / 2 < lcig(both).high
    np.testing.assert_allclose(both.log_p1, np.log([0.5] * 9) / 2)
    assert "2 seeds" in lcig(both).method


def test_the_gain_is_over_that_of_rationales_dealt_anew():
    """D10: what a reader gains or loses from any text at all is taken off."""
    n = 50
    null = NullGain(np.log(np.array([[0.4] * n, [0.4] * n])))
    one = made(run([0.5] * n, [0.4] * n), null=null)
    assert lcig(one).value == lcig_within_label(one).value == 0
    assert lcig(made(run([0.5] * n, [0.4] * n))).value == pytest.approx(np.log(0.8))
    assert "2 deals" in lcig(one).method


def test_deals_that_differ_widen_the_interval():
    n = 50
    null = NullGain(np.log(np.array([[0.4] * n, [0.5] * n])))
    one = made(run([0.5] * n, [0.45] * n), null=null)
    # sd of the two means, times the root of 1 + 1/2, times t of one degree of freedom.
    spread = np.log([0.4, 0.5]).std(ddof=1) * np.sqrt(1.5)
    assert lcig(one).high - lcig(one).low == pytest.approx(2 * 12.7 * spread, rel=0.01)
    assert informativeness(one).high == 1


def test_clusters_widen_the_interval():
    rng = np.random.default_rng(0)
    shared = np.repeat(rng.uniform(0.3, 0.9, 20), 10)
    one = made(run([0.5] * 200, shared))
    apart, together = lcig(one), lcig(one, clusters=np.repeat(np.arange(20), 10))
    assert together.high - together.low > 2 * (apart.high - apart.low)


def told(kind, **options):
    benchmark, *texts = planted(kind)
    with open_experiment(benchmark) as running:
        asked = (running, *texts, ("claim",), TfidfReader())
        return measure_information(*asked, **options)


@pytest.fixture(scope="module")
def stating():
    return told("stating")


def test_a_stated_label_leaks_until_it_is_masked_and_then_tells_nothing(stating):
    assert rationale_only(stating).low > 0.97
    assert residual_leakage(stating).value < stating.majority + 0.05
    assert [*stating.curve] == [0.1]
    assert abs(lcig(stating).value) < 0.05
    assert lcig(stating).high < 0.05
    assert stating.log_p1_raw.mean() > -0.1
    assert las(stating).leaking.value > 0.2


def test_a_rare_label_in_cipher_leaks_though_no_accuracy_can_show_it():
    """The limit in accuracy was over 1: the label stood in every rationale, hidden."""
    benchmark, *texts = skewed()
    with open_experiment(benchmark) as running:
        asked = (running, *texts, ("claim",), TfidfReader())
        said = measure_information(*asked)
    assert said.majority + 0.05 > 1
    assert rationale_bits(said).low > 0.1
    assert residual_bits(said).high < 0.05
    assert informativeness(said).value < 0.05


def test_a_rationale_that_completes_x_informs_and_does_not_leak():
    said = told("completing")
    assert rationale_only(said).value < 0.56
    assert lcig(said).low > 0.01
    assert simulatability(said).low > 0.1


def test_what_is_told_by_the_label_alone_is_not_of_the_item(stating):
    """A stated label is as good from any other item of the same label."""
    assert lcig_within_label(stating).low < 0 < lcig_within_label(stating).high


def test_an_idle_rationale_tells_nothing():
    said = told("idle")
    assert lcig(said).low < 0 < lcig(said).high < 0.1
    assert informativeness(said).value == 0.0
    assert abs(rationale_only(said).value - said.majority) < 0.06


def test_rev_is_near_nothing_where_the_baseline_states_the_label(stating):
    assert set(stating.rev) == set(BASELINES)
    assert abs(rev(stating, STATED).value) < 0.05
    others = [rev(stating, name).low for name in BASELINES if name != STATED]
    assert min(others) > 0.25


def test_the_papers_preset_masks_one_strength_by_the_gold_label():
    said = told("stating", preset="paper")
    assert [*said.curve] == [0.1]
    assert said.null is said.label_null is None
    assert all("yes" not in text.split() for text in said.masked_test)


def test_rationales_without_a_word_count_as_x_alone():
    benchmark, seen, asked = planted("stating", 150)
    asked = ["...", "", *asked[2:]]
    with open_experiment(benchmark) as running:
        said = measure_information(running, seen, asked, ("claim",), TfidfReader())
    assert said.empty.tolist() == [True, True] + [False] * 148
    np.testing.assert_array_equal(said.log_p1[:2], said.log_p0[:2])
    np.testing.assert_array_equal(said.right1[:2], said.right0[:2])
    assert not said.rev["restated"][:2].any()


def test_what_was_asked_before_is_taken_from_the_store(tmp_path):
    benchmark, *texts = planted("stating", 120)
    found = []
    for _ in range(2):
        with open_experiment(benchmark, store=tmp_path) as running:
            asked = (running, *texts, ("claim",), TfidfReader())
            found.append(measure_information(*asked).log_p1)
            tally = running.tally
    assert tally["computed"] == 0
    np.testing.assert_array_equal(*found)


@dataclass(frozen=True)
class Chancy:
    """A linear reader that learns from rows drawn by chance."""

    member: int = 0

    def default_seeds(self):
        return 1

    def with_seeds(self, seeds, first=0):
        return [replace(self, member=first + number) for number in range(seeds)]

    def fit(self, items, rng):
        drawn = items.rows(rng.integers(len(items), size=len(items)))
        return TfidfReader(folds=0).fit(drawn, rng)


def test_readers_of_chance_are_trained_three_times_with_seeds_of_their_own():
    benchmark, *texts = planted("stating", 80)
    with open_experiment(benchmark) as running:
        said = measure_information(running, *texts, ("claim",), Chancy())
    assert len(said.runs) == 3
    assert len({run.log_p0.tobytes() for run in said.runs}) == 3
    whole = np.mean([run.log_p1 for run in said.runs], axis=0)
    np.testing.assert_array_equal(said.log_p1, whole)


def test_baselines_restate_and_only_one_of_them_knows_the_label():
    items = planted("idle", 40)[0].test
    made = rev_baselines(items, "claim")
    other = items.with_table(items.table.assign(label="maybe"))
    again = rev_baselines(other, "claim")
    assert [name for name in BASELINES if made[name] != again[name]] == [STATED]


def test_there_must_be_an_input():
    benchmark, *texts = planted("idle", 40)
    with (
        open_experiment(benchmark) as running,
        pytest.raises(NotApplicable, match="an input"),
    ):
        measure_information(running, *texts, (), TfidfReader())


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say(monkeypatch):
    monkeypatch.setattr(estimates, "RESAMPLES", 400)
    rng, held = np.random.default_rng(0), np.zeros(3)
    n, times = 100, 100
    for _ in range(times):
        p1 = rng.uniform(0.4, 0.9, n)
        rights = rng.random((3, n)) < np.array([[0.6], [0.8], [0.5]])
        one = made(run(np.full(n, 0.5), p1, *rights))
        true = np.array([mean_log(), mean_log() / np.log(2), 0.2])
        said = lcig(one), informativeness(one), las(one).overall
        held += [e.low <= t <= e.high for e, t in zip(said, true, strict=True)]
    assert (held >= 0.88 * times).all()


def mean_log():
    """The mean of log(2 p) for p uniform from 0.4 to 0.9."""
    low, high = 0.4, 0.9
    whole = (high * np.log(high) - high) - (low * np.log(low) - low)
    return np.log(2) + whole / (high - low)


def test_whether_there_is_a_rationale_is_a_leak_and_no_information():
    """Left empty for two in three of one label, never for the other."""
    benchmark, *texts = planted("idle", 300)
    rng = np.random.default_rng(0)
    sides = zip(texts, (benchmark.train, benchmark.test), strict=True)
    some = [
        [
            "" if label == "no" and rng.random() < 0.67 else text
            for text, label in zip(side, items.labels, strict=True)
        ]
        for side, items in sides
    ]
    with open_experiment(benchmark) as running:
        found = measure_information(running, *some, ("claim",), TfidfReader())
    assert rationale_bits(found).low > 0.1
    assert residual_bits(found).low > 0.1
    assert lcig(found).low <= 0
