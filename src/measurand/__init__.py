"""measurand: does an NLP benchmark measure what it claims to?

An audit asks readers about items under interventions, and states findings.

    import measurand as ms

    bench = ms.load("boats.jsonl", query="claim", evidence="evidence", label="label")
    report = ms.evidence(bench)
    print(report)
"""

import sys

from measurand.system import search_path

if search_path.is_own_program():  # before anything else is looked for
    search_path.leave_working_folder()

import importlib
import inspect
from types import ModuleType
from typing import TYPE_CHECKING, Any

__version__ = "0.3.0"

if TYPE_CHECKING:  # what follows is what a type checker and an editor see
    from measurand.api.auditing import (
        audit,
        compare,
        evidence,
        explanations,
        exposure,
        leakage,
        load_report,
    )
    from measurand.api.names import (
        audits,
        benchmarks,
        explainers,
        interventions,
        judges,
        readers,
        selections,
    )
    from measurand.api.source import load
    from measurand.checks import (
        check_audit,
        check_intervention,
        check_reader,
        check_selection,
    )
    from measurand.core.audit import Audit
    from measurand.core.benchmark import Benchmark
    from measurand.core.errors import MeasurandError
    from measurand.core.estimate import Estimate
    from measurand.core.finding import Finding, Report, Verdict
    from measurand.core.intervention import Intervention, Selection
    from measurand.core.items import Items
    from measurand.core.reader import FittedReader, Reader
    from measurand.core.recipe import Strength, Traits
    from measurand.core.seeds import generator
    from measurand.experiment.ask import Ask
    from measurand.experiment.experiment import Experiment, ask_all
    from measurand.experiment.workplace import Workplace
    from measurand.logs.answers import Answers
    from measurand.logs.export import export
    from measurand.logs.read import read_answers
    from measurand.readers import make_reader
    from measurand.stats.paired import difference

__all__ = [
    "Answers",
    "Ask",
    "Audit",
    "Benchmark",
    "Estimate",
    "Experiment",
    "Finding",
    "FittedReader",
    "Intervention",
    "Items",
    "MeasurandError",
    "Reader",
    "Report",
    "Selection",
    "Strength",
    "Traits",
    "Verdict",
    "Workplace",
    "ask_all",
    "audit",
    "audits",
    "benchmarks",
    "check_audit",
    "check_intervention",
    "check_reader",
    "check_selection",
    "compare",
    "difference",
    "evidence",
    "explainers",
    "explanations",
    "export",
    "exposure",
    "generator",
    "interventions",
    "judges",
    "leakage",
    "load",
    "load_report",
    "make_reader",
    "read_answers",
    "readers",
    "selections",
]
HOMES = {  # where the public names live, imported when they are first used
    "measurand.api.auditing": (
        "audit",
        "compare",
        "evidence",
        "explanations",
        "exposure",
        "leakage",
        "load_report",
    ),
    "measurand.api.names": (
        "audits",
        "benchmarks",
        "explainers",
        "interventions",
        "judges",
        "readers",
        "selections",
    ),
    "measurand.api.source": ("load",),
    "measurand.checks": (
        "check_audit",
        "check_intervention",
        "check_reader",
        "check_selection",
    ),
    "measurand.core.audit": ("Audit",),
    "measurand.core.benchmark": ("Benchmark",),
    "measurand.core.errors": ("MeasurandError",),
    "measurand.core.estimate": ("Estimate",),
    "measurand.core.finding": ("Finding", "Report", "Verdict"),
    "measurand.core.intervention": ("Intervention", "Selection"),
    "measurand.core.items": ("Items",),
    "measurand.core.reader": ("FittedReader", "Reader"),
    "measurand.core.recipe": ("Strength", "Traits"),
    "measurand.core.seeds": ("generator",),
    "measurand.experiment.ask": ("Ask",),
    "measurand.experiment.experiment": ("Experiment", "ask_all"),
    "measurand.experiment.workplace": ("Workplace",),
    "measurand.logs.answers": ("Answers",),
    "measurand.logs.export": ("export",),
    "measurand.logs.read": ("read_answers",),
    "measurand.readers": ("make_reader",),
    "measurand.stats.paired": ("difference",),
}
PUBLIC = {name: module for module, names in HOMES.items() for name in names}


class _Folder(ModuleType):
    """A folder of the package that bears the name of a public function.

    `measurand.readers` is where readers are, and `measurand.readers()` lists them:
    whichever of the two was meant, it is what comes.
    """

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """What the function of that name gives."""
        return _public(self.__name__.rpartition(".")[2])(*arguments, **options)

    @property
    def __signature__(self) -> inspect.Signature:
        """What the function of that name takes, for those who ask for help."""
        return inspect.signature(_public(self.__name__.rpartition(".")[2]))


class _Package(ModuleType):
    """The package, which makes such folders callable as soon as they are imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if isinstance(value, ModuleType) and name in PUBLIC:
            value.__class__ = _Folder
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def _public(name: str) -> Any:
    return getattr(importlib.import_module(PUBLIC[name]), name)


def __getattr__(name: str) -> Any:
    """A public name, imported when first used: the package itself loads nothing."""
    if name not in PUBLIC:
        raise AttributeError(f"measurand has no {name!r}; it has {', '.join(PUBLIC)}")
    return _public(name)


def __dir__() -> list[str]:
    """The public names."""
    return [*PUBLIC, "__version__"]
