"""Ask: one question to one reader, its key, and the answer that is kept.

Audits get answers as predictions: rows first, accuracies later.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from measurand import __version__
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, MissingWeights
from measurand.core.finding import Finding
from measurand.core.intervention import AsIs, Intervention, Rearranging, Selection
from measurand.core.reader import Reader
from measurand.core.recipe import identity, model_digests, traits_of
from measurand.disk.store import Codec, entry_key
from measurand.selections.rows import Everything
from measurand.stats.scores import wilson_share

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
        repeats: How often `under` is drawn again.
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
    return answer_key(versions(packages), digests, seed, ask)


def answer_key(*material: Any) -> str:
    """A fingerprint of recipes and data, and of the files of models that they name."""
    return entry_key(identity([*material, *model_digests(material)]))


def check_key(before: str, after: str) -> None:
    """Raise where files that an answer was computed from changed in the meantime."""
    if before != after:
        raise MissingWeights(
            "the files of a model changed while it was in use; run again, and leave "
            "them alone until it has ended"
        )


@cache
def versions(packages: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What computes the answers: with other code they are asked for again."""
    try:
        used = [f"{name} {version(name)}" for name in (*COMPUTING, *packages)]
    except PackageNotFoundError as missing:
        raise BadOption(
            f"a reader computes with the package {missing.name}, which is not "
            "installed; install it, or give another reader"
        ) from None
    return (str(FORMAT), __version__, *used)


CLOSE = 1e-3  # how far shares in 32 bits may be from summing to 1
SHARES = ("truncated", "unparsed")  # remarks that are shares of the items
COUNTED = (*SHARES, "lm_loss")  # remarks that audits reckon with


@dataclass(frozen=True, eq=False)
class Answer:
    """The numbers of one answer; ids and labels are the benchmark's.

    Attributes:
        values: Repeats × items × columns: class probabilities, or what else was asked.
        donors: For a rearranged field, whose text each item received, a repeat a row.
        remarks: What the reader said besides its answer.
        texts: What the reader wrote, a row per repeat; it then gave no numbers.
    """

    values: NDArray[np.float32]
    donors: NDArray[np.int32] | None = None
    remarks: Mapping[str, float | str] = field(default_factory=dict)
    texts: tuple[tuple[str, ...], ...] | None = None


def _pack_answer(answer: Answer) -> tuple[dict[str, Any], bytes]:
    """Its shape and remarks; and the numbers as Parquet, a row per item and repeat."""
    repeats, items, width = answer.values.shape
    flat = answer.values.reshape(repeats * items, width)
    columns = {
        f"column_{i}": pa.array(np.ascontiguousarray(flat[:, i]))
        for i in range(flat.shape[1])
    }
    if answer.donors is not None:
        columns["donor"] = pa.array(answer.donors.ravel())
    if answer.texts is not None:
        written = [text for row in answer.texts for text in row]
        columns["text"] = pa.array(written, pa.string())
    sink = pa.BufferOutputStream()
    pq.write_table(
        pa.table(columns),
        sink,
        compression="zstd",
        use_dictionary=False,
        write_statistics=False,
    )
    stated = {"shape": list(answer.values.shape), "remarks": dict(answer.remarks)}
    return stated, bytes(sink.getvalue())


def _unpack_answer(stated: Mapping[str, Any], content: bytes) -> Answer:
    """The answer that was packed; one that nobody packed so is an error."""
    repeats, items, width = stated["shape"]
    remarks = stated["remarks"]
    if not isinstance(remarks, dict) or any(
        type(n) is not int or n < 0 for n in (repeats, items, width)
    ):
        raise ValueError("no shape or no remarks")
    source = pq.ParquetFile(pa.BufferReader(content))
    _check_fields(source, repeats * items, width)
    table = source.read()
    flat = np.empty((repeats * items, width), np.float32)
    for i in range(width):
        flat[:, i] = table[f"column_{i}"].to_numpy()
    donors = None
    if "donor" in table.column_names:
        donors = table["donor"].to_numpy().reshape(repeats, items)
    texts = None
    if "text" in table.column_names:
        written = table["text"].to_pylist()
        rows = (written[i * items : (i + 1) * items] for i in range(repeats))
        texts = tuple(tuple(map(str, row)) for row in rows)
    return Answer(flat.reshape(repeats, items, width), donors, remarks, texts)


def _check_fields(source: pq.ParquetFile, rows: int, width: int) -> None:
    """Raise, before any number is read, where a file holds other columns or rows."""
    schema = source.schema_arrow
    kinds = {f"column_{i}": pa.float32() for i in range(width)}
    if "donor" in schema.names:
        kinds["donor"] = pa.int32()
    if "text" in schema.names:
        kinds["text"] = pa.string()
    columns = dict(zip(schema.names, schema.types, strict=True))
    # Parquet counts no rows where there are no columns.
    if columns != kinds or (kinds and source.metadata.num_rows != rows):
        raise ValueError("other columns or rows")


