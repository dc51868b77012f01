"""Rationales: written once where a language model writes them, and kept.

What a model said is kept as it came, some items an entry, so that a run that is killed
goes on where it ended. The key holds all that it depends on: the recipe, the versions
that compute it, and the prompts of the items that are asked about together.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from measurand.core.explainer import Explainer, Prompting
from measurand.core.items import Items
from measurand.core.recipe import TORCH, identity
from measurand.core.seeds import generator
from measurand.core.store import Codec, entry_key
from measurand.experiment.ask import versions
from measurand.experiment.experiment import Experiment, compute_once

TOGETHER = 200  # items an entry: what a kill can lose


def _unpack_texts(stated: list[str], _: bytes) -> list[str]:
    """The texts that were kept."""
    if not isinstance(stated, list) or not all(isinstance(t, str) for t in stated):
        raise ValueError("no texts")
    return stated


def _are_all(texts: list[str], count: int) -> bool:
    """Whether there is a text for each prompt."""
    return len(texts) == count


TEXT_CODEC: Codec[list[str]] = Codec(
    "rationales/", lambda texts: (texts, b""), _unpack_texts
)


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
        key = entry_key(identity([versions(TORCH), writer, list(batch)]))
        compute = partial(writer.generate, batch)
        codec = TEXT_CODEC.only(partial(_are_all, count=len(batch)))
        batch_texts = compute_once(experiment, key, codec, compute)
        texts += batch_texts
    experiment.watch(len(starts), len(starts))
    return texts
