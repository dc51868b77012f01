"""Rationales, and judgements of pairs of texts: made once, and kept.

What a model said is kept as it came, some items an entry, so that a run that is killed
goes on where it ended. The key holds all that it depends on: the recipe, the versions
that compute it, and the prompts of the items that are asked about together.

Different pairs are sorted and judged so many at a time; each part is kept as soon as it
is done, under a key of the recipe, what computes it and the pairs, so that a run that
is killed goes on where it was. A judge draws nothing: no seed is in the key.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.errors import ReaderFailed
from measurand.core.explainer import Explainer, Judge, Likeness, Pairs, Prompting
from measurand.core.items import Items
from measurand.core.recipe import TORCH, traits_of
from measurand.core.seeds import generator
from measurand.disk.store import Codec
from measurand.experiment.ask import ANSWER_CODEC, Answer, versions
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
        material = versions(TORCH), writer, list(batch)
        compute = partial(writer.generate, batch)
        codec = TEXT_CODEC.only(partial(_are_all, count=len(batch)))
        batch_texts = compute_once(experiment, material, codec, compute)
        texts += batch_texts
    experiment.watch(len(starts), len(starts))
    return texts


AT_ONCE = 20_000  # different pairs that are kept together
Pair = tuple[str, str]


def judge_entailment(experiment: Experiment, judge: Judge, pairs: Pairs) -> Floats:
    """How surely the first text of each pair entails the second."""
    return judge_pairs(experiment, judge, judge.entails, pairs)


def judge_similarity(experiment: Experiment, judge: Judge, pairs: Pairs) -> Floats:
    """The mean of both directions: VARIF's Sim_NLI, section 3.1."""
    reversed_pairs = [(b, a) for a, b in pairs]
    scores = judge_entailment(experiment, judge, [*pairs, *reversed_pairs])
    return np.asarray(scores.reshape(2, -1).mean(axis=0))


def judge_likeness(experiment: Experiment, recipe: Likeness, pairs: Pairs) -> Floats:
    """How like the two texts of each pair are; a pair and its reverse are one."""
    ordered = [(min(pair), max(pair)) for pair in pairs]
    return judge_pairs(experiment, recipe, recipe.alike, ordered)


def judge_pairs(
    experiment: Experiment,
    recipe: object,
    judge: Callable[[Pairs], Floats],
    pairs: Pairs,
) -> Floats:
    """The score of each pair: from the store where it is kept, else computed."""
    different = sorted(set(pairs))
    parts = [
        different[start : start + AT_ONCE]
        for start in range(0, len(different), AT_ONCE)
    ]
    scores: dict[Pair, float] = {}
    experiment.watch(0, len(parts))
    for done, part in enumerate(parts, start=1):
        material = versions(traits_of(recipe).packages), "judged", recipe, part
        compute = partial(_judge_part, judge, part)
        codec = ANSWER_CODEC.only(partial(_are_scores, count=len(part)))
        answer = compute_once(experiment, material, codec, compute)
        scores.update(zip(part, answer.values[0, :, 0].tolist(), strict=True))
        experiment.watch(done, len(parts))
    return np.array([scores[pair] for pair in pairs], np.float64)


def _judge_part(judge: Callable[[Pairs], Floats], part: Sequence[Pair]) -> Answer:
    """The scores of one part, in its order."""
    scores = np.asarray(judge(part), np.float32)
    answer = Answer(scores.reshape(1, -1, 1))
    if scores.ndim != 1 or not _are_scores(answer, len(part)):
        raise ReaderFailed(
            f"the judge gave {scores.size} scores for {len(part)} pairs, or scores "
            "that are not between 0 and 1; take another judge"
        )
    return answer


def _are_scores(answer: Answer, count: int) -> bool:
    """Whether an answer is a score a pair; a number that is none is no score."""
    values = answer.values
    return values.shape == (1, count, 1) and bool(((values >= 0) & (values <= 1)).all())
