"""Readers as a caller gives them, each with the name that reports call it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any

from measurand.core.errors import BadInput, BadOption, join_names, quote
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, identity, traits_of
from measurand.readers import READERS, make_reader

ReaderChoice = str | Reader
ReaderChoices = ReaderChoice | Sequence[ReaderChoice] | Mapping[str, ReaderChoice]
BASELINES = ("majority", "metadata", "protocol")
LONGEST = 200  # letters in the name of a reader
EXPECTED = (
    "names such as 'tfidf', estimators of scikit-learn's, or frozen dataclasses with "
    "fit(items, rng)"
)


def name_readers(
    readers: ReaderChoices | None, defaults: Sequence[str] = ("tfidf",)
) -> dict[str, Reader]:
    """The readers by name: a name, a reader, several of both, or a mapping of them.

    A reader without a name goes by its kind.

    >>> [*name_readers(["tfidf", make_reader("cross"), "tfidf"])]
    ['tfidf', 'cross', 'tfidf (2)']
    """
    if readers is None:
        readers = list(defaults)
    if isinstance(readers, Mapping):
        choices = {str(name): choice for name, choice in readers.items()}
    elif isinstance(readers, list | tuple):
        names = [c if isinstance(c, str) else _short_name(c) for c in readers]
        choices = dict(zip(tell_apart(names), readers, strict=True))
    else:
        single: Any = readers
        return name_readers([single], defaults)
    if not choices:
        raise BadOption(
            f"`readers` is empty; leave it out for {join_names(defaults)}, or choose "
            f"among {join_names(list(READERS))}"
        )
    named = {name: _to_reader(choice) for name, choice in choices.items()}
    for name, reader in named.items():
        if not name.isprintable() or not 0 < len(name) <= LONGEST:
            raise BadOption(
                f"a reader is called {quote(ascii(name))} in `readers`; give a name of "
                f"1 to {LONGEST} printable letters"
            )
        if name in BASELINES and traits_of(reader).strength != Strength.TEXTLESS:
            raise BadOption(
                f"a reader is called {name!r} in `readers`, as a baseline of every "
                "report is; call it otherwise"
            )
    return named


def _short_name(reader: Reader) -> str:
    """What a reader without a name goes by: its kind, or its class."""
    kind = getattr(type(reader), "kind", None)
    return kind if isinstance(kind, str) and kind else type(reader).__name__


def check_is_reader(thing: Any) -> None:
    """Raise where a thing could not be asked, before anything is computed."""
    name = type(thing).__name__
    if isinstance(thing, type):
        raise BadInput(
            f"{thing.__name__} is a class and no reader yet; give an instance: "
            f"{thing.__name__}()"
        )
    if not callable(getattr(thing, "fit", None)):
        raise BadInput(
            f"a {name} was given where readers belong, and it has no fit; give "
            f"{EXPECTED}; the benchmark goes first"
        )
    if not is_dataclass(thing):
        raise BadInput(
            f"the reader {name} is no dataclass, so its settings cannot be known; "
            "write @dataclass(frozen=True) above its class"
        )
    try:
        identity(thing)
    except (TypeError, ValueError) as odd:
        raise BadInput(
            f"the settings of the reader {name} cannot be written down: {odd}; hold "
            "numbers, text, tuples and other recipes alone"
        ) from odd


def tell_apart(names: Sequence[str]) -> list[str]:
    """The names, with a number behind those that came before.

    >>> tell_apart(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    counter: Counter[str] = Counter()
    distinct = []
    for name in names:
        counter[name] += 1
        distinct.append(name if counter[name] == 1 else f"{name} ({counter[name]})")
    return distinct


def _to_reader(choice: ReaderChoice) -> Reader:
    if isinstance(choice, str):
        reader: Reader = make_reader(choice)
        return reader
    recipe: Reader = wrap_estimator(choice)
    check_is_reader(recipe)
    return recipe


def wrap_estimator(thing: Any) -> Any:
    """An estimator of scikit-learn's as a reader; anything else as it is."""
    is_estimator = hasattr(thing, "fit") and hasattr(thing, "get_params")
    if isinstance(thing, type) or is_dataclass(thing) or not is_estimator:
        return thing
    from measurand.readers.sklearn import EstimatorReader

    return EstimatorReader(estimator=thing)
