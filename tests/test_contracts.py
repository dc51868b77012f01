"""Every reader, intervention and selection against the promises of its protocol."""

import dataclasses

import numpy as np
import pytest

from measurand.core.intervention import AsIs, Rearranging
from measurand.core.reader import TemperatureScaled
from measurand.interventions import INTERVENTIONS
from measurand.interventions.fields import DropField as DropField
from measurand.interventions.fields import Keep
from measurand.interventions.metadata import Flip
from measurand.interventions.noise import FormatNoise
from measurand.interventions.paraphrase import Paraphrase
from measurand.interventions.shuffle import KINDS, Shuffle
from measurand.interventions.words import KINDS as CLASSES
from measurand.interventions.words import Lengths, Mask, Overlaps, Scramble
from measurand.readers import READERS
from measurand.selections import SELECTIONS
from measurand.selections.folds import Fold, Split
from measurand.selections.rows import Both, Drop, Everything, HoldOut, Only, Sample
from tests.conftest import small_items

ITEMS = small_items()
RENDERINGS = tuple((f"thing{i}", (f"thing{i}",)) for i in range(7))
CHANGES = [
    AsIs(),
    Keep("proof"),
    DropField("proof"),
    *(Shuffle("proof", kind) for kind in KINDS if kind != "within-label"),
    Shuffle("claim", "within-label"),
    Flip("kind", "claim", tuple((f"kind{i}", (f"kind{i}",)) for i in range(3))),
    Scramble(),
    Scramble(("claim",)),
    *(Mask(kind) for kind in CLASSES),
    Lengths(),
    Overlaps(),
    Paraphrase("claim"),
    FormatNoise("claim", "proof"),
]
CHOICES = [
    Everything(),
    HoldOut("kind", "kind1"),
    Only("kind", "kind1"),
    Drop(("kind", "group"), ("kind0", "group0")),
    Sample(20),
    Both(HoldOut("kind", "kind1"), Sample(10)),
    Fold(1, 5, "train", ("group",)),
    Split(("group",), "test"),
]
READER_NAMES = [name for name, entry in READERS.entries.items() if not entry.extra]


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_an_intervention_keeps_ids_and_labels_and_leaves_its_input_alone(change):
    before = ITEMS.digest
    changed = change(ITEMS, rng())
    assert changed.ids.equals(ITEMS.ids)
    assert changed.labels.equals(ITEMS.labels)
    assert dataclasses.replace(ITEMS).digest == before


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_an_intervention_depends_on_its_stream_alone_and_has_a_name(change):
    assert change(ITEMS, rng(3)).digest == change(ITEMS, rng(3)).digest
    assert str(change)
    assert " object at " not in str(change)


@pytest.mark.parametrize(
    "change", [c for c in CHANGES if isinstance(c, Shuffle)], ids=str
)
def test_a_shuffle_leaves_no_item_its_own_text(change):
    assert isinstance(change, Rearranging)
    changed = change(ITEMS, rng())
    assert (changed.column(change.field) != ITEMS.column(change.field)).all()


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_a_selection_keeps_rows_whole_and_in_order(choice):
    chosen = choice(ITEMS, rng())
    assert 0 < len(chosen) <= len(ITEMS)
    assert chosen.table.equals(ITEMS.table.loc[chosen.ids])
    assert chosen.ids.equals(ITEMS.ids[ITEMS.ids.isin(chosen.ids)])
    assert str(choice)


@pytest.mark.parametrize("name", READER_NAMES)
def test_a_reader_gives_shares_that_sum_to_one_and_repeats_itself(name):
    reader = READERS.load(name)
    fitted = reader.fit(ITEMS, rng())
    said = fitted.predict(ITEMS)
    assert said.shape == (len(ITEMS), 2)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    np.testing.assert_array_equal(said, reader.fit(ITEMS, rng()).predict(ITEMS))
    assert fitted.classes == ITEMS.classes


@pytest.mark.parametrize("name", READER_NAMES)
def test_a_reader_is_a_recipe_that_fitting_does_not_change(name):
    reader = READERS.load(name)
    before = repr(reader)
    reader.fit(ITEMS, rng())
    assert repr(reader) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        reader.anything = 1


@pytest.mark.parametrize("name", READER_NAMES)
def test_a_reader_copes_with_empty_text_one_field_and_one_class(name):
    reader = READERS.load(name)
    empty = ITEMS.with_field("proof", [""] * len(ITEMS))
    assert np.isfinite(reader.fit(empty, rng()).predict(empty)).all()
    alone = ITEMS.keep_fields("claim")
    assert reader.fit(alone, rng()).predict(alone).shape == (60, 2)
    one = Only("label", "yes")(ITEMS, rng())
    assert (reader.fit(one, rng()).predict(ITEMS) == 1).all()


@pytest.mark.parametrize("name", ["tfidf", "cross"])
def test_an_uncalibrated_reader_gives_the_same_answers(name):
    reader = READERS.load(name)
    assert isinstance(reader, TemperatureScaled)
    slow = reader.fit(ITEMS, rng()).predict(ITEMS)
    quick = reader.without_temperature().fit(ITEMS, rng()).predict(ITEMS)
    assert (slow.argmax(axis=1) == quick.argmax(axis=1)).all()


def test_every_name_in_a_catalogue_resolves():
    for catalogue in (INTERVENTIONS, SELECTIONS, READERS):
        for name in catalogue:
            assert callable(catalogue.thing(name))
