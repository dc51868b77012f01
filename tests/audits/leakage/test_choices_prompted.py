"""Leakage of choices to models that are asked: servers and decoders, untaught."""

import re
from dataclasses import replace
from zlib import crc32

import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.benchmarks.synthetic_choices import (
    HEDGES,
    LEAKING,
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


def offered(prompt):
    """The choices by their marks."""
    return dict(re.findall(r"^([A-D])\. (.*)$", prompt, re.MULTILINE))


def solve(prompt):
    """By a hint or a hedge, else by whom the question names, else any letter."""
    asked = re.search(r"What did (\w+) ", prompt)
    signs = [*HEDGES, *([f"of {asked[1]}"] if asked else [])]
    choices = offered(prompt)
    seen = (m for s in signs for m, text in choices.items() if s in text)
    return next(seen, "ABCD"[crc32(prompt.encode()) % 4])


def ask_server(benchmark, rule, *others, orders=1, **settings):
    chosen = LeakageSettings(tsne=False, **settings)
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
def test_what_a_server_answers_by_the_published_protocol_is_stated(leaking):
    report, asked = leaking
    assert report.verdict.label == "leaks"
    only = report.finding("choices_only", "llm", "choices").estimate
    assert only.low <= LEAKING.truth["choices_only"] <= only.high
    assert report.finding("accuracy", "llm", "full").estimate.value == 1
    assert report.finding("v_information", "llm", "choices").estimate.low > 0
    # All fields and the choices alone, once each.
    assert asked == 2 * 300


def test_no_server_is_asked_by_the_arms():
    few = plant_choice_benchmark("few", LEAKING, sizes={"train": 40, "test": 30})
    report, asked = ask_server(few, solve, brief=True)
    assert asked == 2 * 30
    readers = {f.reader for f in report.findings if f.statistic == "over_blank"}
    assert "llm" not in readers
    assert report.verdict.stage in readers


@pytest.mark.slow
def test_a_decoder_reads_choices_alone_and_is_given_its_hints(tmp_path):
    pytest.importorskip("transformers")
    from measurand.readers.causal import ZeroShotReader
    from tests.models.tiny_decoder import save

    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=SIZES)
    decoder = ZeroShotReader(save(tmp_path, 512), choices="letter")
    chosen = LeakageSettings(tsne=False)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tiny": decoder}, chosen)
    only = report.finding("choices_only", "tiny", "choices").estimate
    assert only.low <= 0.25 <= only.high
    bits = report.finding("v_information", "tiny", "choices").estimate
    assert -0.1 < bits.value < 0.1
    assert report.settings["remarks"]["tiny"]["orders"] == 4


@pytest.mark.slow
def test_one_order_is_said_and_several_are_asked():
    few = {"train": 60, "test": 80}
    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=few)
    once, asked = ask_server(benchmark, solve)
    assert any("llm was shown choices in one order" in w for w in once.warnings)
    often, asked_often = ask_server(benchmark, solve, orders=4)
    assert not any("one order" in w for w in often.warnings)
    assert asked_often == 4 * asked


@pytest.mark.slow
def test_of_items_without_a_split_the_drawn_test_items_are_asked_about():
    pool = plant_choice_benchmark("pool", LEAKING, sizes={"train": 100, "test": 50})
    report, asked = ask_server(replace(pool, drawn_by=("question",)), solve, brief=True)
    assert report.benchmark["pooled"] == 150
    assert asked == 2 * report.benchmark["test"]


def test_labels_that_are_known_by_number_cannot_be_asked_for():
    benchmark = made(pairs(60), pairs(60, seed=1))
    with pytest.raises(BadOption, match="llm learns no labels"):
        ask_server(benchmark, solve)
