"""What a run would take, counted before it is run."""

import pytest

from measurand.audits.explanations import (
    ExplanationsSettings,
    audit,
    plan_explanations,
)
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.disk.store import Store
from measurand.experiment.experiment import open_experiment
from measurand.models.server.rehearsal import Rehearsal, hold_rehearsal
from measurand.readers.linear import TfidfReader

SMALL = plant_rationales("small", leaky=True, seed=1, sizes={"train": 40, "test": 30})


def planned(**chosen):
    settings = ExplanationsSettings(**chosen)
    with open_experiment(SMALL) as running:
        plan = plan_explanations(running, {"tfidf": TfidfReader()}, settings)
        assert running.tally["computed"] == 0
    return plan


def test_pairs_texts_and_trainings_are_counted():
    plan = planned(explainers=("given", "vacuous"), count=2)
    assert (plan.explainers, plan.judged, plan.written) == (2, 2 * 30 * 2 * 2, 0)
    assert plan.trainings["tfidf"] > 2 * 20
    assert str(plan).startswith("2 explainers, up to 240 pairs judged, ")


def test_prompted_explainers_write_of_every_item_and_change():
    plan = planned(explainers=("given", "concise"), model="llm:any", count=3)
    assert plan.written == 40 + 30 * 4
    assert "160 texts written by a model" in str(plan)


@pytest.mark.slow
@pytest.mark.parametrize("paraphraser", [None, "llm:any"])
def test_no_more_texts_are_written_than_planned(tmp_path, paraphraser):
    """Fewer, where no judge accepts a change, or a change leaves a prompt as it was."""
    chosen = {
        "paraphraser": paraphraser,
        "explainers": ("given", "concise", "drift"),
        "model": "llm:any",
    }
    chosen |= {"count": 2, "calibrate": False}
    rehearsal = Rehearsal(Store(tmp_path), SMALL.test.column(SMALL.query).tolist())
    with hold_rehearsal(rehearsal), open_experiment(SMALL) as running:
        audit(running, {"tfidf": TfidfReader()}, ExplanationsSettings(**chosen))
    written = planned(**chosen).written
    assert 0.6 * written <= len(rehearsal.letters) <= written


def test_the_proposal_deals_nothing():
    one = {"explainers": ("given",)}
    ours, paper = planned(**one), planned(**one, preset="paper")
    assert paper.trainings["tfidf"] < ours.trainings["tfidf"]
