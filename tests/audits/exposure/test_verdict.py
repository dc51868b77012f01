"""What the exposure audit says of planted counts, and under which priors."""

import re

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, analyse_accuracies
from measurand.audits.exposure.analysis import (
    Effect,
    SizeEffects,
    analyse_sizes,
    draws_beyond,
    draws_to_decide,
    draws_within,
    effects_by_model,
)
from measurand.audits.exposure.audit import wide_prior_warning
from measurand.audits.exposure.settings import Method
from measurand.audits.exposure.verdict import effects_verdict, size_verdict, verdict
from measurand.core.errors import BadOption
from measurand.stats.exposure.hierarchical import fit_posterior
from measurand.stats.exposure.studies import CONTRASTS, pair_arms, study_counts

N = 200
NOT = "not inflated within the margin"


def study(boost=0.0, bias=0.0, *, tasks=6, draws=40, seed=0):
    """Counts with effects planted in accuracy, and a little luck of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        hard = 0.6 + 0.03 * task
        for draw in range(draws):
            here = hard + rng.normal(0, 0.02)
            chances = [here, here + boost, here + boost + bias]
            right = [rng.binomial(N, min(p + rng.normal(0, 0.02), 1)) for p in chances]
            names = ("correct_base", "correct_extra", "correct_test")
            key = {"m": 50, "n": N, "lm": "one", "task": f"t{task}", "subsample": draw}
            rows.append({**key, **dict(zip(names, right, strict=True))})
    return pd.DataFrame(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("boost", "bias", "label"),
    [
        (0.05, 0.04, "inflated"),
        (0.05, 0.0, NOT),
        (0.0, 0.0, "undecided"),
    ],
)
def test_a_planted_bias_is_found_and_an_absent_one_is_not(boost, bias, label):
    report = analyse_accuracies(
        study(boost, bias, draws=60),
        settings=ExposureSettings(margin=1.0),
        name="planted",
    )
    assert report.verdict.label == label
    if label == "undecided":
        assert "adaptation did nothing" in report.verdict.reason
    found = report.finding("bias").estimate
    assert found.low - 0.5 < 100 * bias < found.high + 0.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("boost", "draws", "said"),
    [
        (-0.05, 60, "adaptation made answers worse"),
        (0.0, 400, "adaptation did nothing on average, so nothing could be inflated"),
        (0.004, 20, "adaptation did nothing that shows on average; about"),
    ],
)
def test_a_study_without_a_clear_boost_says_why_it_decides_nothing(boost, draws, said):
    told = size_verdict(effects(study(boost, 0.0, draws=draws)), 1.0)
    assert (told.label, said in told.reason) == ("undecided", True), told.reason


@pytest.mark.slow
def test_a_reader_that_is_inflated_alone_is_not_hidden_by_another():
    one, other = study(0.0, 0.06, draws=60), study(0.06, -0.06, draws=60, seed=1)
    counts = pd.concat([one, other.assign(lm="two")])
    report = analyse_accuracies(
        counts, settings=ExposureSettings(margin=1.0), name="planted"
    )
    assert report.verdict.label == "undecided"
    assert "but one: bias" in report.verdict.reason
    assert report.finding("bias", "one").estimate.low > 1
    assert report.finding("bias", "two").estimate.high < -1
    assert report.findings[0].statistic == "boost"


@pytest.mark.slow
def test_a_gain_and_a_loss_are_not_called_nothing():
    helped, hurt = study(0.05, draws=60), study(-0.05, draws=60, seed=1)
    counts = pd.concat([helped, hurt.assign(lm="two")])
    told = size_verdict(effects(counts), 1.0)
    assert told.label == "undecided"
    assert "adaptation helped one and hurt two" in told.reason
    assert told.reason.endswith("points: not inflated by itself")
    assert "did nothing" not in told.reason


def test_a_bias_below_the_margin_is_not_said_to_need_more_draws():
    told = size_verdict(effects(study(0.06, -0.04, draws=60)), 1.0)
    assert told.label == "undecided"
    assert "the test's own text helped less than other text did" in told.reason
    assert told.reason.endswith("more draws will not decide")


def test_the_draws_that_a_decision_needs_are_counted():
    told = size_verdict(effects(study(0.05, 0.0, draws=8)), 1.0)
    needed = re.search(
        r"about ([\d,]+) draws a task and model could decide", told.reason
    )
    assert needed
    assert int(needed[1].replace(",", "")) >= 16


def test_a_margin_is_in_percentage_points():
    with pytest.raises(BadOption, match="percentage points"):
        analyse_accuracies(
            study(draws=4), settings=ExposureSettings(margin=0.0), name="x"
        )


def effects(table):
    """Boost and bias alone, without all that a report has beside them."""
    counts, rng = study_counts(table), np.random.default_rng(0)
    fits = {name: fit_posterior(pair_arms(counts, name)) for name in CONTRASTS}
    together = {
        name: Effect(one.pairs, one, one.predictive(rng, 2000))
        for name, one in fits.items()
    }
    return SizeEffects(
        "all", together, effects_by_model(counts, Method(), 0, ("test",))
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("boost", "said"),
    [(0.0, "adaptation did nothing on"), (-0.02, "adaptation made answers worse")],
)
def test_a_bias_without_a_boost_is_not_called_impossible(boost, said):
    told = size_verdict(effects(study(boost, 0.008, draws=400)), 1.1)
    assert (told.label, said in told.reason) == ("undecided", True), told.reason
    assert "though the test's own text helped more" in told.reason
    assert "inflate" not in told.reason


def test_a_decision_takes_the_draws_of_the_bias_and_of_the_boost():
    wide_bias = effects(study(0.05, 0.0, draws=8)).together
    assert draws_to_decide(wide_bias, 1.0) == draws_within(wide_bias["bias"], 1.0)
    both = effects(study(0.006, 0.0, draws=8))
    bias, boost = both.together["bias"], both.together["boost"]
    needed = max(draws_within(bias, 1.0), draws_beyond(boost, 0.0))
    assert f"about {needed:,} draws" in size_verdict(both, 1.0).reason


def several(draws=120, **planted):
    """Models with effects of their own, on tasks of the same names."""
    made = [
        study(*one, draws=draws, seed=at).assign(lm=lm)
        for at, (lm, one) in enumerate(planted.items())
    ]
    return effects(pd.concat(made))


@pytest.mark.parametrize(
    ("up", "down", "said"),
    [
        ((0.05, 0.011), (0.05, -0.011), "points; but down: bias"),
        ((0.06, 0.0), (-0.03, 0.0), "adaptation helped up and hurt down"),
        ((0.06, -0.012), (-0.03, 0.009), "adaptation helped up and hurt down"),
    ],
)
@pytest.mark.slow
def test_models_that_cancel_are_not_called_uninflated(up, down, said):
    both = several(up=up, down=down)
    assert effects_verdict(both.together, "all", 1.0).label == NOT
    told = size_verdict(both, 1.0)
    assert (told.label, said in told.reason) == ("undecided", True), told.reason
    assert "draws" in told.reason


@pytest.mark.slow
def test_models_that_agree_are_not_inflated():
    assert size_verdict(several(60, one=(0.05, 0.0), two=(0.03, 0.0)), 1.0).label == NOT


def between(size):
    """A margin that holds the bias under the usual priors and not under wide ones."""
    bias = size.contrasts["bias"]
    ends = [one.interval(0.90) for one in (bias, bias.refit)]
    return sum(max(-end.low, end.high) for end in ends) / 2


def test_wide_priors_are_judged_as_the_usual_ones_are():
    found = analyse_sizes(study_counts(study(0.1, 0.0, tasks=3, draws=6)), Method(), 0)
    label = verdict(found, between(found[0])).label
    told = wide_prior_warning(found, between(found[0]), 0)
    other = ({NOT, "undecided"} - {label}).pop()
    assert told.endswith(f"the verdict changes from {label!r} to {other!r}")
    assert wide_prior_warning(found, 20.0, 0).endswith(f"the verdict stays {NOT!r}")


@pytest.mark.slow
def test_a_size_that_wide_priors_change_is_named_though_the_verdict_stays():
    moving, nil = study(0.1, tasks=3, draws=6), study(tasks=3, draws=6, seed=1)
    found = analyse_sizes(
        study_counts(pd.concat([moving, nil.assign(m=20)])), Method(), 0
    )
    told = wide_prior_warning(found, between(found[1]), 0)
    assert "the verdict stays 'undecided', though that of m=50,n=200 changes" in told


def test_every_report_says_what_wide_priors_would():
    report = analyse_accuracies(study(tasks=2, draws=3), name="x")
    assert any("under wide default priors" in said for said in report.warnings)
