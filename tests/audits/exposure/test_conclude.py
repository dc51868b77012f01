"""What the exposure audit says of planted counts."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, analyse_accuracies
from measurand.audits.exposure.conclude import LABELS, conclude
from measurand.audits.exposure.control import control_effects
from measurand.audits.exposure.facts import StudyFacts
from measurand.core.errors import BadOption
from measurand.core.estimate import Estimate
from measurand.wording import say_bound, say_verdict
from tests.audits.exposure.planted_counts import (
    by_task,
    clause,
    codes,
    dosed,
    even,
    facts,
    several,
    study,
    verdict,
)
from tests.shared_data import needs_data, path

NOT, BOUNDED, SMALL = "not inflated", "not inflated, bounded", "small inflation"
SOMEWHERE, DEFLATED, OPEN = "inflated on some tasks", "deflated", "inconclusive"

# Studies whose truth is known: what is planted in points, and what is true of it.
PLANTED = {
    "inflated": (even(4.0), "inflated"),
    "a small inflation": (even(0.6, draws=200), SMALL),
    "nothing": (even(0.0, draws=200), NOT),
    "nothing, few draws": (even(0.0, draws=8, sd=6.0), BOUNDED),
    "deflated": (even(-3.0), DEFLATED),
    "one task": (even([8.0, *[0.0] * 7]), SOMEWHERE),
    "one task, small": (even([1.5, *[0.0] * 7], draws=60), SMALL),
    "two draws": (even(0.5, draws=2, tasks=2, sd=12.0), OPEN),
    "uneven draws": (
        pd.concat([even(4.0, tasks=7), even(4.0, tasks=1, draws=5).assign(task="t7")]),
        "inflated",
    ),
    "five up, five down": (even([5.0] * 5 + [-5.0] * 5, tasks=10), SOMEWHERE),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_bias_has_its_label_its_sign_and_a_bound_that_holds(name):
    table, label = PLANTED[name]
    told = verdict(table)
    assert told.label == label
    points = table["correct_test"] - table["correct_extra"]
    truth = (points / table["n"]).groupby(table["task"]).mean().mean()
    assert told.bound.value >= truth
    stated = clause(told, codes(told)[0]).get("mean", told.clauses[0].facts["bias"])
    assert stated.low <= truth <= stated.high


def test_every_label_but_the_worst_of_a_grid_is_planted():
    assert {label for _, label in PLANTED.values()} == {*LABELS}


@pytest.mark.parametrize("boost", [0.05, 0.0, -0.05])
def test_a_planted_bias_is_found_whatever_the_boost(boost):
    told = verdict(study(boost, 0.04, draws=60))
    assert told.label == "inflated"
    assert clause(told, "bias.boost")["boost"].value == pytest.approx(boost, abs=0.01)


def test_a_bias_that_is_surely_there_is_never_called_none():
    """X1: 0.613 [0.554, 0.672] points was "help no more than other texts"."""
    told = verdict(even(0.613, tasks=8, draws=200))
    assert told.label == SMALL
    bias = clause(told, "bias.small_mean")["bias"]
    assert 0 < bias.low < bias.high < 0.01
    assert "surely raise accuracy over other texts" in say_verdict(told)


def test_nothing_is_said_of_a_task_that_is_not_there():
    """X2: an interval for a new task covered in 25 to 85 % of studies."""
    told = verdict(even(0.0, draws=200))
    report = analyse_accuracies(even(0.0, tasks=3, draws=4), name="x")
    assert "new task" not in say_verdict(told)
    assert "new_task" not in {f.statistic for f in report.findings}


def test_no_spread_is_stated_where_tasks_differ_by_less_than_luck():
    """X2: an empty Q-profile was shown as 0.000 [0.000, 0.000]."""
    table = even(0.0, tasks=8, draws=30)  # all means are alike, to half an item
    report = analyse_accuracies(table[table["subsample"] < 30], name="x")
    spreads = [f for f in report.findings if f.statistic == "task_sd"]
    assert "bias, m=50,n=2000" not in {f.condition for f in spreads}
    assert report.verdict.label in LABELS


def test_a_task_that_surely_rises_is_named_whatever_the_mean():
    """X3: one of 25 tasks at +4 was named in 7.5 to 52 % of studies."""
    told = verdict(even([4.0, *[-0.5] * 24], tasks=25, draws=50, sd=6.0))
    named = [each for each in told.clauses if each.facts.get("task")]
    assert named[0].facts["task"].text == "t0"


def test_the_least_bias_of_one_task_that_would_be_named_is_stated():
    """X3: only that of the mean was."""
    told = verdict(even(0.0, tasks=25, draws=50))
    power = clause(told, "bias.power")
    assert power["task"] > power["least"] > 0
    report = analyse_accuracies(even(0.0, tasks=3, draws=4), name="x")
    assert report.finding("detectable_task").estimate.value > 0


def test_a_grid_leads_with_its_worst_size_and_states_the_trend():
    """X4: the size with the mildest inflation was quoted, and no trend."""
    sizes = [even(bias, seed=at) for at, bias in enumerate((0.0, 1.5, 3.0, 4.5))]
    told = verdict(*sizes)
    first = told.clauses[0].facts
    assert first["size"].text == "m=50,n=800"
    assert first["bias"].value == pytest.approx(0.045, abs=0.003)
    trend = Estimate(1.35, 1.25, 1.45, 0.95, 4, "by hand")
    grid = StudyFacts([facts(sizes[0], sizes=2), facts(sizes[3], sizes=2)], (), trend)
    assert clause(conclude(grid), "bias.trend")["trend"].low == 0.0125


def test_a_clear_negative_bias_is_an_answer():
    """X5: -3.1 [-3.2, -3.0] points was undecided."""
    told = verdict(even(-3.117, draws=60))
    assert told.label == DEFLATED
    assert clause(told, "bias.below")["bias"].high < 0
    assert told.settle is None


def test_tasks_above_and_below_are_both_named():
    told = verdict(by_task([0.05] * 5 + [-0.05] * 5))
    above = clause(told, "bias.above_tasks")
    assert (told.label, above["count"], above["tasks"]) == (SOMEWHERE, 5, 10)
    told = verdict(by_task([-0.08, *[0.0] * 7]))
    assert clause(told, "tasks.below")["task"].text == "t0"


@pytest.mark.parametrize("points", [0.02, 0.03, 0.05, 0.1])
def test_tasks_never_cancel(points):
    for seed in range(3):
        assert verdict(by_task([points, -points] * 4, seed=100 * seed)).label != NOT


def test_a_task_that_may_be_there_by_chance_is_said_to():
    # Above the margin by its own interval, and not as one of 25.
    studies = (
        verdict(even([points, *[0.0] * 24], tasks=25, draws=60, sd=7.5))
        for points in np.arange(2.0, 4.0, 0.1)
    )
    told = next(each for each in studies if "tasks.chance" in codes(each))
    chance = clause(told, "tasks.chance")
    assert chance["task"].text == "t0"
    assert chance["bias"].low > 0.01
    assert chance["tasks"] == 25


def test_a_task_that_one_model_inflates_is_quoted_from_that_model():
    calm, loud = by_task([0.0] * 6), by_task([0.08, *[0.0] * 5], seed=50)
    told = verdict(pd.concat([calm.assign(lm="calm"), loud.assign(lm="loud")]))
    above = clause(told, "bias.above_tasks")
    assert (above["task"].text, above["model"].text) == ("t0", "loud")
    assert above["bias"].value > 0.05


def test_a_model_that_is_inflated_alone_is_not_hidden_by_another():
    told = verdict(several(one=(0.0, 0.06), two=(0.06, -0.06)))
    assert told.label == "inflated"
    assert clause(told, "bias.above_model")["model"].text == "one"


@pytest.mark.parametrize("points", [0.012, 0.02, 0.04])
def test_models_that_cancel_are_not_called_uninflated(points):
    told = verdict(several(120, up=(0.05, points), down=(0.05, -points)))
    assert told.label not in (NOT, BOUNDED)


def test_tasks_that_cancel_between_models_are_not_called_uninflated():
    up, down = ([sign * 0.04, -sign * 0.04] * 4 for sign in (1, -1))
    for seed in range(0, 60, 20):
        parts = by_task(up, 20, seed), by_task(down, 20, 1000 + seed)
        table = pd.concat([parts[0].assign(lm="A"), parts[1].assign(lm="B")])
        told = verdict(table)
        assert told.label != NOT
        if told.label == BOUNDED:
            assert "tasks.apart" in codes(told)


def test_models_that_agree_are_not_inflated():
    assert verdict(several(one=(0.05, 0.0), two=(0.03, 0.0))).label == NOT


def test_an_open_study_says_how_many_draws_would_settle_it():
    told = verdict(even(0.5, draws=2, tasks=2, sd=12.0))
    assert told.label == OPEN
    assert told.settle.code == "settle.draws"
    assert told.settle.facts["draws"] >= 4


def test_the_bound_is_within_the_margin_exactly_where_nothing_is_inflated():
    for draws in (12, 30, 100):
        told = verdict(even(0.0, draws=draws))
        if told.label == NOT:
            assert told.bound.value < 0.01
        else:
            assert (told.label, told.bound.value > 0.01) == (BOUNDED, True)


def test_sizes_share_the_false_alarms():
    table = next(
        table
        for points in np.arange(1.1, 3.0, 0.05)
        if 1 < facts(table := even(points)).bias.together.estimate.low < 1.1
    )
    assert verdict(table).label == "inflated"
    assert verdict(*[table] * 4).label == SMALL


def test_a_size_that_is_deflated_is_named_beside_a_worse_one():
    told = verdict(even(0.0, draws=200), even(-3.0))
    assert told.label == NOT
    assert clause(told, "bias.below")["size"].text == "m=50,n=200"


def test_accuracies_alone_say_that_no_control_stands_behind_them():
    told = verdict(even(0.0, draws=200))
    assert clause(told, "control.none")["why"] == "accuracies"


def test_a_study_that_could_have_run_a_control_and_did_not_clears_nothing():
    told = verdict(study(0.05, 0.0, draws=60), uncontrolled="")
    assert (told.label, codes(told)[0]) == (OPEN, "open.no_dose")
    assert (told.settle.code, told.settle.facts["dose"]) == ("settle.dose", 0.1)


def test_nothing_is_cleared_by_a_study_that_does_not_see_its_control():
    table = study(0.05, 0.0, draws=60)
    for gain, label in ((0.3, NOT), (0.0, OPEN)):
        controls = control_effects(dosed(table, gain), 0)["m=50,n=200"]
        told = verdict(table, controls=controls, uncontrolled="")
        assert told.label == label
        assert ("open.dose_unseen" in codes(told)) == (gain == 0)
        assert ("control.seen" in codes(told)) == (gain > 0)


def test_a_control_that_gains_less_than_the_margin_shows_nothing():
    table = dosed(study(0.05, 0.0, draws=60), 0.3)
    controls = control_effects(table, 0)["m=50,n=200"]
    told = verdict(table, margin=4.0, controls=controls, uncontrolled="")
    assert codes(told)[0] == "open.dose_small"
    assert told.settle.facts["dose"] > 0.1  # a larger one


def test_one_models_control_clears_no_other_model():
    for gain, code in ((0.0, "open.dose_unseen"), (None, "open.no_dose")):
        table, controls = controlled(0.5, gain)
        told = verdict(table, controls=controls, uncontrolled="")
        assert told.clauses[0].code == code
        assert told.clauses[0].facts["model"].text == "B"
    table, controls = controlled(0.5, 0.5)
    assert verdict(table, controls=controls, uncontrolled="").label == NOT
    table, controls = controlled(0.5, None)
    kinds = {"uncontrolled": "", "unlabelled": ["B"]}
    told = verdict(table, controls=controls, **kinds)
    assert [name.text for name in clause(told, "control.lacking")["names"]] == ["B"]


def controlled(a, b):
    """Two models that are not inflated, with the gains of their controls."""
    tables = [
        dosed(study(0.05, 0.0, draws=60, seed=at), gain or 0).assign(lm=lm)
        for at, (lm, gain) in enumerate((("A", a), ("B", b)))
    ]
    if b is None:
        tables[1] = tables[1].assign(**{"correct_dose_0.1": np.nan})
    table = pd.concat(tables, ignore_index=True)
    return table, control_effects(table, 0)["m=50,n=200"]


def test_an_inflation_needs_no_control():
    assert verdict(study(0.05, 0.05, draws=60), uncontrolled="").label == "inflated"


def test_a_control_that_misses_a_task_is_told():
    table = dosed(study(0.05, 0.0, draws=60), 0.5)
    table.loc[table["task"] == "t0", "correct_dose_0.1"] = np.nan
    told = verdict(table, controls=control_effects(table, 0)["m=50,n=200"])
    assert [name.text for name in clause(told, "control.lacking")["names"]] == ["t0"]


def test_an_overtrained_arm_is_judged_beside_the_verdict():
    table = study(0.05, 0.0, tasks=2, draws=6)
    over = {
        "correct_overtrained_extra": table["correct_extra"] - 20,
        "correct_overtrained_test": table["correct_test"] + 20,
    }
    report = analyse_accuracies(table.assign(**over), name="over")
    told = clause(report.verdict, "bias.overtrained")
    assert told["verdict"] == "inflated"
    assert told["bias"].low > 0.1
    estimate = report.finding("bias", condition="m=50,n=200,overtrained").estimate
    assert told["bias"].value == pytest.approx(estimate.value / 100)


def test_a_margin_is_in_percentage_points():
    with pytest.raises(BadOption, match="percentage points"):
        analyse_accuracies(
            study(draws=4), settings=ExposureSettings(margin=0.0), name="x"
        )


def test_what_light_models_show_is_of_these_alone():
    sizes = [facts(even(0.0, draws=200))]
    assert "models.light" in codes(conclude(StudyFacts(sizes, light=True)))
    assert "models.light" not in codes(conclude(StudyFacts(sizes)))


def test_a_bound_is_said_of_the_tasks_that_were_studied():
    report = analyse_accuracies(even(0.0, tasks=3, draws=4), name="x")
    assert say_bound(report).startswith("Over these tasks test texts raise accuracy by")
    bare = replace(report, verdict=replace(report.verdict, bound=None))
    assert say_bound(bare) == ""


@needs_data
@pytest.mark.parametrize("n", [50, 100, 200, 500])
def test_the_published_study_is_not_inflated(n):
    table = pd.read_csv(path("exposure/accuracies_m50.csv"))
    assert verdict(table[table["n"] == n]).label == NOT
