"""The exposure audit: does pretraining on unlabeled test text inflate scores?

After "Evaluating the fairness of task-adaptive pretraining on unlabeled test data"
(ACL submission, 2024). Extra, train and test rows are drawn many times; a reader learns
from train alone (base), after reading extra text (extra), and after reading the test's
own text (test), and is scored on the same test rows. `docs/exposure.md` defines the
statistics, by the names in reports; `condition` is like `m=50,n=200`, or names the task
and the contrast:

boost, bias, task_boost, task_bias, detectable, detectable_task, detectable_dose
task_sd, task_model_sd, residual_sd, subsample_sd, training_sd
control_gain, recovery, agreement, transfer, p_adjusted, trend
predictive_boost, predictive_bias, beta_boost, beta_bias, log_evidence
meta_outside, meta_excluding, meta_coverage
lm_loss_lower, lm_loss_change
r_hat, ess_bulk, divergences, nuts_gap

Departures from the paper: the verdict rests on paired differences, and the hierarchical
model stands next to them; in it every observation has an effect of its own, since
trainings differ by more than coin flips (`model` 'paper' and 'released' leave it out);
the head, the order and the split are named seeds, the same in all arms; rows are
stored, not accuracies.
"""

from measurand.audits.exposure.audit import analyse_accuracies, audit, plan_exposure
from measurand.audits.exposure.columns import ALL
from measurand.audits.exposure.conclude import LABELS
from measurand.core.audit import Audit, Comparison
from measurand.core.finding import Report
from measurand.settings.exposure import ExposureSettings


def judged_models(report: Report) -> set[str]:
    """All models together; where there is one, this."""
    models = {f.reader for f in report.findings if f.statistic == "bias"}
    return {ALL} if ALL in models else models


AUDIT = Audit(
    name="exposure",
    question="does pretraining on unlabeled test text inflate scores?",
    labels=LABELS,
    readers=ExposureSettings.readers,
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
