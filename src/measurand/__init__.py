"""measurand: does an NLP benchmark measure what it claims to?

An audit asks readers about items under interventions, and states findings.
"""

import importlib
from typing import Any

__version__ = "0.2.0"

PUBLIC = {
    "AUDITS": "measurand.audits",
    "BENCHMARKS": "measurand.benchmarks",
    "Benchmark": "measurand.core.benchmark",
    "EXPLAINERS": "measurand.explainers",
    "INTERVENTIONS": "measurand.interventions",
    "Items": "measurand.core.items",
    "JUDGES": "measurand.judges",
    "MeasurandError": "measurand.core.errors",
    "READERS": "measurand.readers",
    "Report": "measurand.core.finding",
    "SELECTIONS": "measurand.selections",
    "compare": "measurand.compare.compare",
    "evidence": "measurand.audits.evidence:audit",
    "explanations": "measurand.audits.explanations:audit",
    "exposure": "measurand.audits.exposure:audit",
    "from_frames": "measurand.benchmarks.assemble",
    "leakage": "measurand.audits.leakage:audit",
    "load": "measurand.benchmarks.load:load_benchmark",
    "load_report": "measurand.report.saved",
    "markdown": "measurand.report.markdown",
    "open_experiment": "measurand.experiment.experiment",
    "save": "measurand.report.saved:save_report",
}
__all__ = list(PUBLIC)


def __getattr__(name: str) -> Any:
    """A public name, imported when first used: the package itself loads nothing."""
    if name not in PUBLIC:
        raise AttributeError(f"measurand has no {name!r}; it has {', '.join(PUBLIC)}")
    module, _, attribute = PUBLIC[name].partition(":")
    return getattr(importlib.import_module(module), attribute or name)


def __dir__() -> list[str]:
    """The public names."""
    return [*PUBLIC, "__version__"]
