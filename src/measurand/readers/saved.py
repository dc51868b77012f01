"""Saved readers: an encoder that has learned, kept in a directory.

The directory holds what any checkpoint holds (config, safetensors, tokenizer) and
`reader.json`: what the weights do not say.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
import transformers

from measurand.core.errors import BadInput, MissingWeights, join_names
from measurand.core.items import Items
from measurand.core.recipe import TORCH, Strength, Traits
from measurand.models.encoder import cuda_or_cpu
from measurand.models.weights import check_complete, load_network, loading
from measurand.readers.encoder_fitted import SAVED, SCHEMA, FittedEncoder

CHUNK = 2**20  # bytes fingerprinted at a time


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
    directory: str
    digest: str

    def fit(self, items: Items, rng: np.random.Generator) -> FittedEncoder:
        """The saved reader; other fields or labels than it learned are refused."""
        if _saved_digest(self.directory) != self.digest:
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
    return SavedReader(model, _saved_digest(model))


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
    return FittedEncoder(
        tuple(description["classes"]),
        tuple(description["fields"]),
        path,
        int(description["length"]),
        model.to(cuda_or_cpu()),
        float(description["temperature"]),
        None if description.get("rate") is None else float(description["rate"]),
    )


def _read_description(directory: str | Path) -> dict[str, Any]:
    """What reader.json says."""
    try:
        description = json.loads((Path(directory) / SAVED).read_text("utf-8"))
    except (OSError, ValueError) as failed:
        raise MissingWeights(
            f"no saved reader in {str(directory)!r}: {SAVED} is missing or no JSON; "
            "give a directory that measurand fit --save wrote"
        ) from failed
    parts = {"classes", "fields", "length", "temperature"}
    if not isinstance(description, dict) or not parts <= description.keys():
        raise MissingWeights(
            f"{SAVED} in {str(directory)!r} lacks one of {join_names(sorted(parts))}; "
            "save "
            "the reader again"
        )
    if description.get("schema") != SCHEMA:
        raise MissingWeights(
            f"{SAVED} in {str(directory)!r} has schema {description.get('schema')!r}, "
            "and "
            f"this version reads {SCHEMA}; save the reader again"
        )
    return description


def _saved_digest(directory: str | Path) -> str:
    """A digest of the names and contents of all that was saved."""
    digest = hashlib.sha256()
    try:
        for path in sorted(p for p in Path(directory).iterdir() if p.is_file()):
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
            with path.open("rb") as file:
                while part := file.read(CHUNK):
                    digest.update(part)
    except OSError as failed:
        why = (failed.strerror or type(failed).__name__).lower()
        raise MissingWeights(
            f"cannot read the saved reader in {str(directory)!r}: {why}"
        ) from failed
    return digest.hexdigest()
