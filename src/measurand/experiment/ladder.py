"""The ladder: readers from weak to strong, each rung testing the zero of the one below.

What a reader is, is what it says of itself (`Traits.strength`), whatever it is called.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from measurand.core.choices import WritesAnswers
from measurand.core.errors import (
    BadOption,
    MissingExtra,
    MissingWeights,
    PastBudget,
    UnknownName,
)
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, traits_of
from measurand.readers import READERS

ReadingT = TypeVar("ReadingT")
LADDER = {  # from weak to strong; said here too, so that none is loaded to be compared
    "tfidf": Strength.WORDS,
    "cross": Strength.PAIRS,
    "aligned": Strength.ALIGNED,
    "frozen": Strength.FROZEN,
    "minilm": Strength.PRETRAINED,
}


def order_by_strength(readers: Mapping[str, Reader]) -> dict[str, Reader]:
    """The readers from weak to strong; as they were given where they are alike."""
    return dict(sorted(readers.items(), key=lambda pair: strength_of(pair[1])))


def strength_of(reader: Reader) -> Strength:
    """What the reader says it can see."""
    return traits_of(reader).strength


def higher_rungs(
    readers: Mapping[str, Reader],
    strongest: str,
    *,
    rungs: Sequence[str] = tuple(LADDER),
    weightless: bool = False,
) -> Iterator[tuple[str, Reader]]:
    """The rungs above all the readers, up to the strongest, each loaded when called.

    A rung that is not installed, or whose weights are not, is passed over.

    Args:
        readers: Those that were asked for.
        strongest: The highest rung that may be called.
        rungs: Those that are of use to the audit, from weak to strong.
        weightless: Whether rungs with pretrained weights are left out.
    """
    names = names_above(readers, strongest, rungs=rungs, weightless=weightless)
    loaded = ((_free_name(name, readers), load_rung(name)) for name in names)
    return ((name, reader) for name, reader in loaded if reader is not None)


def names_above(
    readers: Mapping[str, Reader],
    strongest: str,
    *,
    rungs: Sequence[str] = tuple(LADDER),
    weightless: bool = False,
) -> list[str]:
    """The rungs above all the readers, up to the strongest, installed or not."""
    check_rung(strongest)
    highest = max(strength_of(reader) for reader in readers.values())
    limit = min(LADDER[strongest], Strength.PAIRS if weightless else max(Strength))
    return [rung for rung in rungs if highest < LADDER[rung] <= limit]


def count_readers(
    readers: Mapping[str, Reader], strongest: str, *, calibrate: bool, weightless: bool
) -> int:
    """How many readers may be asked, whatever is installed: they share one budget."""
    rungs = names_above(readers, strongest, weightless=weightless)
    return len(readers) + len(rungs) * calibrate


def check_rung(name: str) -> None:
    """Raise where the ladder has no such rung."""
    if name not in LADDER:
        raise UnknownName("rung of the ladder", name, list(LADDER))


def load_rung(name: str) -> Reader | None:
    """The rung's reader; None where it or its weights are not installed."""
    try:
        reader: Reader = READERS.load(name)
        if traits_of(reader).needs_weights:
            reader.check_weights()  # type: ignore[attr-defined]
    except (MissingExtra, MissingWeights):
        return None
    return reader


def way_to_run(audit: str, reason: PastBudget) -> str:
    """Why a reader was not run, and the command that runs it."""
    return f"{reason}; run it with measurand {audit} FILE --budget none"


def read_within_budget(
    audit: str, readers: Mapping[str, Reader], read: Callable[[str, Reader], ReadingT]
) -> tuple[list[ReadingT], dict[str, str]]:
    """What each reader shows, and why some were not run: they take too long."""
    readings, refused = list[ReadingT](), dict[str, str]()
    for name, reader in readers.items():
        try:
            readings.append(read(name, reader))
        except PastBudget as reason:
            refused[name] = way_to_run(audit, reason)
    return readings, refused


def check_any_run(readings: Sequence[object], not_run: Mapping[str, str]) -> None:
    """Raise where no reader was run, so that there is nothing to report."""
    if not readings:
        reasons = "; ".join(f"{name}: {why}" for name, why in not_run.items())
        raise PastBudget(f"{reasons}; or add 'tfidf' to `readers`")


def check_teachable(readers: Mapping[str, Reader], task: str) -> None:
    """Raise where a reader reads no text, or cannot be trained again."""
    for name, reader in readers.items():
        traits = traits_of(reader)
        blind = traits.strength == Strength.TEXTLESS
        if blind or traits.learned or traits.remote:
            why = "reads no text, so it cannot" if blind else "cannot"
            raise BadOption(
                f"{name} {why} be taught {task}; choose tfidf, cross or an encoder"
            )


def _free_name(name: str, readers: Mapping[str, Reader]) -> str:
    """The rung's name, or another where the caller gave it to a reader of his own."""
    return f"{name} (called)" if name in readers else name


def is_cross_fitted(reader: Reader) -> bool:
    """Whether it is trained here, in seconds, and so can be asked in folds."""
    traits = traits_of(reader)
    trained = traits.learns_labels and not (traits.learned or traits.remote)
    if isinstance(reader, WritesAnswers):
        return False  # it is asked for words, which folds do not keep
    runs_torch = "torch" in traits.packages
    return trained and not runs_torch and traits.strength < Strength.PRETRAINED
