"""Tiny encoders of several families without dropout, with one tokenizer for all."""

from pathlib import Path

import torch
from transformers import AutoConfig, AutoModelForMaskedLM, AutoTokenizer

from tests.models import tiny_encoder

SMALL = {
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 64,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
    "classifier_dropout": 0.0,
    "pad_token_id": 0,
}
OWN = {
    "albert": {"embedding_size": 16, "classifier_dropout_prob": 0.0},
    "distilbert": {"dropout": 0.0, "attention_dropout": 0.0, "seq_classif_dropout": 0},
    "electra": {"embedding_size": 32, "summary_last_dropout": 0.0},
}
KINDS = ("bert", "albert", "electra")  # whose tokenizers tell the halves of a pair


def save(folder: Path, family: str, **more: object) -> str:
    """The path of an encoder of this family that knows nothing yet."""
    tiny_encoder.save(folder)
    words = AutoTokenizer.from_pretrained(folder)
    if family not in KINDS:
        words.model_input_names = ["input_ids", "attention_mask"]
    settings = SMALL | OWN.get(family, {}) | {"vocab_size": len(words)} | more
    for name in ("bos", "eos", "cls", "sep"):
        settings[f"{name}_token_id"] = 0  # some have one beyond so few words
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        config = AutoConfig.for_model(family, **settings)
        AutoModelForMaskedLM.from_config(config).save_pretrained(folder)
    words.save_pretrained(folder)
    return str(folder)
