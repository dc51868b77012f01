"""Decoders that have learned the labels: they answer, and say how they were trained."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from scipy.special import softmax
from torch import Tensor

from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.models.causal import CausalModel
from measurand.readers.attribution import readable_fields
from measurand.readers.causal_prompts import Wording

Last = dict[str, float]  # what the last reading was like


@dataclass(frozen=True, eq=False)
class FittedCausal:
    """A decoder that has learned to classify.

    Attributes:
        classes: The labels.
        model: The trained model.
        wording: How items become prompts.
        head: Classes × hidden.
        truncated: The share of training items that had to be cut.
        tuning: What was trained: full, lora or qlora.
        rate: The learning rate that it was trained with.
        lm_loss: The loss on the texts that it adapted to, where there were any.
        last: What the last reading was like.
    """

    classes: tuple[str, ...]
    model: CausalModel
    wording: Wording
    head: Tensor
    truncated: float
    tuning: str
    rate: float
    lm_loss: float | None = None
    last: Last = field(default_factory=dict, init=False, repr=False)

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        return _softmax_rows(
            self.embed(items) @ self.head.cpu().numpy().T.astype(float)
        )

    def embed(self, items: Items) -> Floats:
        """What goes into the linear head, one row an item."""
        prompts, self.last["truncated"] = write_prompts(self.wording, self.model, items)
        return self.model.hidden(prompts).astype(float)

    def cut(self, items: Items) -> float:
        """The share of these items that have to be cut."""
        return write_prompts(self.wording, self.model, items)[1]

    def remarks(self) -> Mapping[str, float | str]:
        """The share cut in the last reading, what was trained, and at which rate."""
        return {
            "rate": self.rate,
            **decoder_remarks(self.model, self.last, self.lm_loss),
        }


@dataclass(frozen=True, eq=False)
class FittedZeroShot:
    """A decoder that knows the class names.

    Attributes:
        classes: The labels.
        model: The model, fresh or adapted.
        wording: How items become prompts.
        names: The class names as they follow a prompt.
        truncated: The share of training items that had to be cut.
        tuning: What was trained: none, full, lora or qlora.
        lm_loss: The loss on the prompts that it adapted to, where there were any.
        last: What the last reading was like.
    """

    classes: tuple[str, ...]
    model: CausalModel
    wording: Wording
    names: tuple[str, ...]
    truncated: float
    tuning: str
    lm_loss: float | None = None
    last: Last = field(default_factory=dict, init=False, repr=False)

    def predict(self, items: Items) -> Floats:
        """The mean token probability of each class name, as shares.

        The mean over tokens, so that a name is no less likely for being long.
        """
        prompts, self.last["truncated"] = write_prompts(self.wording, self.model, items)
        return _softmax_rows(self.model.log_probabilities(prompts, self.names))

    def cut(self, items: Items) -> float:
        """The share of these items that have to be cut."""
        return write_prompts(self.wording, self.model, items)[1]

    def remarks(self) -> Mapping[str, float | str]:
        """The share of items cut in the last reading, and what was trained, if any."""
        return decoder_remarks(self.model, self.last, self.lm_loss)


def write_prompts(
    wording: Wording, model: CausalModel, items: Items
) -> tuple[list[str], float]:
    """The prompts about those fields that there are, and the share that was cut."""
    narrowed = replace(wording, fields=readable_fields(wording.fields, items))
    prompts, cut = narrowed.prompts(model, items)
    return prompts, float(cut.mean()) if len(cut) else 0.0


def decoder_remarks(
    model: CausalModel, last: Last, lm_loss: float | None
) -> dict[str, float | str]:
    """What a report should state of a decoder."""
    numbers = last if lm_loss is None else {"lm_loss": lm_loss, **last}
    remarks: dict[str, float | str] = {
        name: round(value, 6) for name, value in numbers.items()
    }
    return (
        remarks
        if model.tuning == "none"
        else {"adaptation": describe_tuning(model), **remarks}
    )


def describe_tuning(model: CausalModel) -> str:
    """What of the model is trained, and on top of which weights."""
    if model.tuning == "qlora":
        return "4-bit QLoRA"
    half = model.network.dtype == torch.bfloat16
    return f"LoRA in {'bf16' if half else 'fp32'}" if model.tuning == "lora" else "full"


def _softmax_rows(scores: Floats) -> Floats:
    """Scores as probabilities, each row summing to 1."""
    return np.asarray(softmax(scores, axis=1))
