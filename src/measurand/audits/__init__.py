"""Audits: each asks readers about items under interventions, and states findings.

A new audit is a folder with an `AUDIT` record, a line here and a page in the docs.
"""

from measurand.core.catalogue import Catalogue, Entry

AUDITS = Catalogue(
    "audit",
    {
        "evidence": Entry(
            "measurand.audits.evidence:AUDIT", "do labels depend on the evidence?"
        ),
        "leakage": Entry(
            "measurand.audits.leakage:AUDIT",
            "can one part alone give the label away, and where?",
        ),
        "exposure": Entry(
            "measurand.audits.exposure:AUDIT",
            "does pretraining on unlabeled test text inflate scores?",
        ),
        "explanations": Entry(
            "measurand.audits.explanations:AUDIT",
            "are rationales robust and informative, or vacuous, or leaky?",
        ),
    },
)
