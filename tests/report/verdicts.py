"""A report for every verdict of every audit, with the figures that go with it."""

from dataclasses import replace

import pandas as pd

from measurand.arms.table import PartRow, exact_estimate, parts_exhibit
from measurand.audits import AUDITS
from measurand.core.clause import Clause, Name
from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report, Verdict
from measurand.wording.terms import load_terms

FIELDS = {"query": "claim", "evidence": "article", "label": "label"}
SIZES = {
    "columns": {role: [column] for role, column in FIELDS.items()},
    **{"train": 2800, "test": 1200},
}
READERS = {"readers": {"tfidf": {}, "cross": {}}, "called": [], "margin": 0.02}
NAMES = [
    (audit, label)
    for audit in AUDITS
    for label in load_terms().get(audit, {}).get("verdict", ())
]


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
    """All of them."""
    for audit, label in NAMES:
        yield report_of(audit, label)


def _report(audit, label, reason, findings, exhibits=()):
    stage = None if label == "no verdict" else "cross"
    return Report(
        audit,
        {"name": "harbour", "roles": FIELDS, **SIZES},
        Verdict(label, label, stage, reason, provisional=label == "calibrate"),
        tuple(findings),
        READERS,
        exhibits=tuple(exhibits),
        items=items(),
    )


CLAIM = Name("part", "claim")
LOSS, GAIN = estimate(0.125, 0.103, 0.147), estimate(0.09, 0.07, 0.11)
LEAK = {"part": CLAIM, "reader": "tfidf"}
NEVER = {
    **{"part": CLAIM, "kind": "word", "cue": Name("token", "never")},
    **{"label": Name("label", "refuted"), "base": 0.5},
    **{"coverage": 0.05, "productivity": estimate(0.98, 0.95, 0.99)},
}
RIVAL = {"reader": "cross", "rival": "tfidf, query", "gain": GAIN, "room": 0.38}
WHY = Name("column", "why")
ADDS = {"part": WHY, "reader": "cross", "gain": GAIN, "loss": LOSS, "high": 0.12}
ADDS |= {"rival": "tfidf, rationale", "room": 0.38}
TELLS = {"accuracy": estimate(0.9), "baseline": 0.5}
SAYS = {**NEVER, "part": WHY}
CLAUSES = {  # what each verdict rests on
    "informative": [
        Clause("explain.adds", ADDS),
        Clause("alone.bound", {"part": WHY, "bound": 0.031}),
        Clause("fails.unstable", {"robustness": estimate(0.3)}),
        Clause("frontier.unmeasured", {}),
    ],
    "slightly informative": [Clause("explain.slight", ADDS)],
    "informative and leaky": [
        Clause("explain.both", {**ADDS, **TELLS, "leak": WHY, "channel": "tfidf"}),
        Clause("leak.cue", SAYS),
    ],
    "leaky": [
        Clause(
            "leak.part",
            {"part": WHY, "reader": "tfidf", **TELLS, "over": estimate(0.4)},
        ),
        Clause("leak.cue", SAYS),
        Clause("explain.no_room", {"part": WHY, "room": 0.06}),
    ],
    "uninformative": [
        Clause("explain.no_text", {"part": WHY}),
        Clause("explain.overlap", {"copied": estimate(0.4)}),
        Clause("fails.unspecific", {"specificity": estimate(0.1)}),
    ],
    "needed": [Clause("need.large", {**RIVAL, "loss": LOSS})],
    "small need": [Clause("need.small", {**RIVAL, "gain": estimate(0.01)})],
    "at most small need": [Clause("need.at_most", {"rival": "metadata", "room": 0.06})],
    "misleads": [Clause("need.misleads", {"reader": "cross", "loss": estimate(-0.08)})],
    "used, not needed": [
        Clause("need.used", {"reader": "cross", "loss": LOSS, "room": 0.01})
    ],
    "not needed": [Clause("need.no_room", {"rival": "tfidf, query", "room": 0.01})],
    "leaks": [
        Clause(
            "leak.part",
            LEAK | {"accuracy": estimate(0.7), "baseline": 0.5, "over": estimate(0.2)},
        ),
        Clause("leak.cue", NEVER),
    ],
    "small leak": [Clause("leak.bits", LEAK | {"bits": estimate(0.03, 0.01, 0.05)})],
    "inflated": [Clause("bias.above", {"bias": estimate(0.03, 0.012, 0.048)})],
    "inflated on some tasks": [
        Clause(
            "bias.above_tasks",
            {
                **{"count": 1, "tasks": 9, "task": Name("task", "trec")},
                "bias": estimate(0.05),
            },
        )
    ],
    "small inflation": [Clause("bias.small_mean", {"bias": estimate(0.006, 0.004)})],
    "deflated": [Clause("bias.below", {"bias": estimate(-0.03)})],
    "not inflated": [
        Clause("bias.within", {"bias": estimate(0.001, -0.004, 0.006), "margin": 0.01})
    ],
    "not inflated, bounded": [
        Clause("bias.bounded", {"bias": estimate(0.005, -0.01, 0.02)})
    ],
    "none found": [Clause("none.bound", {"bound": 0.018})],
    "none found, bounded": [Clause("none.bounded", {"bound": 0.041})],
}
WIDE = estimate(0.005, -0.07, 0.08)
OPEN = {  # the same of what is open, and what would settle it
    "evidence": (
        Clause(
            "open.reader",
            {
                "readers": (Name("reader", "tfidf"), Name("reader", "cross")),
                **{"high": 0.015, "room": 0.355},
            },
        ),
        Clause("settle.reader", {"reader": Name("reader", "minilm")}),
    ),
    "exposure": (
        Clause("open.bias", {"bias": WIDE}),
        Clause("settle.draws", {"draws": 1200}),
    ),
    "leakage": (
        Clause("open.families", {"families": 7.4}),
        Clause("settle.group", {}),
    ),
    "explanations": (
        Clause(
            "open.adds_reader",
            {
                **{"part": WHY, "high": 0.015, "room": 0.48},
                "readers": (Name("reader", "tfidf"), Name("reader", "cross")),
            },
        ),
        Clause("settle.reader", {"reader": Name("reader", "minilm")}),
    ),
}


