"""Models from anywhere: read from safetensors alone, whole, and running no code.

Every network, tokenizer and config of transformers is loaded here. A pickle (`.bin`,
`.pt`) is never opened, an adapter is not followed to the model that it names, and
weights that lack part of the body are refused, as transformers would draw it at random.
Whatever would index a table beyond its end, such as a token that the tokenizer knows
and the network does not, is refused before anything is read with it.
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import transformers

from measurand.core.errors import BadInput, MeasurandError, MissingWeights, quote
from measurand.disk.files import MOST_BYTES, read_bounded, read_json
from measurand.models.places import CONFIG, INDEX, WEIGHTS
from measurand.models.quiet import is_fault, quiet_hub
from measurand.models.sketch import LAYERS, check_size, sketching, weight_shapes

PICKLED = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle", ".h5", ".msgpack")
TOKENIZER_CONFIG = "tokenizer_config.json"
ADAPTERS = ("adapter_config.json", "adapter_model.bin", "adapter_model.safetensors")
# Parts that are made one after the other, before any weights are looked at: the most of
# each that a config may ask for, far more than any model has.
MOST_PARTS = (
    dict.fromkeys(LAYERS, 2_000)
    | dict.fromkeys(("num_experts", "num_local_experts", "n_routed_experts"), 100_000)
    | dict.fromkeys(("num_labels", "id2label", "label2id"), 30_000)
)
POOLER = "pooler"  # a part of the body that checkpoints for other tasks lack
NEEDED = f"a directory with {CONFIG}, {WEIGHTS} and tokenizer, or a hub id within reach"
ADVICE = "load it where you trust it, and save it again with save_pretrained"


@contextmanager
def loading(what: str, location: str, needed: str = NEEDED) -> Iterator[None]:
    """Turn whatever a broken or hostile model raises while it is read into one line.

    transformers, tokenizers and safetensors raise errors of any kind, and the engine
    of tokenizers even what is no `Exception`.
    """
    try:
        with quiet_hub(asks=not Path(location).exists()):
            yield
    except (MeasurandError, MemoryError, torch.OutOfMemoryError):
        raise
    except BaseException as failure:
        if not is_fault(failure):
            raise
        raise MissingWeights(
            f"cannot load {what} from {quote(location, 200)} ({_cause(failure)}); "
            f"give {needed}"
        ) from failure


def load_config(location: str, **options: Any) -> Any:
    """What config.json says, after a look at the files next to it."""
    check_model_files(location)
    return transformers.AutoConfig.from_pretrained(
        location, trust_remote_code=False, **options
    )


def load_tokenizer(location: str, **options: Any) -> Any:
    """The tokenizer in a directory or of a hub id."""
    _check_ordinary_files(location)
    _check_tokenizer_files(Path(location))
    tokenizer = transformers.AutoTokenizer.from_pretrained(
        location, trust_remote_code=False, **options
    )
    if "gguf_file" not in options:  # a known decoder; reading GGUF costs seconds
        _check_ids(tokenizer, load_config(location, **options))
    return tokenizer


def position_count(config: Any, location: str = "") -> int | None:
    """How many tokens have a position; None where config.json sets no bound.

    RoBERTa and its like count positions from behind that of the padding.

    Args:
        config: What config.json says.
        location: Where the weights are, where they were not read yet.
    """
    stated = getattr(config, "max_position_embeddings", None)
    if not isinstance(stated, int) or stated < 1:
        return None  # -1 represents positions relative to each other
    build: Any = transformers.AutoModel.from_config
    with sketching(len(weight_shapes(location)) if location else 0):
        network = build(config)
    skipped = [
        getattr(table, "padding_idx", None)
        for name, table in network.named_modules()
        if name.endswith("position_embeddings")
    ]
    return stated - max((1 + at for at in skipped if at is not None), default=0)


def load_network(
    kind: Any, location: str, *, new_head: bool = False, **options: Any
) -> tuple[Any, frozenset[str]]:
    """The network with its weights, and what of it the weights lack.

    Args:
        kind: The class of transformers that loads such models.
        location: A directory or hub id.
        new_head: Whether the head may be missing or of another shape, and is drawn.
        options: More for `from_pretrained`.
    """
    check_model_files(location, gguf="gguf_file" in options)
    if "gguf_file" not in options:
        options["use_safetensors"] = True
        check_size(kind, location)
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    network, information = kind.from_pretrained(
        location,
        trust_remote_code=False,
        ignore_mismatched_sizes=True,  # to name them below
        output_loading_info=True,
        **options,
    )
    misshapen = {str(key) for key, *_ in information["mismatched_keys"]}
    body = _body_parts(network)
    if wrong := sorted(misshapen & body if new_head else misshapen):
        raise ValueError(f"config.json gives {wrong[0]} another shape")
    missing = frozenset(misshapen.union(map(str, information["missing_keys"])))
    lacking = sorted(name for name in missing & body if POOLER not in name)
    if new_head and lacking:
        raise ValueError(
            f"the weights lack {_list_parts(lacking)} of the body, which would be "
            "drawn at random"
        )
    return network, missing


def check_complete(what: str, location: str, missing: frozenset[str]) -> None:
    """Raise where part of a network that nobody will train was not in its weights."""
    if missing:
        raise MissingWeights(
            f"the weights of {what} in {quote(location, 200)} lack "
            f"{_list_parts(missing)}, which would be drawn at random; give {NEEDED}"
        )


def check_path(source: str, others: str = " or a hub id") -> None:
    """Raise where a name that only a path can be leads to no directory."""
    is_path = Path(source).is_absolute() or source.startswith(".")
    if (is_path or source.count("/") > 1) and not Path(source).is_dir():
        raise MissingWeights(
            f"no model directory {quote(source, 200)}; name a directory{others}"
        )


def check_model_files(location: str, *, gguf: bool = False) -> None:
    """Raise where a directory holds no weights that are safe to read.

    Of a hub id, transformers is told to take safetensors alone.
    """
    folder = Path(location)
    if not folder.is_dir():
        return
    _check_ordinary_files(location)
    if adapters := [name for name in ADAPTERS if (folder / name).exists()]:
        raise MissingWeights(
            f"{quote(location, 200)} holds an adapter ({adapters[0]}), which leads to "
            "another model; merge it into that model, and save both with "
            "save_pretrained"
        )
    if gguf:
        return
    if (folder / CONFIG).is_file():
        _check_config(folder)
    if not any((folder / name).is_file() for name in (WEIGHTS, INDEX)):
        _refuse_pickles(folder)
        return  # transformers says what is missing
    if not (folder / WEIGHTS).is_file():
        _check_index(folder)


def _check_ordinary_files(location: str) -> None:
    """Raise where a pipe or a device stands among the files: reading it never ends."""
    folder = Path(location)
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if path.exists() and not path.is_file() and not path.is_dir():
            raise MissingWeights(
                f"{quote(path.name)} in {quote(location, 200)} is no ordinary file; "
                "remove it"
            )


def _refuse_pickles(folder: Path) -> None:
    """Raise where there are only weights that may hold code."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    if pickled := [name for name in names if name.lower().endswith(PICKLED)]:
        raise MissingWeights(
            f"cannot load weights from {quote(str(folder), 200)}: {quote(pickled[0])} "
            f"may hold code; allowed is safetensors: {ADVICE}"
        )


