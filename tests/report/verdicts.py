"""A report for every verdict of every audit, with the figures that go with it."""

from dataclasses import replace

import pandas as pd

from measurand.audits import AUDITS
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report, Verdict

FIELDS = {"query": "claim", "evidence": "article", "label": "label"}
READERS = {"readers": {"tfidf": {}, "cross": {}}, "called": [], "margin": 0.02}
LOSSES = {  # what wrong evidence costs, by verdict
    "evidence-sensitive": (0.125, 0.103, 0.147),
    "wrong evidence helps": (-0.08, -0.10, -0.06),
    "undecided": (0.02, -0.02, 0.06),
}
FAULTS = ("leaky", "unstable", "uninformative", "unspecific", "copying")
NAMES = [(audit, label) for audit in AUDITS for label in AUDITS.thing(audit).labels]


def estimate(value, low=None, high=None, n=1200):
    low, high = (
        (value - 0.02 if low is None else low),
        (value + 0.02 if high is None else high),
    )
    return Estimate(value, low, high, 0.95, n, "bootstrap over items")


def items(count=60):
    return pd.DataFrame(
        {
            "claim": [f"The boat {i} never sailed." for i in range(count)],
            "article": [f"Log {i}: the boat lay at the pier." for i in range(count)],
            "label": ["refuted" if i % 2 else "supported" for i in range(count)],
            "measurand.correct:cross": [i % 3 > 0 for i in range(count)],
            "measurand.shuffled:cross": [0.25 * (i % 5) for i in range(count)],
        },
        index=[f"item-{i}" for i in range(count)],
    )


def report_of(audit, label):
    """The report of one verdict."""
    return {
        "evidence": _evidence,
        "leakage": _leakage,
        "exposure": _exposure,
        "explanations": _explanations,
    }[audit](label)


def every_report():
    """All of them; of explanations that fail, one for each way to fail."""
    for audit, label in NAMES:
        yield report_of(audit, label)
    for fault in FAULTS:
        told = Verdict("off the frontier", "", "tfidf", f"given is off: {fault} (0.9)")
        yield replace(_explanations("off the frontier"), verdict=told)


def _report(audit, label, reason, findings, exhibits=()):
    stage = None if label == "no verdict" else "cross"
    return Report(
        audit,
        {"name": "harbour", "roles": FIELDS, "train": 2800, "test": 1200},
        Verdict(label, label, stage, reason, provisional=label == "calibrate"),
        tuple(findings),
        READERS,
        exhibits=tuple(exhibits),
        items=items(),
    )


def _evidence(label):
    loss = estimate(*LOSSES.get(label, (0.001, -0.004, 0.006)))
    reason = "cross neither clears nor fits; about 5,400 test items would decide"
    return _report(
        "evidence",
        label,
        reason,
        [
            Finding("seen", "lookup", "article", estimate(0.002, 0, 0.004)),
            Finding("majority", "majority", "full", estimate(0.5)),
            Finding("accuracy", "cross", "full", estimate(0.8)),
            Finding("query_only", "cross", "full", estimate(0.62)),
            Finding("evidence_only", "cross", "full", estimate(0.52)),
            Finding("delta_evi", "cross", "plain", loss, "stated"),
            Finding("detection_limit", "cross", "match", estimate(0.04)),
        ],
    )


def _leakage(label):
    leaks = label == "leaks"
    gain = estimate(0.2) if leaks else estimate(0.001, -0.01, 0.012)
    words = pd.DataFrame({"token": ["never", "nobody"], "label": "refuted", "z": 9.0})
    return _report(
        "leakage",
        label,
        "tfidf: claim alone is 0.200 over the majority, by words such as 'never'",
        [
            Finding("majority", "majority", "full", estimate(0.5)),
            Finding("accuracy", "cross", "full", estimate(0.8)),
            Finding("single_accuracy", "cross", "claim", estimate(0.7)),
            Finding("over_majority", "cross", "claim", gain, "leaks" if leaks else ""),
        ],
        [Exhibit("words_claim", "table", words, "Words of the claim")],
    )


def _exposure(label):
    points = {"inflated": (3.0, 1.2, 4.8), "undecided": (0.5, -1.0, 2.0)}
    bias = estimate(*points.get(label, (0.1, -0.4, 0.6)), n=40)
    boost = Finding("boost", "all", "m=50,n=200", estimate(2.0, 1.0, 3.0))
    reason = "all: bias, boost; about 1,200 draws a task and model could decide"
    bias_finding = Finding("bias", "all", "m=50,n=200", bias)
    return _report("exposure", label, reason, [boost, bias_finding])


def _explanations(label):
    # What is measured of explanations is nowhere near a limit, whatever the verdict.
    return _report(
        "explanations",
        label,
        "given: leaky (alone 0.9)",
        [
            Finding("robustness", "lexical", "given", estimate(0.8)),
            Finding("informativeness", "cross", "given", estimate(0.3)),
            Finding("specificity", "words", "given", estimate(0.7)),
            Finding("rationale_only", "cross", "given", estimate(0.9)),
            Finding("copied", "words", "given", estimate(0.1)),
            Finding("majority", "majority", "all", estimate(0.5)),
        ],
    )
