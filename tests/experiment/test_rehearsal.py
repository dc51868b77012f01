"""What is said before a run is what the run asks, whatever it comes to ask."""

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.audits.evidence import EvidenceSettings
from measurand.audits.leakage import LeakageSettings
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.synthetic_choices import LEAKING, plant_choice_benchmark
from measurand.cli.evidence import describe_power
from measurand.core.errors import NotApplicable
from measurand.experiment.experiment import open_experiment
from measurand.experiment.rehearsal import plan_calls
from measurand.models.server.ceiling import hold_ceilings
from measurand.readers.endpoint import endpoint_reader
from tests.models.fake_server import serving

SYLLABLES = ("ba", "do", "ke", "lu", "mi", "no", "ra", "tu", "vo", "si", "pel", "kan")
SIZES = {"train": 30, "test": 60}
CHOICES = plant_choice_benchmark("planted", LEAKING, sizes=SIZES)
LEAKS = LeakageSettings(tsne=False)


def invented(draw):
    """Texts of invented words, of which no two are alike."""
    return " ".join("".join(draw.choices(SYLLABLES, k=3)) for _ in range(30))


def claims(n, near=0, seed=0):
    """Claims on invented texts; of `near` of them there is one with a word changed."""
    draw, rows = random.Random(seed), []
    for i in range(n + near):
        text = invented(draw) if i < n else f"{rows[i - n]['evidence']} today"
        claim = f"number {i}{draw.random()} says {draw.choice(text.split())}"
        row = {"claim": claim, "evidence": text, "label": draw.choice(["no", "yes"])}
        rows.append({**row, "kind": "abc"[i % 3]})
    return from_frames(pd.DataFrame(rows), name="claims", metadata=("kind",))


def plan(name, benchmark, reader, settings, store):
    where = {"seed": 0, "store": store}
    (planned,) = plan_calls(
        AUDITS.thing(name), benchmark, {"llm": reader}, settings, **where
    ).values()
    return planned


def run(name, benchmark, reader, settings, store):
    """What is said, and then the audit, which is held to it."""
    planned = plan(name, benchmark, reader, settings, store)
    with hold_ceilings({"llm": planned}), open_experiment(benchmark, store=store) as e:
        AUDITS.thing(name).run(e, {"llm": reader}, settings)
    return planned


def test_a_plan_counts_calls_tokens_and_money_and_sends_nothing(tmp_path):
    reader = endpoint_reader("small", price_in=1.0, price_out=10.0, cap_money=1e-6)
    planned = plan("leakage", CHOICES, reader, LEAKS, tmp_path)
    assert (planned.stored, planned.answers, planned.calls) == (0, 120, 150)
    assert planned.use.received == 150 * reader.endpoint.max_tokens
    fit = reader.fit_choices(CHOICES.train, np.random.default_rng(0))
    full = sum(len(p[-1]["content"]) for p in fit.prompts(CHOICES.test))
    assert full / 4 < planned.use.sent < 2 * full * 150 / 120 / 4
    money = (planned.use.sent + 10 * planned.use.received) / 1e6
    assert planned.money == pytest.approx(money)
    assert str(planned).startswith("at most 150 calls (120 answers, and a quarter ")
    assert str(planned).endswith(
        f"costing about USD {money:.2f}; this passes the spend cap"
    )
    assert [*tmp_path.iterdir()] == []


def test_a_plan_takes_the_server_for_one_that_is_asked_most_often(tmp_path):
    plain = endpoint_reader("small")
    often = replace(plain, orders=3, answers=2)
    once, more = (
        plan("leakage", CHOICES, reader, LEAKS, tmp_path).answers
        for reader in (plain, often)
    )
    assert more == 6 * once


def test_a_plan_of_evidence_counts_each_item_as_often_as_it_is_asked_about(tmp_path):
    """With both, with each alone and once a shuffle; near copies are not asked anew."""
    settings = EvidenceSettings(shuffles=1, brief=True)
    benchmark = claims(104, near=6)
    with serving(lambda prompt: "AB"[len(prompt) % 2]) as server:
        reader = endpoint_reader("small", server.url, retries=1)
        planned = run("evidence", benchmark, reader, settings, tmp_path)
        asked = server.asked
    assert planned.answers == asked.total() == 110 * (1 + 2 + 1)
    letters = sum(len(text) * n for text, n in asked.items())
    assert letters / 4 < planned.use.sent < 1.3 * letters / 4


@pytest.mark.slow
@pytest.mark.parametrize("shots", [0, 2])
@pytest.mark.parametrize("cut", [False, True])
def test_inference_asks_no_more_than_was_said(tmp_path, shots, cut):
    settings = replace(LEAKS, check_inference=True)
    benchmark = replace(CHOICES, drawn_by=(CHOICES.query,)) if cut else CHOICES
    with serving(lambda prompt: "A") as server:
        reader = endpoint_reader("small", server.url, retries=1, shots=shots)
        planned = run("leakage", benchmark, reader, settings, tmp_path)
        asked = server.asked.total()
    # A question that says nothing is not asked about: no inference can be read.
    # A drawn split tests about a third of the items.
    assert 2 * (25 if cut else 60) < asked <= planned.answers


def test_random_runs_ask_no_more_than_was_said(tmp_path):
    draw = random.Random(7)
    for number in range(3):
        benchmark = claims(draw.randint(20, 30), draw.randint(0, 4), seed=number)
        settings = EvidenceSettings(shuffles=draw.randint(1, 3))
        asking = {"shots": draw.choice([0, 2]), "retries": 3, "wait_s": 0.0}
        trouble = [draw.choice(["none", "none", "500", "429"])]
        with serving(trouble=trouble, logprobs=draw.random() < 0.5) as server:
            server.trouble = trouble if draw.random() < 0.2 else ()
            reader = endpoint_reader("small", server.url, **asking)
            said = run("evidence", benchmark, reader, settings, tmp_path / str(number))
            assert 0.7 * said.calls <= server.asked.total() <= said.calls


def test_what_is_kept_is_not_asked_again_and_said(tmp_path):
    benchmark = claims(24)
    first = EvidenceSettings(shuffles=1, brief=True)
    with serving() as server:
        reader = endpoint_reader("small", server.url)
        answers = run("evidence", benchmark, reader, first, tmp_path).answers
        again = run("evidence", benchmark, reader, first, tmp_path)
        assert server.asked.total() == answers
    assert (again.stored, again.answers, again.calls) == (answers, 0, 0)
    line = f"{answers} answers are kept and used again; no call is left to make"
    assert str(again) == line
    more = plan("evidence", benchmark, reader, replace(first, shuffles=3), tmp_path)
    assert more.stored == answers
    assert 0 < more.answers <= 2 * len(benchmark.train.table) + 2 * len(benchmark.test)


def test_a_plan_without_evidence_is_refused(tmp_path):
    benchmark = replace(claims(60), evidence=None)
    with pytest.raises(NotApplicable, match="names no evidence field"):
        plan(
            "evidence",
            benchmark,
            endpoint_reader("small"),
            EvidenceSettings(),
            tmp_path,
        )


def test_the_effect_that_items_can_show_is_said():
    assert "about 2,200 could show a near zero" in describe_power(240, 0.02)
