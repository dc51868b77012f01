"""Whether verdicts on exposure are true of studies with a known bias.

    python -m bench exposure_verdicts [STUDIES]

Studies are differences of draws, normal, with a standard deviation of 6 points a draw
and model, or one of its own for each task and model (log-normal, 0.8). A bias of 0, of
the margin (1 point) or of 3 points is in every task; or one task of 10 or 25 has 3, 4
or 5 points, or two tasks in one model alone; or half of the tasks have 5 and half -5.
Stated for each setting are how often each verdict is given; how often 95 % intervals
cover the mean; how often the bound is below it; how often something is said to be above
the margin, or above zero, that is not; how often "not inflated" is said of a mean at
the margin; and how often all planted tasks are named.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bench.figures import Figure
from measurand.audits.exposure.statistics.decisions import (
    ALPHA,
    Decisions,
    Signs,
    decide,
)
from measurand.audits.exposure.statistics.task_means import TaskMeans, task_means
from measurand.core.arrays import Floats
from measurand.core.seeds import generator

MARGIN, N, LUCK, LEVEL = 1.0, 200, 6.0, 0.95
STUDIES, PIECE = 6_000, 250
SHAPES = ((1, 1, 20), (1, 1, 50), (5, 2, 20), (10, 2, 50), (25, 2, 50))
TARGETS = {
    "covered": {"least": 0.93, "most": 0.97},
    "false above margin": {"most": 0.05},
    "false above zero": {"most": 0.05},
    "false not inflated": {"most": 0.05},
    "bound too low": {"most": 0.06},
}


@dataclass(frozen=True)
class Setting:
    """What studies are simulated from.

    Attributes:
        name: What figures call it.
        draws: Of each task and model.
        bias: The true bias in points, tasks × models.
        uneven: Whether each task and model has a luck of its own.
        least: The share of studies in which all planted tasks are to be named, if any.
    """

    name: str
    draws: int
    bias: Floats
    uneven: bool = False
    least: float | None = None


def settings() -> Iterator[Setting]:
    """The settings, one shape after another, then those with single tasks."""
    for tasks, models, draws in SHAPES:
        shape = f"{tasks} tasks, {models} models, {draws} draws"
        for bias in (0.0, MARGIN, 3.0):
            every = np.full((tasks, models), bias)
            yield Setting(f"{bias:g} everywhere, {shape}", draws, every)
    yield _some("5 on one of 10", 10, 2, 50, 1, 5.0)
    yield _some("3 on one of 10", 10, 2, 50, 1, 3.0)
    yield _some("3 on one of 10, 200 draws", 10, 2, 200, 1, 3.0)
    yield _some("3 on one of 25", 25, 2, 50, 1, 3.0)
    yield _some("4 on one of 25, one model, 20 draws", 25, 1, 20, 1, 4.0)
    yield _some("4 on one of 25, one model, 50 draws", 25, 1, 50, 1, 4.0, 0.8)
    one_model = np.zeros((25, 2))
    one_model[:2, 0] = 4.0
    yield Setting("4 on two of 25 in one of two models", 50, one_model)
    for bias in (0.0, MARGIN):
        every = np.full((10, 2), bias)
        yield Setting(f"{bias:g} everywhere, uneven luck", 50, every, uneven=True)
    mixed = np.repeat([[5.0], [-5.0]], 5, axis=0) * np.ones((1, 2))
    yield Setting("5 on five and -5 on five of 10", 50, mixed)
    yield Setting("-3 everywhere, 10 tasks", 50, np.full((10, 2), -3.0))


def _some(
    name: str,
    tasks: int,
    models: int,
    draws: int,
    planted: int,
    bias: float,
    least: float | None = None,
) -> Setting:
    """A setting in which some tasks have a bias and the others none."""
    effects = np.zeros((tasks, models))
    effects[:planted] = bias
    return Setting(name, draws, effects, least=least)


def simulate(
    setting: Setting, studies: int, rng: np.random.Generator
) -> tuple[TaskMeans, list[TaskMeans]]:
    """Studies of a setting: all models together, and each alone."""
    luck = np.full(setting.bias.shape, LUCK)
    if setting.uneven:
        luck = 5 * np.exp(rng.normal(0, 0.8, setting.bias.shape))
    shape = (studies, *setting.bias.shape, setting.draws)
    values = rng.standard_normal(shape) * luck[..., None] + setting.bias[..., None]
    models = range(setting.bias.shape[1])
    alone = [task_means(values[:, :, model], N) for model in models]
    return task_means(values.mean(axis=2), N), alone


def outcomes(setting: Setting, studies: int) -> dict[str, float]:
    """How often each verdict is given, and how often what is said is false."""
    rng = generator(0, "bench", "exposure verdicts", setting.name)
    counts: dict[str, float] = {}
    for start in range(0, studies, PIECE):
        count = min(PIECE, studies - start)
        together, alone = simulate(setting, count, rng)
        decisions = decide(together, alone, MARGIN)
        shares = {
            **label_shares(decisions),
            **error_shares(setting, together, decisions),
        }
        for name, values in shares.items():
            counts[name] = counts.get(name, 0.0) + float(values.sum())
    return {name: round(count / studies, 4) for name, count in counts.items()}


def label_shares(decisions: Decisions) -> dict[str, Floats]:
    """Which studies have each verdict, as far as no control is asked for."""
    names = {
        "inflated": "inflated",
        "inflated_somewhere": "inflated on some tasks",
        "small": "small inflation",
        "deflated": "deflated",
        "within": "not inflated",
        "bounded": "not inflated, bounded",
        "open": "inconclusive",
    }
    return {said: getattr(decisions, name) for name, said in names.items()}


def error_shares(
    setting: Setting, together: TaskMeans, decisions: Decisions
) -> dict[str, Floats]:
    """Which studies say something that is false, and which name what was planted."""
    mean, tasks = float(setting.bias.mean()), setting.bias.max(axis=1)
    planted = tasks > MARGIN
    named = decisions.present.tasks[:, planted].all(axis=1)
    low = decisions.within & (mean >= MARGIN)
    return {
        "covered": np.abs(together.average - mean) <= together.half_width(LEVEL),
        "bound too low": decisions.high < mean,
        "false above margin": _false(decisions.above, setting, MARGIN),
        "false above zero": _false(decisions.present, setting, 0.0),
        "false not inflated": low,
        **({"planted tasks named": named} if 0 < planted.sum() < len(tasks) else {}),
    }


def _false(signs: Signs, setting: Setting, bound: float) -> Floats:
    """Where a mean, a model or a task is said to be above a bound that it is not."""
    mean = signs.mean & (setting.bias.mean() <= bound)
    low = setting.bias.mean(axis=0) <= bound
    models = signs.models & low[: signs.models.shape[-1]]
    tasks = signs.tasks & (setting.bias.max(axis=1) <= bound)
    return np.asarray(mean | models.any(axis=-1) | tasks.any(axis=-1))


def figures_of(setting: Setting, shares: dict[str, float]) -> list[Figure]:
    """The figures of one setting, each with its target where it has one."""
    targets = dict(TARGETS)
    if setting.least is not None:
        targets["planted tasks named"] = {"least": setting.least}
    return [
        Figure(f"{setting.name}: {name}", value, "share", **targets.get(name, {}))
        for name, value in shares.items()
    ]


def run(arguments: list[str]) -> list[Figure]:
    """Simulate every setting."""
    studies = int(arguments[0]) if arguments else STUDIES
    figures = [
        Figure("studies a setting", studies, "studies"),
        Figure("false alarms allowed", ALPHA, "share"),
    ]
    for setting in settings():
        shares = outcomes(setting, studies)
        figures += figures_of(setting, shares)
        print(setting.name, shares, file=sys.stderr, flush=True)
    return figures