def _coded(audit, label, findings, exhibits):
    """A report whose verdict is codes and facts."""
    deciding, settle = OPEN[audit]
    report = _report(audit, label, "", findings, exhibits)
    verdict = replace(
        report.verdict,
        stage=None,
        clauses=tuple(CLAUSES.get(label, [deciding])),
        bound=exact_estimate(0.355, 1200),
        settle=None if label in CLAUSES else settle,
    )
    return replace(report, verdict=verdict)


def _evidence(label):
    article = PartRow((Name("column", "article"),), "", 0.5, gain=GAIN, loss=LOSS)
    return _coded(
        "evidence",
        label,
        [
            Finding("majority", "majority", "full", estimate(0.5)),
            Finding("accuracy", "cross", "full", estimate(0.8)),
            Finding("gain", "cross", "pooled", GAIN),
            Finding("delta_evi", "cross", "plain", LOSS),
        ],
        [parts_exhibit([article], "majority class")],
    )


def _leakage(label):
    over = estimate(0.2) if label == "leaks" else estimate(0.001, -0.01, 0.012)
    parts = [
        PartRow((Name("column", name),), "tfidf", 0.5, estimate(0.7), over)
        for name in ("claim", "article")
    ]
    names = ("part", "kind", "cue", "label", "coverage", "productivity", "base")
    cells = ("claim", "word", "never", "refuted", 0.05, 0.98, 0.5)
    cues = pd.DataFrame([dict(zip(names, cells, strict=True))])
    return _coded(
        "leakage",
        label,
        [
            Finding("majority", "majority", "full", estimate(0.5)),
            Finding("accuracy", "cross", "full", estimate(0.8)),
            Finding("over_blank", "tfidf", "claim", over),
        ],
        [
            parts_exhibit(parts, "majority class"),
            Exhibit("cues", "table", cues, "Certified cues"),
        ],
    )


def _exposure(label):
    points = {"inflated": (3.0, 1.2, 4.8), "inconclusive": (0.5, -7.0, 8.0)}
    bias = estimate(*points.get(label, (0.1, -0.4, 0.6)), n=40)
    boost = Finding("boost", "all", "m=50,n=200", estimate(2.0, 1.0, 3.0))
    return _coded(
        "exposure", label, [boost, Finding("bias", "all", "m=50,n=200", bias)], []
    )


def _explanations(label):
    # What is measured of explanations is nowhere near a limit, whatever the verdict.
    why = PartRow((WHY,), "tfidf", 0.5, estimate(0.7), estimate(0.2))
    return _coded(
        "explanations",
        label,
        [
            Finding("over_blank", "tfidf", "given", estimate(0.2)),
            Finding("gain", "cross", "given", GAIN),
            Finding("robustness", "lexical", "given", estimate(0.8)),
            Finding("informativeness", "cross", "given", estimate(0.3)),
            Finding("specificity", "words", "given", estimate(0.7)),
            Finding("rationale_only", "cross", "given", estimate(0.9)),
            Finding("copied", "words", "given", estimate(0.1)),
            Finding("majority", "majority", "all", estimate(0.5)),
        ],
        [parts_exhibit([why], "majority class")],
    )
