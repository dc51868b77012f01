"""The evidence audit: do the labels depend on the evidence?

The verdict is of all items together, cross-fitted so that no family of like texts is
cut (condition `pooled`): what the best light reader gains over the best without the
evidence, and the share of labels that the latter leaves open. Beside it stand the
figures of "Metadata Predictability Is Not Evidence Dependence" (Shao 2026), of readers
that learn from train and are asked about test. The statistics, by the names in reports:

gain
    Accuracy with the evidence minus that of the best without it: of the query alone by
    several models, the query in the evidence's place, metadata, the majority class. Of
    a reader that is too dear to be cross-fitted, on test items whose texts are new.
room
    The largest share of labels that can need the evidence: what the best without it
    leaves open, at most.
seen
    The share of test items of which training has a text, or a near copy of one.
accuracy, balanced_accuracy, mcc
    How right a reader is with its own evidence.
majority
    The share of the commonest label among the test items.
mpds
    acc_meta / acc_full: the accuracy of the commonest label given the metadata, over
    that of the full reader; without metadata that were derived from the evidence.
mpds_evidence
    The same with metadata that were derived from the evidence too, where there are any.
mpds_corrected
    (acc_meta - majority) / (acc_full - majority); withheld near a zero denominator.
delta_evi
    acc_full - mean_k acc_shuf[k] over K shuffles of the evidence.
    Of items with choices also where the sentences that hold the answer are deleted, or
    the evidence is of another item of the same subject or document.
followed_memory
    Where the evidence says another choice in the place of the right one: how often the
    old one is given, of items answered right before and by either of the two then.
sigma_shuf
    The population sd of acc_shuf[k]; no standard error.
query_only, evidence_only
    The accuracy of a reader trained and asked with that field alone.
bits
    Usable bits about the label: of the query alone, the evidence alone and both, and
    parted into what only one tells, either, or only both together.
ood_gap
    Accuracy lost on the items with a metadata value when training never showed it,
    against training on as many items at random.
flip_rate
    The share of labels (by the protocol) or predictions (by a reader) that change
    when a metadata value is flipped and the evidence stays.
filter_gain
    The mean ood_gap where as many items are dropped at random, minus that where the
    dominant group is dropped whose mpds is above that of all items; beside it, what
    dropping at random does. All on the same test items.
closed_book, chance
    Of items with choices: query_only, which is of the question and its choices; and the
    mean of one over the number of choices, in the place of the majority.
exact_match, token_f1, judged
    How right a reader that writes free answers is, with all (full), without the
    evidence (closed_book) and with nothing else (evidence_only): whether an answer is
    one of those accepted, the words it shares with one, and what a judge says. Its
    delta_evi and sigma_shuf are of exact_match; delta_evi_f1 is of token_f1.
Departures from the paper: the interval of delta_evi counts each item both as receiver
and as giver of evidence, no item keeps its own evidence text, and "near zero" is an
equivalence test at a margin declared beforehand. A loss on other evidence describes
readers; only the gain shows a need, and only a lack of room shows that there is none.
"""

from measurand.audits.evidence.audit import ask_readers, audit
from measurand.audits.evidence.comparison import COMPARISON
from measurand.audits.evidence.conclude import LABELS
from measurand.audits.evidence.settings import EvidenceSettings
from measurand.core.audit import Audit

AUDIT = Audit(
    name="evidence",
    question="do labels depend on the evidence?",
    labels=LABELS,
    readers=("tfidf", "cross"),
    settings=EvidenceSettings,
    run=audit,
    ask=ask_readers,
    needs=("evidence",),
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
