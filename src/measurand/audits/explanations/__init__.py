"""The explanations audit: robust and informative, or vacuous, or leaky?

After "VARIF: Vacuity-Aware Robustness-Informativeness Frontier for Evaluating NLP
Explanations" (research proposal, 2025). Rationales r of the items, given or written by
explainers, are written again when the input x is said otherwise, and are read by three
readers of one recipe. The statistics, by the names reports use; `condition` is the
explainer's name, or `all`:

robustness, robustness_baseline
    R: the mean of (p(e => e') + p(e' => e)) / 2 between a rationale and what was
    written of a changed input, by the judge; and between rationales of different items.
acceptance_rate, judge_agreement
    The share of paraphrases that the judge took for such, both ways; and how far a
    judge that is a model goes with the lexical one: correlation of R over items.
majority, rationale_only, residual_leakage
    The share of the commonest label, and the accuracy of a detector that reads the
    rationale alone, before the mask and, trained anew, after it.
lcig, informativeness
    log p1(y | x, masked r) - log p0(y | x) in nats, and clip(lcig / H(y | x), 0, 1).
rev
    log g(y | r, b) - log g'(y | b) in nats, for three baselines b; `reader` names b.
las, las_leaking, las_nonleaking, simulatability
    Accuracy that the rationale adds: the mean of two cells, the items that leak, the
    others, and all items.
specificity, specificity_over_copy
    S = max(0, 2 AUC - 1) of the own input against others; and how much over that of a
    rationale that repeats the query.
varif, hypervolume
    S times the harmonic mean of robustness and informativeness, of means; the area
    under the frontier from (0, 0), of explainers that are no part of the suite.
bertscore, rouge_l, length, overlap
    Surface baselines: likeness in R's place, words, and the share of them in the input.
auc_vacuous, auc_circular, auc_drift
    How well each metric (`reader`) tells given rationales from those of one type of the
    suite; the same for label-leaking, pseudo-specific and label-swapped.
rank_correlation
    How well each metric (`reader`) keeps the known order of explainers.
h1, h2, h3, h4, h5
    The hypotheses of the proposal, each with a decision.

Departures from the proposal: the mask is placed by no label and by detectors that never
saw the rationale, and as strong as it must be; shares are of means and never clipped
item by item; specificity is above chance and against near inputs too; nothing is
compared with itself. `preset` 'paper' has the proposal's mask and specificity.
"""

from measurand.audits.explanations.audit import audit
from measurand.audits.explanations.exhibits import COMPARISON
from measurand.audits.explanations.settings import ExplanationsSettings
from measurand.audits.explanations.verdict import LABELS
from measurand.core.audit import Audit

AUDIT = Audit(
    name="explanations",
    question="are rationales robust and informative, or vacuous, or leaky?",
    labels=LABELS,
    readers=("tfidf",),
    settings=ExplanationsSettings,
    run=audit,
    needs=("rationale",),
    comparison=COMPARISON,
    demo={"synthetic:explained": {}, "synthetic:templated": {}},
)

__all__ = ["AUDIT", "ExplanationsSettings", "audit"]
