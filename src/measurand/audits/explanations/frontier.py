"""Where explainers lie: what each metric says of each, and the frontier.

Items are drawn once and every explainer is averaged over the same ones, so that what is
made of several means (VARIF, the frontier, its hypervolume) has an interval too. VARIF
is S x H with H the harmonic mean of R and the clipped share I~, all of means; of items
it is only for browsing and for distinguishing rationales.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from measurand.audits.explanations.corpus import Robustness
from measurand.audits.explanations.information import Information
from measurand.audits.explanations.levels import Composite, Levels, Scores, Spread
from measurand.audits.explanations.rationales import Rationales
from measurand.audits.explanations.specificity import Specificity
from measurand.core.arrays import Bools, Clusters, Floats
from measurand.core.estimate import Estimate
from measurand.core.items import Items
from measurand.stats.frontier import (
    dominance_mask,
    frontier_share,
    harmonic_mean,
    hypervolume_estimate,
    varif,
)
from measurand.stats.specificity import rescale_auc
from measurand.text.words import words

Columns = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class ExplainerFrontier:
    """Explainers on the plane of robustness and informativeness.

    Attributes:
        names: The explainers that have both.
        points: Robustness and informativeness of each.
        better: Those that are not worse on both axes and better on one.
        chance: The share of resamples in which each is on the frontier.
        hypervolume: The area under the frontier, from (0, 0).
    """

    names: tuple[str, ...]
    points: Floats
    better: Mapping[str, tuple[str, ...]]
    chance: Mapping[str, float]
    hypervolume: Estimate


def explainer_frontier(
    figures: Mapping[str, Levels], methods: Sequence[str]
) -> ExplainerFrontier | None:
    """The frontier of these explainers; None where fewer than two have both axes.

    The suite is no part of it: stress tests are no methods to be dominated by.
    """
    if "robustness" not in figures or "informativeness" not in figures:
        return None
    axes = [figures[axis] for axis in ("robustness", "informativeness")]
    chosen = tuple(n for n in methods if all(n in levels.explainers for levels in axes))
    if len(chosen) < 2:  # of one point there is nothing to be better than
        return None
    rows = [[levels.explainers.index(name) for name in chosen] for levels in axes]
    axis_rows = list(zip(axes, rows, strict=True))
    points = np.column_stack([levels.values[at] for levels, at in axis_rows])
    draws = np.stack([levels.draws[:, at] for levels, at in axis_rows], axis=-1)
    better = {
        name: tuple(
            rival
            for b, rival in enumerate(chosen)
            if rival != name and dominance_mask(points[[a, b]])[0]
        )
        for a, name in enumerate(chosen)
    }
    chance = dict(zip(chosen, frontier_share(draws).tolist(), strict=True))
    n = min(levels.among(chosen).n for levels in axes)
    area = hypervolume_estimate(points, draws, n, what=axes[0].what)
    return ExplainerFrontier(chosen, points, better, chance, area)


def score_explainers(
    items: Items,
    by_explainer: Mapping[str, Rationales],
    robustness: Mapping[str, Robustness],
    information: Mapping[str, Information],
    specificity: Mapping[str, Specificity],
    copied: Mapping[str, Bools],
    clusters: Clusters,
    *,
    preset: str = "default",
) -> Scores:
    """Every metric of every explainer, item by item, and those made of means.

    In the proposal S is the mean of S_i and VARIF that of VARIF_i, and nothing is made
    of means but informativeness.
    """
    item_scores: dict[str, dict[str, Floats]] = {}
    for name in by_explainer:
        for metric, column in _item_metrics(
            items,
            by_explainer[name],
            robustness[name],
            information[name],
            specificity[name],
            copied[name],
        ).items():
            if np.isfinite(column).any():
                item_scores.setdefault(metric, {})[name] = column
    seeds = len(next(iter(information.values())).runs)
    derived = _composite_metrics("bertscore" in item_scores)
    if preset == "paper":
        derived = {"informativeness": derived["informativeness"]}
    return Scores(item_scores, derived, clusters, seeds, _mean_spreads(information))


def _mean_spreads(
    information: Mapping[str, Information],
) -> dict[tuple[str, str], Spread]:
    """The standard error that trainings and deals leave in the means of readers."""
    errors = {}
    for name, part in information.items():
        if part.null is not None and len(part.null.logs) > 1:
            freedom = len(part.null.logs) - 1
            errors["lcig", name] = (float(np.sqrt(part.null.variance)), freedom)
        seeds = len(part.runs)
        if seeds < 2:
            continue
        seed_means = {
            "lcig": [(run.log_p1 - run.log_p0).mean() for run in part.runs],
            "lcig_raw": [(run.log_p1_raw - run.log_p0).mean() for run in part.runs],
            "left_open": [-run.log_p0.mean() for run in part.runs],
            "rationale_only": [run.right_r.mean() for run in part.runs],
        }
        for metric, means in seed_means.items():
            error = float(np.std(means, ddof=1) / np.sqrt(seeds))
            errors.setdefault((metric, name), (error, seeds - 1))
    return errors


def _item_metrics(
    items: Items,
    rationales: Rationales,
    robustness: Robustness,
    information: Information,
    specificity: Specificity,
    copied: Bools,
) -> Columns:
    """What each metric says of each item's rationale."""
    left_open = -information.log_p0
    gain, raw = information.gain, information.log_p1_raw - information.log_p0
    masked_share, raw_share = (
        np.clip(g / left_open.mean(), 0.0, 1.0) for g in (gain, raw)
    )
    gate = specificity.auc  # in the proposal as it is
    if specificity.preset == "default":
        gate = rescale_auc(specificity.auc) * ~copied
    item_robustness = robustness.robustness
    surface = dict(robustness.surface)
    varif_columns = {
        "varif": gate * harmonic_mean(np.nan_to_num(item_robustness), masked_share),
        "varif without s": harmonic_mean(np.nan_to_num(item_robustness), masked_share),
        "varif without mask": gate
        * harmonic_mean(np.nan_to_num(item_robustness), raw_share),
    }
    if "bertscore" in surface:
        likeness = np.nan_to_num(surface["bertscore"])
        varif_columns["varif with bertscore"] = gate * harmonic_mean(
            likeness, masked_share
        )
    unstable = np.isnan(item_robustness)
    return {
        "robustness": item_robustness,
        "agreement": robustness.agreement,
        "lcig": gain,
        "lcig_raw": raw,
        "lcig_over_input": information.log_p1 - information.log_p0,
        "left_open": left_open,
        "specificity": specificity.auc,
        "copied": copied.astype(float),
        "rationale_only": information.right_r,
        "residual_leakage": information.residual.right.astype(float),
        "rev": next(iter(information.rev.values())),
        "simulatability": information.right1 - information.right0,
        **surface,
        "length": np.array([float(len(words(text))) for text in rationales.test]),
        "overlap": input_overlaps(items, rationales.test),
        **{
            name: np.where(unstable, np.nan, values)
            for name, values in varif_columns.items()
        },
    }


