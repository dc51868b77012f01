"""What the exposure audit says of planted counts."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, analyse_accuracies
from measurand.audits.exposure.analysis import pair_sizes
from measurand.audits.exposure.control import control_effects
from measurand.audits.exposure.verdict import Judged, size_verdict, worst_verdict
from measurand.core.errors import BadOption
from measurand.stats.decisions import round_up
from measurand.stats.exposure.draws import draws_to_decide
from measurand.stats.exposure.studies import study_counts
from tests.shared_data import needs_data, path

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


ALONE = "accuracies alone hold no positive control"


def judged(table, name="all", **kinds):
    """What a verdict rests on, without all that a report has beside it."""
    counts = study_counts(table)
    return Judged(name, pair_sizes(counts), **({"uncontrolled": ALONE} | kinds))


def said(table, margin=1.0, **kinds):
    return size_verdict(judged(table, **kinds), margin)


def several(draws=60, **planted):
    """Models with effects of their own, on tasks of the same names."""
    made = [
        study(*one, draws=draws, seed=at).assign(lm=lm)
        for at, (lm, one) in enumerate(planted.items())
    ]
    return pd.concat(made)


def by_task(effects, draws=40, seed=0, **kinds):
    """Tasks with a bias of their own, in accuracy."""
    parts = [
        study(0.05, bias, tasks=1, draws=draws, seed=seed + at, **kinds)
        for at, bias in enumerate(effects)
    ]
    named = [part.assign(task=f"t{at}") for at, part in enumerate(parts)]
    return pd.concat(named, ignore_index=True)


@pytest.mark.parametrize(
    ("second", "opposed"), [((0.05, 0.013), False), ((0.05, -0.03), True)]
)
def test_the_mean_says_little_only_where_models_go_opposite_ways(second, opposed):
    told = said(several(a=(0.05, 0.013), b=second, draws=100), margin=1.5)
    assert told.label == "undecided"
    assert ("so that the mean says little" in told.reason) == opposed
    apart = "told from zero and may be beyond the margin" in told.reason
    assert apart == (not opposed)


@pytest.mark.parametrize(
    ("boost", "bias", "label"),
    [
        (0.05, 0.04, "inflated"),
        (0.05, 0.0, NOT),
        (0.0, 0.0, NOT),
        (-0.05, 0.0, NOT),
        (-0.05, 0.04, "inflated"),
    ],
)
def test_a_planted_bias_is_found_whatever_the_boost(boost, bias, label):
    told = said(study(boost, bias, draws=60))
    assert told.label == label
    assert ("adaptation made answers worse" in told.reason) == (boost < 0)


@pytest.mark.slow
def test_a_report_says_what_the_effects_say():
    report = analyse_accuracies(study(0.05, 0.04, draws=60), name="planted")
    assert report.verdict.label == "inflated"
    estimate = report.finding("bias").estimate
    assert estimate.low < 4 < estimate.high
    assert report.findings[0].statistic == "boost"


def test_five_tasks_up_and_five_down_are_inflated_on_five():
    told = said(by_task([0.05] * 5 + [-0.05] * 5))
    assert told.label == "inflated on 5 of 10 tasks"
    assert told.region == "inflated on some tasks"
    for task in range(5):
        assert f"t{task} " in told.reason
    assert "t7" not in told.reason


@pytest.mark.parametrize("points", [0.02, 0.03, 0.05, 0.1])
def test_tasks_never_cancel(points):
    for seed in range(5):
        told = said(by_task([points, -points] * 4, seed=100 * seed))
        assert told.label != NOT


def test_a_worst_task_is_named_where_the_mean_hides_it():
    told = said(by_task([0.08, *[0.0] * 9]))
    assert told.label == "inflated on 1 of 10 tasks"
    assert "inflated on 1 of 10 tasks: t0" in told.reason


def test_a_task_that_may_be_luck_is_named_and_not_counted():
    # A bias whose own interval clears the margin of a point in some draws, and is too
    # weak for one of ten in most.
    reasons = [
        told.reason
        for seed in range(0, 400, 20)
        if (told := said(by_task([0.1, 0.028, *[0.0] * 8], seed=seed))).label
        == "inflated on 1 of 10 tasks"
    ]
    doubted = [reason for reason in reasons if "by itself alone, t1 " in reason]
    assert doubted
    for reason in doubted:
        counted, _, alone = reason.partition("; by itself alone, ")
        assert re.search(r"^t1 \d\.\d+ \[[1-9]", alone)
        assert "t1 " not in counted
        assert "of 10 tasks, that may be luck" in alone
    assert len(doubted) < len(reasons)


def test_a_task_that_one_model_inflates_is_quoted_from_that_model():
    calm, loud = by_task([0.0] * 6), by_task([0.08, *[0.0] * 5], seed=50)
    told = said(pd.concat([calm.assign(lm="calm"), loud.assign(lm="loud")]))
    assert told.label == "inflated on 1 of 6 tasks"
    (quoted,) = re.findall(r"t0 (\d\.\d+) \[.*\] \(loud\)", told.reason)
    assert float(quoted) > 5


def test_a_model_that_is_inflated_alone_is_not_hidden_by_another():
    told = said(several(one=(0.0, 0.06), two=(0.06, -0.06)))
    assert told.label == "inflated"
    assert "all together are not, and one: bias" in told.reason


@pytest.mark.parametrize("points", [0.012, 0.02, 0.04])
def test_models_that_cancel_are_not_called_uninflated(points):
    told = said(several(120, up=(0.05, points), down=(0.05, -points)))
    assert told.label != NOT
    assert "bias" in told.reason


def test_models_that_agree_are_not_inflated():
    assert said(several(one=(0.05, 0.0), two=(0.03, 0.0))).label == NOT


def test_a_bias_below_the_margin_is_not_said_to_need_more_draws():
    told = said(study(0.06, -0.04, draws=60))
    assert told.label == "undecided"
    assert "the test's own text helped less than other text did" in told.reason
    assert told.reason.endswith("more draws will not decide")


def test_the_draws_that_a_decision_needs_are_counted():
    told = said(study(0.05, 0.0, draws=8))
    needed = re.search(
        r"about ([\d,]+) draws a task and model could decide", told.reason
    )
    assert needed
    digits = needed[1].replace(",", "")
    assert int(digits) >= 16
    assert set(digits[2:]) == {"0"}


def test_what_a_new_task_may_see_is_said():
    told = said(study(0.05, 0.0, draws=60))
    assert "tasks differ by a standard deviation of" in told.reason
    assert "a new one may see" in told.reason


def test_accuracies_alone_are_not_uninflated_without_saying_what_was_visible():
    told = said(study(0.05, 0.0, draws=60))
    assert told.provisional
    assert f"{ALONE}, so it rests on the interval: a bias of" in told.reason


def test_the_bias_that_would_be_called_inflated_is_beyond_the_margin():
    table = study(0.05, 0.0, draws=60)
    (least,) = re.findall(r"a bias of (\d\.\d+) points would be", said(table).reason)
    sigma = judged(table).paired["bias"].together.cells.se
    assert float(least) == pytest.approx(1 + 2.8 * sigma, abs=0.03)
    called = [
        said(study(0.0, float(least) / 100, draws=60, seed=seed)).label
        for seed in range(20)
    ]
    assert called.count("inflated") > 11
    assert NOT not in called


def test_tasks_that_cancel_between_models_are_not_called_uninflated():
    up, down = ([sign * 0.04, -sign * 0.04] * 4 for sign in (1, -1))
    seen = set()
    for seed in range(0, 100, 20):
        parts = by_task(up, 20, seed), by_task(down, 20, 1000 + seed)
        told = said(pd.concat([parts[0].assign(lm="A"), parts[1].assign(lm="B")]))
        assert told.label != NOT
        assert "may be luck" not in told.reason
        seen.add(told.region)
        if told.region == "undecided":
            assert "models differ from task to task by" in told.reason
        elif "by itself alone" in told.reason:
            assert "models differ from task to task beyond luck" in told.reason
    assert "undecided" in seen


def test_a_task_beyond_the_margin_is_named_where_all_are_cleared():
    reasons = [
        told.reason
        for seed in range(0, 240, 30)
        if (told := said(by_task([0.025, *[0.0] * 24], seed=seed))).label == NOT
    ]
    named = [reason for reason in reasons if "by itself alone, " in reason]
    assert named
    for reason in named:
        assert re.search(r"by itself alone, t\d+ \d\.\d+ \[[1-9]", reason)
        assert "would be inflated: of 25 tasks, that may be luck" in reason


def test_one_task_that_stands_in_the_way_is_one_task():
    told = said(by_task([-0.06, *[0.0] * 7]))
    assert told.label == "undecided"
    assert "but 1 task is clearly beyond the margin: t0 -" in told.reason


def equal_tasks(seed, points=1.3, tasks=6, draws=50):
    """Differences of so many points in every task, and luck alone between them."""
    rng = np.random.default_rng(seed)
    gains = np.round(N / 100 * rng.normal(points, 3, (tasks, draws))).astype(int)
    arms = {"correct_base": 120, "correct_extra": 120}
    return pd.DataFrame(
        {"m": 50, "n": N, "lm": "one", "task": f"t{task}", "subsample": draw, **arms}
        | {"correct_test": 120 + gain}
        for (task, draw), gain in np.ndenumerate(gains)
    )


def test_a_task_is_never_both_clear_and_luck():
    beyond = 0
    for seed in (*range(6), 38, 58):  # the last two have a task that stands out
        reason = said(equal_tasks(seed)).reason
        _, _, clear = reason.partition("clearly beyond the margin: ")
        named = re.findall(r"t\d(?= \d)", clear.partition(";")[0])
        doubted = reason.partition("by itself alone, ")[2].partition(" would be")[0]
        beyond += len(named)
        assert not {*named} & {*re.findall(r"t\d(?= \d)", doubted)}
    assert beyond


def test_a_task_is_clear_only_where_its_interval_is():
    reached = set()
    for points, seed in product((-1.6, 1.6), range(15)):
        size = judged(equal_tasks(seed, points, tasks=1))
        told = size_verdict(size, 1.0)
        if told.label == "undecided" and size.decide(1.0, 1).tasks_apart.any():
            shown = size.paired["bias"].together.by_task()["t0"]
            beyond = max(shown.low, -shown.high) > 1
            assert ("clearly beyond" in told.reason) == beyond
            reached.add((points, beyond))
    # A task that is clear above the margin is inflated, and no longer undecided.
    assert reached == {(-1.6, True), (-1.6, False), (1.6, False)}


def test_sizes_that_share_the_false_alarms_are_said_to():
    tables = (equal_tasks(seed, 1.42) for seed in range(40))
    size = next(
        each
        for table in tables
        if 1 < (each := judged(table)).paired["bias"].together.estimate.low < 1.1
    )
    assert size_verdict(size, 1.0).label == "inflated"
    told = size_verdict(size, 1.0, sizes=4)
    assert told.label == "undecided"
    assert "4 sizes share the 5 % of false alarms: at 98.75 % it is 1." in told.reason


def dosed(table, gain):
    """The same with a control that learned a tenth of the test rows."""
    rng = np.random.default_rng(9)
    more = rng.binomial(N // 10, gain, len(table))
    columns = {"correct_dose_0.1": (table["correct_extra"] + more).clip(upper=N)}
    return table.assign(**columns)


def test_a_study_that_could_have_run_a_control_and_did_not_clears_nothing():
    told = said(study(0.05, 0.0, draws=60), uncontrolled="")
    assert told.label == "undecided"
    assert "no positive control was run" in told.reason


@pytest.mark.parametrize(("gain", "label"), [(0.3, NOT), (0.0, "undecided")])
def test_nothing_is_cleared_by_a_study_that_does_not_see_its_control(gain, label):
    table = dosed(study(0.05, 0.0, draws=60), gain)
    controls = control_effects(table, 0)["m=50,n=200"]
    told = said(table, controls=controls, uncontrolled="")
    assert told.label == label
    assert ("was not seen" in told.reason) == (gain == 0)
    assert not told.provisional


def controlled(a, b):
    """Two models that are not inflated, with the gains of their controls."""
    tables = [
        dosed(study(0.05, 0.0, draws=60, seed=at), gain or 0).assign(lm=lm)
        for at, (lm, gain) in enumerate((("A", a), ("B", b)))
    ]
    if b is None:
        tables[1] = tables[1].assign(**{"correct_dose_0.1": np.nan})
    table = pd.concat(tables, ignore_index=True)
    controls = control_effects(table, 0)["m=50,n=200"]
    return table, {"controls": controls, "uncontrolled": ""}


@pytest.mark.parametrize(
    ("gain", "why"),
    [
        (0.0, "the control of B with 10 % of the test rows learned gained"),
        (None, "no positive control of B was run"),
    ],
)
def test_one_models_control_clears_no_other_model(gain, why):
    table, kinds = controlled(0.5, gain)
    told = said(table, **kinds)
    assert told.label == "undecided"
    assert told.reason.count(why) == 1
    assert "of A" not in told.reason
    table, kinds = controlled(0.5, 0.5)
    assert said(table, **kinds).label == NOT


def test_a_model_that_learns_no_labels_is_named_and_cleared_for_now():
    table, kinds = controlled(0.5, None)
    told = said(table, **kinds, unlabelled=["B"])
    assert told.label == NOT
    assert told.provisional
    assert told.reason.endswith("; B: no labels learned, no control")


def test_a_control_that_gains_less_than_the_margin_shows_nothing():
    table = dosed(study(0.05, 0.0, draws=60), 0.3)
    controls = control_effects(table, 0)["m=50,n=200"]
    told = said(table, margin=4.0, controls=controls, uncontrolled="")
    assert told.label == "undecided"
    assert "no more than the margin of 4: it does not show" in told.reason


def test_no_number_of_draws_is_promised_where_the_control_forbids_a_decision():
    table = dosed(study(0.05, 0.0, draws=8), 0.05)
    controls = control_effects(table, 0)["m=50,n=200"]
    told = said(table, controls=controls, uncontrolled="")
    assert told.label == "undecided"
    assert "no more than the margin of 1: it does not show" in told.reason
    assert told.reason.endswith("a larger dose could, or a margin below the gain")
    assert "draws a task" in said(table).reason  # without that control


def promised_draws(reason):
    return int(re.search(r"about ([\d,]+) draws", reason)[1].replace(",", ""))


def test_draws_that_would_show_an_inflation_need_no_control():
    # One task of four is inflated: nothing else would be shown in far fewer draws.
    luck = np.tile([-7, 7], 10)
    tables = [study(tasks=1, draws=20).assign(task=f"t{at}") for at in range(4)]
    for table, points in zip(tables, (2, 0, 0, 0), strict=True):
        table["correct_test"] = table["correct_extra"] + N * points // 100 + luck
    table = dosed(pd.concat(tables, ignore_index=True), 0.05)
    controls = control_effects(table, 0)["m=50,n=200"]
    told = said(table, controls=controls, uncontrolled="")
    assert told.label == "undecided"
    assert told.reason.endswith("draws a task and model could decide")
    assert "the control" not in told.reason
    cells = judged(table).paired["bias"].together.cells
    either, shown = (
        draws_to_decide(cells, [cells], 1.0, clearing=clearing)
        for clearing in (True, False)
    )
    assert promised_draws(told.reason) == round_up(shown) > 2 * either
    assert promised_draws(said(table).reason) == round_up(either)  # no control forbids


def test_draws_are_counted_that_would_show_a_control_too():
    table = study(0.05, 0.0, draws=8)
    rng = np.random.default_rng(2)
    luck = rng.normal(0, 40, len(table))
    luck = luck - luck.mean() + 0.03 * N
    dose = (table["correct_extra"] + luck).round().clip(0, N)
    table = table.assign(**{"correct_dose_0.1": dose})
    controls = control_effects(table, 0)["m=50,n=200"]
    gain = controls[-1].gain.estimate
    assert gain.low <= 0 < 1 < gain.value
    told = said(table, controls=controls, uncontrolled="")
    assert "was not seen" in told.reason
    alone = said(table)
    with_control, without = (promised_draws(each.reason) for each in (told, alone))
    assert with_control >= without
    se = float(controls[-1].gain.cells.se)
    assert with_control >= 8 * (2.8 * se / gain.value) ** 2


def test_a_control_that_misses_a_task_is_told_and_clears_for_now():
    table = dosed(study(0.05, 0.0, draws=60), 0.5)
    table.loc[table["task"] == "t0", "correct_dose_0.1"] = np.nan
    report_kinds = {"controls": control_effects(table, 0)["m=50,n=200"]}
    told = said(table, **report_kinds)
    assert told.label == NOT
    assert "points over 5 of 6 tasks, and" in told.reason
    assert told.reason.endswith("; no control on t0")
    assert told.provisional


def test_accuracies_with_a_control_of_every_task_are_cleared():
    table = dosed(study(0.05, 0.0, draws=60), 0.5)
    told = said(table, controls=control_effects(table, 0)["m=50,n=200"])
    assert told.label == NOT
    assert not told.provisional
    assert ALONE not in told.reason


def test_an_overtrained_arm_has_a_line_of_its_own():
    table = study(0.05, 0.0, tasks=2, draws=6)
    over = {
        "correct_overtrained_extra": table["correct_extra"] - 20,
        "correct_overtrained_test": table["correct_test"] + 20,
    }
    report = analyse_accuracies(table.assign(**over), name="over")
    assert "; overtrained, m=50,n=200: inflated, bias" in report.verdict.reason
    estimate = report.finding("bias", condition="m=50,n=200,overtrained").estimate
    assert estimate.low > 10


def test_a_margin_is_in_percentage_points():
    with pytest.raises(BadOption, match="percentage points"):
        analyse_accuracies(
            study(draws=4), settings=ExposureSettings(margin=0.0), name="x"
        )


def test_the_worst_of_several_sizes_decides():
    calm, loud = study(0.05, 0.0, draws=60), study(0.05, 0.05, draws=60)
    told = worst_verdict([judged(calm, "small"), judged(loud, "large")], 1.0)
    assert told.label == "inflated"
    assert told.reason.startswith("large: bias")


def like_published(bias, error, boost, *, draws=20, n=100):
    """25 tasks whose mean differences have a known mean and standard error."""
    rng = np.random.default_rng(3)
    luck = rng.standard_normal((2, 25, draws))
    luck -= luck.mean(axis=2, keepdims=True)
    luck *= error * 5 * np.sqrt(draws) / luck.std(axis=2, ddof=1, keepdims=True)
    apart = np.linspace(-1, 1, 25)[rng.permutation(25)]
    apart = 5 * error * apart / apart.std(ddof=1)  # as far as luck alone sets tasks
    rows = []
    for (task, draw), first in np.ndenumerate(luck[0]):
        extra = 0.5 + (boost + luck[1, task, draw] / 2) / 100
        test = extra + (bias + 0.9 * apart[task] + first) / 100
        right = {"acc_base": 0.5, "acc_extra": extra, "acc_test": test}
        key = {"m": 50, "n": n, "task": f"t{task}", "subsample": draw}
        whole = {arm: np.round(np.clip(v, 0, 1) * n) / n for arm, v in right.items()}
        rows.append({**key, **whole})
    return pd.DataFrame(rows)


def test_zero_shot_figures_of_the_paper_reach_its_conclusion():
    # Its mean effect has a 90 % interval of [-0.688, 0.817] points, the boost is clear.
    told = judged(like_published(0.065, 0.4575, 4.0, n=1000))
    interval = told.paired["bias"].together.interval(0.90)
    assert (interval.low, interval.high) == pytest.approx((-0.69, 0.82), abs=0.03)
    assert size_verdict(told, 1.0).label == NOT


def test_overtraining_figures_of_the_paper_reach_its_conclusion():
    # Adaptation hurts, and the bias lies within 0.66 points.
    told = said(like_published(0.2, 0.2, -1.5, n=1000))
    assert told.label == NOT
    assert "adaptation made answers worse" in told.reason


@needs_data
@pytest.mark.parametrize("n", [50, 100, 200, 500])
def test_the_published_study_is_not_inflated(n):
    table = pd.read_csv(path("exposure/accuracies_m50.csv"))
    assert said(table[table["n"] == n]).label == NOT
