"""Models behind a server that write answers, through a whole audit."""

import re

import numpy as np
import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.choices import writes_answers
from measurand.experiment.experiment import open_experiment
from measurand.experiment.rehearsal import plan_calls
from measurand.readers.endpoint import MOST_TOKENS, endpoint_reader
from measurand.report.saved import document, dumps
from tests.models.fake_server import serving

TOWNS = [f"{a}{b}" for a in "KLMNPRST" for b in ("aro", "eno", "ito", "ula")]


def reached(server, **settings):
    return endpoint_reader("small", server.url, retries=1, timeout_s=5, **settings)


def boats(n=90):
    """Passages that name the town that is asked for."""
    towns = [TOWNS[i] for i in np.random.default_rng(0).integers(len(TOWNS), size=n)]
    return pd.DataFrame(
        {
            "question": [f"Where is boat {i}?" for i in range(n)],
            "evidence": [f"Boat {i} is in {town}." for i, town in enumerate(towns)],
            "answers": [[town, f"in {town}"] for town in towns],
        }
    )


def run(rule, store=None, **settings):
    benchmark = from_frames(boats(), name="boats")
    chosen = EvidenceSettings(calibrate=False, shuffles=2, folds=3)
    with (
        serving(rule) as server,
        open_experiment(benchmark, store=store) as experiment,
    ):
        reader = reached(server, **settings)
        assert writes_answers(reader, benchmark.test)
        report = audit(experiment, {"small": reader}, chosen)
        return report, server.asked, reader, benchmark


def figures(report):
    return {(f.statistic, f.condition): f.estimate.value for f in report.findings}


def by_passage(prompt):
    here = re.search(r"is in (\w+)\.", prompt)
    return f"Answer: in the {here[1]}!\nIt says so." if here else ""


@pytest.mark.slow
def test_a_model_that_reads_the_passage_loses_on_the_wrong_one(tmp_path):
    report, asked, reader, benchmark = run(by_passage, tmp_path)
    found = figures(report)
    assert report.verdict.region == "evidence-sensitive"
    assert found["exact_match", "full"] == 1
    assert found["exact_match", "closed_book"] == 0
    assert found["delta_evi", "plain, exact match"] > 0.9
    prompt = next(p for p in asked if "<evidence>" in p)
    assert prompt.endswith("Reply with the answer alone, in as few words as possible.")
    assert not any(town in p.split("<evidence>")[0] for p in asked for town in TOWNS)
    again, asked_again, *_ = run(by_passage, tmp_path)
    assert not asked_again  # every answer was kept
    assert dumps(document(again)) == dumps(document(report))
    settings = EvidenceSettings(calibrate=False, shuffles=2, folds=3)
    asked_of = AUDITS.thing("evidence"), benchmark, {"small": reader}, settings
    planned = plan_calls(*asked_of, seed=0, store=tmp_path / "other")["small"]
    assert planned.answers == asked.total()
    assert planned.use.received == planned.calls * MOST_TOKENS


@pytest.mark.slow
def test_a_model_that_remembers_shows_no_need_of_the_passage():
    known = dict(zip(boats()["question"], boats()["answers"], strict=True))

    def by_memory(prompt):
        asked = re.search(r"Where is boat \d+\?", prompt)
        return known[asked[0]][0] if asked else "nowhere"

    report, *_ = run(by_memory)
    found = figures(report)
    # Light models see that the passage is needed; this one shows nothing of it.
    assert report.verdict.stage == "cross"
    assert found["exact_match", "closed_book"] == found["exact_match", "full"] == 1
    assert found["delta_evi", "plain, exact match"] == 0


def test_examples_are_answered_as_training_items_are():
    with serving() as server:
        items = from_frames(boats(), name="boats").train
        writer = reached(server, shots=2).fit_writer(items, np.random.default_rng(0))
        (turns,) = writer.prompts(items.rows(np.array([0])))
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * 2 + ["user"]
    for shown, answer in ((turns[0], turns[1]), (turns[2], turns[3])):
        assert f"is in {answer['content']}." in shown["content"]
