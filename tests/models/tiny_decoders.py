"""Tiny decoders of several families without dropout, with one tokenizer for all."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

from tests.models import tiny_decoder

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 96,
    "bos_token_id": 0,
    "eos_token_id": 1,
    "pad_token_id": 1,
}
DRY = {"attn_pdrop": 0.0, "embd_pdrop": 0.0, "resid_pdrop": 0.0}
OWN = {
    "gemma2": {"num_key_value_heads": 2, "head_dim": 8, "query_pre_attn_scalar": 8},
    "gpt2": {"n_positions": 96, "n_inner": 64, **DRY},
    "llama": {"num_key_value_heads": 2, "tie_word_embeddings": True},  # as SmolLM2
    "mistral": {"num_key_value_heads": 2},
    "olmo2": {"num_key_value_heads": 2},
    "qwen2": {"num_key_value_heads": 2},
    "qwen3": {"num_key_value_heads": 2, "head_dim": 8},
}


def save(folder: Path, family: str, **more: object) -> str:
    """The path of a decoder of this family that knows nothing yet."""
    tiny_decoder.save(folder)
    words = AutoTokenizer.from_pretrained(folder)
    rows = len(words) + (family == "qwen2")  # its tokenizers add an end of their own
    settings = SMALL | OWN.get(family, {}) | {"vocab_size": rows} | more
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = AutoConfig.for_model(family, **settings)
        AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)
