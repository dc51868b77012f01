"""Static word vectors: one vector for each piece of a word, read without torch.

A word is cut into the pieces of the tokenizer by its merges (Sennrich et al. 2016) and
its vector is the sum of theirs. The length of that sum is its weight: vectors that were
trained under a mean are short for words that say little. Directions are rounded to
whole numbers, whose products add up to the same bits in any order on any machine.

Words that the pieces spell letter by letter, as those of most scripts besides Latin and
Cyrillic, have no vector worth having; signs drawn by their runs of letters take its
place, so that a word is like itself and its inflections and nothing else.
"""

import hashlib
import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from measurand.core.arrays import Bools, Floats
from measurand.core.errors import BadInput, MissingExtra, MissingWeights, quote
from measurand.disk.files import parse_json, read_bounded
from measurand.models.places import load_once, package_folders
from measurand.text.words import MOST_WORDS

PACKAGE = "wordllama"
EXTRA = "vectors"
# Where the package keeps its files, and what a folder of one's own calls them.
PACKAGED = (
    "weights/l2_supercat_256.safetensors",
    ("tokenizers/l2_supercat_tokenizer_config.json"),
)
OWN = "model.safetensors", "tokenizer.json"
MOST_BYTES = 2**28  # of a file of vectors
HEADER = 8  # bytes that hold how long the header of safetensors is
FORMATS: Mapping[str, Any] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}
START = "▁"  # stands before the first piece of a word
STEPS = 127  # whole numbers that a coordinate may have, either way
RUN = 3  # letters of a run, of words that the pieces cannot read
NEEDED = f"pip install 'measurand[{EXTRA}]', or give a folder with {' and '.join(OWN)}"


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The vectors of some words, one a row.

    Attributes:
        directions: Whole numbers from -127 to 127.
        lengths: The length of each row of these.
        weights: How much each word says.
        spelled: Which words were read by their letters.
        like: The cosine from which words mean alike.
        same: That from which they are one word.
    """

    directions: "NDArray[np.int8]"
    lengths: "NDArray[np.float32]"
    weights: Floats
    spelled: Bools
    like: float = 0.5
    same: float = 0.9999


@dataclass(frozen=True, eq=False)
class WordVectors:
    """The vectors of pieces, and how words are cut into these.

    Attributes:
        table: One row per piece.
        numbers: The row of each piece.
        ranks: The place of each merge of two pieces: the first is made first.
    """

    table: "NDArray[np.float32]"
    numbers: Mapping[str, int]
    ranks: Mapping[tuple[str, str], int]
    rows: dict[str, tuple[bytes, float, float, bool]] = field(default_factory=dict)

    def lexicon(self, words: Sequence[str]) -> Lexicon:
        """The vectors of these words."""
        rows = [self.rows.get(word) or self._keep(word) for word in words]
        joined = b"".join(row[0] for row in rows)
        shape = len(rows), self.table.shape[1]
        return Lexicon(
            np.frombuffer(joined, np.int8).reshape(shape),
            np.array([row[1] for row in rows], np.float32),
            np.array([row[2] for row in rows], float),
            np.array([row[3] for row in rows], bool),
        )

    def cut(self, word: str) -> list[str]:
        """The pieces of a word, by the merges that were learned first."""
        pieces = [START, *word]
        while len(pieces) > 1:
            places = [self.ranks.get(pair, math.inf) for pair in pairwise(pieces)]
            first = places.index(min(places))
            if places[first] == math.inf:
                break
            pieces[first : first + 2] = [pieces[first] + pieces[first + 1]]
        return pieces

    def _keep(self, word: str) -> tuple[bytes, float, float, bool]:
        """The row of a word: direction, length, weight, and whether it was spelled."""
        if len(self.rows) >= MOST_WORDS:
            self.rows.clear()
        pieces = self.cut(word)
        numbers = [self.numbers.get(piece, -1) for piece in pieces]
        spelled = min(numbers) < 0 or (len(word) >= RUN and len(pieces) > len(word))
        vector = (
            self._spell(word) if spelled else self.table[numbers].sum(0, np.float64)
        )
        largest = float(np.abs(vector).max()) or 1.0
        direction = np.rint(vector * (STEPS / largest)).astype(np.int8)
        length = math.sqrt(int((direction.astype(np.int64) ** 2).sum())) or 1.0
        weight = round(float(np.sqrt((vector**2).sum())), 3)
        self.rows[word] = row = (direction.tobytes(), length, weight, spelled)
        return row

    def _spell(self, word: str) -> Floats:
        """The sum of signs that the runs of letters of a word draw."""
        marked = f"<{word}>"
        size = self.table.shape[1]
        signs = np.zeros(size)
        for start in range(max(1, len(marked) - RUN + 1)):
            run = marked[start : start + RUN].encode("utf-8", "backslashreplace")
            drawn = hashlib.shake_256(run).digest(-(-size // 8))
            signs += 2.0 * np.unpackbits(np.frombuffer(drawn, np.uint8))[:size] - 1
        length = float(np.sqrt((signs**2).sum())) or 1.0
        return np.asarray(signs * (self._usual_weight / length))

    @cached_property
    def _usual_weight(self) -> float:
        """The weight of a word that pieces cannot read: that of most pieces."""
        return float(np.median(np.sqrt((self.table**2).sum(axis=1))))


def vectors_path(name: str, *, fetch: bool = True) -> str | None:
    """The file or folder whose digest represents these vectors; None without them."""
    if name != PACKAGE:
        return name if os.path.isdir(name) else None
    files = _vector_files(name)
    return files[0] if files and os.path.isfile(files[0]) else None


def check_vectors(name: str) -> None:
    """Raise where the vectors are not to be had."""
    if vectors_path(name) is None:
        if name == PACKAGE:
            raise MissingExtra("aligned", EXTRA)
        raise MissingWeights(f"no vectors in {quote(name, 200)}; {NEEDED}")


@load_once(vectors_path)
def load_vectors(name: str) -> WordVectors:
    """The vectors of the installed package, or of a folder."""
    check_vectors(name)
    weights, tokenizer = _vector_files(name)
    table = _read_part(weights, _read_vectors)
    numbers, ranks = _read_part(tokenizer, _read_pieces)
    if len(numbers) != len(table) or {*numbers.values()} != {*range(len(table))}:
        raise MissingWeights(
            f"{quote(weights, 200)} has {len(table)} vectors for {len(numbers)} "
            f"pieces; {NEEDED}"
        )
    return WordVectors(table, numbers, ranks)


def _vector_files(name: str) -> tuple[str, ...]:
    """The files of the vectors and of the tokenizer; nothing where not installed."""
    if name != PACKAGE:
        return tuple(os.path.join(name, file) for file in OWN)
    for folder in package_folders(PACKAGE):
        return tuple(os.path.join(folder, file) for file in PACKAGED)
    return ()


def _read_part(path: str, read: Any) -> Any:
    """What is read of a file; whatever is wrong with it is said in one line."""
    try:
        return read(read_bounded(path, MOST_BYTES))
    except OSError as failure:
        why = (failure.strerror or type(failure).__name__).lower()
    except (BadInput, ValueError, LookupError, TypeError, AttributeError) as odd:
        why = str(odd) if isinstance(odd, BadInput) else "it holds no word vectors"
    raise MissingWeights(f"cannot read {quote(path, 200)}: {why}; {NEEDED}")


def _read_vectors(content: bytes) -> "NDArray[np.float32]":
    """The one matrix of a file of safetensors."""
    end = HEADER + int.from_bytes(content[:HEADER], "little")
    header = json.loads(content[HEADER:end])
    ((_, entry),) = ((n, e) for n, e in header.items() if n != "__metadata__")
    form, (rows, columns) = FORMATS[entry["dtype"]], entry["shape"]
    start, stop = entry["data_offsets"]
    if stop - start != rows * columns * form.itemsize or end + stop > len(content):
        raise BadInput("it is cut off")
    table = np.frombuffer(content[end + start : end + stop], form)
    if not np.isfinite(table).all():
        raise BadInput("it holds what is no number")
    return table.reshape(rows, columns).astype(np.float32)


def _read_pieces(content: bytes) -> tuple[dict[str, int], dict[tuple[str, str], int]]:
    """The number of each piece, and the place of each merge."""
    model = parse_json(content)["model"]
    if model["type"] != "BPE":
        raise BadInput("its tokenizer merges no pairs (BPE)")
    merges = (m.split(" ") if isinstance(m, str) else m for m in model["merges"])
    ranks = {(left, right): rank for rank, (left, right) in enumerate(merges)}
    return dict(model["vocab"]), ranks
