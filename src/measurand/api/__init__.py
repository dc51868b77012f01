"""The front door for Python: a benchmark or a table in, a report out.

    import measurand as ms

    bench = ms.load(df, query="claim", evidence="evidence", label="label")
    report = ms.evidence(bench)

Everything here is `measurand.NAME`, and a thin call of what is below.
"""

from measurand.api.auditing import audit, evidence, explanations, exposure, leakage
from measurand.api.names import (
    audits,
    benchmarks,
    explainers,
    interventions,
    judges,
    readers,
    selections,
)
from measurand.api.report import compare, load_report
from measurand.api.source import load

__all__ = [
    "audit",
    "audits",
    "benchmarks",
    "compare",
    "evidence",
    "explainers",
    "explanations",
    "exposure",
    "interventions",
    "judges",
    "leakage",
    "load",
    "load_report",
    "readers",
    "selections",
]
