"""The folder of a sentence encoder: read whole, checked, and running no code.

Of a folder that strangers made, all that would be indexed or multiplied is checked
against config.json first: shapes, numbers of tokens, layers. No pickle is opened, no
code is run, and nothing is drawn at random where weights lack a part.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from measurand.core.errors import BadInput, MissingExtra, MissingWeights, quote
from measurand.disk.files import MOST_BYTES, parse_json, read_bounded, read_json
from measurand.models.places import CONFIG, WEIGHTS
from measurand.models.quiet import is_fault
from measurand.models.sentence_encoder import (
    BLOCK,
    Layer,
    Matrix,
    SentenceEncoder,
    Shape,
)

EXTRA = "frozen"
TOKENIZER, POOLING = "tokenizer.json", "1_Pooling/config.json"
LENGTHS = "sentence_bert_config.json"  # says how many tokens of a text are read
STEPS = "normalizer", "pre_tokenizer"  # of a tokenizer, before it cuts
NEEDED = f"a directory with {CONFIG}, {TOKENIZER} and {WEIGHTS} of a BERT or RoBERTa"
# By what config.json calls them: whether positions begin behind that of the padding.
KINDS = {"bert": False, "roberta": True, "xlm-roberta": True, "camembert": True}
PREFIXES = "", "bert.", "roberta."  # what stands before the names of the weights
GELUS = "gelu", "gelu_new", "gelu_pytorch_tanh"
MOST = 2**14  # of layers, positions, and numbers of a vector: no encoder has more
MOST_TOKENS = 2**22  # of a vocabulary
MOST_WEIGHTS = 2**33  # bytes of the file
MOST_GROWTH = 64  # times that what stands before a tokenizer may lengthen a text
FLOATS = "F16", "F32", "F64"


def read_encoder(location: str) -> SentenceEncoder:
    """The encoder of a folder; whatever is wrong with it is said in one line."""
    folder = Path(location)
    try:
        shape = _read_shape(_read_config(folder / CONFIG))
        length, by_mean = _read_length(folder, shape), _pools_by_mean(folder)
        tokenizer = _read_tokenizer(folder / TOKENIZER, shape, length)
        file = _open_tensors(folder / WEIGHTS)
        tensors = _Tensors(file, shape, frozenset(file.keys()))
        return _assemble(tokenizer, tensors, length, by_mean=by_mean)
    except (MissingExtra, MemoryError):
        raise
    except BaseException as failure:
        if not is_fault(failure):
            raise
        raise MissingWeights(
            f"cannot read the encoder in {quote(location, 200)}: {_fault_line(failure)}"
            f"; give {NEEDED}"
        ) from failure


def _assemble(
    tokenizer: Any, tensors: "_Tensors", length: int, *, by_mean: bool
) -> SentenceEncoder:
    """The encoder of these weights."""
    layers = [tensors.layer(number) for number in range(tensors.shape.layers)]
    return SentenceEncoder(
        tokenizer,
        tensors.shape,
        length,
        by_mean,
        words=tensors.take("embeddings.word_embeddings.weight"),
        positions=tensors.positions(),
        norm=tensors.norm("embeddings.LayerNorm"),
        layers=layers,
    )


def _read_config(path: Path) -> dict[str, Any]:
    """The object in a JSON file."""
    value = read_json(path, MOST_BYTES)
    if not isinstance(value, dict):
        raise BadInput(f"{path.name} is no object")
    return value


def _read_shape(config: Mapping[str, Any]) -> Shape:
    """What config.json says, where it is of a network that is known here."""
    kind = config.get("model_type")
    if kind not in KINDS:
        allowed = ", ".join(KINDS)
        raise BadInput(f"{CONFIG} is of a {quote(str(kind))}; allowed are {allowed}")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise BadInput(f"{CONFIG} has positions that are not absolute")
    if config.get("hidden_act", "gelu") not in GELUS:
        raise BadInput(
            f"{CONFIG} sets hidden_act to {quote(str(config['hidden_act']))}"
        )
    names = (
        *("hidden_size", "num_hidden_layers", "num_attention_heads"),
        *("intermediate_size", "vocab_size", "max_position_embeddings"),
    )
    counts = [config.get(name) for name in names]
    for setting, count in zip(names, counts, strict=True):
        most = MOST_TOKENS if setting == "vocab_size" else MOST
        if not isinstance(count, int) or not 0 < count <= most:
            raise BadInput(f"{CONFIG} sets {setting} to {quote(str(count))}")
    size, layers, heads, inner, vocabulary, positions = map(int, counts)  # type: ignore[arg-type]
    offset = 1 + int(config.get("pad_token_id", 1)) if KINDS[kind] else 0
    if size % heads or not 0 <= offset < positions:
        raise BadInput(f"{CONFIG} has heads or positions that do not fit its size")
    epsilon = float(config.get("layer_norm_eps", 1e-12))
    if not 0 <= epsilon < 1:
        raise BadInput(f"{CONFIG} sets layer_norm_eps to {epsilon}")
    return Shape(
        size=size,
        layers=layers,
        heads=heads,
        inner=inner,
        vocabulary=vocabulary,
        positions=positions,
        offset=offset,
        epsilon=epsilon,
    )


def _read_length(folder: Path, shape: Shape) -> int:
    """How many tokens of a text are read."""
    most = shape.positions - shape.offset
    if (folder / LENGTHS).is_file():
        stated = _read_config(folder / LENGTHS).get("max_seq_length")
        if isinstance(stated, int) and stated > 2:
            most = min(most, stated)
    return min(most, BLOCK)


def _pools_by_mean(folder: Path) -> bool:
    """Whether texts are the mean of their tokens, as where nothing is said."""
    if not (folder / POOLING).is_file():
        return True
    modes = [
        name
        for name, chosen in _read_config(folder / POOLING).items()
        if name.startswith("pooling_mode_") and chosen
    ]
    if modes not in (["pooling_mode_mean_tokens"], ["pooling_mode_cls_token"]):
        raise BadInput(f"{POOLING} asks for {modes}; allowed are mean and cls tokens")
    return modes == ["pooling_mode_mean_tokens"]


def _read_tokenizer(path: Path, shape: Shape, length: int) -> Any:
    """The tokenizer, which knows no token that the network has no row for."""
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtra("frozen", EXTRA) from None
    content = read_bounded(path, 4 * MOST_BYTES)
    stated = parse_json(content)
    steps = [stated.get(step) for step in STEPS] if isinstance(stated, dict) else []
    if _growth(steps) > MOST_GROWTH:
        raise BadInput("its tokenizer makes texts many times as long")
    tokenizer = Tokenizer.from_str(content.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(length)
    numbers = [*tokenizer.get_vocab(True).values(), *tokenizer.encode("a").ids]
    if not tokenizer.encode("").ids:
        raise BadInput("its tokenizer puts no mark before a text")
    if max(numbers, default=0) >= shape.vocabulary:
        raise BadInput(
            f"its tokenizer gives a token the number {max(numbers)}, and the network "
            f"knows {shape.vocabulary}, counted from 0"
        )
    return tokenizer


def _growth(steps: object) -> int:
    """How many times as long these steps can make a text, multiplied up.

    Of a few kilobytes each step may double what the one before it made.
    """
    if isinstance(steps, list):
        return min(math.prod(map(_growth, steps)), MOST_GROWTH + 1)
    if not isinstance(steps, dict):
        return 1
    added = [steps.get("content"), steps.get("prepend")]
    longest = max((len(text) for text in added if isinstance(text, str)), default=1)
    inner = [steps.get("normalizers"), steps.get("pretokenizers")]
    return min(max(longest, 1) * _growth(inner), MOST_GROWTH + 1)


def _open_tensors(path: Path) -> Any:
    """A file of safetensors, of which nothing is loaded yet."""
    try:
        from safetensors import safe_open
    except ImportError:
        raise MissingExtra("frozen", EXTRA) from None
    if not path.is_file():
        raise BadInput(f"it holds no {WEIGHTS}")
    if path.stat().st_size > MOST_WEIGHTS:
        raise BadInput(f"{WEIGHTS} has more than {MOST_WEIGHTS:,} bytes")
    return safe_open(path, framework="np")


@dataclass(frozen=True, eq=False)
class _Tensors:
    """The weights of a file, each of the shape that config.json gives it.

    One is loaded where its shape is right: a file may hold any other.
    """

    file: Any
    shape: Shape
    names: frozenset[str]

    def take(self, name: str, *shape: int) -> Matrix:
        """A matrix or vector of this shape; of a table, by default, one a token."""
        shape = shape or (self.shape.vocabulary, self.shape.size)
        key = self._find(name)
        if key is None:
            raise BadInput(f"the weights lack {quote(name)}")
        piece = self.file.get_slice(key)
        if tuple(piece.get_shape()) != shape or piece.get_dtype() not in FLOATS:
            raise BadInput(f"{CONFIG} gives {quote(key)} another shape")
        with np.errstate(over="ignore"):
            tensor = np.ascontiguousarray(self.file.get_tensor(key), np.float32)
        if not np.isfinite(tensor).all():
            raise BadInput(f"{quote(key)} holds what is no number")
        return tensor

    def _find(self, name: str) -> str | None:
        """What the file calls it; nothing where it has no such weights."""
        return next((p + name for p in PREFIXES if p + name in self.names), None)

    def positions(self) -> Matrix:
        """The vector of each position, with that of the first kind of text."""
        table = self.take(
            "embeddings.position_embeddings.weight",
            self.shape.positions,
            self.shape.size,
        )
        name = "embeddings.token_type_embeddings.weight"
        key = self._find(name)
        if key is not None:
            kinds = [*self.file.get_slice(key).get_shape(), 0][0]
            table = table + self.take(name, min(kinds, MOST), self.shape.size)[0]
        return table

    def norm(self, name: str) -> tuple[Matrix, Matrix]:
        """The scale and the shift of a norm."""
        size = self.shape.size
        return self.take(f"{name}.weight", size), self.take(f"{name}.bias", size)

    def product(self, name: str, size: int, inner: int) -> tuple[Matrix, Matrix]:
        """Weights as inputs × outputs, and their bias."""
        weights = self.take(f"{name}.weight", inner, size)
        return np.ascontiguousarray(weights.T), self.take(f"{name}.bias", inner)

    def layer(self, number: int) -> Layer:
        """The weights of a layer; the scale of attention is in those of queries."""
        size, inner = self.shape.size, self.shape.inner
        start = f"encoder.layer.{number}."
        scale = np.float32((size // self.shape.heads) ** -0.5)
        query, key, value = (
            self.product(f"{start}attention.self.{name}", size, size)
            for name in ("query", "key", "value")
        )
        query = query[0] * scale, query[1] * scale
        weights, bias = zip(query, key, value, strict=True)
        return Layer(
            (np.concatenate(weights, axis=1), np.concatenate(bias)),
            self.product(f"{start}attention.output.dense", size, size),
            self.norm(f"{start}attention.output.LayerNorm"),
            widening=self.product(f"{start}intermediate.dense", size, inner),
            narrowing=self.product(f"{start}output.dense", inner, size),
            second_norm=self.norm(f"{start}output.LayerNorm"),
        )


def _fault_line(failure: BaseException) -> str:
    """What went wrong, in one short line."""
    if isinstance(failure, OSError) and failure.strerror:
        return f"{Path(str(failure.filename)).name}: {failure.strerror.lower()}"
    words = " ".join(str(failure).split()) or type(failure).__name__
    return words if isinstance(failure, BadInput) else quote(words, 160)[1:-1]
