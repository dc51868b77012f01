"""What is concluded of planted rationales, where a review found answers to mislead."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bench.truth import conclude_planted
from bench.truth_explanations import OWN, bland, marked, table, telling

from measurand.api.source import load
from measurand.arms.alone import PartAlone
from measurand.arms.contrast import Gain, OverBlank
from measurand.arms.families import Family
from measurand.arms.need import Need
from measurand.audits.explanations.conclude import OFF, ON, conclude
from measurand.audits.explanations.facts import (
    Axes,
    Column,
    RationaleFacts,
    largest_cue,
)
from measurand.audits.explanations.facts import Gain as Further
from measurand.core.clause import Name
from measurand.core.estimate import Estimate
from measurand.cues.certify import Cue
from measurand.experiment.experiment import open_experiment
from measurand.wording import say_clause
from measurand.wording.terms import verdict_words
from tests.audits.explanations.handmade import estimate

SIZE = 240


def concluded(rows, seed=0):
    """The verdict on the rationales of a table."""
    columns = [name for name in rows if name.startswith("why")]
    benchmark = load(rows, query="claim", label="label", rationale=columns)
    with open_experiment(benchmark, seed=seed) as experiment:
        return conclude_planted(experiment)


def codes(verdict):
    return [clause.code for clause in verdict.clauses]


@pytest.mark.slow
def test_a_word_that_completes_the_input_informs_though_it_is_all_there_is():
    """E2: a rationale of one word was masked whole, and uninformative for good."""
    verdict = concluded(table(lambda v, rng: v["seen"])(SIZE))
    assert verdict.label == "informative"
    assert codes(verdict)[:2] == ["explain.adds", "alone.bound"]
    assert verdict.bound.value > 0.3


def test_no_room_is_said_and_is_no_lack_of_information():
    """E3, E4: "nothing more is shown", and "Fine" where all state the label."""
    verdict = concluded(OWN["x10 the label in another language"][1](SIZE))
    assert verdict.label == "leaky"
    assert codes(verdict)[0] == "leak.part"
    assert "explain.no_room" in codes(verdict)
    assert verdict_words("explanations", verdict.label).tone.name == "leaks"
    assert verdict.bound.value < 0.1


def test_a_column_that_informs_and_leaks_says_both_in_its_first_sentence():
    """E1, E4: half end with the label; the answer was that of the mask's strength."""
    verdict = concluded(OWN["x20 half end with the label"][1](2 * SIZE))
    assert verdict.label == "informative and leaky"
    first = say_clause(verdict.clauses[0]).split(". The")[0]
    assert "more accurate than the best model without it" in first
    assert "alone predicts the label" in first


@pytest.mark.slow
def test_ten_seeds_have_one_verdict_and_intervals_that_overlap():
    """E1: the same file and split gave opposite findings by the seed."""
    rows = OWN["x20 half end with the label"][1](600)
    verdicts = [concluded(rows, seed) for seed in range(10)]
    assert {verdict.label for verdict in verdicts} == {"informative and leaky"}
    gains = [verdict.clauses[0].facts["gain"] for verdict in verdicts]
    assert max(gain.low for gain in gains) < min(gain.high for gain in gains)


@pytest.mark.slow
def test_skewed_labels_hide_no_leak():
    """E5: one label is 95 in 100, and a reader of the task answers nothing else."""
    leak = marked(bland, " So it was.", " So it was not.")
    rows = table(leak)(4 * SIZE)
    no = rows[rows["label"] == "no"].head(30)
    skewed = pd.concat([rows[rows["label"] == "yes"], no])
    assert (skewed["label"] == "yes").mean() > 0.93
    verdict = concluded(skewed.sample(frac=1, random_state=0))
    assert verdict.label == "leaky"


@pytest.mark.slow
def test_what_light_models_miss_is_not_called_uninformative():
    """E8: a miss of weak readers was told as a fact."""
    verdict = concluded(table(bland)(SIZE))
    assert verdict.label == "inconclusive"
    assert codes(verdict)[0] in ("open.adds_reader", "open.adds_width")
    assert verdict.settle is not None
    assert "alone.bound" in codes(verdict)


def test_one_text_for_all_items_adds_nothing_for_certain():
    verdict = concluded(table(lambda v, rng: "It is so.")(SIZE))
    assert (verdict.label, codes(verdict)[0]) == ("uninformative", "explain.no_text")
    assert verdict.bound.value == 0


@pytest.mark.slow
def test_another_column_that_leaks_is_named_beside_the_one_that_is_judged():
    rows = table(telling)(2 * SIZE)
    rows["why_2"] = np.where(rows["label"] == "yes", "Clearly so.", "Hardly so.")
    verdict = concluded(rows.rename(columns={"why": "why_1"}))
    assert verdict.label == "informative and leaky"
    facts = verdict.clauses[0].facts
    assert (facts["part"].text, facts["leak"].text) == ("why_1", "why_2")


def cue(kind, name, coverage, productivity):
    return Cue("why", kind, name, "0", coverage, estimate(productivity), 0.5, 0.0)


