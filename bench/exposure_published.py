"""One triple of the exposure study as it was published: transformers' Trainer, fp32."""

import tempfile
from collections.abc import Sequence
from typing import Any

import torch
import transformers

from measurand.audits.exposure.arms import NEEDED
from measurand.core.items import Items

CUDA = torch.cuda.is_available()
PAPER = {"learn": 5e-5, "adapt": 1e-4}  # its learning rates


def published(
    place: str, triple: dict[str, Any], classes: int, seed: int
) -> dict[str, float]:
    """The accuracy of each arm: Trainer, fp32, models loaded and saved between stages.

    One thing is ours: after masked-LM training the pretrained pooler is put back, since
    the published code draws a random one in two of the three arms.
    """
    words = transformers.AutoTokenizer.from_pretrained(place)
    right = {}
    for arm in NEEDED:
        with tempfile.TemporaryDirectory() as folder:
            source = place
            if arm != "base":
                source = f"{folder}/adapted"
                masked_training(place, source, words, triple[arm], seed, folder)
            right[arm] = classified(place, source, words, triple, classes, seed, folder)
    return right


def arguments(folder: str, seed: int, **more: Any) -> transformers.TrainingArguments:
    """The Trainer's settings that all stages share."""
    return transformers.TrainingArguments(
        f"{folder}/trainer",
        per_device_train_batch_size=16,
        per_device_eval_batch_size=64,
        lr_scheduler_type="linear",
        max_grad_norm=1.0,
        report_to=[],
        save_strategy="no",
        logging_strategy="no",
        disable_tqdm=True,
        use_cpu=not CUDA,
        seed=seed,
        **more,
    )


def masked_training(
    place: str, to: str, words: Any, texts: Sequence[str], seed: int, folder: str
) -> None:
    """Two epochs of masked-language-model training; the weights go to a directory."""
    transformers.set_seed(seed)  # its head is drawn before the Trainer sets a seed
    model = transformers.AutoModelForMaskedLM.from_pretrained(
        place, dtype=torch.float32
    )
    rows = words(list(texts), truncation=True, max_length=256)["input_ids"]
    transformers.Trainer(
        model=model,
        args=arguments(
            folder,
            seed,
            num_train_epochs=2,
            learning_rate=PAPER["adapt"],
            weight_decay=0.0,
        ),
        train_dataset=[{"input_ids": row} for row in rows],
        data_collator=transformers.DataCollatorForLanguageModeling(words),
    ).train()
    model.save_pretrained(to)


def classified(
    place: str,
    source: str,
    words: Any,
    triple: dict[str, Any],
    classes: int,
    seed: int,
    folder: str,
) -> float:
    """Three epochs of classification; the accuracy on the test rows."""
    transformers.set_seed(seed)
    kind = transformers.AutoModelForSequenceClassification
    model = kind.from_pretrained(source, num_labels=classes, dtype=torch.float32)
    pooler = getattr(model.base_model, "pooler", None)
    if source != place and pooler is not None:
        first = transformers.AutoModel.from_pretrained(place, dtype=torch.float32)
        pooler.load_state_dict(first.pooler.state_dict())

    def rows(items: Items) -> list[dict[str, Any]]:
        texts = items.column(items.fields[0]).tolist()
        ids = words(texts, truncation=True, max_length=256)["input_ids"]
        gold = items.gold(triple["train"].classes)
        return [
            {"input_ids": row, "labels": int(label)}
            for row, label in zip(ids, gold, strict=True)
        ]

    trainer = transformers.Trainer(
        model=model,
        args=arguments(
            folder,
            seed,
            num_train_epochs=3,
            learning_rate=PAPER["learn"],
            weight_decay=0.01,
        ),
        train_dataset=rows(triple["train"]),
        data_collator=transformers.DataCollatorWithPadding(words),
    )
    trainer.train()
    said = trainer.predict(rows(triple["items"]))
    return float((said.predictions.argmax(axis=1) == said.label_ids).mean())
