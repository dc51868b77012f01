"""Recipe: a frozen dataclass of settings, and what it says of itself.

A recipe says what it is (`kind`), so that neither the file its class lives in nor the
name of the class is part of any key or random stream. It says what it can do
(`traits`), so that nobody guesses it from the name that a caller gave it. It says which
of its settings name a model (`LOCATE`), since its files decide its answers, and their
path does not.
"""

import dataclasses
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import Any, Protocol

from measurand.core.errors import BadInput, MissingWeights
from measurand.disk.digests import path_digest


class Strength(IntEnum):
    """What a reader can see, from nothing to what pretraining taught."""

    TEXTLESS = 0  # the labels or the metadata alone
    FORM = 1  # how each field is written down, and no word of it
    WORDS = 2  # the words of each field apart
    PAIRS = 3  # also which words of two fields meet
    ALIGNED = 4  # also which words of two fields mean alike
    FROZEN = 5  # also what an encoder that is only read makes of each text
    PRETRAINED = 6  # an encoder or a language model


@dataclass(frozen=True)
class Traits:
    """What a recipe says of itself besides its settings.

    Attributes:
        strength: What it can see; a near zero of less than PRETRAINED is provisional.
        packages: Whose versions may move its answers, besides numpy, scipy and
            scikit-learn: ("torch", "transformers") for what runs on torch.
        needs_weights: Whether it has `check_weights`, which raises where the
            pretrained weights are not to be had.
        learned: Whether it learned before, so that no condition can be taught to it.
        remote: Whether a server answers, so that the main process must do the asking.
        learns_labels: Whether fitting it teaches it the labels of the items.
    """

    strength: Strength = Strength.WORDS
    packages: tuple[str, ...] = ()
    needs_weights: bool = False
    learned: bool = False
    remote: bool = False
    learns_labels: bool = True

    @property
    def near_zero_stands(self) -> bool:
        """Whether no stronger kind of reader could overturn its near zero."""
        return self.strength >= Strength.PRETRAINED


TORCH = ("torch", "transformers")  # the packages of whatever runs on torch


OWNERS: dict[str, type] = {}  # the class that each kind means in this process


def traits_of(recipe: object) -> Traits:
    """What a recipe says of itself; the weakest reader where it says nothing."""
    traits = getattr(type(recipe), "traits", Traits())
    name = type(recipe).__name__
    if not isinstance(traits, Traits):
        raise BadInput(
            f"the traits of {name} are a {type(traits).__name__}; give a "
            "measurand.Traits"
        )
    packages = traits.packages
    if not isinstance(traits.strength, Strength) or isinstance(packages, str):
        raise BadInput(
            f"the traits of {name} are {traits}; give a measurand.Strength and a tuple "
            "of packages"
        )
    return traits


def kind_of(recipe: object) -> str:
    """What a recipe says it is, apart from ours where its class is not ours.

    Only its own class may say it: a subclass that changes what is done, and says
    nothing, must not be taken for its parent. It is then known by its module and name,
    which a script or a notebook cannot give: every other one is called the same.

    >>> from measurand.core.intervention import AsIs
    >>> kind_of(AsIs())
    'as-is'
    """
    cls = type(recipe)
    kind = vars(cls).get("kind")
    if isinstance(kind, str) and kind:
        ours = cls.__module__.partition(".")[0] == __name__.partition(".")[0]
        kind = kind if ours else f"own {kind}"
    elif cls.__module__ in ("__main__", "__mp_main__"):
        raise BadInput(
            f"{cls.__name__} does not say what it is, and another script may have one "
            "of its name; write kind: ClassVar[str] = 'a-name' into the class"
        )
    else:
        kind = f"{cls.__module__}.{cls.__qualname__}"
    _check_owner(kind, cls)
    return kind


def _check_owner(kind: str, cls: type) -> None:
    """Raise where another class is of this kind: their answers would be mixed up."""
    owner = OWNERS.setdefault(kind, cls)
    if owner is cls:
        return
    homes = {(c.__module__, c.__qualname__) for c in (owner, cls)}
    if len(homes) == 1 and "<locals>" not in cls.__qualname__:
        OWNERS[kind] = cls  # the same class, defined again
        return
    raise BadInput(
        f"{owner.__qualname__} and {cls.__qualname__} are two classes of one kind, "
        f"{kind!r}, so that one would be given the answers of the other; call one "
        "otherwise"
    )


