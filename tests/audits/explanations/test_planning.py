"""What a run would take, counted before it is run."""

from measurand.audits.explanations import ExplanationsSettings, plan_explanations
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.experiment.experiment import open_experiment
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


def test_the_proposal_deals_nothing():
    one = {"explainers": ("given",)}
    ours, paper = planned(**one), planned(**one, preset="paper")
    assert paper.trainings["tfidf"] < ours.trainings["tfidf"]
