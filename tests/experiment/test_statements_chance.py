"""Reports of choices speak of chance in whole sentences, and of choices that repeat."""

from dataclasses import replace

from measurand.benchmarks.synthetic_choices import CLOSED_BOOK, plant_choice_benchmark
from measurand.core.finding import Report, Verdict
from measurand.experiment.statements import say_chance, several_right_warnings


def test_no_sentence_speaks_of_a_chance_share():
    reason = "no reader is clearly above the majority share 0.250: tfidf collapsed"
    verdict = Verdict("no verdict", "no verdict", None, reason)
    said = say_chance(Report("evidence", {}, verdict, (), {}), {}).verdict.reason
    assert said == "no reader is clearly above chance, 0.250: tfidf collapsed"


def test_items_whose_right_choice_stands_twice_are_counted_aloud():
    sizes = {"train": 40, "test": 40}
    clean = plant_choice_benchmark("clean", CLOSED_BOOK, sizes=sizes)
    assert several_right_warnings(clean) == []
    (line,) = several_right_warnings(replace(clean, notes={"several_right": 3}))
    assert line.startswith("in 3 items the right choice stands twice")
