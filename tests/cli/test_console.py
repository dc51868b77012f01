"""What is shown beside the result."""

from measurand.cli.console import ProgressLines, print_power
from measurand.experiment.budget import DEFAULT_BUDGET
from measurand.settings.running import Run


def test_a_log_gets_a_line_a_minute_with_the_time_left(capsys):
    now = [0.0]
    lines = ProgressLines(clock=lambda: now[0])
    for done in range(11):
        lines.update(done, 10)
        now[0] += 20.0
    assert capsys.readouterr().err.splitlines() == [
        "3 of 10 trials, about 2 min left",
        "6 of 10 trials, about 1 min left",
        "9 of 10 trials, about 20 s left",
    ]


def test_what_is_soon_done_gets_no_line(capsys):
    now = [0.0]
    lines = ProgressLines(clock=lambda: now[0])
    now[0] = 500.0  # something else was done meanwhile
    for done in range(3):
        lines.update(done, 2)
        now[0] += 1.0
    assert not capsys.readouterr().err


def test_what_was_stored_before_does_not_shorten_the_time_left(capsys):
    now = [0.0]
    lines = ProgressLines("draws", lambda: now[0])
    lines.update(40, 50)
    now[0] = 100.0
    lines.update(45, 50)
    assert "45 of 50 draws, about 2 min left" in capsys.readouterr().err


def test_how_many_items_can_decide_is_said_in_two_digits(capsys):
    print_power(0.02)
    assert "about 2,200 test items can show" in capsys.readouterr().err


def test_both_front_doors_have_the_same_budget():
    assert Run().budget == DEFAULT_BUDGET
