"""What a report states beside its findings, and what it draws, from records by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.explanations import exhibits as drawn
from measurand.audits.explanations.facts import Axes
from measurand.audits.explanations.levels import Scores
from measurand.audits.explanations.meta_evaluation import COLUMNS, MetaEvaluation
from measurand.audits.explanations.perturbations import Perturbations
from measurand.audits.explanations.reading import RationaleReading
from measurand.audits.explanations.settings import SHOWN
from measurand.audits.explanations.statement import (
    explanation_settings,
    explanation_warnings,
    judge_agreement,
    rationale_table,
)
from measurand.core.finding import Finding
from measurand.core.recipe import Strength
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from measurand.settings.explanations import ExplanationsSettings
from tests.audits.explanations.handmade import (
    benchmark,
    estimate,
    informed,
    levels,
    robust,
    specific,
    wrote,
)

PAIR = benchmark(2, why=["a b", "c d"])
MADE = {"given": wrote("a b", "c d"), "vacuous": wrote("so", "so")}
STABLE = {"given": robust(1, 0.5), "vacuous": robust(1, 1)}
OWN = {"given": specific(1, 0.5), "vacuous": specific(0.5, 0.5)}
COPIED = {name: np.zeros(2, bool) for name in MADE}
TOLD = {
    "given": informed([-1, -1], [-0.5, -0.25], right=[1, 0]),
    "vacuous": informed([-1, -1], [-1, -1]),
}
AXES = {
    "robustness": levels({"given": 0.75, "vacuous": 1.0}),
    "informativeness": levels({"given": 0.5, "vacuous": 0.0, "steps": 0.1}),
    "specificity": levels({"given": 0.5}),
}
DIFFERENT = pd.DataFrame(
    [
        ("robustness", "lcig", "vacuous", "given", 0.25, -0.5, 1),
        ("robustness", "varif", "vacuous", "given", 0.25, -0.5, None),
    ],
    columns=COLUMNS,
).astype({"item": "Int64"})
AUC = [
    Finding("auc_vacuous", "lcig", "vacuous", estimate(0.9)),
    Finding("auc_drift", "lcig", "drift", estimate(0.6)),
    Finding("auc_vacuous", "robustness", "vacuous", estimate(0.1)),
]
READ = RationaleReading(
    name="tfidf",
    strength=Strength.WORDS,
    remarks={},
    information=TOLD,
    scores=Scores({}),
    figures=AXES,
    frontier=None,
    meta=MetaEvaluation(tuple(AUC), DIFFERENT, {}),
    findings=(),
    not_run={},
    axes=Axes(),
    collapsed=False,
    informs=True,
)


def changed(kept=((True, True),), proposed=4, accepted=2):
    noisy = PAIR.test.with_field("claim", ["claim 0!", "claim 1!"])
    rows = np.array(kept)
    return Perturbations(
        (noisy,) * len(rows), rows, ("format noise",) * len(rows), proposed, accepted
    )


def warned(made=MADE, change=None, reads=(READ,), source=PAIR):
    return explanation_warnings(source, made, change or changed(), reads)


def test_nothing_odd_is_no_warning():
    assert warned() == []


ODD = {
    "wordless": (
        {"given": wrote("!?", "so")},
        "1 of 2 rationales of given have signs and no word: only their form is read",
    ),
    "empty": (
        {"tfidf-1": wrote("a", "")},
        "1 of 2 rationales of tfidf-1 are empty: scored as the baseline",
    ),
    "refusing": (
        {"steps": wrote("", "", lacking={"refused": 0.75, "empty": 0, "echoed": 0.25})},
        "2 of 2 rationales of steps are empty: scored as the baseline; of the model's "
        "replies, 75.0% refuse, 25.0% repeat the prompt",
    ),
    "by rule": (
        {"drift": wrote("a", "b", lacking={"echoed": 0.5, "rewritten": 0.25})},
        "some rationales of drift are by rule; of the model's replies, 50.0% repeat "
        "the prompt, 25.0% change most words",
    ),
    "one and the same": (
        {"given": wrote("a", "a")},
        "all items have one and the same given rationale",
    ),
    "the query again": (
        {"given": wrote("claim 0", "c")},
        "1 given rationales repeat the query",
    ),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_odd_about_rationales_is_said_in_one_line(what):
    made, line = ODD[what]
    assert warned(made) == [line]


def test_changes_that_were_not_accepted_are_said():
    none = changed([[True, False], [False, False]], accepted=0)
    assert warned(change=none) == [
        "1 items have no accepted change: R is of the others",
        "no paraphrase was accepted: R is of format noise alone",
    ]


def test_a_reader_that_collapsed_is_said():
    fallen = replace(READ, collapsed=True)
    assert warned(reads=[fallen]) == ["tfidf answers one class whatever it reads"]


def test_a_benchmark_is_described_by_counts_and_digests():
    said = PAIR.describe()
    assert said["labels"] == {"no": 1, "yes": 1}
    assert (said["train"], said["test"]) == (2, 2)
    assert said["digest"]["test"] == PAIR.test.digest


def test_settings_hold_readers_and_thresholds():
    readers, chosen = {"tfidf": TfidfReader()}, ExplanationsSettings(count=2)
    said = explanation_settings(3, readers, [READ], ["given", "vacuous"], chosen)
    assert (said["explainers"], said["changes"]) == (["given", "vacuous"], 2)
    assert said["seed"] == 3
    assert said["judge"]["name"] == "lexical"
    assert said["thresholds"] is SHOWN


def test_the_item_table_holds_texts_masks_and_scores():
    table = rationale_table(
        PAIR, MADE, STABLE, OWN, COPIED, changed([[True, False]]), READ
    )
    assert list(table.index) == ["i0", "i1"]
    assert table["measurand.changed 1 (format noise)"].tolist() == ["claim 0!", ""]
    assert table["measurand.rationale:given"].tolist() == ["a b", "c d"]
    assert table["measurand.masked:given"].tolist() == ["masked 0", "masked 1"]
    assert table["measurand.R:given"].tolist() == [1, 0.5]
    assert table["measurand.I:given"].tolist() == [0.5, 0.75]
    assert table["measurand.S:vacuous"].tolist() == [0.5, 0.5]
    assert table["measurand.leaks:given"].tolist() == [1, 0]
    assert table["measurand.left open"].tolist() == [1, 1]
    assert "measurand.residual:given" in table


def test_the_item_table_says_which_items_belong_together():
    test = replace(PAIR.test, table=PAIR.test.table.assign(topic="a"), group="topic")
    grouped = replace(PAIR, test=test)
    parts = MADE, STABLE, OWN, COPIED
    table = rationale_table(grouped, *parts, changed([[True, False]]), READ)
    assert table["topic"].tolist() == ["a", "a"]


def test_the_frontier_shows_those_with_both_axes_and_marks_the_suite():
    (exhibit,) = drawn.frontier_exhibit(READ)
    rows = exhibit.table.set_index("name")
    assert rows["series"].to_dict() == {"given": "given", "vacuous": "suite"}
    assert rows.loc["given", ["x", "y", "shade"]].tolist() == [0.75, 0.5, 0.5]
    assert pd.isna(rows.loc["vacuous", "shade"])
    assert not list(drawn.frontier_exhibit(replace(READ, figures={})))


def test_the_mask_curves_begin_without_a_mask():
    leak, told = drawn.mask_exhibits(READ, "given")
    rows = leak.table
    assert rows[["x", "y"]].values.tolist() == [[0, 0.5], [0.1, 0], [0.5, 0]]
    assert rows["n"].tolist() == [2, 2, 2]
    # None of two leak: Wilson's interval ends at z² / (n + z²).
    assert rows["high"].tolist()[1] == pytest.approx(3.8415 / 5.8415, abs=1e-4)
    assert leak.settings["horizontal"] == {"majority": 0.5}
    # Over the input alone: what no mask, the usual and a stronger one leave.
    assert told.table["y"].tolist() == [0.625, 0.625, 0.0]
    assert (told.table["low"] <= told.table["y"]).all()


def test_the_separation_is_a_table_of_metric_and_type():
    (exhibit,) = drawn.separation_exhibit(READ)
    table = exhibit.table.set_index("metric")
    assert table.loc["lcig"].to_dict() == {"vacuous": 0.9, "drift": 0.6}
    assert np.isnan(table.loc["robustness", "drift"])
    assert not list(
        drawn.separation_exhibit(replace(READ, meta=MetaEvaluation((), DIFFERENT, {})))
    )


def test_disagreements_come_with_the_rationale_that_shows_them():
    (exhibit,) = drawn.disagreement_exhibit(READ, MADE)
    assert exhibit.table["example"].tolist() == ["so", ""]
    assert "item" not in exhibit.table
    agreed = replace(READ, meta=MetaEvaluation((), DIFFERENT.head(0), {}))
    assert not list(drawn.disagreement_exhibit(agreed, MADE))


def test_every_exhibit_of_an_audit_is_there():
    leaks = pd.DataFrame({"template": ["just because"], "label": ["no"]})
    found = [Finding("varif", "tfidf", "given", estimate(0.4, 0.3, 0.5))]
    parts = drawn.exhibits(PAIR, MADE, [READ], leaks, found)
    names = {one.name: one for one in parts}
    assert list(names) == [
        *("frontier_tfidf", "masks_tfidf", "masked_information_tfidf"),
        *("separation_tfidf", "disagreements_tfidf"),
        *("axes", "templates", "browser"),
    ]
    assert names["axes"].table[["low", "value", "high"]].values.tolist() == [
        [0.3, 0.4, 0.5]
    ]
    assert names["templates"].table["template"].tolist() == ["just because"]
    assert names["browser"].table["masked"].tolist() == ["masked 0", "masked 1"]


def test_judges_that_see_no_change_are_not_compared():
    again = {"vacuous": wrote("so", "so", again=[["so", "so"]])}
    with open_experiment(PAIR) as running:
        stable = {"vacuous": robust(1, 1)}
        assert judge_agreement(running, again, stable, "some/judge") == []
        assert judge_agreement(running, again, stable, "lexical") == []
