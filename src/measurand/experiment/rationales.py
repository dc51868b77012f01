"""Rationales: written once where a language model writes them, and kept.

What a model said is kept as it came, some items a file, so that a run that is killed
goes on where it ended. The key holds all that it depends on: the recipe, the versions
that compute it, and the prompts of the items that are asked about together.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from threadpoolctl import threadpool_limits

from measurand.core.explainer import Explainer, Prompting
from measurand.core.files import keep_calls, write_file
from measurand.core.items import Items
from measurand.core.recipe import TORCH, canonical
from measurand.core.seeds import generator
from measurand.experiment.ask import versions
from measurand.experiment.experiment import Experiment
from measurand.experiment.store import Notice

TOGETHER = 200  # items a file: what a kill can lose


class TextWriter(Protocol):
    """A recipe by which a model writes: an explainer's, or a paraphraser's."""

    def generate(self, prompts: Sequence[str]) -> list[str]:
        """What the model says to each prompt, as it came."""


def explain_items(
    experiment: Experiment, explainer: Explainer, items: Items, stream: str
) -> list[str]:
    """One rationale an item: from the store where a model wrote it, else computed.

    The stream is the same for every changed copy of the items.
    """
    rng = generator(experiment.seed, "explain", stream)
    if not isinstance(explainer, Prompting):
        return explainer.explain(items, rng)
    prompts = explainer.prompts(items, rng)
    return explainer.parse(ask_writer(experiment, explainer, prompts), prompts)


def shortfalls(
    experiment: Experiment, explainer: Explainer, items: Items, stream: str
) -> dict[str, float]:
    """The share of items without a rationale of the model's, by reason.

    Nobody refuses but a language model; of the others, the empty ones are counted.
    """
    reasons = Counter[str]()
    if isinstance(explainer, Prompting):
        rng = generator(experiment.seed, "explain", stream)
        prompts = explainer.prompts(items, rng)
        reasons.update(
            map(explainer.outcome, ask_writer(experiment, explainer, prompts), prompts)
        )
    else:
        texts = explain_items(experiment, explainer, items, stream)
        reasons["empty"] = sum(not text.strip() for text in texts)
    listed_reasons = ("empty", "refused", "echoed", "rewritten")
    return {reason: reasons[reason] / max(len(items), 1) for reason in listed_reasons}


def ask_writer(
    experiment: Experiment, writer: TextWriter, prompts: Sequence[str]
) -> list[str]:
    """What the model said to each prompt, as it came."""
    starts = range(0, len(prompts), TOGETHER)
    texts: list[str] = []
    for done, start in enumerate(starts):
        experiment.watch(done, len(starts))
        batch = prompts[start : start + TOGETHER]
        path = _texts_path(experiment, writer, batch)
        batch_texts = _read_texts(path, len(batch), experiment.notice)
        experiment.tally["computed" if batch_texts is None else "reused"] += 1
        if batch_texts is None:
            # One thread: sums in another order could tip the choice of a token.
            with threadpool_limits(1), keep_calls(experiment.store.directory / "calls"):
                batch_texts = writer.generate(batch)
            write_file(path, _seal_texts(batch_texts))
        texts += batch_texts
    experiment.watch(len(starts), len(starts))
    return texts


def _texts_path(
    experiment: Experiment, writer: TextWriter, prompts: Sequence[str]
) -> Path:
    """Where what was said to these prompts lies."""
    text = canonical([versions(TORCH), writer, list(prompts)])
    key = hashlib.sha256(text.encode()).hexdigest()
    return experiment.store.directory / "rationales" / key[:2] / f"{key}.json"


def _read_texts(path: Path, count: int, notice: Notice) -> list[str] | None:
    """The texts, or None where there are none or their file was damaged."""
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        content = b""
    with suppress(ValueError, KeyError, TypeError, RecursionError):
        record = json.loads(content)
        texts: list[str] = record["texts"]
        if record["sha256"] == _texts_digest(texts) and len(texts) == count:
            return texts
    notice(f"store file {path.name} was altered or cut short; computing it again")
    return None


def _seal_texts(texts: Sequence[str]) -> bytes:
    """The texts as a file, with their fingerprint."""
    return json.dumps({"sha256": _texts_digest(texts), "texts": list(texts)}).encode()


def _texts_digest(texts: Sequence[str]) -> str:
    """What changes with any letter of the texts."""
    return hashlib.sha256(json.dumps(list(texts)).encode()).hexdigest()
