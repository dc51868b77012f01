"""Exposure studies: accuracies as paired counts, and models of them.

A triple is one training with no extra text (base), with independent text (extra) and
with the test's own text (test), all scored on the same n items. `boost` holds extra
against base, `bias` test against extra. Counts win over accuracies; an accuracy times n
is rounded, since cutting it off turns 29 of 50 into 28. One that gives no whole number
of items, as far as its digits say, is refused: it was taken of others.

Every model is `logit(p) = intercept + lm + beta method + effects`, where effects are
normal with standard deviations of their own: of a task, of a task under a method, of a
pair (a task's subsample, for each model or shared between models), of an observation.
A task's effects touch no other task, a pair's no other pair, so that each kind makes a
diagonal block of the information matrix; `laplace` lives on that.
"""

from dataclasses import dataclass, replace

import numpy as np

from measurand.audits.exposure.statistics.counts import ArmPairs
from measurand.core.arrays import Floats

METHODS = 2  # control and treatment, the last axis of a study


@dataclass(frozen=True)
class HierarchicalModel:
    """Which effects there are besides intercept, lm and method.

    Attributes:
        task_method: Whether a task has an effect under each method.
        pair: "model": each model has its own; "shared": models share it; "" for none.
        observation: Whether each single count has one (over-dispersion).
    """

    task_method: bool = False
    pair: str = ""
    observation: bool = False

    @property
    def effects(self) -> tuple[str, ...]:
        """The effects whose standard deviations are to be found."""
        included = {
            "task": True,
            "task_method": self.task_method,
            "pair": bool(self.pair),
            "observation": self.observation,
        }
        return tuple(name for name, used in included.items() if used)


MODELS = {
    "observation": HierarchicalModel(pair="model", observation=True),
    "paper": HierarchicalModel(pair="model"),
    "released": HierarchicalModel(task_method=True, pair="shared"),
    # method + lm + (1 | task), for slices without replication
    "plain": HierarchicalModel(),
}


@dataclass(frozen=True)
class Priors:
    """Scales: of normals for intercept, lm and method, of half-normals for effects."""

    intercept: float = 1.0
    lm: float = 5.0
    method: float = 1.0
    task: float = 1.0
    task_method: float = 3.5355
    pair: float = 1.0
    observation: float = 1.0


# What bambi would choose: 2.5 over the sd of a 0/1 column, so 5 for lm and method; for
# all else sqrt(2.5² + 2 · (5 · 0.5)²), since an intercept takes up the columns' means.
WIDE = Priors(
    intercept=4.33,
    lm=5.0,
    method=5.0,
    task=4.33,
    task_method=4.33,
    pair=4.33,
    observation=4.33,
)


@dataclass(frozen=True)
class Studies:
    """Counts of studies of one shape; cells that were not observed have 0 trials.

    Attributes:
        correct: Studies × tasks × models × subsamples × trainings × methods.
        trials: Of the same shape, or with one study for all.
    """

    correct: Floats
    trials: Floats

    def __len__(self) -> int:
        """How many studies there are."""
        return len(self.correct)


def tabulate_study(pairs: ArmPairs) -> Studies:
    """One study with the counts of the pairs."""
    tasks, task_names = pairs.codes("task")
    models, model_names = pairs.codes("lm")
    draws, draw_names = pairs.codes("subsample")
    trainings, training_names = pairs.codes("training")
    names = (task_names, model_names, draw_names, training_names)
    shape = (1, *(len(values) for values in names), METHODS)
    correct, trials = np.zeros(shape), np.zeros(shape)
    for method, column in enumerate(("control", "treatment")):
        cells = (0, tasks, models, draws, trainings, method)
        correct[cells] = pairs.table[column]
        trials[cells] = pairs.table["n"]
    return Studies(correct, trials)


@dataclass(frozen=True)
class Latent:
    """Studies laid out for one model: who shares which effect.

    The axes of a count are studies × tasks × groups × slots × subsamples. A pair is a
    (task, group, subsample); its slots are what shares its effect, control and
    treatment in turn. Designs are the same for every task.

    Attributes:
        correct: Counts in that layout.
        trials: Of the same shape, or with one study for all.
        fixed: Groups × slots × (intercept, lms, method).
        local: Groups × slots × effects of a task.
        precision: Of the priors of the fixed terms.
        effects: The names of the standard deviations, in order.
        scales: Of their half-normal priors.
    """

    correct: Floats
    trials: Floats
    fixed: Floats
    local: Floats
    precision: Floats
    effects: tuple[str, ...]
    scales: Floats

    def part(self, selection: slice | np.ndarray) -> "Latent":
        """The same layout for some of the studies."""
        trials = self.trials if len(self.trials) == 1 else self.trials[selection]
        return replace(self, correct=self.correct[selection], trials=trials)

    def variance(self, log_sds: Floats, effect: str) -> Floats:
        """The variance of an effect; 0 where the model has none."""
        if effect not in self.effects:
            return np.zeros(log_sds.shape[:-1])
        return np.asarray(np.exp(2 * log_sds[..., self.effects.index(effect)]))

    def local_variances(self, log_sds: Floats) -> Floats:
        """The variance of each effect of a task, along a new last axis."""
        kinds = ["task"] + ["task_method"] * (self.local.shape[-1] - 1)
        return np.stack([self.variance(log_sds, kind) for kind in kinds], axis=-1)


def lay_out_studies(
    studies: Studies, model: HierarchicalModel, priors: Priors
) -> Latent:
    """The studies as this model sees them."""
    _, _, models, _, trainings, _ = studies.correct.shape
    cells = np.zeros((models, 1, trainings, METHODS))
    is_method = cells + np.arange(METHODS)
    is_model = cells + np.arange(models)[:, None, None, None]
    columns = [
        cells + 1,
        *(is_model == number for number in range(1, models)),
        is_method,
    ]
    fixed = np.stack(columns, axis=-1).astype(float)
    kinds = [is_method == method for method in range(METHODS) if model.task_method]
    local = np.stack([cells + 1, *kinds], axis=-1).astype(float)
    lms = [priors.lm] * (models - 1)
    scales = np.array([priors.intercept, *lms, priors.method])
    sd_scales = np.array([getattr(priors, effect) for effect in model.effects])
    return Latent(
        correct=_group_axes(studies.correct, model),
        trials=_group_axes(studies.trials, model),
        fixed=_group_axes(fixed[None, None], model)[0, 0, :, :, 0],
        local=_group_axes(local[None, None], model)[0, 0, :, :, 0],
        precision=scales**-2.0,
        effects=model.effects,
        scales=sd_scales,
    )


def _group_axes(counts: Floats, model: HierarchicalModel) -> Floats:
    """Studies × tasks × groups × slots × subsamples, from the axes of `Studies`."""
    further = counts.shape[6:]
    studies, tasks, models, subsamples = counts.shape[:4]
    groups = 1 if model.pair == "shared" else models
    late = np.moveaxis(counts, 3, 5)  # subsamples behind everything that shares a pair
    layout = (studies, tasks, groups, -1, subsamples, *further)
    return np.ascontiguousarray(late.reshape(layout))
