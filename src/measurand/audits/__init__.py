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
    },
)
USUAL = ("evidence", "leakage")  # what `measurand audit` runs unasked