def _check_index(folder: Path) -> None:
    """Raise where the list of the weights' files names any that is not safetensors."""
    names = _read_object(folder / INDEX).get("weight_map")
    shards = dict.fromkeys(names.values()) if isinstance(names, dict) else [None]
    for shard in shards:
        if (
            not isinstance(shard, str)
            or Path(shard).name != shard
            or not shard.endswith(".safetensors")
        ):
            raise MissingWeights(
                f"{INDEX} in {quote(str(folder), 200)} names {quote(str(shard))}; "
                f"allowed are safetensors files beside it: {ADVICE}"
            )


def _check_config(folder: Path) -> None:
    """Raise where config.json leads to other weights or to code of a hub."""
    config = _read_object(folder / CONFIG)
    where = f"{CONFIG} in {quote(str(folder), 200)}"
    if config.get("transformers_weights") is not None:
        raise MissingWeights(
            f"{where} names its own weights in 'transformers_weights'; allowed is "
            f"{WEIGHTS}: {ADVICE}"
        )
    parts = [config, *(part for part in config.values() if isinstance(part, dict))]
    for name, most in MOST_PARTS.items():
        counts = [part.get(name) for part in parts]
        # Of labels, each has a name.
        counts = [len(c) if isinstance(c, dict | list) else c for c in counts]
        if wrong := [n for n in counts if isinstance(n, int) and n > most]:
            raise MissingWeights(
                f"{where} sets {name} to {wrong[0]}; allowed are {most:,} at most"
            )
    for name, value in config.items():
        if name.endswith("_implementation") and "/" in str(value):
            raise MissingWeights(
                f"{where} sets {quote(name)} to {quote(str(value))}, which is code of "
                "a hub and is never run; remove it"
            )