def alone(channel, *cues):
    """A part that one channel predicts."""
    family, base = Family("why", np.arange(40)), np.full(40, 0.5)
    scores = {n: np.full(40, 0.9 if n == channel else 0.6) for n in ("tfidf", "length")}
    right = {
        name: OverBlank(score, base, family, 1.0, share=True)
        for name, score in scores.items()
    }
    nothing = OverBlank(np.zeros(40), np.zeros(40), family, 1.0, share=False)
    bits = dict.fromkeys(right, nothing)
    return PartAlone("why", family, 0.5, right, bits, 4, 0.05, 0.02, cues=cues)


def test_the_cause_is_the_largest_cue_and_words_where_words_predict_more():
    """E7: "write at like length", where equal lengths would leave the leak."""
    cues = (
        cue("length", "more than 9 words", 0.5, 0.9),
        cue("word", "not", 0.3, 0.95),
        cue("word", "never", 0.1, 1.0),
    )
    assert largest_cue(alone("tfidf", *cues)).name == "not"
    assert largest_cue(alone("length", *cues)).name == "more than 9 words"
    assert largest_cue(alone("tfidf", cues[0])).name == "more than 9 words"
    assert largest_cue(alone("tfidf")) is None


def facts(low, high=0.3, room=0.4, further=(), **axes):
    """What is known of a column that leaks nothing, and adds so much."""
    family = Family("pair", np.arange(40))
    gain = Estimate((low + high) / 2, low, high, 0.9, 40, "by hand")
    best = Gain(gain.value, low, high, "cross", "tfidf, input", room, {"cross": gain})
    scores = {"cross": np.ones(40)}
    need = Need(best, {}, scores, {"majority": np.full(40, 0.5)}, family)
    column = Column(Name("column", "why"), None)
    return RationaleFacts(
        [column], need, further=further, axes=Axes(**axes), families=40.0, size=40
    )


@pytest.mark.parametrize(
    ("low", "high", "room", "label", "code"),
    [
        (0.03, 0.3, 0.4, "informative", "explain.adds"),
        (0.01, 0.3, 0.4, "informative", "explain.adds"),
        (0.01, 0.06, 0.4, "slightly informative", "explain.slight"),
        (-0.01, 0.3, 0.4, "inconclusive", "open.adds_width"),
        (-0.03, 0.01, 0.4, "inconclusive", "open.adds_reader"),
        (-0.01, 0.3, 0.01, "inconclusive", "open.no_room"),
    ],
)
def test_what_is_said_of_a_gain_goes_by_its_ends_and_the_room(
    low, high, room, label, code
):
    verdict = conclude(facts(low, high, room))
    assert (verdict.label, verdict.code) == (label, code)
    assert verdict.bound.value == room


def test_only_where_a_pretrained_model_gains_nothing_it_is_uninformative():
    nothing = Further("minilm", estimate(0.0, -0.01, 0.01))
    verdict = conclude(facts(-0.03, 0.01, further=[nothing]))
    assert (verdict.label, verdict.code) == ("uninformative", "explain.within")
    some = Further("minilm", estimate(0.1, 0.05, 0.15))
    verdict = conclude(facts(-0.03, 0.01, further=[some]))
    assert (verdict.label, verdict.stage) == ("informative", "minilm")


WEAK = {"copied": estimate(0.9, 0.8, 0.95), "specificity": estimate(0.1, 0.05, 0.2)}


def test_overlap_and_what_fits_others_count_only_where_nothing_is_added():
    """E2, E7: a word that refutes stands in no input, and a correction repeats it."""
    assert not {"explain.overlap", "fails.unspecific"} & {
        *codes(conclude(facts(0.1, **WEAK)))
    }
    said = codes(conclude(facts(-0.01, **WEAK)))
    assert {"explain.overlap", "fails.unspecific"} <= {*said}


def test_a_rationale_that_leaks_by_quoting_its_input_is_said_to_overlap():
    """A claim quoted and set right predicts the label alone; the cause was not said."""
    plain = facts(-0.4, -0.3, 0.02, **WEAK)
    column = Column(Name("column", "why"), alone("tfidf"), {}, 0.5)
    verdict = conclude(replace(plain, columns=[column]))
    assert verdict.label == "leaky"
    assert codes(verdict)[:3] == ["leak.part", "explain.no_room", "explain.overlap"]
    slight = replace(facts(0.01, 0.06, 0.4, **WEAK), columns=[column])
    assert "explain.overlap" not in codes(conclude(slight))


def test_the_place_on_the_frontier_is_the_region():
    """E6: no column could reach it under the default suite."""
    stated = {"robustness": estimate(0.9), "chance": 1.0}
    assert conclude(facts(0.1, **stated)).region == ON
    shaken = {**stated, "robustness": estimate(0.3, 0.2, 0.4)}
    assert conclude(facts(0.1, **shaken)).region == OFF
    outdone = {**stated, "chance": 0.0, "better": ("tfidf-1",)}
    assert conclude(facts(0.1, **outdone)).region == OFF
    assert "frontier.off" in codes(conclude(facts(0.1, **outdone)))
    missing = {**stated, "no_frontier": "frontier.unmeasured"}
    assert conclude(facts(0.1, **missing)).region == ""
    assert "frontier.unmeasured" in codes(conclude(facts(0.1, **missing)))
