"""A tiny real classifier of pairs with its tokenizer, saved as any checkpoint is."""

from pathlib import Path

import torch
from transformers import AutoConfig, BertForSequenceClassification

from tests.models import tiny_encoder

NLI = ("contradiction", "entailment", "neutral")


def save(
    folder: Path, classes: tuple[str, ...] | None = NLI, order: tuple[int, ...] = ()
) -> str:
    """The path of a classifier that knows nothing; the same weights for every name.

    Args:
        folder: Where it is saved.
        classes: What its config calls its classes; with None it names none.
        order: In which order the classes stand; as they are where empty.
    """
    place = tiny_encoder.save(folder)
    config = AutoConfig.from_pretrained(place)
    order = order or tuple(range(len(classes or NLI)))
    config.num_labels = len(order)
    if classes:
        config.id2label = {i: classes[old] for i, old in enumerate(order)}
        config.label2id = {name: i for i, name in config.id2label.items()}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BertForSequenceClassification(config)
        # Fresh weights are so small that every pair would score the same.
        for part in model.parameters():
            part.data *= 8 if part.ndim == 2 else 1
        model.classifier.weight.data = model.classifier.weight.data[list(order)]
    model.save_pretrained(folder)
    return place