ANSWER_CODEC = Codec("", _pack_answer, _unpack_answer, ".parquet")


def answer_fits(answer: Answer, ask: Ask, count: int, classes: int) -> bool:
    """Whether the numbers can be what was asked about `count` items."""
    if ask.what == SETTINGS:
        return answer.values.shape == (1, 1, 1) and _are_settings(answer, ask.reader)
    repeats, items, width = answer.values.shape
    shares = ask.what in (ANSWERS, EPOCHS)
    allowed = {
        ANSWERS: (repeats, width) == (ask.repeats, classes),
        EPOCHS: width == classes,
        WORDS: repeats == classes,
        EMBEDDING: repeats == 1,
        SALIENCY: repeats == 2 or (repeats, width) == (1, 0),
        TEXTS: (repeats, width) == (ask.repeats, 0),
    }
    return (
        items == count
        and allowed[ask.what]
        and (answer.texts is not None) == (ask.what == TEXTS)
        and bool(np.isfinite(answer.values).all())
        and (not shares or _are_shares(answer.values))
        and _are_donors(answer, ask)
        and _are_remarks(answer)
    )


def _are_shares(values: NDArray[np.float32]) -> bool:
    """Whether every row is of probabilities."""
    sums = values.sum(axis=2)
    return bool((values >= 0).all() and (np.abs(sums - 1) <= CLOSE).all())


def _are_donors(answer: Answer, ask: Ask) -> bool:
    """Whether an item got its text from an item, where texts were rearranged."""
    if answer.donors is None:
        is_answer = ask.what in (ANSWERS, TEXTS)
        return not (is_answer and isinstance(ask.under, Rearranging))
    items = answer.values.shape[1]
    return bool(((answer.donors >= 0) & (answer.donors < items)).all())


def _are_remarks(answer: Answer) -> bool:
    """Whether remarks are words and numbers, and those that audits count numbers."""
    return all(
        isinstance(value, str | int | float)
        and (name not in COUNTED or not isinstance(value, str))
        for name, value in answer.remarks.items()
    )


def _are_settings(answer: Answer, reader: Reader) -> bool:
    """Whether remarks are settings that the reader has, each of the type it has."""
    kinds = (int, float, type(None)), (list, tuple), str  # JSON knows no tuple
    for name, value in answer.remarks.items():
        current = getattr(reader, name, ...)
        alike = (isinstance(value, k) and isinstance(current, k) for k in kinds)
        if not any(alike):
            return False
    return True


@dataclass(frozen=True, eq=False)
class Predictions:
    """What one fitted reader answered; ids once, then repeats × items × classes.

    Attributes:
        ids: The item ids, in order.
        classes: The labels, in the order of the last axis.
        gold: The position in `classes` of each item's gold label.
        probabilities: One block per repeat of the intervention, as 32-bit floats.
        donors: For a rearranged field, whose text each item received, a repeat a row.
        remarks: What the reader said besides its answers.
    """

    ids: tuple[str, ...]
    classes: tuple[str, ...]
    gold: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    donors: NDArray[np.int32] | None = None
    remarks: Mapping[str, float | str] = field(default_factory=dict)

    @property
    def answers(self) -> NDArray[np.int64]:
        """The position of the likeliest class: repeats × items."""
        return np.asarray(self.probabilities.argmax(axis=2), np.int64)

    @property
    def correct(self) -> NDArray[np.bool_]:
        """Whether each answer is right: repeats × items."""
        return np.asarray(self.answers == self.gold)


@dataclass(frozen=True, eq=False)
class WrittenAnswers:
    """What one reader wrote; ids once, then repeats × items.

    Attributes:
        ids: The item ids, in order.
        texts: What was written, a row per repeat of the intervention.
        donors: For a rearranged field, whose text each item received, a repeat a row.
        remarks: What the reader said besides its answers.
    """

    ids: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...]
    donors: NDArray[np.int32] | None = None
    remarks: Mapping[str, float | str] = field(default_factory=dict)


def remark_findings(
    name: str, condition: str, remarks: Mapping[str, float | str], n: int
) -> list[Finding]:
    """The shares of the n items that a reader remarked on."""
    counts = {
        what: round(float(remarks[what]) * n) for what in SHARES if what in remarks
    }
    return [
        Finding(what, name, condition, wilson_share(count, n))
        for what, count in counts.items()
    ]


@dataclass(frozen=True, eq=False)
class ReaderMeasures:
    """What a fitted reader shows of itself: an embedding, saliency or epochs.

    Attributes:
        ids: The item ids, in order.
        values: Layers × items × columns. An embedding has one layer; epochs have one
            each, with a column per class; saliency has two, with a column per token:
            its score, and the number of its field (-1 special, -2 nothing there). What
            words add has one per class, with a column per word.
    """

    ids: tuple[str, ...]
    values: NDArray[np.float32]