def input_overlaps(items: Items, rationales: Sequence[str]) -> Floats:
    """The share of each rationale's words that stand in its input; 0 of no words."""
    inputs = zip(*(items.column(field) for field in items.fields), strict=True)
    shares = []
    for texts, rationale in zip(inputs, rationales, strict=True):
        rationale_words = words(rationale)
        input_words = {word for text in texts for word in words(text)}
        shares.append(
            sum(word in input_words for word in rationale_words)
            / max(len(rationale_words), 1)
        )
    return np.array(shares)


def _composite_metrics(encoded: bool) -> dict[str, Composite]:
    """The metrics that are made of means."""
    r, i, h, s = "robustness", "lcig", "left_open", "specificity"
    gate = (s, "copied")
    metrics = {
        "informativeness": Composite((i, h), _information_share),
        "specificity": Composite((s,), lambda auc: rescale_auc(auc)),
        "varif": Composite((r, i, h, *gate), _varif_of_means),
        "varif without s": Composite(
            (r, i, h), lambda r, i, h: harmonic_mean(r, _information_share(i, h))
        ),
        "varif without mask": Composite((r, "lcig_raw", h, *gate), _varif_of_means),
    }
    if encoded:
        metrics["varif with bertscore"] = Composite(
            ("bertscore", i, h, *gate), _varif_of_means
        )
    return metrics


def _information_share(gain: Floats, left_open: Floats) -> Floats:
    """The share of what the input leaves open that is told, of means."""
    return np.clip(gain / left_open, 0.0, 1.0)


def _varif_of_means(
    r: Floats, gain: Floats, left_open: Floats, auc: Floats, copied: Floats
) -> Floats:
    """VARIF of means; what is a near-copy of its input counts for nothing."""
    gate = rescale_auc(auc) * (1 - copied)
    return varif(gate, r, _information_share(gain, left_open))
