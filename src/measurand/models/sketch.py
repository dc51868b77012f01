"""A sketch of a network: how large a config would make it, before it is made."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import Any

import torch
import transformers
from safetensors import safe_open
from torch.nn.modules.module import register_module_module_registration_hook

# What configs call the number of layers; each layer has a part in the weights.
LAYERS = (
    *("num_hidden_layers", "num_layers", "num_decoder_layers"),
    *("encoder_layers", "decoder_layers", "n_layer", "n_layers"),
)
# Modules for each part of the weights, and next to them, that a network may be made of:
# real ones are made of fewer than three. Where no weights are next to a config, in all.
EACH_PART, BESIDE, MOST_MODULES = 20, 1_000, 200_000


def check_size(kind: Any, location: str) -> None:
    """Raise where config.json describes a network far larger than the weights.

    All of it would be drawn at random before anybody could say so, and fill the memory.
    """
    shapes = weight_shapes(location)
    if not shapes:
        return
    config = transformers.AutoConfig.from_pretrained(location, trust_remote_code=False)
    for name in LAYERS:
        value = getattr(config, name, None)
        if isinstance(value, int) and not 0 < value <= len(shapes):
            raise ValueError(
                f"config.json sets {name} to {value}, and the weights hold "
                f"{len(shapes)} parts"
            )
    if getattr(config, "quantization_config", None) is not None:
        return  # several numbers in one
    with sketching(len(shapes)):
        described = sum(part.numel() for part in kind.from_config(config).parameters())
    weight_count = sum(math.prod(shape) for shape in shapes)
    # Twice for a table that is tied to the head and stands in the weights once.
    if described > 3 * weight_count:
        raise ValueError(
            f"config.json describes {described:,} numbers, and the weights hold "
            f"{weight_count:,}, so that most would be drawn at random"
        )


def weight_shapes(location: str) -> list[list[int]]:
    """The shapes of all parts of the weights in a directory."""
    shapes: list[list[int]] = []
    for file in sorted(Path(location).glob("*.safetensors")):
        with safe_open(file, framework="pt") as tensors:
            names = tensors.keys()
            shapes += [tensors.get_slice(name).get_shape() for name in names]
    return shapes


@contextmanager
def sketching(parts: int) -> Iterator[None]:
    """Make networks without numbers, and stop where one grows beyond its weights.

    Configs of each family count layers, groups and blocks by names of their own, and a
    count of millions would take hours: so the modules are counted as they are made.

    Args:
        parts: How many parts the weights hold; 0 where that is not known.
    """
    most = min(MOST_MODULES, BESIDE + EACH_PART * parts) if parts else MOST_MODULES
    calls, thread = 0, get_ident()

    def count(*_: object) -> None:
        nonlocal calls
        calls += get_ident() == thread
        if calls > most:
            detail = f", and the weights hold {parts} parts" if parts else ""
            raise ValueError(
                f"config.json describes a network of more than {most:,} modules{detail}"
            )

    hook = register_module_module_registration_hook(count)
    try:
        with torch.random.fork_rng(devices=[]), torch.device("meta"):
            yield
    finally:
        hook.remove()
