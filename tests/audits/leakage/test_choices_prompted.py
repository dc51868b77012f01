"""Leakage of choices to models that are asked: servers and decoders, untaught."""

import re
from dataclasses import replace
from zlib import crc32

import pandas as pd
import pytest
from measurand.controls.samples import SAYS_RIGHT

from measurand.audits.leakage import LeakageSettings, audit
from measurand.benchmarks.synthetic_choices import (
    HEDGES,
    LEAKING,
    PlantedChoices,
    plant_choice_benchmark,
)
from measurand.core.errors import BadOption
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.readers.endpoint import endpoint_reader
from tests.audits.leakage.leaky import pairs
from tests.audits.leakage.test_audit import made
from tests.models.fake_server import serving

SIZES = {"train": 60, "test": 300}
CLEAN = PlantedChoices(match=1.0, has_evidence=False)


def offered(prompt):
    """The choices by their marks."""
    return dict(re.findall(r"^([A-D])\. (.*)$", prompt, re.MULTILINE))


def solve(prompt):
    """By a hint or a hedge, else by whom the question names, else any letter."""
    asked = re.search(r"What did (\w+) ", prompt)
    signs = [SAYS_RIGHT, *HEDGES, *([f"of {asked[1]}"] if asked else [])]
    choices = offered(prompt)
    seen = (m for s in signs for m, text in choices.items() if s in text)
    return next(seen, "ABCD"[crc32(prompt.encode()) % 4])


def hedge_blind(prompt):
    """The same of who makes nothing of hedges."""
    return solve(re.sub("|".join(HEDGES), "today", prompt))


def ask_server(benchmark, rule, *others, orders=1, **settings):
    chosen = LeakageSettings(calibrate=False, tsne=False, **settings)
    readers = {name: READERS.load(name) for name in others}
    with serving(rule) as server, open_experiment(benchmark) as experiment:
        llm = endpoint_reader(
            "small", server.url, retries=1, timeout_s=9, orders=orders
        )
        report = audit(experiment, {**readers, "llm": llm}, chosen)
        return report, server.asked.total()


@pytest.fixture(scope="module")
def leaking():
    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=SIZES)
    return ask_server(benchmark, solve)


@pytest.mark.slow
def test_a_leak_is_seen_by_a_server_in_accuracy_and_in_bits(leaking):
    report, asked = leaking
    assert report.verdict.label == "leaks"
    assert report.verdict.stage == "llm"
    assert "does not require its question" in report.verdict.reason
    only = report.finding("choices_only", "llm", "choices").estimate
    assert only.low <= LEAKING.truth["choices_only"] <= only.high
    assert report.finding("accuracy", "llm", "full").estimate.value == 1
    assert report.finding("v_information", "llm", "choices").estimate.low > 0
    # All fields, the choices alone, and those with hints: once each.
    assert asked == 2 * 300 + 30


@pytest.mark.slow
def test_a_hint_is_the_control_of_who_learns_no_code(leaking):
    report, _ = leaking
    assert report.finding("recovery", "llm", "choices, hint 0.1").estimate.low > 0
    assert "learns no labels" in report.not_run["blank of llm"]
    assert not [f for f in report.findings if "word 0" in f.condition]


@pytest.mark.slow
def test_a_decoder_reads_choices_alone_and_is_given_its_hints(tmp_path):
    pytest.importorskip("transformers")
    from measurand.readers.causal import ZeroShotReader
    from tests.models.tiny_decoder import save

    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=SIZES)
    decoder = ZeroShotReader(save(tmp_path, 512), choices="letter")
    chosen = LeakageSettings(calibrate=False, tsne=False)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tiny": decoder}, chosen)
    only = report.finding("choices_only", "tiny", "choices").estimate
    assert only.low <= 0.25 <= only.high
    bits = report.finding("v_information", "tiny", "choices").estimate
    assert -0.1 < bits.value < 0.1
    assert report.finding("recovery", "tiny", "choices, hint 0.1").estimate.n == 30
    assert report.verdict.label == "undecided"
    assert report.settings["remarks"]["tiny"]["orders"] == 4


@pytest.mark.slow
def test_one_order_is_said_and_several_are_asked():
    few = {"train": 60, "test": 80}
    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=few)
    once, asked = ask_server(benchmark, solve)
    assert any("llm was shown choices in one order" in w for w in once.warnings)
    assert "set `controls` to 'full'" in once.not_run["spikes and blanks of llm"]
    often, asked_often = ask_server(benchmark, solve, orders=4)
    assert not any("one order" in w for w in often.warnings)
    assert asked_often == 4 * asked


@pytest.mark.slow
def test_nothing_found_by_who_was_not_taught_is_provisional():
    benchmark = plant_choice_benchmark("clean", CLEAN, sizes={"train": 60, "test": 600})
    report, _ = ask_server(benchmark, hedge_blind, margin=0.2)
    assert report.verdict.label == "none found within the margin"
    assert report.verdict.provisional
    assert "asked and not taught" in report.verdict.reason
    assert "a hint would be seen" in report.verdict.reason


@pytest.mark.slow
def test_who_was_taught_outweighs_who_was_asked():
    sizes = {"train": 500, "test": 300}
    leaking = plant_choice_benchmark("planted", LEAKING, sizes=sizes)
    report, _ = ask_server(leaking, hedge_blind, "tfidf", margin=0.15)
    # To the server nothing leaks within so wide a margin; tfidf is not so sure.
    assert report.verdict.label != "none found within the margin"
    assert report.verdict.stage != "llm"


@pytest.mark.slow
def test_items_without_a_split_are_asked_about_once():
    pool = plant_choice_benchmark("pool", LEAKING, sizes={"train": 100, "test": 50})
    report, asked = ask_server(replace(pool, drawn_by=("question",)), solve)
    assert report.benchmark["evaluated"] == "out of fold"
    assert asked <= 2 * 150


def test_labels_that_are_known_by_number_cannot_be_asked_for():
    benchmark = made(pairs(60), pairs(60, seed=1))
    with pytest.raises(BadOption, match="llm learns no labels"):
        ask_server(benchmark, solve)


@pytest.mark.slow
def test_who_was_not_taught_remembers_no_training_and_is_not_asked_about_it():
    made = plant_choice_benchmark("planted", LEAKING, sizes=SIZES)
    known = made.test.table.set_axis([f"copy {n}" for n in range(300)], axis="index")
    train = made.train.with_table(pd.concat([made.train.table, known]))
    report, asked = ask_server(replace(made, train=train), solve)
    assert report.verdict.label == "leaks"
    assert "remember" not in report.verdict.reason
    assert asked == 2 * 300
