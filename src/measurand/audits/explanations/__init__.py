"""The explanations audit: robust and informative, or vacuous, or leaky?

After "VARIF: Vacuity-Aware Robustness-Informativeness Frontier for Evaluating NLP
Explanations" (research proposal, 2025). Rationales r of the items, given or written by
explainers, are written again when the input x is said otherwise, and are read by three
readers of one recipe. The verdict is on the judged ones as a part of their items: what
they predict alone, and what they add to the best model without them.
`docs/explanations.md` defines the statistics, by the names in reports; `condition` is
the explainer's name, or `all`:

robustness, robustness_baseline, agreement
acceptance_rate, judge_agreement, pairs_accepted
over_blank, over_blank_bits, exact_bound, gain, room
majority, rationale_only, residual_leakage, rationale_bits, residual_bits
lcig, informativeness, lcig_within_label, rev, attack_fall
comprehensiveness, sufficiency
las, las_leaking, las_nonleaking, simulatability
specificity, specificity_over_copy, copied, varif, hypervolume
bertscore, rouge_l, drift_likeness, length, overlap
auc_vacuous, auc_circular, auc_drift, rank_correlation
h1, h2, h3, h4, h5

Departures from the proposal: the mask is placed by no label and by detectors that never
saw the rationale, and as strong as it must be on a third part; information is over
permuted rationales; shares are of means and never clipped item by item; specificity
is above chance, against near inputs too, and against inputs that do not hold the
rationale; nothing is compared with itself. `preset` 'paper' is the proposal to the
letter: its mask, filter, zero and specificity, and the mean of VARIF_i.
"""

from measurand.audits.explanations.audit import audit
from measurand.audits.explanations.conclude import LABELS
from measurand.audits.explanations.exhibits import COMPARISON
from measurand.audits.explanations.planning import plan_explanations
from measurand.core.audit import Audit
from measurand.settings.explanations import ExplanationsSettings

AUDIT = Audit(
    name="explanations",
    question="are rationales robust and informative, or vacuous, or leaky?",
    labels=LABELS,
    readers=ExplanationsSettings.readers,
    settings=ExplanationsSettings,
    run=audit,
    needs=("rationale",),
    comparison=COMPARISON,
    demo={"synthetic:explained": {}, "synthetic:templated": {}},
)

__all__ = ["AUDIT", "ExplanationsSettings", "audit", "plan_explanations"]
