"""Entries that somebody made on purpose, with a right seal, are noticed as well."""

import io
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from measurand.core.benchmark import Benchmark
from measurand.core.errors import ReaderFailed
from measurand.disk.store import Codec
from measurand.experiment.ask import (
    ANSWER_CODEC,
    EMBEDDING,
    EPOCHS,
    SETTINGS,
    TEXTS,
    WORDS,
    Answer,
    Ask,
    answer_fits,
    ask_key,
)
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import MajorityReader
from measurand.readers.linear import TfidfReader

ASK = Ask(TfidfReader(folds=0), under=Shuffle("proof"), repeats=2)
RAW = Codec(
    "", lambda entry: entry, lambda stated, content: (stated, content), ".parquet"
)


def parquet(**columns):
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue()


def remarked(remarks):
    return lambda stated, content: ({**stated, "remarks": remarks}, content)


def shaped(*shape):
    return lambda stated, content: ({**stated, "shape": list(shape)}, content)


def refilled(change):
    """An entry whose numbers were changed, packed as we pack them."""

    def forge(stated, content):
        answer = ANSWER_CODEC.unpack(stated, content)
        return ANSWER_CODEC.pack(change(answer))

    return forge


def valued(value):
    def change(answer):
        values = answer.values.copy()
        values[0, 0, 0] = value
        return replace(answer, values=values)

    return refilled(change)


def bomb(stated, content):
    """Little on disk, much in memory."""
    rows = np.zeros(20_000_000, "f4")
    columns = {"column_0": rows, "column_1": rows, "donor": rows.astype("i4")}
    return stated, parquet(**columns)


FORGERIES = {
    "remarks list": remarked(["x"]),
    "remarks html": remarked({"truncated": "<script>x</script>"}),
    "remarks nested": remarked({"a": {"b": []}}),
    "remarks none": remarked(None),
    "stated list": lambda stated, content: ([], content),
    "stated text": lambda stated, content: ("x", content),
    "shape turned": shaped(60, 2, 2),
    "shape flat": shaped(1, 120, 2),
    "shape huge": shaped(10**15, 10**15, 2),
    "shape negative": shaped(-2, -60, 2),
    "shape of fractions": shaped(2.0, 60.0, 2.0),
    "shape of truths": shaped(True, 120, 2),
    "shape short": shaped(2, 60),
    "no parquet": lambda stated, content: (stated, b"PAR1" + b"\0" * 99 + b"PAR1"),
    "other columns": lambda stated, content: (stated, parquet(x=["y"] * 120)),
    "one row": lambda stated, content: (
        stated,
        parquet(column_0=np.ones(1, "f4"), column_1=np.zeros(1, "f4")),
    ),
    "other type": lambda stated, content: (
        stated,
        parquet(column_0=["x"] * 120, column_1=["x"] * 120),
    ),
    "bomb": bomb,
    "not a number": valued(np.nan),
    "infinite": valued(np.inf),
    "negative": valued(-0.5),
    "sum": valued(0.999),
    "fewer items": refilled(
        lambda a: Answer(a.values[:, :-1], a.donors[:, :-1] % 59, a.remarks)
    ),
    "more classes": refilled(
        lambda a: Answer(np.pad(a.values, ((0, 0), (0, 0), (0, 1))), a.donors)
    ),
    "fewer repeats": refilled(lambda a: Answer(a.values[:1], a.donors[:1])),
    "no givers": refilled(lambda a: Answer(a.values)),
    "strange givers": refilled(lambda a: Answer(a.values, a.donors + 60)),
}


