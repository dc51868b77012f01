"""The evidence audit: do the labels depend on the evidence?

The verdict is of all items together, cross-fitted so that no family of like texts is
cut (condition `pooled`): what the best light reader gains over the best without the
evidence, and the share of labels that the latter leaves open. Next to it stand the
figures of "Metadata Predictability Is Not Evidence Dependence" (Shao 2026), of readers
that learn from train and are asked about test. `docs/evidence.md` defines the
statistics, by the names in reports:

gain, room, seen, accuracy, balanced_accuracy, mcc, majority
mpds, mpds_evidence, mpds_corrected, delta_evi, sigma_shuf
query_only, evidence_only, bits, followed_memory, closed_book, chance, lost
ood_gap, flip_rate, filter_gain
exact_match, token_f1, judged

Departures from the paper: the interval of delta_evi counts each item both as receiver
and as giver of evidence, no item keeps its own evidence text, and "near zero" is an
equivalence test at a margin declared beforehand. A loss on other evidence describes
readers; only the gain shows a need, and only a lack of room shows that there is none.
"""

from measurand.audits.evidence.audit import ask_readers, audit
from measurand.audits.evidence.comparison import COMPARISON
from measurand.audits.evidence.conclude import LABELS
from measurand.core.audit import Audit
from measurand.settings.evidence import EvidenceSettings

AUDIT = Audit(
    name="evidence",
    question="do labels depend on the evidence?",
    labels=LABELS,
    readers=EvidenceSettings.readers,
    settings=EvidenceSettings,
    run=audit,
    ask=ask_readers,
    needs=("evidence",),
    logged=True,
    comparison=COMPARISON,
    demo={
        "synthetic:nq": {},
        "synthetic:hotpotqa": {},
        "synthetic:triviaqa": {},
        "synthetic:closed-book": {},
        "synthetic:reading": {},
    },
)

__all__ = ["AUDIT", "EvidenceSettings", "audit"]
