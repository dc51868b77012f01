"""How specific rationales are: S, and what copying the query would get.

Rationales and inputs are compared by TF-IDF weighted words (weights from the inputs
alone, so that no rationale moves another explainer's figure) or by any vectors.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from measurand.audits.explanations.copying import fields_without
from measurand.audits.explanations.rationales import Rationales
from measurand.core.arrays import Clusters, Floats, Ints
from measurand.core.errors import BadInput, BadOption
from measurand.core.estimate import Estimate
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.judges import SPACES
from measurand.stats.agreement import ItemValues, answer_codes
from measurand.stats.resampling import bootstrap
from measurand.stats.specificity import (
    TIES,
    Rows,
    cosines,
    draw_negatives,
    rescale_auc,
    specificity_auc,
)
from measurand.text.bags import fit_word_weights
from measurand.text.words import words

Embed = Callable[[Sequence[str]], Floats]
PRESETS = ("default", "paper")
NEGATIVES = 20  # in each stratum, as many as the paper has


@dataclass(frozen=True, eq=False)
class Specificity:
    """How often each item's own input beats its negatives.

    Attributes:
        auc: The share of negatives beaten, over all strata alike.
        preset: "default", or "paper": random negatives, ties count nothing, and the
            mean is reported as it is.
    """

    auc: Floats
    preset: str = "default"


@dataclass(frozen=True, eq=False)
class Contrasts:
    """Inputs and their negatives: chosen once, the same for every explainer.

    Attributes:
        inputs: One unit vector an item.
        negatives: Rows of other inputs in each stratum: items × negatives.
        vectors: From texts to unit vectors.
    """

    inputs: Rows
    negatives: Mapping[str, Ints]
    vectors: Callable[[Sequence[str]], Rows]

    def of(self, rationales: Sequence[str], preset: str = "default") -> Specificity:
        """How specific these rationales are, one an item."""
        if preset not in PRESETS:
            raise BadOption(f"no preset {preset!r}; try {', '.join(PRESETS)}")
        if len(rationales) != self.inputs.shape[0]:
            raise BadInput(
                f"{len(rationales)} rationales for {self.inputs.shape[0]} items; "
                "give one each"
            )
        rows = self.vectors(rationales)
        own_likeness = cosines(rows, self.inputs)
        chosen = ("random",) if preset == "paper" else tuple(self.negatives)
        ties = 0.0 if preset == "paper" else TIES
        aucs = [
            specificity_auc(
                own_likeness,
                cosines(rows, self.inputs, self.negatives[stratum]),
                ties=ties,
            )
            for stratum in chosen
        ]
        return Specificity(np.mean(aucs, axis=0), preset)


def draw_contrasts(
    inputs: Sequence[str],
    labels: ItemValues,
    rng: np.random.Generator,
    *,
    m: int = NEGATIVES,
    embed: Embed | None = None,
) -> Contrasts:
    """The inputs with `m` negatives an item in each of three strata.

    Args:
        inputs: What each item reads, all its fields in one text.
        labels: The gold labels.
        rng: Where the draws come from.
        m: Negatives an item in each stratum.
        embed: From texts to vectors; TF-IDF where not given.
    """
    vectors = _tfidf_vectors(inputs) if embed is None else _unit_vectors(embed)
    rows = vectors(inputs)
    (codes,) = answer_codes(labels)
    return Contrasts(rows, draw_negatives(rows, codes, m, rng), vectors)


def difference_from_copy(
    observed: Specificity,
    queries: Sequence[str],
    contrast: Contrasts,
    *,
    rng: np.random.Generator,
    clusters: Clusters = None,
) -> Estimate:
    """Specificity less that of rationales which merely repeat the query.

    At or below 0, being specific is no more than naming what the query names.
    """
    copy = contrast.of(queries, observed.preset)
    rows = np.column_stack([observed.auc, copy.auc, np.ones(len(copy.auc))])
    scaled = rescale_auc if observed.preset == "default" else np.asarray

    def statistic(sums: Floats) -> Floats:
        ours, theirs = (scaled(sums[..., side] / sums[..., 2]) for side in (0, 1))
        return np.asarray(ours - theirs)

    difference = bootstrap(statistic, rows, rng=rng, clusters=clusters)
    return replace(difference, method=f"less the query repeated; {difference.method}")


def _tfidf_vectors(inputs: Sequence[str]) -> Callable[[Sequence[str]], Rows]:
    """Texts as TF-IDF weighted words; words of no input weigh nothing."""
    weights, _ = fit_word_weights(map(words, inputs), logarithmic=False)
    if not weights.columns:
        return lambda texts: np.zeros((len(texts), 1))
    return lambda texts: weights.weigh(map(words, texts))


def _unit_vectors(embed: Embed) -> Callable[[Sequence[str]], Rows]:
    """Vectors of length 1; a text without words, and so alike to nothing, is zeros."""

    def vectors(texts: Sequence[str]) -> Floats:
        has_words = np.array([bool(text.strip()) for text in texts])
        rows = np.asarray(embed(texts), float) * has_words[:, None]
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(length > 0, length, 1.0))

    return vectors


def specificity_by_explainer(
    experiment: Experiment,
    by_explainer: Mapping[str, Rationales],
    fields: Sequence[str],
    preset: str,
    similarity: str,
) -> tuple[dict[str, Contrasts], dict[str, Specificity]]:
    """How specific each explainer's rationales are, against inputs without them.

    The fields of the input in which an explainer's rationales stand word for word are
    left out of what they are held against; the proposal takes the whole input.
    """
    items = experiment.benchmark.test
    embed = None if similarity == "tfidf" else SPACES.load("encoder", model=similarity)
    drawn: dict[tuple[str, ...], Contrasts] = {}
    contrasts = {}
    for name, rationales in by_explainer.items():
        kept = items.fields
        if preset == "default":
            kept = fields_without(rationales.test, items, fields)
        if kept not in drawn:
            rows = zip(*(items.column(field) for field in kept), strict=True)
            inputs = [" ".join(texts) for texts in rows]
            rng = generator(experiment.seed, "contrasts")
            drawn[kept] = draw_contrasts(inputs, items.labels, rng, embed=embed)
        contrasts[name] = drawn[kept]
    return contrasts, {
        name: contrasts[name].of(rationales.test, preset)
        for name, rationales in by_explainer.items()
    }
