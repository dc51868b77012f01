"""Ask: one question to one reader, and the key under which its answer is kept."""

from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from typing import ClassVar

from measurand import __version__
from measurand.core.benchmark import Benchmark
from measurand.core.intervention import AsIs, Intervention, Selection
from measurand.core.reader import Reader
from measurand.core.recipe import identity, traits_of
from measurand.core.store import entry_key
from measurand.selections.rows import Everything

FORMAT = 11  # raised when the code changes what a recipe answers
COMPUTING = ("numpy", "scipy", "scikit-learn")  # whose versions may move a number
ANSWERS, EMBEDDING, SALIENCY = "answers", "embedding", "saliency"
EPOCHS, SETTINGS, WORDS = "epochs", "settings", "words"
TEXTS = "texts"


@dataclass(frozen=True)
class AskGroup:
    """Asks that are answered in one trial, each by a fit of its own.

    What is said to one depends, if little, on the others; so the name says who they
    all are, and they are always asked together.

    Attributes:
        name: Such as "extra, draws 8 to 15".
        size: How many are learned at once; a group may have fewer.
    """

    kind: ClassVar[str] = "group"
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
            add to scores, better settings or written texts, which only some readers
            can give.
        part: Which of the other test parts is asked about; none where empty.
        stream: A name for the fit's random stream, where arms must share one; else
            the fit itself is the name.
        group: Those that are learned together with this one, where there are any.
    """

    kind: ClassVar[str] = "ask"
    reader: Reader
    fitted_on: Selection = field(default_factory=Everything)
    fitted_under: Intervention = field(default_factory=AsIs)
    about: Selection = field(default_factory=Everything)
    under: Intervention = field(default_factory=AsIs)
    repeats: int = 1
    what: str = ANSWERS
    part: str = ""
    stream: str = ""
    group: AskGroup | None = None

    @property
    def fit(self) -> str:
        """What two asks must share to be answered by one fit, as one would say it."""
        stream = (self.stream,) if self.stream else ()
        return identity((self.reader, self.fitted_on, self.fitted_under, *stream))


def ask_key(ask: Ask, benchmark: Benchmark, seed: int) -> str:
    """The name of the answer: everything that it depends on, fingerprinted."""
    test = benchmark.test_parts[ask.part] if ask.part else benchmark.test
    digests = [benchmark.train.digest, test.digest]
    packages = traits_of(ask.reader).packages
    return entry_key(identity([versions(packages), digests, seed, ask]))


@cache
def versions(packages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What computes the answers: with other code they are asked for again."""
    used = (f"{name} {version(name)}" for name in (*COMPUTING, *packages))
    return (str(FORMAT), __version__, *used)
