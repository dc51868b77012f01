"""Reports of choices speak of chance in whole sentences, and of choices that repeat."""

from dataclasses import replace

import pandas as pd

from measurand.benchmarks.synthetic_choices import CLOSED_BOOK, plant_choice_benchmark
from measurand.core.finding import Exhibit, Report, Verdict
from measurand.experiment.statements import say_chance, several_right_warnings


def test_no_caption_and_no_warning_of_choices_speaks_of_a_majority():
    chart = Exhibit("a", "bars", pd.DataFrame(), "over the majority", {"x": "majority"})
    verdict, warnings = Verdict("", "", None), ("below the majority",)
    made = Report("evidence", {}, verdict, (), {}, {}, warnings, (chart,))
    said = say_chance(made, {})
    assert said.warnings == ("below chance",)
    assert said.exhibits[0].caption == "over chance"
    assert said.exhibits[0].settings == {"x": "chance"}


def test_items_whose_right_choice_stands_twice_are_counted_aloud():
    sizes = {"train": 40, "test": 40}
    clean = plant_choice_benchmark("clean", CLOSED_BOOK, sizes=sizes)
    assert several_right_warnings(clean) == []
    (line,) = several_right_warnings(replace(clean, notes={"several_right": 3}))
    assert line.startswith("in 3 items the right choice stands twice")
