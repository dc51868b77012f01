"""The tables from which a report draws the exposure audit."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from measurand.audits.exposure.analysis import Size
from measurand.core.finding import Exhibit
from measurand.core.reader import Floats

SHOWN = 2000  # draws of a distribution that a page carries


def exhibits(found: Sequence[Size], margin: float) -> tuple[Exhibit, ...]:
    """Everything that can be drawn from what was found."""
    drawn = [averages(found, margin)]
    for size in found:
        drawn += [task_forest(size), differences(size), predictive(size)]
        slices = slice_means(size)
        if slices is not None:
            drawn.append(slices)
        drawn.append(evidence(size))
    return tuple(drawn)


def averages(found: Sequence[Size], margin: float) -> Exhibit:
    """Boost and bias of every size, with the margin, and under wide priors."""
    rows = []
    for size in found:
        for name, one in size.contrasts.items():
            for how, estimate in (("", one.estimate), (", wide priors", one.wide)):
                rows.append(
                    {
                        "group": size.name,
                        "name": f"{name}{how}",
                        "value": estimate.value,
                        "low": estimate.low,
                        "high": estimate.high,
                        "decision": "",
                    }
                )
    titles = {"margin": margin, "x_title": "percentage points"}
    caption = (
        "Boost (extra against base) and bias (test against extra), with the margin"
    )
    return Exhibit("averages", "intervals", pd.DataFrame(rows), caption, titles)


def task_forest(size: Size) -> Exhibit:
    """Each task's mean difference and adjusted p."""
    parts = [
        one.tasks.table.reset_index().assign(contrast=name)
        for name, one in size.contrasts.items()
    ]
    caption = f"A task at a time, {size.name}: mean difference in points, sign-flip p"
    return Exhibit(f"tasks_{size.m}_{size.n}", "table", pd.concat(parts), caption)


def differences(size: Size) -> Exhibit:
    """The paired differences of all draws: the paper's Figure 1."""
    parts = []
    for name, one in size.contrasts.items():
        series = one.pairs.table["lm"] + f", {name}"
        points = 100 * one.pairs.differences
        parts.append(pd.DataFrame({"series": series, "value": points}))
    titles = {"x_title": "percentage points"}
    caption = f"Differences of single draws, {size.name}"
    table = pd.concat(parts)
    return Exhibit(
        f"differences_{size.m}_{size.n}", "histogram", table, caption, titles
    )


def predictive(size: Size) -> Exhibit:
    """Posterior predictive curves: the paper's Figures 2 to 4."""
    parts = [
        pd.DataFrame({"series": name, "value": thinned(one.predictive)})
        for name, one in size.contrasts.items()
    ]
    titles = {"x_title": "mean difference, percentage points"}
    caption = f"What repeated studies would find on average, {size.name}"
    table = pd.concat(parts)
    return Exhibit(f"predictive_{size.m}_{size.n}", "histogram", table, caption, titles)


def slice_means(size: Size) -> Exhibit | None:
    """Posterior means of unreplicated studies: the paper's Figure 5."""
    parts = [
        pd.DataFrame({"series": name, "value": np.asarray(one.slices.beta.mean)})
        for name, one in size.contrasts.items()
        if one.slices is not None
    ]
    if not parts:
        return None
    titles = {"x_title": "posterior mean of beta, log-odds"}
    caption = f"What studies with one draw a task would have said, {size.name}"
    return Exhibit(
        f"slices_{size.m}_{size.n}", "histogram", pd.concat(parts), caption, titles
    )


def evidence(size: Size) -> Exhibit:
    """The models compared."""
    rows = [
        {"contrast": contrast, "model": model, "log_evidence": value}
        for contrast, each in size.evidence.items()
        for model, value in each.items()
    ]
    caption = f"How probable each model makes the counts, {size.name} (nats)"
    return Exhibit(f"evidence_{size.m}_{size.n}", "table", pd.DataFrame(rows), caption)


def thinned(draws: Floats) -> Floats:
    """Some of the draws, evenly."""
    return draws[:: max(1, len(draws) // SHOWN)]
