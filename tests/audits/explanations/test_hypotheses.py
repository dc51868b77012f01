"""The hypotheses of the proposal: each can be supported, refuted and left open."""

import numpy as np
import pytest

from measurand.audits.explanations.hypotheses import decide_hypotheses
from measurand.audits.explanations.levels import Scores
from tests.audits.explanations.handmade import estimate, levels

N = 300


def around(means, rng, spread=0.02):
    return {one: mean + spread * rng.normal(size=N) for one, mean in means.items()}


def answer(items=None, drift=None, order=None, ranked=None, **more):
    found, missing = decide_hypotheses(
        Scores(items or {}), drift or {}, order, ranked, seed=0, **more
    )
    return {one.statistic: one.decision for one in found}, missing


@pytest.mark.parametrize(
    ("stable", "told", "decision"),
    [
        (1.0, 0.0, "supported"),
        (0.8, 0.0, "not supported"),
        (1.0, 0.2, "not supported"),
        (0.95, 0.0, "undecided"),
    ],
)
def test_h1_needs_rationales_that_are_both_stable_and_empty(
    stable, told, decision, rng
):
    noise = 0.02 * rng.normal(size=N)
    noise -= noise.mean()
    items = {
        "robustness": {"vacuous": stable + noise},
        "lcig": {"vacuous": told + noise},
    }
    assert answer(items)[0] == {"h1": decision}


def test_h1_holds_what_trainings_leave_open():
    items = {"robustness": {"vacuous": np.ones(N)}, "lcig": {"vacuous": np.zeros(N)}}
    # With one degree of freedom, t at 90 % is 6.3 standard errors and at 95 % 12.7.
    for error, decision in ((0.005, "supported"), (0.1, "undecided")):
        table = Scores(items, seeds=2, spread={("lcig", "vacuous"): (error, 1)})
        (found,), _ = decide_hypotheses(table, {}, None, None, seed=0)
        assert found.decision == decision
        width = found.estimate.high - found.estimate.low
        assert width == pytest.approx(2 * 12.7 * error, rel=0.2)
        assert "2 seeds" in found.estimate.method


def leaked(naive, masked, given=0.3):
    """LC-IG, REV and rationale-only accuracy of leaking rationales, and of given."""
    both = {"label-leaking": np.full(N, naive), "given": np.full(N, given)}
    return {
        **dict.fromkeys(("rationale_only", "rev", "lcig_raw"), both),
        "lcig_over_input": {"label-leaking": np.full(N, masked)},
    }


@pytest.mark.parametrize(
    ("naive", "masked", "decision"),
    [
        (0.8, 0.0, "supported"),
        (0.8, 0.8, "not supported"),
        (0.2, 0.0, "not supported"),
    ],
)
def test_h2_is_of_the_metrics_and_of_what_the_mask_takes_off_them(
    naive, masked, decision
):
    """D17: LC-IG of 0.5 before and after, or REV of 0, used to be `supported`."""
    assert answer(leaked(naive, masked))[0] == {"h2": decision}


@pytest.mark.parametrize(
    ("stable", "told", "decision"),
    [
        (-0.2, 0.2, "supported"),
        (-0.2, -0.2, "not supported"),
        (0.0, 0.2, "not supported"),
        (-0.2, None, "undecided"),
    ],
)
def test_h3_needs_more_information_and_less_robustness(stable, told, decision, rng):
    wild = 3 * rng.normal(size=N)
    gain = wild - wild.mean() if told is None else told + np.zeros(N)
    items = {
        "robustness": {"steps": 0.5 + stable + np.zeros(N), "concise": np.full(N, 0.5)},
        "lcig": {"steps": gain, "concise": np.zeros(N)},
    }
    assert answer(items)[0] == {"h3": decision}


HIGH = {"entailment": 0.2, "bertscore": 0.95, "rouge_l": 0.85}


@pytest.mark.parametrize(
    ("changes", "decision"),
    [
        ({}, "supported"),
        ({"rouge_l": 0.2}, "not supported"),
        ({"entailment": 0.9}, "not supported"),
        ({"rouge_l": 0.7}, "undecided"),
    ],
)
def test_h4_needs_a_surface_that_stays_high_and_an_entailment_that_drops(
    changes, decision, rng
):
    """D17: a surface that falls to 0.2 used to support it."""
    drift = around(HIGH | changes, rng, 0.1)
    assert answer(drift=drift)[0] == {"h4": decision}


def test_h4_is_not_asked_of_a_judge_that_counts_words(rng):
    """D17: a flipped "not" is 0 by its rule, so it could not fail."""
    found, missing = answer(drift=around(HIGH, rng), word_judge=True)
    assert found == {}
    assert "counts words" in missing["h4"]


def ranked(given, others):
    values = {"given": given, **others}
    noise = np.random.default_rng(0).normal(0, 0.01, (400, len(values)))
    return levels(values, np.array([*values.values()]) + noise)


REST = {"tfidf-1": 0.4, "pseudo-specific": 0.2, "vacuous": 0.0}


@pytest.mark.parametrize(
    ("given", "decision"),
    [(0.6, "supported"), (0.3, "not supported"), (0.4, "undecided")],
)
def test_h5_needs_given_rationales_to_stand_first(given, decision):
    """D17: with gold last of all, the rank correlation was above 0 and supported it."""
    order = estimate(0.4, 0.3, 0.5)
    found, _ = answer(order=order, ranked=ranked(given, REST))
    assert found == {"h5": decision}
    turned = estimate(-0.4, -0.5, -0.3)
    found, _ = answer(order=turned, ranked=ranked(given, REST))
    assert found == {"h5": "not supported"}


def test_h5_cannot_be_asked_without_given_rationales():
    found, missing = answer(order=estimate(0.9), ranked=levels(REST))
    assert found == {}
    assert "given rationales" in missing["h5"]
