"""Models that turn one text into another, such as T5: loaded, and run in batches."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
import transformers

from measurand.core.errors import MissingWeights, quote
from measurand.core.seeds import generator
from measurand.models.causal_loading import (
    accelerator,
    hide_progress_bars,
    memory_guard,
)
from measurand.models.causal_training import batch_by_length, pad_rows, tokens_per_batch
from measurand.models.places import load_once, model_path
from measurand.models.weights import (
    check_complete,
    load_config,
    load_network,
    load_tokenizer,
    loading,
    position_count,
)

SEQ2SEQ = "a seq2seq model"  # as errors call what could not be loaded
WINDOW = 512  # tokens of a text that are read; what is longer is cut
BEAMS = 4  # at least, so that the first way found is a good one
NUCLEUS = 0.95  # of the probability, from which a token is drawn


@torch.inference_mode()
def rewritings(
    source: str,
    prompts: Sequence[str],
    *,
    count: int,
    length: int,
    seed: int | None = None,
) -> list[list[str]]:
    """What the model makes of each text, so many ways.

    Args:
        source: A directory or hub id.
        prompts: The texts, with whatever the model wants before them.
        count: Ways a text.
        length: The most tokens of one.
        seed: Where set, tokens are drawn; without it the likeliest beams are taken.
    """
    network, tokenizer = load_seq2seq(source)
    if not prompts:
        return []
    positions = position_count(network.config)
    window, length = (min(n, positions or n) for n in (WINDOW, length))
    rows = tokenizer(list(prompts), truncation=True, max_length=window)["input_ids"]
    beams = max(count, BEAMS) if seed is None else count
    sizes = [beams * (len(row) + length) for row in rows]
    variants: list[list[str]] = [[] for _ in prompts]
    with memory_guard():
        for chosen in batch_by_length(sizes, tokens_per_batch()):
            ids, mask = pad_rows(
                [rows[i] for i in chosen], _filler_id(tokenizer), "right"
            )
            options = _sampling_options(seed, [prompts[i] for i in chosen], beams)
            with torch.random.fork_rng():
                torch.manual_seed(options.pop("seed"))
                outputs = network.generate(
                    input_ids=ids,
                    attention_mask=mask,
                    max_new_tokens=length,
                    num_return_sequences=count,
                    **options,
                )
            texts = tokenizer.batch_decode(outputs, skip_special_tokens=True)
            for position, row in enumerate(chosen):
                variants[row] = texts[position * count : (position + 1) * count]
    return variants


def _sampling_options(
    seed: int | None, prompts: Sequence[str], beams: int
) -> dict[str, Any]:
    """How tokens are chosen: by beams, or drawn from a stream that the texts name."""
    if seed is None:
        return {"seed": 0, "do_sample": False, "num_beams": beams}
    # What a text becomes does not depend on what was rewritten before it.
    stream_seed = int(generator(seed, "rewrite", *prompts).integers(2**31))
    return {"seed": stream_seed, "do_sample": True, "num_beams": 1, "top_p": NUCLEUS}


def _filler_id(tokenizer: Any) -> int:
    """The token that fills batches up."""
    candidates = (tokenizer.pad_token_id, tokenizer.eos_token_id)
    return next((token for token in candidates if token is not None), 0)


@load_once(model_path, most=1)
def load_seq2seq(source: str) -> tuple[Any, Any]:
    """The network and tokenizer of a directory or hub id, kept for the next call.

    No code from a hub is ever run.
    """
    folder = Path(source)
    is_local = folder.is_dir()
    if not is_local and (folder.is_absolute() or source.startswith(".")):
        raise MissingWeights(
            f"no model directory {quote(source, 200)}; name a directory or a hub id"
        )
    location = model_path(source) or source
    options: dict[str, Any] = {"local_files_only": is_local}
    with memory_guard(), hide_progress_bars(), loading(SEQ2SEQ, source):
        _check_seq2seq(source, load_config(location, **options))
        tokenizer = load_tokenizer(location, **options)
        network, missing = load_network(
            transformers.AutoModelForSeq2SeqLM, location, dtype=torch.float32, **options
        )
        check_complete(SEQ2SEQ, source, missing)
        return network.to(accelerator()).eval(), tokenizer


def _check_seq2seq(source: str, config: Any) -> None:
    """Nothing, where the model reads one text and writes another."""
    if not config.is_encoder_decoder:
        raise MissingWeights(
            f"{quote(source, 200)} is a {config.model_type} model, which does not turn "
            "one text into another; name a seq2seq model such as a T5"
        )
