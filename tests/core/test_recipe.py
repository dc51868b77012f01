"""A recipe is what it says it is, wherever its class lives and however it is named."""

import dataclasses
from dataclasses import dataclass
from typing import ClassVar, get_type_hints

import pytest

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput
from measurand.core.recipe import (
    OWNERS,
    Strength,
    Traits,
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
    place = {"__module__": "measurand.elsewhere", "__qualname__": "Moved"}
    return type("Moved", cls.__bases__, own | place)


def afresh(tell, thing):
    """What is told of a thing in a process of its own, where no class is known yet."""
    before = dict(OWNERS)
    OWNERS.clear()
    try:
        return tell(thing)
    finally:
        OWNERS.clear()
        OWNERS.update(before)


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
    assert afresh(identity, later(5)) == afresh(identity, one(5))
    assert afresh(identity, later(5, 4)) == "own made(size=5, more=4)"


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
    assert type(after.reader).__module__ == "measurand.elsewhere"
    keys = [
        afresh(lambda ask: ask_key(ask, benchmark, 0), ask) for ask in (before, after)
    ]
    assert keys[0] == keys[1]
    assert afresh(identity, after) == afresh(identity, before)
    assert afresh(lambda ask: ask.fit, after) == afresh(lambda ask: ask.fit, before)


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


def own(name, kind=None, **settings):
    """A recipe class of a user's, with settings and their defaults."""
    body = {"__module__": "somebody", **({"kind": kind} if kind is not None else {})}
    fields = [(n, object, dataclasses.field(default=v)) for n, v in settings.items()]
    return dataclasses.make_dataclass(name, fields, namespace=body, frozen=True)


def test_a_kind_of_the_users_is_never_one_of_ours():
    assert identity(own("Mine", "tfidf")()) != identity(TfidfReader())


def test_two_classes_of_one_kind_are_refused():
    first, second = own("First", "twice"), own("Second", "twice")
    identity(first())
    with pytest.raises(BadInput, match="First and Second are two classes of one kind"):
        identity(second())


def test_a_class_that_is_defined_again_is_the_same_kind():
    assert identity(own("Again", "again")()) == identity(own("Again", "again")())


def test_equal_numbers_of_other_types_are_other_settings():
    least = own("Least", "least", count=1)
    assert len({identity(least(value)) for value in (1, 1.0, True)}) == 3


def test_a_setting_called_recipe_hides_no_kind():
    first, second = own("A", "kind-a", recipe=0), own("B", "kind-b", recipe=0)
    assert identity(first(1)) != identity(second(1))


def test_a_recipe_of_a_script_must_say_what_it_is():
    silent = own("Silent")
    silent.__module__ = "__main__"
    with pytest.raises(BadInput, match="does not say what it is, and another script"):
        identity(silent())


@pytest.mark.parametrize("traits", [Traits("strong"), Traits(packages="torch")])
def test_traits_of_wrong_parts_are_one_line(traits):
    odd = own("Odd", "odd")
    odd.traits = traits
    with pytest.raises(BadInput, match="Strength and a tuple"):
        traits_of(odd())
