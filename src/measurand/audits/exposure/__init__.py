"""The exposure audit: does pretraining on unlabeled test text inflate scores?

After "Evaluating the fairness of task-adaptive pretraining on unlabeled test data"
(ACL submission, 2024). Extra, train and test rows are drawn many times; a reader learns
from train alone (base), after reading extra text (extra), and after reading the test's
own text (test), and is scored on the same test rows. The statistics, by the names
reports use; `condition` is like `m=50,n=200`, or names the task and the contrast:

boost, bias
    acc_extra - acc_base and acc_test - acc_extra, in percentage points: means over
    models, tasks and draws of paired differences, with the luck of draws; `all models`
    where there are several, and each.
task_boost, task_bias
    The same of one task by itself.
task_sd, new_task
    How far tasks differ beyond luck, and what a task that was not there may see.
task_model_sd, residual_sd
    What single models add in single tasks beyond luck, and how far draws of one task
    and model differ.
detectable, detectable_dose
    The least bias that a study of this error calls inflated 80 % of the time, and the
    dose that gains as much.
control_gain, recovery
    What an arm gains that learned a share of the test rows with their labels, and the
    share of the room that it gains on these.
agreement
    How often the extra and the test arm are both right or both wrong about an item.
transfer
    acc_transfer - acc_base: what texts of another task are worth.
predictive_boost, predictive_bias
    What a repeated study would find, posterior predictive, by the hierarchical model.
beta_boost, beta_bias
    The same in log-odds, from the hierarchical binomial model.
p_adjusted
    One-sided sign-flip permutation of one task's differences, Benjamini-Hochberg.
meta_outside, meta_excluding, meta_coverage
    Over slices with one draw a task and model: how many posterior means are notable,
    how many 89 % intervals exclude 0, how many cover the grand mean.
log_evidence
    The log probability of the counts under each model.
lm_loss_lower, lm_loss_change
    Over pairs of an ordinary and an overtrained reader of the same texts: in how many
    the second has the lower language-model loss, and the change of the mean in percent.
    boost and bias of the overtrained arms have a condition like
    `m=50,n=200,overtrained`.
subsample_sd, training_sd
    Where draws were trained on more than once: the spread of a difference from draw to
    draw and from training to training, in percentage points.
r_hat, ess_bulk, divergences, nuts_gap
    Where NUTS was asked for: how its chains went, and its beta less that of nested
    Laplace in posterior sds.
trend
    What bias gains in points when n doubles, within m, where several n were run.

Departures from the paper: the verdict rests on paired differences, and the hierarchical
model stands beside them; in it every observation has an effect of its own, since
trainings differ by more than coin flips (`model` 'paper' and 'released' leave it out);
the head, the order and the split are named seeds, the same in all arms; rows are
stored, not accuracies.
"""

from measurand.audits.exposure.audit import analyse_accuracies, audit, plan_exposure
from measurand.audits.exposure.columns import ALL
from measurand.audits.exposure.settings import ExposureSettings
from measurand.audits.exposure.verdict import LABELS
from measurand.core.audit import Audit, Comparison
from measurand.core.finding import Report


def judged_models(report: Report) -> set[str]:
    """All models together; where there is one, this."""
    models = {f.reader for f in report.findings if f.statistic == "bias"}
    return {ALL} if ALL in models else models


AUDIT = Audit(
    name="exposure",
    question="does pretraining on unlabeled test text inflate scores?",
    labels=LABELS,
    readers=("pca", "idf"),
    settings=ExposureSettings,
    run=audit,
    comparison=Comparison(
        effects=("bias",),
        changes=("bias", "boost"),
        worse={"bias": "higher"},
        judged_readers=judged_models,
    ),
    usual=False,
    pooled=True,
    adjustable=("m", "n"),
    demo={
        "synthetic:nq": {"repeats": 20, "calibrate": False},
        "synthetic:hotpotqa": {"repeats": 20, "calibrate": False},
        "synthetic:triviaqa": {"repeats": 20, "calibrate": False},
    },
)

__all__ = ["AUDIT", "ExposureSettings", "analyse_accuracies", "audit", "plan_exposure"]
