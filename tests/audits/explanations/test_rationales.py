"""What explainers write: again where they can be run again, never beside itself."""

import dataclasses

import pandas as pd
import pytest

from measurand.audits.explanations.perturbations import perturb_items
from measurand.audits.explanations.rationales import (
    FIXED_COLUMN,
    collect_rationales,
    default_explainers,
    rationales_from_table,
    rationales_of_changes,
)
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.core.errors import BadInput, NoField, NotApplicable, Undefined
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
        written, not_run = collect_rationales(
            running, names, changed, others or {}, None
        )
        assert not not_run
        return written, changed


def texts(column, side="test"):
    return getattr(SMALL, side).column(column).tolist()


def test_an_explainer_is_run_again_on_every_change():
    found, changed = made(["tfidf-1"])
    one = found["tfidf-1"]
    assert len(one.again) == len(changed.items) == 2
    assert one.has_change == changed.has_change.tolist()
    assert (len(one.train), len(one.test)) == (12, 10)
    assert one.unstable == ""


def test_several_columns_are_written_rationales_and_no_change_of_the_input():
    one = made(["given"])[0]["given"]
    assert one.test == texts("rationale_1")
    assert one.train == texts("rationale_1", "train")
    assert one.written == [texts("rationale_2"), texts("rationale_3")]
    assert (list(one.again), one.unstable) == ([], FIXED_COLUMN)


def test_a_column_cannot_be_run_again_and_neither_can_what_is_made_of_it():
    found, _ = made(["given", "drift", "label-swapped"])
    assert found["given"].unstable == found["drift"].unstable == FIXED_COLUMN
    assert list(found["drift"].again) == []
    assert found["drift"].origin == texts("rationale_1")
    assert found["drift"].test == [negate_text(t) for t in texts("rationale_1")]
    assert len(found["label-swapped"].again) == 2


def test_rationales_of_changed_inputs_are_what_columns_say_again():
    other = {str(item): ["it is so"] for item in SMALL.test.ids[:4]}
    found, _ = made(["given", "drift"], other)
    assert found["given"].again == [["it is so"] * 4 + [""] * 6]
    assert found["drift"].again[0][:4] == ["it is not so"] * 4
    assert found["drift"].has_change == [[True] * 4 + [False] * 6]
    assert found["given"].unstable == found["drift"].unstable == ""


def of_one_label(source):
    """The same items; only those of the first label have a rationale."""
    kept = [
        side.with_table(
            side.table.assign(
                rationale_1=side.column("rationale_1").where(
                    side.labels == source.classes[0], ""
                )
            )
        )
        for side in (source.train, source.test)
    ]
    return dataclasses.replace(source, train=kept[0], test=kept[1])


def test_a_suite_that_cannot_be_made_is_named_and_ends_no_audit():
    source = of_one_label(SMALL)
    with open_experiment(source) as running:
        parts = (source.test, source.query, source.evidence, LexicalJudge())
        changed = perturb_items(running, *parts, count=1)
        names = ["given", "label-swapped"]
        written, not_run = collect_rationales(running, names, changed, {}, None)
        assert [*written] == ["given"]
        assert "of items with one label" in not_run["label-swapped"]
        with pytest.raises(Undefined, match="of items with one label"):
            collect_rationales(running, names[1:], changed, {}, None)


def test_no_model_wrote_so_none_fell_short():
    found, _ = made(["given", "vacuous", "drift"])
    assert [one.lacking for one in found.values()] == [{}] * 3


def test_items_may_have_more_or_fewer_changed_inputs():
    both = benchmark(3, why=["a", "b", "c"], also=["d", "e", "f"])
    others = {"i0": ["x", "y"], "i2": ["z"], "elsewhere": ["q"]}
    copies, has_change = rationales_of_changes(both, others)
    columns = [items.column("why").tolist() for items in copies]
    assert columns == [["x", "", "z"], ["y", "", ""]]
    assert has_change == [[True, False, True], [True, False, False]]


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
