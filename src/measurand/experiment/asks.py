"""Ask: one question to one reader, and the key under which its answer is kept."""

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import Any

from measurand import __version__
from measurand.core.benchmark import Benchmark
from measurand.core.intervention import AsIs, Intervention
from measurand.core.reader import Reader, Remote, Strong
from measurand.core.selection import Selection
from measurand.core.together import UNSAID
from measurand.selections.rows import Everything

FORMAT = 8  # raised when the code changes what a recipe answers
COMPUTING = ("numpy", "scipy", "scikit-learn")  # whose versions may move a number
HEAVY = ("torch", "transformers")  # the same, for encoders and LLMs
ANSWERS, EMBEDDING, SALIENCY = "answers", "embedding", "saliency"
EPOCHS, SETTINGS, WORDS = "epochs", "settings", "words"


@dataclass(frozen=True)
class Group:
    """Asks that are answered in one trial, each by a fit of its own.

    What is said to one depends, if little, on the others; so the name says who they
    all are, and they are always asked together.

    Attributes:
        name: Such as "extra, draws 8 to 15".
        size: How many are learned at once; a group may have fewer.
    """

    name: str
    size: int


@dataclass(frozen=True)
class Ask:
    """What a reader, fitted so, says about the test items, changed so.

    Attributes:
        reader: The recipe that is fitted.
        fitted_on: The training rows it learns from.
        fitted_under: What is done to these rows first.
        about: The test rows it is asked about.
        under: What is done to these rows first.
        repeats: How often `under` is drawn anew.
        what: What is asked for: answers, or an embedding, saliency, epochs, what words
            add to scores, or better settings, which only some readers can give.
        part: Which of the other test parts is asked about; none where empty.
        stream: A name for the fit's random stream, where arms must share one; else
            the fit itself is the name.
        group: Those that are learned together with this one, where there are any.
    """

    reader: Reader
    fitted_on: Selection = field(default_factory=Everything)
    fitted_under: Intervention = field(default_factory=AsIs)
    about: Selection = field(default_factory=Everything)
    under: Intervention = field(default_factory=AsIs)
    repeats: int = 1
    what: str = ANSWERS
    part: str = ""
    stream: str = ""
    group: Group | None = field(default=None, metadata=UNSAID)

    @property
    def fit(self) -> str:
        """What two asks must share to be answered by one fit."""
        named = (self.stream,) if self.stream else ()
        return canonical((self.reader, self.fitted_on, self.fitted_under, *named))


def key(ask: Ask, benchmark: Benchmark, seed: int) -> str:
    """The name of the answer: everything that it depends on, fingerprinted."""
    test = benchmark.also[ask.part] if ask.part else benchmark.test
    digests = [benchmark.train.digest, test.digest]
    heavy = isinstance(ask.reader, Strong) and not isinstance(ask.reader, Remote)
    whole = canonical([versions(heavy), digests, seed, ask])
    return hashlib.sha256(whole.encode()).hexdigest()


@cache
def versions(heavy: bool) -> tuple[str, ...]:
    """What computes the answers: with other code they are asked for again."""
    used = (*COMPUTING, *(HEAVY if heavy else ()))
    found = (f"{name} {version(name)}" for name in used)
    return (str(FORMAT), __version__, *found)


def canonical(thing: Any) -> str:
    """A recipe as JSON that is the same in every process."""
    return json.dumps(plain(thing), sort_keys=True)


def plain(thing: Any) -> Any:
    """A recipe as lists, dicts, numbers and strings."""
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        named = {
            f.name: plain(getattr(thing, f.name))
            for f in dataclasses.fields(thing)
            if not (f.metadata.get("unsaid") and getattr(thing, f.name) == f.default)
        }
        return {
            "recipe": f"{type(thing).__module__}.{type(thing).__qualname__}",
            **named,
        }
    if isinstance(thing, list | tuple):
        return [plain(part) for part in thing]
    if isinstance(thing, str | int | float | bool | None):
        return thing
    raise TypeError(f"a recipe holds settings only, not a {type(thing).__name__}")
