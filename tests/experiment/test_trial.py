"""One fit, and what it answers."""

import sys

import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable, Undefined
from measurand.core.items import Items, pack_choices
from measurand.core.reader import Rearrangeable
from measurand.disk.store import Store
from measurand.experiment.ask import ANSWER_CODEC, WORDS, Ask, ask_key
from measurand.experiment.trial import (
    _find_thread_pools,
    answer_ask,
    fit_reader,
    limit_threads,
    run_trial,
)
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import KINDS, Shuffle
from measurand.readers.baselines import MajorityReader
from measurand.readers.cross import CrossReader
from measurand.readers.linear import TfidfReader
from measurand.selections.rows import Both, HoldOut, Only

NOBODY = Both(HoldOut("kind", "old"), HoldOut("kind", "new"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("field", ["claim", "evidence"])
@pytest.mark.parametrize("reader", [TfidfReader(), CrossReader()], ids=repr)
def test_a_shuffled_answer_is_that_of_reading_the_shuffled_items(
    benchmark, reader, field, kind
):
    ask = Ask(reader, under=Shuffle(field, kind), repeats=3)
    fitted = fit_reader(ask, benchmark, 0)
    quick = answer_ask(fitted, ask, benchmark, 0)
    texts = benchmark.test.column(field).to_numpy(object)
    for said, donors in zip(quick.values, quick.donors, strict=True):
        read = fitted.predict(benchmark.test.with_field(field, list(texts[donors])))
        np.testing.assert_allclose(said, read, rtol=1e-6)
        assert (said.argmax(axis=1) == read.argmax(axis=1)).all()


def test_the_linear_reader_takes_the_quick_way(benchmark):
    assert isinstance(fit_reader(Ask(TfidfReader()), benchmark, 0), Rearrangeable)


def test_repeats_are_different_shuffles_and_a_seed_fixes_them(benchmark):
    ask = Ask(TfidfReader(), under=Shuffle("evidence"), repeats=3)
    fitted = fit_reader(ask, benchmark, 0)
    donors = answer_ask(fitted, ask, benchmark, 0).donors
    assert len({tuple(order) for order in donors}) == 3
    assert (donors == answer_ask(fitted, ask, benchmark, 0).donors).all()
    assert (donors != answer_ask(fitted, ask, benchmark, 1).donors).any()


def test_more_repeats_leave_the_first_ones_as_they_were(benchmark):
    few, many = (
        Ask(TfidfReader(), under=Shuffle("evidence"), repeats=repeats)
        for repeats in (2, 4)
    )
    fitted = fit_reader(few, benchmark, 0)
    first = answer_ask(fitted, few, benchmark, 0).values
    assert (answer_ask(fitted, many, benchmark, 0).values[:2] == first).all()


@pytest.mark.parametrize("under", [Keep("claim"), Shuffle("evidence")], ids=repr)
def test_nobody_to_ask_about_is_an_empty_answer(benchmark, tmp_path, under):
    ask = Ask(TfidfReader(), about=NOBODY, under=under, repeats=2)
    run_trial(benchmark, 0, Store(tmp_path), [ask])
    kept = Store(tmp_path).read(ask_key(ask, benchmark, 0), ANSWER_CODEC, print)
    assert kept.values.shape == (2, 0, 2)


def test_nothing_to_learn_from_is_refused(benchmark):
    with pytest.raises(Undefined, match="leaves no training items"):
        fit_reader(Ask(TfidfReader(), fitted_on=NOBODY), benchmark, 0)


def test_a_class_that_training_never_showed_gets_no_share(benchmark):
    ask = Ask(MajorityReader(), fitted_on=Only("label", "yes"))
    said = answer_ask(fit_reader(ask, benchmark, 0), ask, benchmark, 0).values
    assert (said[..., benchmark.classes.index("yes")] == 1).all()
    assert (said[..., benchmark.classes.index("no")] == 0).all()


def test_what_words_add_is_kept_a_class_a_layer(benchmark):
    keep = Keep("evidence")
    ask = Ask(TfidfReader(), fitted_under=keep, under=keep, what=WORDS)
    fitted = fit_reader(ask, benchmark, 0)
    values = answer_ask(fitted, ask, benchmark, 0).values
    items = benchmark.test.keep_fields("evidence")
    assert values.shape == (2, len(items), 4)
    scores = fitted.read(items)["evidence"]
    np.testing.assert_allclose(values.sum(axis=2).T, scores, atol=1e-6)


def test_a_reader_that_cannot_score_words_says_so_in_one_line(benchmark):
    ask = Ask(MajorityReader(), under=Keep("evidence"), what=WORDS)
    with pytest.raises(NotApplicable, match="choose tfidf or an encoder"):
        answer_ask(fit_reader(ask, benchmark, 0), ask, benchmark, 0)


def test_a_trial_has_one_thread_whatever_was_loaded_since_the_last():
    counts = count_threads()
    with limit_threads():
        assert {*count_threads()} == {1}
    assert count_threads() == counts
    sys.modules["loaded since"] = sys  # as if a library had come with it
    try:
        found = _find_thread_pools.cache_info().misses
        with limit_threads():
            assert {*count_threads()} == {1}
        assert _find_thread_pools.cache_info().misses == found + 1
    finally:
        del sys.modules["loaded since"]


def count_threads():
    return [library["num_threads"] for library in threadpool_info()]


@pytest.mark.parametrize("reader", [TfidfReader(), CrossReader()])
def test_a_choice_beyond_those_that_training_offers_gets_its_share(reader):
    few = [[f"{word} {n}" for word in ("oar", "sail", "mast")] for n in range(12)]
    many = [["oar 1", "sail 2", "mast 3", "red oar", "sail 5"]]

    def items(rows, gold):
        packed = [pack_choices(row) for row in rows]
        questions = [f"what is {n}?" for n in range(len(rows))]
        columns = {"question": questions, "choices": packed, "label": gold}
        ids = [f"{gold[0]}{n}" for n in range(len(rows))]
        table = pd.DataFrame(columns, index=ids)
        return Items(table, ("question", "choices"), choices="choices")

    told = Benchmark("boats", items(few, [*"BBBA"] * 3), items(many, ["E"]), "question")
    ask = Ask(reader)
    answer = answer_ask(fit_reader(ask, told, 0), ask, told, 0)
    assert answer.values.shape == (1, 1, 5)
    assert answer.values.sum() == pytest.approx(1)
    assert answer.values[0, 0, 4] > answer.values[0, 0, 2]
