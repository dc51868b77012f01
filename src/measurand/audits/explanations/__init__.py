"""The explanations audit: robust and informative, or vacuous, or leaky?

After "VARIF: Vacuity-Aware Robustness-Informativeness Frontier for Evaluating NLP
Explanations" (research proposal, 2025). Rationales r of the items, given or written by
explainers, are written again when the input x is said otherwise, and are read by three
readers of one recipe. The statistics, by the names reports use; `condition` is the
explainer's name, or `all`:

robustness, robustness_baseline
    R: the mean of (p(e => e') + p(e' => e)) / 2 between a rationale and what was
    written of a changed input, by the judge; and between rationales of different items.
    A column cannot be run again: it has R only where rationales of changed inputs are
    given.
agreement
    The same between several rationales that were written of one input: never R.
acceptance_rate, judge_agreement, pairs_accepted
    The share of paraphrases that the filter took for such; how far a judge that is a
    model goes with the lexical one; and the share of packaged minimal pairs that the
    filter accepts, by what was changed in them.
majority, rationale_only, residual_leakage
    The share of the commonest label, and the accuracy of a detector that reads the
    rationale alone, before the mask and, trained anew, after it.
rationale_bits, residual_bits
    The same in bits: the mean of log2 p(y | r) - log2 p(y), which shows rare labels.
form_only, form_bits
    The same two of a reader of the rationale's form alone: whether there is one, how
    long it is, its case, spacing, marks and digits. Of the rationales that are judged.
lcig, informativeness, lcig_within_label
    log p1(y | x, masked r) less that of rationales dealt anew, in nats, and as a share
    of H(y | x); and less that of rationales dealt anew within the label.
rev
    log g(y | r, b) - log g'(y | b) in nats, for three baselines b; `reader` names b.
attack_fall
    How far log p1(y | x, r) of a reader fitted on rationales as they are falls when
    they are drifted, swapped, dealt anew, truncated or shuffled (`condition`).
comprehensiveness, sufficiency
    What the probability of the reader's own answer loses without a rationale that is a
    span of the input, and with it alone.
las, las_leaking, las_nonleaking, simulatability
    Accuracy that the rationale adds: the mean of two cells, the items that leak, the
    others, and all items.
specificity, specificity_over_copy, copied
    S = max(0, 2 AUC - 1) of the own input against others, without the fields that hold
    the rationale; how much over that of a rationale that repeats the query; and the
    share of near-copies of the input.
varif, hypervolume
    S times the harmonic mean of robustness and informativeness, of means, times the
    share that are no near-copies; the area under the frontier from (0, 0), of
    explainers that are no part of the suite.
bertscore, rouge_l, drift_likeness, length, overlap
    Surface baselines: likeness in R's place; how like a drift is to what it was made
    of; words, and the share of them in the input.
auc_vacuous, auc_circular, auc_drift
    How well each metric (`reader`) tells given rationales from those of one type of the
    suite; the same for label-leaking, pseudo-specific, label-swapped and copy-cipher.
rank_correlation
    How well each metric (`reader`) keeps the known order of explainers.
h1, h2, h3, h4, h5
    The hypotheses of the proposal, each with a decision.

Departures from the proposal: the mask is placed by no label and by detectors that never
saw the rationale, and as strong as it must be on a third part; information is over
rationales dealt anew; shares are of means and never clipped item by item; specificity
is above chance, against near inputs too, and against inputs that do not hold the
rationale; nothing is compared with itself. `preset` 'paper' is the proposal to the
letter: its mask, filter, zero and specificity, and the mean of VARIF_i.
"""

from measurand.audits.explanations.audit import audit
from measurand.audits.explanations.exhibits import COMPARISON
from measurand.audits.explanations.planning import plan_explanations
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

__all__ = ["AUDIT", "ExplanationsSettings", "audit", "plan_explanations"]
