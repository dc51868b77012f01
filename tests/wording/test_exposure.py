"""An exposure report says what its verdict goes by, and nothing that contradicts it."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.core.finding import Exhibit, Finding
from measurand.report.answer import answer_report
from measurand.report.bars import _arms_chart
from measurand.report.titles import figure_title
from measurand.wording.exposure import say_points
from measurand.wording.reasons import CONTROLLED, PARTLY, STRONGER
from tests.report.verdicts import estimate, report_of

SIZE, LARGE = "m=50,n=200", "m=50,n=500"
NOT = "not inflated within the margin"


def points(statistic, reader, condition, value, half=0.5):
    ends = value - half, value + half
    return Finding(statistic, reader, condition, estimate(value, *ends, n=40))


def told(label, reason, findings, *, provisional=False, region=None):
    """The report with this verdict of these figures, and its answer."""
    report = report_of("exposure", "undecided")
    verdict = replace(
        report.verdict,
        label=label,
        region=region or label,
        reason=reason,
        provisional=provisional,
    )
    report = replace(
        report, verdict=verdict, findings=tuple(findings), settings={"margin": 1.0}
    )
    return report, answer_report(report)


def boost(value, size=SIZE):
    return points("boost", "A", size, value)


def test_how_sure_is_said_of_the_size_that_decides():
    findings = [points("bias", "A", SIZE, 0.0), points("bias", "A", LARGE, 6.0, 0.2)]
    reason = f"{LARGE}: bias 6.0 [5.5, 6.5], boost 4 points over 10 tasks"
    _, answer = told("inflated", reason, findings)
    assert answer.certainty == (
        f"At {LARGE}: after test text rather than other text: between 5 and 7 of "
        "100 more right."
    )


def test_how_sure_is_said_of_the_model_that_decides():
    findings = [
        points("bias", "all models", SIZE, -2.0),
        points("bias", "A", SIZE, -8.0),
        points("bias", "B", SIZE, 4.0),
    ]
    reason = f"{SIZE}: bias -2; all together are not, and B: bias 4 is, by itself"
    _, answer = told("inflated", reason, findings)
    assert answer.certainty.startswith("By B: after test text")
    assert "more right" in answer.certainty


def test_how_sure_is_said_of_the_worst_task_where_tasks_decide():
    findings = [
        points("bias", "A", SIZE, 0.1),
        points("task_bias", "A", f"calm, {SIZE}", 0.0),
        points("task_bias", "A", f"loud, one, {SIZE}", 8.0),
    ]
    reason = f"{SIZE}: bias 0.1; inflated on 1 of 2 tasks: loud, one 8"
    label = "inflated on 1 of 2 tasks"
    _, answer = told(label, reason, findings, region="inflated on some tasks")
    assert answer.certainty.startswith("On loud, one: after test text")


@pytest.mark.parametrize(
    ("value", "cause"),
    [(4.0, "helps"), (-6.0, "makes answers worse"), (0.0, "No text of the kind")],
)
def test_a_clearance_says_what_reading_did(value, cause):
    findings = [boost(value), points("bias", "A", SIZE, 0.0)]
    _, answer = told(NOT, f"{SIZE}: bias 0, boost {value}", findings)
    assert cause in answer.cause
    assert ("helps" in answer.cause) == (value > 0)


def test_a_task_that_may_be_luck_is_in_the_sentence():
    findings = [
        points("bias", "A", SIZE, 0.2),
        *(points("task_bias", "A", f"t{at}, {SIZE}", 0.0) for at in range(24)),
        points("task_bias", "A", f"far, {SIZE}", 3.0),
    ]
    reason = f"{SIZE}: bias 0.2; by itself alone, far 3 would be: that may be luck"
    _, answer = told(NOT, reason, findings)
    assert answer.sentence == (
        "No, though far alone is above the margin, which may be luck among 25 tasks."
    )


def test_a_clear_loss_is_not_called_uncertain():
    reason = (
        f"{SIZE}: bias -4; the test's own text helped less than other text did; at "
        "these figures more draws will not decide"
    )
    _, answer = told("undecided", reason, [points("bias", "A", SIZE, -4.0)])
    assert "help less than other texts" in answer.sentence
    assert "uncertain" not in answer.sentence
    assert not any("Give about" in step or "Draw" in step for step in answer.steps)


@pytest.mark.parametrize("low", [0.0, 0.4])
def test_tasks_are_said_to_differ_only_where_their_spread_is_seen(low):
    spread = Finding("task_sd", "all models", f"bias, {SIZE}", estimate(0.6, low, 1.0))
    reason = f"{SIZE}: bias 1; but 1 task is clearly beyond the margin: t0 3"
    _, answer = told("undecided", reason, [points("bias", "A", SIZE, 1.0), spread])
    assert ("differs between tasks" in answer.cause) == (low > 0)
    assert ("not seen to differ" in answer.cause) == (low == 0)


OF_ONE = "but B: bias 2 is, by itself, told from zero and may be beyond the margin"
OPPOSED = "but B: bias 2, so that the mean says little"


@pytest.mark.parametrize("why", [OF_ONE, OPPOSED])
def test_models_are_said_to_oppose_where_the_reason_says_so(why):
    findings = [points("bias", "A", SIZE, -4.0), points("bias", "B", SIZE, 2.0)]
    _, answer = told("undecided", f"{SIZE}: bias 1; {why}", findings)
    opposed = why == OPPOSED
    assert ("One model goes one way" in answer.cause) == opposed
    assert ("in single models" in answer.sentence) == (not opposed)


def test_a_size_that_is_above_alone_is_not_called_too_uncertain():
    reason = f"{SIZE}: bias 2; its interval, but 4 sizes share the 5 % of false alarms"
    _, answer = told("undecided", reason, [points("bias", "A", SIZE, 2.0)])
    assert "one of several" in answer.sentence


def test_the_size_that_no_draws_decide_is_the_one_that_is_quoted():
    sizes = [points("bias", "A", SIZE, 0.0, 3.0), points("bias", "A", LARGE, -4.0)]
    reason = (
        f"{SIZE}: bias 0; about 90 draws a task and model could decide; {LARGE}: bias "
        "-4; the test's own text helped less than other text did; at these figures "
        "more draws will not decide"
    )
    _, answer = told("undecided", reason, sizes)
    assert "help less than other texts" in answer.sentence
    assert answer.certainty.startswith(f"At {LARGE}: ")
    assert "fewer right" in answer.certainty


def test_the_most_draws_of_several_sizes_are_asked_for():
    sizes = [points("bias", "A", size, 0.5, 3.0) for size in (SIZE, LARGE)]
    reason = (
        f"{SIZE}: bias 0.5; about 90 draws a task and model could decide; {LARGE}: "
        "bias 0.5; about 1,200 draws a task and model could decide"
    )
    _, answer = told("undecided", reason, sizes)
    assert answer.steps == ("Give about 1,200 draws: so many would decide.",)
    never = reason.replace(
        "about 1,200 draws a task and model could decide",
        "at these figures more draws will not decide",
    )
    _, answer = told("undecided", never, sizes)
    assert "Give about" not in " ".join(answer.steps)


def test_an_inflation_by_overtraining_is_the_answer():
    findings = [
        boost(4.0),
        points("bias", "A", SIZE, 0.0),
        points("bias", "all models", f"{SIZE},overtrained", 10.0),
    ]
    reason = f"{SIZE}: bias 0, boost 4; overtrained, {SIZE}: inflated, bias 10"
    _, answer = told(NOT, reason, findings)
    assert answer.sentence.startswith("Only if read twice as often")
    assert answer.certainty.endswith("between 9 and 11 of 100 more right.")
    assert answer.tone.name == "leaks"


def test_accuracies_that_nobody_read_wait_for_a_control_and_no_stronger_reader():
    findings = [boost(4.0), points("bias", "A", SIZE, 0.0)]
    alone = f"{SIZE}: bias 0; accuracies alone hold no positive control"
    _, answer = told(NOT, alone, findings, provisional=True)
    assert answer.steps[-1] == CONTROLLED
    partly = f"{SIZE}: bias 0; the control with 10 % of the test rows learned gained 3"
    _, answer = told(NOT, partly, findings, provisional=True)
    assert answer.steps[-1] == PARTLY
    bags = f"{SIZE}: bias 0; provisional: bags of words read no language"
    _, answer = told(NOT, bags, findings, provisional=True)
    assert answer.steps[-1] == STRONGER


@pytest.mark.parametrize(
    ("low", "high", "margin", "said"),
    [
        (0.5, 1.428, 1.0, "between 0.5 and 1.5 of 100 more right"),
        (-1.439, -0.061, 1.0, "at most 1.5 of 100 fewer right"),
        (-1.439, -0.161, 1.0, "between 0.1 and 1.5 of 100 fewer right"),
        (0.977, 1.673, 1.0, "between 0.9 and 1.7 of 100 more right"),
        (1.023, 1.673, 1.0, "between 1.02 and 1.68 of 100 more right"),
        (0.31, 0.977, 1.0, "between 0.31 and 0.98 of 100 more right"),
        (-1.673, -1.023, 1.0, "between 1.02 and 1.68 of 100 fewer right"),
        (1.2, 9.4, 1.0, "between 1.2 and 9.4 of 100 more right"),
        (0.977, 9.4, 1.0, "at most 10 of 100 more right"),
        (1.0, 1.7, 1.0, "between 1.0 and 1.7 of 100 more right"),
        (-0.3, 1.4, 1.0, "from 0.3 of 100 fewer right to 1.4 of 100 more right"),
        (-0.02, 1.44, 1.0, "from 0.1 of 100 fewer right to 1.5 of 100 more right"),
        (0.197, 0.310, 0.2, "between 0.19 and 0.31 of 100 more right"),
        (-0.3, 0.4, 1.0, "fewer than 1 of 100 either way"),
        (0.2, 9.4, 1.0, "at most 10 of 100 more right"),
        (5.8, 6.2, 1.0, "between 5 and 7 of 100 more right"),
        (6.0, 6.0, 1.0, "about 6 of 100 more right"),
        (1.00001, 1.5, 1.0, "between 1.0 and 1.5 of 100 more right"),  # no end of it
        (float("nan"), float("nan"), 1.0, "fewer than 1 of 100 either way"),
    ],
)
def test_rounding_never_contradicts_the_interval(low, high, margin, said):
    assert say_points(estimate((low + high) / 2, low, high), margin) == said


def test_bars_of_several_sizes_are_named_by_them():
    scores = [
        Finding("accuracy", "A", f"{arm}, {size}", estimate(0.6))
        for size in (SIZE, LARGE)
        for arm in ("base", "extra", "test")
    ]
    bias = [points("bias", "A", size, 6.0) for size in (SIZE, LARGE)]
    report, _ = told("inflated", f"{LARGE}: bias 6", [*bias, *scores])
    chart = _arms_chart(report)
    names = [bar.label for bar in chart.bars]
    assert len({*names}) == len(names) == 6
    assert names[0].endswith(LARGE)
    single = replace(report, findings=tuple(f for f in scores if SIZE in f.condition))
    assert SIZE not in _arms_chart(single).bars[0].label


def test_a_title_says_what_of_the_rows_that_decide_stands_out():
    rows = [("bias", -0.1, -1.3, 1.1), ("bias, repeated study", 4.7, 3.4, 6.0)]
    table = pd.DataFrame(
        [
            {"group": SIZE, "name": n, "value": v, "low": a, "high": b}
            for n, v, a, b in rows
        ]
    )
    settings = {"margin": 1.0, "titled": ["boost", "bias"]}
    exhibit = Exhibit("averages", "intervals", table, "Boost and bias", settings)
    assert figure_title(exhibit) == "None of 1 is clearly beyond the margin"
    whole = replace(exhibit, settings={"margin": 1.0})
    assert "repeated study" in figure_title(whole)