class Locate(Protocol):
    """What finds the folder or file of a model."""

    def __call__(self, name: str, *, fetch: bool = True) -> str | None:
        """Its path; None where it is not to be had, as by `fetch` from a hub."""


# In the metadata of a setting that names a model: what finds the files of the model.
LOCATE = "locate"


def _model_paths(thing: Any, *, fetch: bool) -> Iterator[str]:
    """The folder or file of each model that recipes name."""
    if isinstance(thing, list | tuple):
        for part in thing:
            if not isinstance(part, str):
                yield from _model_paths(part, fetch=fetch)
    elif dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        for field in _fields_of(type(thing)):
            value = getattr(thing, field.name)
            if LOCATE not in field.metadata or not isinstance(value, str):
                yield from _model_paths(value, fetch=fetch)
            elif (path := field.metadata[LOCATE](value, fetch=fetch)) is not None:
                yield path


def model_digests(thing: Any) -> list[str]:
    """The digests of the files of all models that recipes name.

    They belong into the key of whatever is kept; a model that is not to be had gives no
    answer that could be kept.
    """
    return [path_digest(path) for path in _model_paths(thing, fetch=True)]


@cache
def _fields_of(kind: type) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a recipe's class: names are asked for thousands of times a run."""
    return dataclasses.fields(kind)


def settings_of(recipe: Any) -> dict[str, Any]:
    """The settings that are not at their default: a new one changes no identity."""
    settings = {}
    for field in _fields_of(recipe.__class__):
        value = getattr(recipe, field.name)
        default = field.default
        if value is default:
            continue
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        # By what is written down: 1, 1.0 and True are equal, and not the same.
        if default is dataclasses.MISSING or identity(value) != identity(default):
            settings[field.name] = value
    return settings


def identity(thing: Any) -> str:
    """The spoken name of a recipe, or of several: of random streams, and in store keys.

    It is the same in every process. The folder of a model goes by what it holds, so
    that a copy elsewhere is the same model; a model with a name goes by that.

    >>> from measurand.core.intervention import AsIs
    >>> identity((AsIs(), 2, "b"))
    '(as-is, 2, "b")'
    """
    if isinstance(thing, str | int | float):
        return json.dumps(thing)
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        settings = settings_of(thing)
        kinds = {field.name: field.metadata for field in _fields_of(type(thing))}
        inside = ", ".join(
            f"{name}={_setting_identity(value, kinds[name].get(LOCATE))}"
            for name, value in settings.items()
        )
        return f"{kind_of(thing)}({inside})" if inside else kind_of(thing)
    if isinstance(thing, list | tuple):
        return f"({', '.join(identity(part) for part in thing)})"
    return json.dumps(_to_plain(thing))


def _setting_identity(value: Any, locate: Locate | None) -> str:
    """What a setting is called: a folder that it names, by the files in it."""
    # A short name such as bert means its model also where a folder is called so.
    if (
        locate is not None
        and isinstance(value, str)
        and os.path.isdir(value)
        and locate(value, fetch=False) == value
    ):
        return json.dumps(f"files {path_digest(value)}")
    return identity(value)


def describe_recipe(thing: Any) -> Any:
    """A recipe as lists, dicts, numbers and strings, every setting said.

    Next to a setting that names a model stands the digest of its files.
    """
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        values = {}
        for field in _fields_of(type(thing)):
            value = getattr(thing, field.name)
            values[field.name] = describe_recipe(value)
            if LOCATE in field.metadata and isinstance(value, str):
                # A model that was not to be had was not asked; the report says so.
                with suppress(MissingWeights):
                    path = field.metadata[LOCATE](value, fetch=False)
                    values |= {f"{field.name}_files": path_digest(path)} if path else {}
        return {**values, "recipe": kind_of(thing)}
    if isinstance(thing, list | tuple):
        return [describe_recipe(part) for part in thing]
    return _to_plain(thing)


def given_settings(settings: Any, *names: str) -> dict[str, Any]:
    """Those of these settings that were chosen; None takes what is usual."""
    values = {name: getattr(settings, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _to_plain(value: Any) -> Any:
    if isinstance(value, str | int | float | bool | None):
        return value
    raise TypeError(f"a recipe holds settings only, not a {type(value).__name__}")
