"""Verdicts from answers that were logged: the same rules, rivals and words."""

from dataclasses import replace

import numpy as np
import pytest

import measurand as ms
from measurand.arms.contrast import best_gain
from measurand.arms.families import PAIR, Family
from measurand.arms.logged import LoggedModel, LoggedModels
from measurand.arms.need import Need
from measurand.audits.evidence.conclude import NeedFacts, conclude
from measurand.audits.evidence.logged import add_logged, logged_findings
from measurand.wording import say_verdict

N = 400
FAMILY = Family(PAIR, np.arange(N))
HALF = (np.arange(N) % 2).astype(float)
ALL, NONE = np.ones(N), np.zeros(N)


def facts(light=HALF, rival=HALF):
    """What light readers show of items: as much with the evidence as without it."""
    rivals = {"tfidf, query": rival, "majority": HALF}
    scores = {"tfidf": light}
    gain = best_gain(scores, rivals, FAMILY)
    return NeedFacts(Need(gain, {}, scores, rivals, FAMILY))


def logged(**models):
    """Models with what they answer with all parts, shuffled, and without evidence."""
    named = ("full", "shuffled", "no_evidence")
    return LoggedModels(
        [
            LoggedModel(name, dict(zip(named, scores, strict=False)))
            for name, scores in models.items()
        ],
        np.arange(N),
        FAMILY,
    )


def verdict(models, **light):
    held, _ = add_logged(facts(**light), models, len(models.models))
    return conclude(held)


def test_a_model_that_needs_the_evidence_shows_the_need():
    found = verdict(logged(mine=(ALL, HALF, HALF)))
    assert (found.label, found.stage) == ("needed", "mine")
    text = say_verdict(found)
    assert "With the evidence, “mine” is 50.0 points" in text
    assert "Shuffled evidence lowers its accuracy by 50.0 points" in text


def test_answers_to_chosen_items_decide_nothing_about_the_others():
    models = replace(logged(mine=(ALL, ALL, ALL)), drawn=False)
    held, missing = add_logged(facts(light=ALL), models, 1)
    assert conclude(held).label == "needed"
    assert "nobody drew at random" in missing["gain of mine"]


def test_a_logged_model_takes_the_place_of_no_light_one():
    models = logged(tfidf=(ALL, HALF, 0 * HALF))
    held, _ = add_logged(facts(rival=ALL, light=ALL), models, 1)
    assert {"tfidf, query", "tfidf (logged), query"} <= {*held.held.rivals}
    assert conclude(held).label != "needed"


def test_a_model_that_does_without_evidence_leaves_no_room():
    found = verdict(logged(mine=(ALL, ALL, ALL)))
    assert found.label == "not needed"
    assert "Without the evidence, “mine” leaves at most" in say_verdict(found)
    assert found.bound.value < 0.02


def test_a_model_without_evidence_is_a_rival_of_the_light_readers():
    assert conclude(facts(light=ALL)).label == "needed"
    assert verdict(logged(mine=(ALL, ALL, ALL)), light=ALL).label == "not needed"


def test_a_model_that_uses_what_is_not_needed():
    found = verdict(logged(reads=(ALL, HALF, HALF), knows=(ALL, ALL, ALL)))
    assert found.label == "used, not needed"
    assert "“reads”" in say_verdict(found)


def test_a_model_that_gains_nothing_leaves_the_verdict_open():
    assert verdict(logged(mine=(HALF, HALF, HALF))).label == "inconclusive"


def test_a_model_that_no_shuffle_hurts_shows_no_need():
    # Better with the evidence than without, whosever it is: it is no use of it.
    assert verdict(logged(mine=(ALL, ALL, HALF))).label == "inconclusive"


def test_without_answers_without_evidence_there_is_no_gain():
    before = facts()
    after, missing = add_logged(before, logged(mine=(ALL, HALF)), 1)
    assert after is before
    assert not missing


def test_too_few_items_have_no_gain():
    few = replace(
        logged(mine=(ALL, HALF, HALF)),
        rows=np.arange(20),
        family=Family(PAIR, np.arange(20)),
    )
    after, missing = add_logged(facts(), few, 1)
    assert not after.further
    assert "20 items of 20 families are in all logs" in missing["gain of mine"]


def test_every_figure_of_a_model_is_a_finding():
    models = logged(mine=(ALL, HALF, HALF))
    held, _ = add_logged(facts(), models, 1)
    stated = {
        (f.statistic, f.condition): f for f in logged_findings(held, models, "plain")
    }
    assert stated["accuracy", "full"].estimate.value == 1.0
    assert stated["accuracy", "shuffled"].estimate.value == 0.5
    assert stated["query_only", "full"].estimate.value == 0.5
    assert stated["delta_evi", "plain"].decision == "depends"
    assert stated["gain", "full"].estimate.value == 0.5


def test_a_model_that_other_evidence_helps_is_misled():
    models = logged(mine=(HALF, ALL, HALF))
    held, _ = add_logged(facts(), models, 1)
    decisions = [f.decision for f in logged_findings(held, models, "plain")]
    assert "wrong evidence helps" in decisions


@pytest.fixture(scope="module")
def report():
    """A whole audit of a few boats, with two models."""
    from tests.arms.test_logged import answers, guess, read
    from tests.boats import boats

    bench = ms.load(boats(300), label="label")
    terms = {"brief": True, "calibrate": False, "shuffles": 2}
    return ms.evidence(
        bench, "tfidf", answers=answers(reads=read, guesses=guess), **terms
    )


@pytest.mark.slow
def test_a_report_has_the_table_of_models(report, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    text = str(report)
    assert report.verdict.label == "needed"
    assert "model    full   shuffled" in text
    assert "depends" in text
    frame = report.frame
    rows = frame[(frame["reader"] == "guesses") & (frame["statistic"] == "delta_evi")]
    assert rows["decision"].tolist() == ["near zero"]


@pytest.mark.slow
def test_a_report_keeps_what_it_was_made_of(report, tmp_path):
    assert report.settings["answers"]["reads"][0] == "full"
    saved = ms.load_report(report.save(tmp_path / "report"))
    models = next(e for e in saved.exhibits if e.name == "models")
    assert models.table["model"].tolist() == ["reads", "guesses"]
    page = (tmp_path / "report" / "report.html").read_text()
    assert "100.0 (97.5 to 100.0)" in page or "100.0 (98" in page