def _read_object(path: Path) -> dict[str, Any]:
    """The object in a JSON file next to the weights."""
    try:
        value = read_json(path, 4 * MOST_BYTES)
        if not isinstance(value, dict):
            raise BadInput("it is no object")
    except BadInput as bad:
        raise MissingWeights(
            f"cannot load weights from {quote(str(path.parent), 200)}: of {path.name}, "
            f"{bad}; copy or download it again"
        ) from None
    return value


def _list_parts(missing: Collection[str]) -> str:
    """The first parts by name, and how many more there are.

    >>> _list_parts(["b", "a"]), _list_parts("edcba")
    ("'a' and 'b'", "'a', 'b', 'c' and 2 more")
    """
    names = [quote(name, 80) for name in sorted(missing)[:3]]
    rest = [f"{len(missing) - 3} more"] if len(missing) > 3 else []
    *first, last = [*names, *rest]
    return f"{', '.join(first)} and {last}" if first else last


def _body_parts(network: Any) -> set[str]:
    """The names of the weights below the head; all, where nothing is set apart."""
    body = {id(part) for part in network.base_model.parameters()}
    return {name for name, part in network.named_parameters() if id(part) in body}


def _check_tokenizer_files(folder: Path) -> None:
    """Raise where tokenizer_config.json leads to files outside the folder."""
    path = folder / TOKENIZER_CONFIG
    if not path.is_file():
        return
    # Not as other JSON is read: honest ones say that texts may have 1e30 tokens.
    settings = json.loads(read_bounded(path))
    if not isinstance(settings, dict):
        return
    listed = settings.get("fast_tokenizer_files")
    names = [*listed] if isinstance(listed, list) else []
    # These are a vocabulary; a text is the path of one, wherever it leads.
    entries = [settings.get(key) for key in ("vocab", "merges")]
    paths = [value for value in entries if isinstance(value, str)]
    for name in (*names, *paths):
        if name in paths or not isinstance(name, str) or Path(name).name != name:
            raise MissingWeights(
                f"{TOKENIZER_CONFIG} in {quote(str(folder), 200)} names "
                f"{quote(str(name))}; allowed are files beside it: {ADVICE}"
            )


def _check_ids(tokenizer: Any, config: Any) -> None:
    """Raise where the tokenizer gives numbers that the network has no row for.

    The marks around texts may have numbers that are in no vocabulary.
    """
    encodings = [tokenizer("a"), tokenizer("a", "a")]
    marks = [n for encoding in encodings for n in encoding["input_ids"]]
    kinds = [n for encoding in encodings for n in encoding.get("token_type_ids", ())]
    text_config = config.get_text_config()
    for noun, numbers, setting in (
        ("token", [*tokenizer.get_vocab().values(), *marks], "vocab_size"),
        ("kind", kinds, "type_vocab_size"),
    ):
        rows = getattr(text_config, setting, None)
        largest = max(numbers, default=0)
        if isinstance(rows, int) and largest >= rows > 0:  # with 0 there is no table
            raise ValueError(
                f"the tokenizer gives a {noun} the number {largest}, and the network "
                f"knows {rows}, counted from 0"
            )


def _cause(failure: BaseException) -> str:
    """What went wrong, in one short line."""
    if "trust_remote_code" in str(failure):
        return "it needs code from the hub, which is never run"
    words = " ".join(str(failure).split())
    if not isinstance(failure, OSError | ValueError) or not words:
        words = f"{type(failure).__name__}: {words}".removesuffix(": ")
    return quote(words, 160)[1:-1]
