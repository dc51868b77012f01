"""What explainers write: again where they can be run again, never beside itself."""

import dataclasses

import pandas as pd
import pytest

from measurand.audits.explanations.perturbations import perturb_items
from measurand.audits.explanations.rationales import (
    ONE_RATIONALE,
    add_other_rationales,
    collect_rationales,
    default_explainers,
    rationales_from_table,
)
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.core.errors import BadInput, NoField, NotApplicable
from measurand.experiment.experiment import open_experiment
from measurand.explainers import SUITE
from measurand.explainers.distortions import negate_text
from measurand.judges.lexical import LexicalJudge
from tests.audits.explanations.handmade import benchmark, wrote

SMALL = plant_rationales("small", leaky=False, seed=1, sizes={"train": 12, "test": 10})


def made(names, others=None, source=SMALL, count=2):
    with open_experiment(source) as running:
        parts = (source.test, source.query, source.evidence, LexicalJudge())
        changed = perturb_items(running, *parts, count=count)
        return collect_rationales(running, names, changed, others or {}, None), changed


def texts(column, side="test"):
    return getattr(SMALL, side).column(column).tolist()


def test_an_explainer_is_run_again_on_every_change():
    found, changed = made(["tfidf-1"])
    one = found["tfidf-1"]
    assert len(one.again) == len(changed.items) == 2
    assert one.first is one.test
    assert one.has_change == changed.has_change.tolist()
    assert (len(one.train), len(one.test)) == (12, 10)
    assert one.unstable == one.how == ""


def test_several_columns_are_compared_with_the_first():
    one = made(["given"])[0]["given"]
    assert one.test == texts("rationale_1")
    assert one.train == texts("rationale_1", "train")
    assert one.again == [texts("rationale_2"), texts("rationale_3")]
    assert one.how == "several rationales an item, of one input"


def test_one_column_alone_is_never_compared_with_itself():
    single = dataclasses.replace(SMALL, rationales=("rationale_1",))
    one = made(["given"], source=single)[0]["given"]
    assert (list(one.again), one.unstable) == ([], ONE_RATIONALE)


def test_a_drift_is_compared_with_what_it_drifts_from():
    one = made(["drift"])[0]["drift"]
    assert one.first == texts("rationale_1")
    assert one.again == [one.test]
    assert one.test == [negate_text(text) for text in texts("rationale_1")]


def test_no_model_wrote_so_none_fell_short():
    found, _ = made(["given", "vacuous", "drift"])
    assert [one.lacking for one in found.values()] == [{}] * 3


def test_an_empty_second_rationale_is_no_rationale():
    both = benchmark(2, why=["a", "b"], also=["c", " "])
    found = add_other_rationales(wrote("a", "b", unstable=ONE_RATIONALE), both, {})
    assert found.again == [["c", " "]]
    assert found.has_change == [[True, False]]
    assert found.unstable == ""


def test_rationales_of_changed_inputs_stand_before_other_columns():
    both = benchmark(3, why=["a", "b", "c"], also=["d", "e", "f"])
    others = {"i0": ["x", "y"], "i2": ["z"], "elsewhere": ["q"]}
    found = add_other_rationales(
        wrote("a", "b", "c", unstable=ONE_RATIONALE), both, others
    )
    assert found.again == [["x", "", "z"], ["y", "", ""]]
    assert found.has_change == [[True, False, True], [True, False, False]]
    assert found.how == "rationales of changed inputs"


def test_empty_rationales_are_counted():
    assert wrote("a", "", " ").empty == 2


def test_extractive_explainers_need_evidence_and_the_suite_is_always_run():
    assert default_explainers(SMALL)[:3] == ("given", "tfidf-1", "tfidf-2")
    without = dataclasses.replace(SMALL, evidence=None)
    assert default_explainers(without) == ("given", *SUITE)


def test_without_a_rationale_there_is_nothing_to_audit():
    none = dataclasses.replace(SMALL, rationale=None, rationales=())
    with pytest.raises(NotApplicable, match="`rationale`"):
        made(["vacuous"], source=none)


def table(*rows):
    return pd.DataFrame(rows, columns=["id", "why"])


WHY = benchmark(2, why=["a", "b"])


def test_a_table_gives_the_rationales_of_each_id_in_order():
    found = rationales_from_table(
        table(("i0", "x"), ("i9", "q"), ("i0", "y"), ("i1", None)), WHY
    )
    assert found == {"i0": ["x", "y"], "i9": ["q"]}


def test_a_table_of_no_use_is_one_line():
    with pytest.raises(NoField, match="'why'"):
        rationales_from_table(table(("i0", "x")).drop(columns="why"), WHY)
    with pytest.raises(NoField, match="'id'"):
        rationales_from_table(table(("i0", "x")).drop(columns="id"), WHY)
    with pytest.raises(BadInput, match="such as 'i7'"):
        rationales_from_table(table(("i7", "x")), WHY)
    with pytest.raises(BadInput, match="empty in all 2 rows"):
        rationales_from_table(table(("i0", " "), ("i1", None)), WHY)
