"""What a reader may take, and what is planned before it begins."""

from dataclasses import replace

import pytest

from measurand.core.errors import BadOption, PastBudget
from measurand.experiment.ask import EPOCHS, SETTINGS, Ask
from measurand.experiment.budget import Budget, round_duration, to_seconds
from measurand.experiment.experiment import (
    ask_all,
    check_budget,
    open_experiment,
    plan_asks,
    renew_budget,
    tune_reader,
)
from measurand.experiment.workplace import Workplace
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.readers.linear import TfidfReader
from measurand.readers.tuning import RATES
from tests.experiment.clockwork import Adjustable, Clockwork, Time

READER = Clockwork()
KEEP = Keep("claim")
ASKS = [
    Ask(READER),
    Ask(READER, under=Shuffle("evidence"), repeats=3),
    Ask(READER, fitted_under=KEEP, under=KEEP),
]


@pytest.fixture
def running(benchmark):
    """An experiment that goes by the reader's clock, without a limit."""
    with open_experiment(benchmark) as opened:
        yield replace(opened, budget=Budget(clock=Time.read))


def limited(running, seconds, said=None):
    announce = None if said is None else said.append
    return replace(running, budget=Budget(seconds, announce, Time.read))


def test_the_plan_is_what_the_reader_then_takes(running):
    plan = plan_asks(running, ASKS)
    before = Time.now
    ask_all(running, ASKS)
    assert plan.seconds == pytest.approx(Time.now - before)
    assert plan.trainings == 2
    assert plan.answers == 5 * len(running.benchmark.test)


def test_what_is_stored_is_not_planned(running):
    whole = plan_asks(running, ASKS)
    ask_all(running, ASKS[:2])
    rest = plan_asks(running, ASKS)
    assert (whole.trainings, rest.trainings) == (2, 1)
    assert rest.seconds < whole.seconds
    ask_all(running, ASKS)
    assert plan_asks(running, ASKS).seconds == 0.0
    ask_all(limited(running, 0.0), ASKS)  # nothing is left to take any time


def test_a_reader_past_the_budget_is_not_begun(running):
    short = limited(running, 1.0)
    with pytest.raises(PastBudget, match=r"2 trainings and \d+ answers, about .+ past"):
        ask_all(short, ASKS)
    assert running.tally == {"computed": 0, "reused": 0}


def test_a_reader_within_the_budget_is_announced_and_run(running):
    said = []
    plan = plan_asks(running, ASKS)
    wide = limited(running, plan.seconds + 1, said)
    check_budget("works", (wide, ASKS[:2]), (wide, ASKS[2:]))
    assert said == [f"plan: works: {plan}"]
    ask_all(wide, ASKS)
    check_budget("works", (wide, ASKS))
    assert len(said) == 1  # nothing is left to plan


def test_parts_that_fit_are_refused_where_all_together_do_not(running):
    part = max(plan_asks(running, [ask]).seconds for ask in ASKS)
    short = limited(running, part)
    with pytest.raises(PastBudget):
        check_budget("works", (short, ASKS[:2]), (short, ASKS[2:]))
    ask_all(short, ASKS[2:])


def test_what_a_reader_was_granted_counts_when_it_is_checked_again(running):
    first, again = ([Ask(member)] for member in READER.with_seeds(2))
    plan = plan_asks(running, first)
    short = limited(running, 1.5 * plan.seconds)
    check_budget("works", (short, first))
    ask_all(short, first)
    with pytest.raises(PastBudget, match=r"1 training .* after about .* before, past"):
        check_budget("works", (short, again))
    check_budget("works", (short, first))  # stored: nothing is left to take any time
    check_budget("others", (short, again))
    check_budget("works", (renew_budget(short), again))
    check_budget("works", (limited(running, 2.5 * plan.seconds), again))


def test_tuning_is_named_counted_and_held_against_the_same_budget(running):
    reader, said = Adjustable(), []
    tuning = plan_asks(running, [Ask(reader, what=SETTINGS)])
    once = plan_asks(running, [Ask(reader)]).seconds
    assert tuning.trainings == len(RATES)
    with pytest.raises(PastBudget, match=f"{len(RATES)} trainings and"):
        tune_reader(limited(running, once, said), "works", reader)
    assert said[0].startswith(f"plan: works: {len(RATES)} trainings and ")
    short = limited(running, tuning.seconds + once / 2)
    better = tune_reader(short, "works", reader)
    assert better.rate == 2.0
    with pytest.raises(PastBudget, match="after about"):
        check_budget("works", (short, [Ask(better)]))


def test_workers_share_the_time_but_one_trial_is_not_shared(benchmark):
    many = [Ask(member) for member in READER.with_seeds(4)]
    with open_experiment(benchmark, workers=1) as opened:
        alone = replace(opened, budget=Budget(clock=Time.read))
        seconds = plan_asks(alone, many).seconds
        single = plan_asks(alone, many[:1]).seconds

        class Pair:
            def at_once(self, trials):
                return min(2, trials)

        pair = replace(alone, engine=Pair())
        assert plan_asks(pair, many).seconds == pytest.approx(seconds / 2)
        assert plan_asks(pair, many[:1]).seconds == pytest.approx(single)


def test_no_engine_runs_more_at_once_than_there_are_cores(benchmark):
    with open_experiment(benchmark, workers=10_000) as running:
        assert 1 <= running.engine.at_once(10_000) < 10_000
        assert running.engine.at_once(1) == 1


def test_seeds_of_a_reader_are_timed_once(running):
    before = Time.now
    plan_asks(running, [Ask(member) for member in READER.with_seeds(50)])
    assert len(running.budget.paces) == 1
    assert Time.now - before < 60


def test_a_light_reader_is_neither_timed_nor_refused(running):
    short = limited(running, 0.0, said := [])
    check_budget("tfidf", (short, [Ask(TfidfReader())]))
    ask_all(short, [Ask(TfidfReader())])
    assert not said
    assert not short.budget.paces


def test_tuning_and_epochs_are_counted(running):
    one = plan_asks(running, [Ask(READER)]).seconds
    assert plan_asks(running, [Ask(READER, what=SETTINGS)]).seconds > 4 * one
    assert plan_asks(running, [Ask(READER), Ask(READER, what=EPOCHS)]).seconds > one


@pytest.mark.parametrize("wrong", ["", "ten minutes", "10 m", "-1m", "1e9h", True, []])
def test_a_budget_that_is_no_time_is_refused(wrong):
    with pytest.raises(BadOption, match="give a time such as 90s, 10m or 2h, or none"):
        Workplace(budget=wrong)


def test_a_place_to_work_limits_readers_unless_it_is_told_not_to(benchmark):
    with Workplace().open(benchmark) as running:
        assert running.budget.seconds == to_seconds("10m") == 600
    with Workplace(budget=None).open(benchmark) as running:
        assert running.budget.seconds is None


def test_stated_times_are_few():
    stated = {round_duration(1.01**power) for power in range(1600)}
    assert len(stated) < 50
