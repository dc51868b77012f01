"""Readers are tuned within their budget, or not at all."""

from dataclasses import replace

import pytest

from measurand.cli.run import _tune_readers
from measurand.core.errors import PastBudget
from measurand.experiment.budget import Budget
from measurand.experiment.experiment import open_experiment
from tests.audits.test_names import boats
from tests.experiment.clockwork import Adjustable, Time


def test_tuning_past_the_budget_names_the_reader_and_the_command():
    with open_experiment(boats(60)) as opened:
        short = replace(opened, budget=Budget(1.0, clock=Time.read))
        with pytest.raises(PastBudget) as refused:
            _tune_readers(short, "leakage", {"works": Adjustable()})
        wide = replace(opened, budget=Budget(1e9, clock=Time.read))
        tuned = _tune_readers(wide, "leakage", {"works": Adjustable()})
    assert str(refused.value).startswith("to tune works: 5 trainings and ")
    command = "run it with measurand leakage FILE --budget none, or without --tune"
    assert str(refused.value).endswith(command)
    assert tuned["works"].rate == 2.0
