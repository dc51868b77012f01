"""The reports of the gallery: public benchmarks, audited by light models on a CPU.

At most 5,000 items of each, drawn at random. What is kept quotes no item.
"""

from collections.abc import Sequence

from bench.figures import RESULTS, Figure
from bench.truth import SHARED, known_cases
from measurand.api.auditing import evidence, leakage
from measurand.core.finding import Report
from measurand.report.saved import document, dumps

KEPT = RESULTS / "gallery"
NAMES = {  # by row of the truth table: what the gallery calls the benchmark
    "snli-evidence": "SNLI",
    "snli-hypothesis": "SNLI",
    "fever-evidence": "FEVER",
    "fever-claim": "FEVER",
    "hellaswag-choices": "HellaSwag",
    "openbookqa-choices": "OpenBookQA",
}
SHOWN = ("parts", "cues", "decision-map", "ladder", "ablations", "bits")


def run(arguments: Sequence[str]) -> list[Figure]:
    """A report of each row, without whatever quotes an item."""
    if not SHARED.is_dir():
        return []
    KEPT.mkdir(exist_ok=True)
    for case in known_cases():
        if case.name in NAMES and (not arguments or case.name in arguments):
            keep(case.audit, NAMES[case.name], _audit(case.audit, case.make()))
    return []


def _audit(name: str, benchmark: object) -> Report:
    if name == "evidence":
        return evidence(benchmark, strongest="cross")
    return leakage(benchmark, tsne=False, brief=True)


def keep(audit: str, name: str, report: Report) -> None:
    """Write what quotes no item."""
    contents = document(report)
    contents["benchmark"]["name"] = name
    contents["exhibits"] = [e for e in contents["exhibits"] if e["name"] in SHOWN]
    contents["files"], contents["highlight"] = [], None
    path = KEPT / f"{name.lower()}-{audit}.json"
    path.write_text(dumps(contents), "utf-8")
