"""The tables from which a report draws the exposure audit."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from measurand.audits.exposure.analysis import Contrast, Size
from measurand.core.finding import Exhibit
from measurand.core.reader import Floats
from measurand.stats.exposure.unreplicated import NOTABLE

SHOWN = 1000  # draws of a distribution that a page carries
TRACED = 250  # draws of one chain
ROWS = 20  # tasks under each other in one figure
INTERVALS = 24  # rows beyond which sizes get figures of their own
POINTS = {"x_title": "percentage points"}


def exhibits(found: Sequence[Size], margin: float) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    drawn = [*averages(found, margin), predictive(found, margin)]
    for size in found:
        drawn += [task_forest(size), differences(size), *task_differences(size)]
        slices = slice_means(size)
        if slices is not None:
            drawn.append(slices)
        drawn += [evidence(size), *sampling(size)]
    return tuple(drawn)


def averages(found: Sequence[Size], margin: float) -> Iterator[Exhibit]:
    """Boost and bias of every size with the margin, sizes in one figure if they fit."""
    caption = (
        "Boost (extra against base) and bias (test against extra), with the margin: of "
        "a repeated study, of one under wide priors, and in true accuracy"
    )
    if any(size.alone for size in found):
        caption += "; each model alone stands below all of them"
    rows = [averages_of(size) for size in found]
    together = max(1, INTERVALS // max(map(len, rows)))
    figures = math.ceil(len(rows) / together)
    for part, chosen in enumerate(np.array_split(np.arange(len(rows)), figures), 1):
        several = f" ({part} of {figures})" if figures > 1 else ""
        yield Exhibit(
            "averages" if part == 1 else f"averages_{part}",
            "intervals",
            pd.DataFrame([row for at in chosen for row in rows[at]]),
            f"{caption}{several}",
            {"margin": margin, **POINTS},
        )


def averages_of(size: Size) -> list[dict[str, object]]:
    """Each contrast of all models, of each one alone, and of all in other ways."""
    rows: list[dict[str, object]] = []
    for contrast, one in size.contrasts.items():
        group, who = size.name, contrast
        if size.alone:
            group, who = f"{contrast}, {size.name}", "all models"
        stated = {
            who: one.estimate,
            **{f"{lm} alone": of[contrast].estimate for lm, of in size.alone.items()},
            f"{who}, wide priors": one.wide,
            f"{who}, true accuracy": one.truth,
        }
        rows += [
            {
                "group": group,
                "name": name,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "decision": "",
            }
            for name, estimate in stated.items()
        ]
    return rows


def predictive(found: Sequence[Size], margin: float) -> Exhibit:
    """Posterior predictive distributions: the paper's Figures 2 to 4."""
    parts = [
        pd.DataFrame({"series": f"{name}, {size.name}", "value": some(one.predictive)})
        for name in found[0].contrasts
        for size, one in ((size, size.contrasts[name]) for size in found)
    ]
    titles = {"x_title": "mean difference, percentage points"}
    marks = {"margin": margin}
    caption = "What repeated studies would find on average, in every configuration"
    return Exhibit(
        "predictive",
        "distribution",
        pd.concat(parts),
        caption,
        titles | {"marks": marks},
    )


def task_forest(size: Size) -> Exhibit:
    """Each task's mean difference and adjusted p."""
    parts = [
        one.tasks.table.reset_index().assign(contrast=name)
        for name, one in size.contrasts.items()
    ]
    caption = f"A task at a time, {size.name}: mean difference in points, sign-flip p"
    return Exhibit(f"tasks_{size.m}_{size.n}", "table", pd.concat(parts), caption)


def differences(size: Size) -> Exhibit:
    """The paired differences of all draws, a model at a time."""
    parts = [
        pd.DataFrame(
            {
                "series": one.pairs.table["lm"] + f", {name}",
                "value": (100 * one.pairs.differences).round(3),
            }
        )
        for name, one in size.contrasts.items()
    ]
    caption = f"Differences of single draws, {size.name}"
    name = f"differences_{size.m}_{size.n}"
    return Exhibit(name, "histogram", pd.concat(parts), caption, POINTS)


