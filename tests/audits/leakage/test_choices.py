"""Leakage of choices: what is planted is found, and what is not there is not."""

from dataclasses import replace

import pandas as pd
import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.choices import duplicate_findings
from measurand.benchmarks.synthetic_choices import (
    CLOSED_BOOK,
    LEAKING,
    PlantedChoices,
    plant_choice_benchmark,
)
from measurand.core.errors import NotApplicable
from measurand.core.items import LETTERS, Items, pack_choices
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS

SMALL = {"train": 700, "test": 500}


def audit_choices(benchmark, *names, **settings):
    readers = {name: READERS.load(name) for name in names}
    chosen = LeakageSettings(tsne=False, **settings)
    with open_experiment(benchmark) as experiment:
        return audit(experiment, readers, chosen)


def value(report, statistic, reader):
    (found,) = (
        f.estimate
        for f in report.findings
        if (f.statistic, f.reader, f.condition) == (statistic, reader, "choices")
    )
    return found


@pytest.fixture(scope="module")
def leaking():
    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=SMALL)
    return benchmark, audit_choices(benchmark, "tfidf")


def test_a_planted_leak_is_found_with_its_size_and_its_words(leaking):
    _, report = leaking
    assert (report.verdict.label, report.verdict.code) == ("leaks", "leak.part")
    first = report.verdict.clauses[0].facts
    assert (first["part"].text, first["baseline"]) == ("choices", 0.25)
    only = value(report, "choices_only", "tfidf")
    assert only.low <= LEAKING.truth["choices_only"] <= only.high
    assert report.finding("chance", "chance", "full").estimate.value == 0.25
    (cues,) = (e.table for e in report.exhibits if e.name == "cues")
    words = cues[cues["kind"] == "word"]
    assert {"often", "usually"} & {*words["cue"]}
    assert {*words["label"]} <= {"right", "wrong"}


def test_no_chart_speaks_of_a_majority_or_of_questions_that_were_not_read(leaking):
    _, report = leaking
    titles = [
        str(value)
        for e in report.exhibits
        for value in (e.caption, *e.settings.values())
    ]
    assert not any("majority" in title for title in titles)
    assert "right_and_wrong" not in {e.name for e in report.exhibits}


def test_a_reader_of_words_states_nothing_of_all_fields(leaking):
    _, report = leaking
    stated = {f.statistic for f in report.findings if f.reader == "tfidf"}
    assert not stated & {"accuracy", "recovered", "saturation", "kappa"}
    assert {"choices_only", "peco", "over_blank"} <= stated


def test_the_removed_gold_is_stated(leaking):
    _, report = leaking
    (removed,) = (
        f for f in report.findings if f.condition == "gold removed" and f.estimate
    )
    # No wrong choice holds a hedge: what was never met is as likely as they are.
    assert (removed.statistic, removed.reader) == ("choices_only", "tfidf")
    assert removed.estimate.n == 500


@pytest.mark.slow
def test_permuting_the_choices_moves_no_figure_beyond_its_interval(leaking):
    benchmark, report = leaking
    turned = replace(
        benchmark, **{s: turn(getattr(benchmark, s)) for s in ("train", "test")}
    )
    other = audit_choices(turned, "tfidf")
    assert other.verdict.label == report.verdict.label
    for statistic in ("choices_only", "over_majority", "v_information"):
        before, after = (value(r, statistic, "tfidf") for r in (report, other))
        assert before.low <= after.value <= before.high


def turn(items):
    """The items with their choices the other way round."""
    rows = [pack_choices(texts[::-1]) for texts in items.choice_texts]
    letters = [
        LETTERS[count - 1 - LETTERS.index(letter)]
        for count, letter in zip(items.choice_counts, items.labels, strict=True)
    ]
    turned = items.with_field(str(items.choices), rows)
    return turned.with_table(turned.table.assign(**{items.label: letters}))


