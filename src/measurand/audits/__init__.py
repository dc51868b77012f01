"""Audits: each asks readers about items under interventions, and states findings."""

from measurand.core.catalogue import Catalogue, Entry

AUDITS = Catalogue(
    "audit",
    {
        "evidence": Entry(
            "measurand.audits.evidence:audit", "do labels depend on the evidence?"
        ),
        "leakage": Entry(
            "measurand.audits.leakage:audit",
            "can one part alone give the label away, and where?",
        ),
        "exposure": Entry(
            "measurand.audits.exposure:audit",
            "does pretraining on unlabeled test text inflate scores?",
        ),
        "explanations": Entry(
            "measurand.audits.explanations:audit",
            "are rationales robust and informative, or vacuous, or leaky?",
        ),
    },
)
USUAL = ("evidence", "leakage", "explanations")  # what `measurand audit` runs unasked
LADDERED = ("evidence", "leakage")  # those that call a stronger reader of themselves