def task_differences(size: Size) -> Iterator[Exhibit]:
    """The paired differences of all draws, a task at a time: the paper's Figure 1."""
    for contrast, one in size.contrasts.items():
        table = pd.DataFrame(
            {
                "series": one.pairs.table["task"].astype(str),
                "value": (100 * one.pairs.differences).round(3),
            }
        ).sort_values("series", kind="stable")
        names = table["series"].unique()
        parts = np.array_split(names, int(np.ceil(len(names) / ROWS)))
        for part, chosen in enumerate(parts, 1):
            several = f", {part} of {len(parts)}" if len(parts) > 1 else ""
            yield Exhibit(
                f"task_{contrast}_{size.m}_{size.n}_{part}",
                "distribution",
                table[table["series"].isin(chosen)],
                f"{contrast.capitalize()} of single draws, a task at a time, "
                f"{size.name}{several}",
                {**POINTS, "marks": {"no difference": 0.0}},
            )


def slice_means(size: Size) -> Exhibit | None:
    """Posterior means of unreplicated studies: the paper's Figure 5."""
    parts = [
        cumulative(name, np.asarray(one.slices.beta.mean))
        for name, one in size.contrasts.items()
        if one.slices is not None
    ]
    if not parts:
        return None
    titles = {
        "x_title": "posterior mean of beta, log-odds",
        "y_title": "share of studies below",
        "step": True,
        "vertical": {f"−{NOTABLE}": -NOTABLE, f"{NOTABLE}": NOTABLE},
    }
    caption = f"What studies with one draw a task would have said, {size.name}"
    name = f"slices_{size.m}_{size.n}"
    return Exhibit(name, "curve", pd.concat(parts), caption, titles)


def cumulative(name: str, values: Floats) -> pd.DataFrame:
    """The values in order, each with the share up to it."""
    share = np.arange(1, len(values) + 1) / len(values)
    return pd.DataFrame({"series": name, "x": np.sort(values), "y": share})


def evidence(size: Size) -> Exhibit:
    """The models compared."""
    rows = [
        {"contrast": name, "model": model, "log_evidence": value}
        for name, one in size.contrasts.items()
        for model, value in one.evidence.items()
    ]
    caption = f"How probable each model makes the counts, {size.name} (nats)"
    return Exhibit(f"evidence_{size.m}_{size.n}", "table", pd.DataFrame(rows), caption)


def sampling(size: Size) -> Iterator[Exhibit]:
    """What NUTS found, and traces of beta and of what mixes worst."""
    for contrast, one in size.contrasts.items():
        if one.chains is None:
            continue
        where = f"{contrast}, {size.name}"
        yield Exhibit(
            f"nuts_{contrast}_{size.m}_{size.n}",
            "table",
            sampled(one),
            f"What NUTS drew, {where}: {one.chains.divergences} divergences",
        )
        slowest = min(one.chains.ess, key=one.chains.ess.__getitem__)
        for what in dict.fromkeys(("beta", slowest)):
            yield Exhibit(
                f"trace_{what}_{contrast}_{size.m}_{size.n}",
                "curve",
                trace(one.chains.draws[what]),
                f"Trace of {what}, {where}",
                {"x_title": "draw", "y_title": what},
            )


def sampled(one: Contrast) -> pd.DataFrame:
    """Mean, sd and convergence of each number that NUTS drew."""
    assert one.chains is not None, "asked for chains"  # noqa: S101
    rows = [
        {
            "name": name,
            "mean": float(draws.mean()),
            "sd": float(draws.std()),
            "r_hat": one.chains.r_hat[name],
            "ess_bulk": one.chains.ess[name],
        }
        for name, draws in one.chains.draws.items()
    ]
    return pd.DataFrame(rows)


def trace(draws: Floats) -> pd.DataFrame:
    """Some draws of each chain, in order."""
    step = max(1, draws.shape[1] // TRACED)
    parts = [
        pd.DataFrame(
            {
                "series": f"chain {number}",
                "x": np.arange(0, len(chain), step),
                "y": chain[::step],
            }
        )
        for number, chain in enumerate(draws, 1)
    ]
    return pd.concat(parts)


def some(draws: Floats) -> Floats:
    """Some of the draws, evenly."""
    return draws[:: max(1, len(draws) // SHOWN)]