@pytest.fixture
def benchmark(items):
    return Benchmark("made", items, items, "claim", "proof")


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_answer_is_named_once_and_computed_again(tmp_path, benchmark, name):
    lines = []
    with open_experiment(benchmark, store=tmp_path, notice=lines.append) as experiment:
        (whole,) = ask_all(experiment, [ASK])
        key = ask_key(ASK, benchmark, 0)
        files = [path.read_bytes() for path in experiment.store.paths(key, RAW)]
        entry = experiment.store.read(key, RAW, lines.append)
        experiment.store.write(key, RAW, FORGERIES[name](*entry))
        (again,) = ask_all(experiment, [ASK])
        assert [key in line and "\n" not in line for line in lines] == [True]
        assert (again.probabilities == whole.probabilities).all()
        assert (again.donors == whole.donors).all()
        kept = [path.read_bytes() for path in experiment.store.paths(key, RAW)]
        assert kept == files
        assert experiment.tally["computed"] == 2


@dataclass(frozen=True)
class Tuned:
    """A reader with settings of every type."""

    rate: float = 1e-5
    length: int | None = None
    rates: tuple[float, ...] = (1e-5,)
    preset: str = "a"


@pytest.mark.parametrize(
    ("remarks", "fits"),
    [
        ({}, True),
        ({"rate": 2e-5, "rates": [], "length": 3, "preset": "b"}, True),
        ({"rate": "x"}, False),
        ({"other": 1}, False),
        ({"preset": 3}, False),
        ({"rates": {}}, False),
        ({"fit": 3}, False),
    ],
)
def test_settings_are_those_that_the_reader_has(remarks, fits):
    answer = Answer(np.zeros((1, 1, 1), "f4"), None, remarks)
    assert answer_fits(answer, Ask(Tuned(), what=SETTINGS), 5, 2) == fits


@pytest.mark.parametrize(
    ("what", "shape", "fits"),
    [
        (EMBEDDING, (1, 5, 7), True),
        (EMBEDDING, (1, 5, 0), True),
        (EMBEDDING, (2, 5, 7), False),
        (EPOCHS, (3, 5, 3), False),
        (WORDS, (2, 5, 9), True),
        (WORDS, (3, 5, 9), False),
        (WORDS, (2, 4, 9), False),
    ],
)
def test_measures_have_the_shape_of_what_was_asked(what, shape, fits):
    answer = Answer(np.zeros(shape, "f4"))
    assert answer_fits(answer, Ask(MajorityReader(), what=what), 5, 2) == fits


@dataclass(frozen=True)
class Unsure:
    """A reader whose shares sum to nothing."""

    def fit(self, items, rng):
        fitted = MajorityReader().fit(items, rng)
        fitted_type = type("Fitted", (), {"classes": fitted.classes})
        fitted_type.predict = lambda self, items: np.zeros((len(items), 2))
        return fitted_type()


def test_a_reader_without_sound_answers_is_one_line(tmp_path, benchmark):
    with (
        open_experiment(benchmark, store=tmp_path) as experiment,
        pytest.raises(ReaderFailed, match="Unsure gave no answers that could be kept"),
    ):
        ask_all(experiment, [Ask(Unsure())])


def test_texts_are_kept_as_they_were_written_and_nothing_else_is_taken_for_them():
    texts = (("Oslo", "", 'tab\t"quote" ß \u2603'), ("a", "b", "c"))
    donors = np.array([[1, 2, 0], [2, 0, 1]], np.int32)
    written = Answer(np.zeros((2, 3, 0), np.float32), donors, {}, texts)
    stated, content = ANSWER_CODEC.pack(written)
    kept = ANSWER_CODEC.unpack(stated, content)
    assert kept.texts == texts
    np.testing.assert_array_equal(kept.donors, donors)
    ask = replace(ASK, what=TEXTS)
    assert answer_fits(kept, ask, 3, 2)
    assert not answer_fits(kept, ask, 4, 2)
    assert not answer_fits(replace(kept, texts=None), ask, 3, 2)
    assert not answer_fits(replace(kept, donors=None), ask, 3, 2)
    shares = Answer(np.full((2, 3, 2), 0.5, np.float32), donors)
    assert answer_fits(shares, ASK, 3, 2)
    assert not answer_fits(replace(shares, texts=texts), ASK, 3, 2)
    with pytest.raises(ValueError, match="other columns or rows"):
        ANSWER_CODEC.unpack(stated, parquet(text=pa.array([1] * 6)))