@pytest.mark.slow
def test_choices_that_tell_nothing_do_not_leak():
    benchmark = plant_choice_benchmark("clean", CLOSED_BOOK, sizes=SMALL)
    report = audit_choices(benchmark, "cross")
    assert report.verdict.label != "leaks"
    full = next(f for f in report.findings if f.statistic == "accuracy")
    assert full.estimate.low > 0.9  # the reader learned the task itself


@pytest.mark.slow
def test_the_position_of_the_right_choice_is_a_leak_of_its_own():
    clean = PlantedChoices(match=1.0, has_evidence=False)
    benchmark = plant_choice_benchmark("first", clean, sizes=SMALL)
    moved = {s: to_front(getattr(benchmark, s)) for s in ("train", "test")}
    report = audit_choices(replace(benchmark, **moved), "tfidf")
    assert report.verdict.label == "leaks"
    assert report.verdict.stage == "rules"
    (cue,) = (c.facts for c in report.verdict.clauses if c.code == "leak.cue")
    assert (cue["kind"], cue["cue"].text) == ("choice", "choice 1")
    assert cue["label"] == "right"


def to_front(items):
    """The items with the right choice first in two of three."""
    rows, letters = [], []
    pairs = zip(items.choice_texts, items.labels, strict=True)
    for number, (texts, letter) in enumerate(pairs):
        gold = LETTERS.index(letter)
        if number % 3:
            texts, gold = [texts[gold], *texts[:gold], *texts[gold + 1 :]], 0
        rows.append(pack_choices(texts))
        letters.append(LETTERS[gold])
    moved = items.with_field(str(items.choices), rows)
    return moved.with_table(moved.table.assign(**{items.label: letters}))


def made_items(rows, golds):
    table = pd.DataFrame(
        {
            "question": [f"Is it {n} boats?" for n in range(len(rows))],
            "choices": [pack_choices(row) for row in rows],
            "label": [LETTERS[gold] for gold in golds],
        },
        index=[f"i{n}" for n in range(len(rows))],
    )
    return Items(table, ("question", "choices"), choices="choices")


def test_what_stands_twice_is_counted():
    rows = [["a", "b"], ["a", "a"], ["c", "d", "c"]]
    found = {
        f.condition: f.estimate.value
        for f in duplicate_findings(made_items(rows, [0, 0, 1]))
    }
    assert found["a choice twice"] == pytest.approx(2 / 3)
    assert found["the right choice twice"] == pytest.approx(1 / 3)
    assert found["items"] == 0


def test_an_item_stands_twice_whatever_the_order_of_its_choices():
    items = made_items([["a", "b"], ["b", "a"], ["a", "c"]], [0, 1, 0])
    items = items.with_field("question", ["who?", "Who", "who?"])
    found = {f.condition: f.estimate.value for f in duplicate_findings(items)}
    assert found["items"] == pytest.approx(2 / 3)


@pytest.mark.slow
def test_a_known_benchmark_is_told_what_stronger_readers_found():
    sizes = {"train": 60, "test": 40}
    for name, is_told in (("planted", False), ("hellaswag_val", True)):
        benchmark = plant_choice_benchmark(name, LEAKING, sizes=sizes)
        report = audit_choices(benchmark, "tfidf")
        told = [line for line in report.warnings if "elsewhere" in line]
        assert any("elsewhere DeBERTa" in line for line in told) == is_told
        assert bool(told) == is_told


def test_too_few_choices_to_cluster_cost_only_their_clusters():
    few = plant_choice_benchmark("few", LEAKING, sizes={"train": 40, "test": 9})
    report = audit_choices(few, "tfidf")
    assert "one cluster" in report.not_run["peco of choices by tfidf"]
    assert value(report, "choices_only", "tfidf").n == 9


def test_choices_that_were_drawn_here_are_not_asked_for_leakage():
    benchmark = plant_choice_benchmark("drawn", LEAKING, sizes=SMALL)
    screened = replace(benchmark, notes={"items_screened": 1200})
    with pytest.raises(NotApplicable, match="drawn here"):
        audit_choices(screened, "tfidf")
