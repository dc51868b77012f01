"""A recipe is what it says it is, wherever its class lives and however it is named."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, get_type_hints

import pytest

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput
from measurand.core.recipe import (
    Strength,
    Traits,
    canonical,
    describe_recipe,
    identity,
    kind_of,
    traits_of,
)
from measurand.experiment.ask import Ask, ask_key
from measurand.explainers import EDITED, EXPLAINERS
from measurand.interventions import INTERVENTIONS
from measurand.interventions.shuffle import Shuffle
from measurand.judges import JUDGES, LIKENESSES
from measurand.readers import KINDS, READERS
from measurand.readers.linear import TfidfReader
from measurand.selections import SELECTIONS
from measurand.selections.rows import Sample
from tests.conftest import small_items

FAMILIES = {
    "readers": (READERS, KINDS),
    "interventions": (INTERVENTIONS,),
    "selections": (SELECTIONS,),
    "explainers": (EXPLAINERS, EDITED),
    "judges": (JUDGES, LIKENESSES),
}


def family(name):
    """The recipe classes behind the names of some catalogues."""
    things = [one.thing(thing) for one in FAMILIES[name] for thing in one]
    return {t if isinstance(t, type) else get_type_hints(t)["return"] for t in things}


def moved(cls):
    """The same class under another name in another module."""
    own = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
    place = {"__module__": "elsewhere", "__qualname__": "Moved"}
    return type("Moved", cls.__bases__, own | place)


@dataclass(frozen=True)
class Silent(TfidfReader):
    """Does something else than its parent, and does not say what it is."""


@pytest.mark.parametrize("name", FAMILIES)
def test_every_recipe_of_a_catalogue_says_itself_what_it_is(name):
    for recipe in family(name):
        assert dataclasses.is_dataclass(recipe)
        assert isinstance(vars(recipe).get("kind"), str), recipe
        assert "kind" not in {field.name for field in dataclasses.fields(recipe)}


@pytest.mark.parametrize("name", FAMILIES)
def test_no_two_recipes_of_a_family_are_of_one_kind(name):
    recipes = family(name)
    assert len({recipe.kind for recipe in recipes}) == len(recipes)


def test_a_subclass_that_says_nothing_is_not_taken_for_its_parent():
    assert kind_of(Silent()) == f"{__name__}.Silent"
    assert identity(Silent()) != identity(TfidfReader())
    assert canonical(Silent()) != canonical(TfidfReader())


def test_a_new_setting_at_its_default_changes_no_key_and_no_stream():
    one = dataclasses.make_dataclass(
        "One", [("size", int)], frozen=True, namespace={"kind": "made"}
    )
    later = dataclasses.make_dataclass(
        "Later",
        [("more", int, 3), ("inner", object, dataclasses.field(default_factory=list))],
        bases=(one,),
        frozen=True,
        namespace={"kind": "made"},
    )
    assert identity(later(5)) == identity(one(5)) == "made(size=5)"
    assert canonical(later(5)) == canonical(one(5))
    assert identity(later(5, 4)) == "made(size=5, more=4)"
    assert canonical(later(5, 4)) != canonical(one(5))


def test_a_report_states_every_setting_also_those_at_their_default():
    said = describe_recipe(TfidfReader())
    assert said == {"recipe": "tfidf", "least": 2, "strength": 1.0, "folds": 3}


def test_a_class_that_was_moved_and_renamed_keeps_keys_and_streams():
    items = small_items()
    benchmark = Benchmark("b", items, items, "claim", "proof")
    before, after = (
        Ask(reader(least=3), selection(9), under=shuffle("proof", "nearest"))
        for reader, selection, shuffle in (
            (TfidfReader, Sample, Shuffle),
            (moved(TfidfReader), moved(Sample), moved(Shuffle)),
        )
    )
    assert type(after.reader).__module__ == "elsewhere"
    assert identity(after.under) == identity(before.under)
    assert after.fit == before.fit
    assert ask_key(after, benchmark, 0) == ask_key(before, benchmark, 0)


def test_a_recipe_without_traits_is_a_light_reader_of_words():
    assert traits_of(Silent()) == Traits() == Traits(Strength.WORDS)
    assert not Traits().near_zero_stands


@pytest.mark.parametrize("wrong", ["strong", {"strength": 3}, Traits, None, 3])
def test_traits_of_a_wrong_type_are_refused_in_one_line(wrong):
    class Odd:
        traits: ClassVar[object] = wrong

    with pytest.raises(BadInput, match="the traits of Odd are a ") as refused:
        traits_of(Odd())
    assert "\n" not in str(refused.value)
