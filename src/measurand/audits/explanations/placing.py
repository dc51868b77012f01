"""Where explainers lie: what each metric says of each, and the frontier.

Items are drawn once and every explainer is averaged over the same ones, so that what is
made of several means (VARIF, the frontier, its hypervolume) has an interval too. VARIF
is S x H with H the harmonic mean of R and the clipped share I~, all of means; of items
it is only for browsing and for telling rationales apart.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from measurand.audits.explanations.informing import Informed
from measurand.audits.explanations.robust import Robust
from measurand.audits.explanations.scored import Composite, Levels, Scores
from measurand.audits.explanations.specific import Specific
from measurand.audits.explanations.writing import Written
from measurand.core.finding import Estimate
from measurand.core.items import Items
from measurand.core.reader import Floats
from measurand.core.words import words
from measurand.stats.frontier import (
    dominated,
    harmonic,
    hypervolume_estimate,
    on_frontier,
    varif,
)
from measurand.stats.paired import Clusters
from measurand.stats.specificity import gated

Columns = Mapping[str, Floats]


@dataclass(frozen=True, eq=False)
class Placed:
    """Explainers on the plane of robustness and informativeness.

    Attributes:
        names: The explainers that have both.
        points: Robustness and informativeness of each.
        better: Those that are no worse on both axes and better on one.
        chance: The share of resamples in which each is on the frontier.
        hypervolume: The area under the frontier, from (0, 0).
    """

    names: tuple[str, ...]
    points: Floats
    better: Mapping[str, tuple[str, ...]]
    chance: Mapping[str, float]
    hypervolume: Estimate


def placed(figures: Mapping[str, Levels], methods: Sequence[str]) -> Placed | None:
    """The frontier of these explainers; None where none has both axes.

    The suite is no part of it: stress tests are no methods to be dominated by.
    """
    if "robustness" not in figures or "informativeness" not in figures:
        return None
    axes = [figures[axis] for axis in ("robustness", "informativeness")]
    chosen = tuple(n for n in methods if all(n in one.explainers for one in axes))
    if not chosen:
        return None
    rows = [[one.explainers.index(name) for name in chosen] for one in axes]
    both = list(zip(axes, rows, strict=True))
    points = np.column_stack([one.values[at] for one, at in both])
    draws = np.stack([one.draws[:, at] for one, at in both], axis=-1)
    better = {
        name: tuple(
            other
            for b, other in enumerate(chosen)
            if other != name and dominated(points[[a, b]])[0]
        )
        for a, name in enumerate(chosen)
    }
    chance = dict(zip(chosen, on_frontier(draws).tolist(), strict=True))
    area = hypervolume_estimate(points, draws, axes[0].n, what=axes[0].what)
    return Placed(chosen, points, better, chance, area)


def scores(
    items: Items,
    made: Mapping[str, Written],
    robust: Mapping[str, Robust],
    informed: Mapping[str, Informed],
    specific: Mapping[str, Specific],
    clusters: Clusters,
) -> Scores:
    """Every metric of every explainer, item by item, and those made of means."""
    found: dict[str, dict[str, Floats]] = {}
    for name in made:
        for metric, column in columns(
            items, made[name], robust[name], informed[name], specific[name]
        ).items():
            if np.isfinite(column).any():
                found.setdefault(metric, {})[name] = column
    seeds = len(next(iter(informed.values())).runs)
    made_of = composites("bertscore" in found)
    return Scores(found, made_of, clusters, seeds, spreads(informed))


def spreads(informed: Mapping[str, Informed]) -> dict[tuple[str, str], float]:
    """The standard error that trainings leave in the means of what readers said."""
    found = {}
    for name, one in informed.items():
        if len(one.runs) < 2:
            continue
        each = {
            "lcig": [(run.log_p1 - run.log_p0).mean() for run in one.runs],
            "lcig_raw": [(run.log_p1_raw - run.log_p0).mean() for run in one.runs],
            "left_open": [-run.log_p0.mean() for run in one.runs],
            "rationale_only": [run.right_r.mean() for run in one.runs],
        }
        for metric, means in each.items():
            error = np.std(means, ddof=1) / np.sqrt(len(means))
            found[metric, name] = float(error)
    return found


def columns(
    items: Items, made: Written, robust: Robust, informed: Informed, specific: Specific
) -> Columns:
    """What each metric says of each item's rationale."""
    left_open = -informed.log_p0
    gain, raw = informed.log_p1 - informed.log_p0, informed.log_p1_raw - informed.log_p0
    told, whole = (np.clip(g / left_open.mean(), 0.0, 1.0) for g in (gain, raw))
    own = gated(specific.auc)
    stable = robust.robustness
    surface = dict(robust.surface)
    scalar = {
        "varif": own * harmonic(np.nan_to_num(stable), told),
        "varif without s": harmonic(np.nan_to_num(stable), told),
        "varif without mask": own * harmonic(np.nan_to_num(stable), whole),
    }
    if "bertscore" in surface:
        like = np.nan_to_num(surface["bertscore"])
        scalar["varif with bertscore"] = own * harmonic(like, told)
    unstable = np.isnan(stable)
    return {
        "robustness": stable,
        "lcig": gain,
        "lcig_raw": raw,
        "left_open": left_open,
        "specificity": specific.auc,
        "rationale_only": informed.right_r,
        "residual_leakage": informed.residual[informed.kept].astype(float),
        "rev": next(iter(informed.rev.values())),
        "simulatability": informed.right1 - informed.right0,
        **surface,
        "length": np.array([float(len(words(text))) for text in made.test]),
        "overlap": overlaps(items, made.test),
        **{name: np.where(unstable, np.nan, one) for name, one in scalar.items()},
    }


def overlaps(items: Items, rationales: Sequence[str]) -> Floats:
    """The share of each rationale's words that stand in its input; 0 of no words."""
    inputs = zip(*(items.column(field) for field in items.fields), strict=True)
    shares = []
    for texts, rationale in zip(inputs, rationales, strict=True):
        own = words(rationale)
        known = {word for text in texts for word in words(text)}
        shares.append(sum(word in known for word in own) / max(len(own), 1))
    return np.array(shares)


def composites(encoded: bool) -> dict[str, Composite]:
    """The metrics that are made of means."""
    r, i, h, s = "robustness", "lcig", "left_open", "specificity"
    made = {
        "informativeness": Composite((i, h), told),
        "specificity": Composite((s,), lambda auc: gated(auc)),
        "varif": Composite((r, i, h, s), scalar),
        "varif without s": Composite(
            (r, i, h), lambda r, i, h: harmonic(r, told(i, h))
        ),
        "varif without mask": Composite((r, "lcig_raw", h, s), scalar),
    }
    if encoded:
        made["varif with bertscore"] = Composite(("bertscore", i, h, s), scalar)
    return made


def told(gain: Floats, left_open: Floats) -> Floats:
    """The share of what the input leaves open that is told, of means."""
    return np.clip(gain / left_open, 0.0, 1.0)


def scalar(r: Floats, gain: Floats, left_open: Floats, auc: Floats) -> Floats:
    """VARIF of means."""
    return varif(gated(auc), r, told(gain, left_open))
