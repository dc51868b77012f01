"""Saved readers: an encoder that has learned, kept in a directory.

The directory holds what any checkpoint holds (config, safetensors, tokenizer) and
`reader.json`: what the weights do not say.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
import transformers

from measurand.core.errors import BadInput, MissingWeights, join_names, quote
from measurand.core.items import Items
from measurand.core.recipe import LOCATE, TORCH, Strength, Traits
from measurand.disk.digests import path_digest
from measurand.disk.files import read_json
from measurand.models.encoder import cuda_or_cpu, encoder_window
from measurand.models.places import model_path
from measurand.models.weights import check_complete, load_network, loading
from measurand.readers.encoder_fitted import SAVED, SCHEMA, FittedEncoder

LONGEST = 2**20  # tokens; no encoder reads as many
SMALLEST = 1e-12  # a temperature or rate below it, or above its inverse, is no such


@dataclass(frozen=True)
class SavedReader:
    """A reader that learned before: `fit` looks at no item.

    Attributes:
        directory: Where it was saved.
        digest: The fingerprint of what was saved, so that answers of another reader
            in the same place are never taken for its own.
    """

    kind: ClassVar[str] = "saved"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED, TORCH, learned=True)
    directory: str = field(metadata={LOCATE: model_path})
    digest: str

    def fit(self, items: Items, rng: np.random.Generator) -> FittedEncoder:
        """The saved reader; other fields or labels than it learned are refused."""
        if path_digest(self.directory) != self.digest:
            raise MissingWeights(
                f"the reader in {self.directory!r} changed while it was in use; "
                "start again"
            )
        reader = load_encoder(self.directory)
        self.check_same("the fields", reader.fields, items.fields)
        self.check_same("the labels", reader.classes, items.classes)
        return reader

    def check_same(
        self, what: str, learned: Sequence[str], present: Sequence[str]
    ) -> None:
        """Raise where the items are not of the kind that the reader learned."""
        if tuple(learned) != tuple(present):
            raise BadInput(
                f"the reader in {self.directory!r} learned {what} "
                f"{join_names(learned)}, "
                f"and these items have {join_names(present)}; fit one to these items "
                "instead"
            )


def saved_reader(model: str) -> SavedReader:
    """The recipe for the reader that was saved in the directory `model`."""
    _read_description(model)
    return SavedReader(model, path_digest(model))


def load_encoder(directory: str | Path) -> FittedEncoder:
    """The encoder that `FittedEncoder.save` wrote to a directory."""
    description = _read_description(directory)
    # In full, as a name like bert would be looked up on the hub.
    path = str(Path(directory).resolve())
    with loading("a saved reader", path), torch.random.fork_rng(devices=[]):
        model, missing = load_network(
            transformers.AutoModelForSequenceClassification,
            path,
            dtype=torch.float32,
            local_files_only=True,
        )
        check_complete("a saved reader", path, missing)
        _check_fit(description, model)
    return FittedEncoder(
        classes=tuple(description["classes"]),
        fields=tuple(description["fields"]),
        name=path,
        length=min(description["length"], encoder_window(path)),
        model=model.to(cuda_or_cpu()),
        temperature=float(description["temperature"]),
        rate=None if description.get("rate") is None else float(description["rate"]),
    )


def _check_fit(description: dict[str, Any], model: Any) -> None:
    """Raise where reader.json speaks of another model than the one next to it."""
    classes, labels = len(description["classes"]), model.config.num_labels
    if classes != labels:
        raise ValueError(f"{SAVED} names {classes} classes, and the model has {labels}")


def _read_description(directory: str | Path) -> dict[str, Any]:
    """What reader.json says."""
    try:
        description = read_json(Path(directory) / SAVED)
    except OSError as failed:
        raise MissingWeights(
            f"no saved reader in {str(directory)!r}: {SAVED} is missing; "
            "give a directory that measurand fit --save wrote"
        ) from failed
    except BadInput as bad:
        raise MissingWeights(_description_problem(directory, str(bad))) from None
    if not isinstance(description, dict) or not PARTS.keys() <= {*description, "rate"}:
        lacking = f"it lacks one of {join_names(sorted(PARTS))}"
        raise MissingWeights(_description_problem(directory, lacking))
    if unknown := sorted(description.keys() - PARTS):
        what = f"it holds {quote(unknown[0])}; known are {join_names(list(PARTS))}"
        raise MissingWeights(_description_problem(directory, what))
    for name, value in description.items():
        allowed, is_allowed = PARTS[name]
        if not is_allowed(value):
            what = f"{name} is {quote(json.dumps(value))}; allowed {allowed}"
            raise MissingWeights(_description_problem(directory, what))
    return description


def _description_problem(directory: str | Path, problem: str) -> str:
    """One line about a reader.json that cannot be followed."""
    return (
        f"{SAVED} in {quote(str(directory), 200)} cannot be read: {problem}; save the "
        "reader again, or give another directory"
    )


def _are_names(value: Any) -> bool:
    """Whether a value of JSON is a list of different texts, and not empty."""
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        return False
    return 0 < len(value) == len(set(value))


def _is_positive(value: Any) -> bool:
    """Whether a value of JSON is a number above 0 that a float holds well."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and SMALLEST <= value <= 1 / SMALLEST
    )


NAMES = "is a list of different texts"
NUMBER = f"is a number from {SMALLEST:g} to {1 / SMALLEST:g}"
# What reader.json may hold: what is allowed, in words, and whether a value is.
PARTS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "schema": (f"is {SCHEMA}", lambda value: type(value) is int and value == SCHEMA),
    "classes": (NAMES, _are_names),
    "fields": (NAMES, _are_names),
    "length": (
        f"are whole numbers from 1 to {LONGEST:,}",
        lambda value: type(value) is int and 1 <= value <= LONGEST,
    ),
    "temperature": (NUMBER, _is_positive),
    "rate": (f"{NUMBER}, or null", lambda value: value is None or _is_positive(value)),
}
