"""What an audit states: estimates, findings, readings, a verdict, exhibits."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, Self

import pandas as pd

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.clause import Clause
from measurand.core.estimate import Estimate
from measurand.core.recipe import Strength
from measurand.disk.files import check_is_path

SCHEMA = 3  # the version of `report.json`; raised when a reader of it could break
# How a report is shown, named as text: what is stated knows nothing of pages.
VIEWS = Catalogue(
    "view",
    {
        "text": Entry("measurand.report.summary:summary", "for a terminal"),
        "figures": Entry("measurand.report.figures:Figures", "altair charts by name"),
        "notebook": Entry("measurand.report.html:notebook_frame", "for a notebook"),
        "folder": Entry("measurand.report.saved:save_report", "for keeping"),
    },
)
FRAME = (  # the columns of `Report.frame`
    *("statistic", "reader", "condition", "value", "low", "high"),
    *("level", "n", "method", "decision"),
)


@dataclass(frozen=True)
class Finding:
    """One statistic of one reader under one condition."""

    statistic: str
    reader: str
    condition: str
    estimate: Estimate
    decision: str | None = None


@dataclass(frozen=True)
class Verdict:
    """What we say, and on what it rests.

    Attributes:
        label: The word for it.
        region: The place on the audit's map.
        stage: The strongest reader that ran and did not collapse.
        reason: One sentence a reviewer can check, where no clauses say it.
        provisional: Whether a stronger reader could still overturn it.
        clauses: What it rests on, the deciding one first.
        bound: The largest effect that is not excluded, whatever the label.
        settle: What would settle it, where it is inconclusive.
    """

    label: str
    region: str
    stage: str | None
    reason: str = ""
    provisional: bool = False
    clauses: tuple[Clause, ...] = ()
    bound: Estimate | None = None
    settle: Clause | None = None

    @property
    def code(self) -> str:
        """The code of the deciding clause; empty where the reason is a sentence."""
        return self.clauses[0].code if self.clauses else ""

    def fails(self, axis: str) -> bool:
        """Whether it says that an axis fails, in its label or in a clause.

        >>> Verdict("informative and leaky", "", None).fails("leaky")
        True
        """
        codes = [clause.code for clause in self.clauses]
        return axis in self.label.split() or f"fails.{axis}" in codes


@dataclass(frozen=True)
class Exhibit:
    """A table with a kind, from which a report draws a figure."""

    name: str
    kind: str
    table: pd.DataFrame
    caption: str
    settings: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Highlight:
    """Items that a page shows by themselves.

    Attributes:
        column: The column of the items that is true for them.
        title: What they are.
        note: What is said of them, after how many of how many are shown.
    """

    column: str
    title: str
    note: str


@dataclass(frozen=True)
class Report:
    """Everything one audit states about one benchmark.

    Attributes:
        audit: The audit's name.
        benchmark: Name, sizes, roles and counts of what was audited.
        verdict: What we say.
        findings: Every estimate.
        settings: Everything that was chosen before the run.
        not_run: What could not be done, and why.
        warnings: What a reader of the report should know before quoting it.
        exhibits: Tables to draw.
        items: One row per item, for browsing.
        files: What is saved next to it, by name below the report's folder.
        highlight: The items that a page shows, where some are worth it.
    """

    audit: str
    benchmark: Mapping[str, Any]
    verdict: Verdict
    findings: Sequence[Finding]
    settings: Mapping[str, Any]
    not_run: Mapping[str, str] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    exhibits: Sequence[Exhibit] = ()
    items: pd.DataFrame = field(default_factory=pd.DataFrame)
    files: Mapping[str, bytes] = field(default_factory=dict)
    highlight: Highlight | None = None

    def finding(
        self, statistic: str, reader: str | None = None, condition: str | None = None
    ) -> Finding:
        """The first finding that matches; a KeyError where there is none."""
        for finding in self.findings:
            if (
                finding.statistic == statistic
                and reader in (None, finding.reader)
                and condition in (None, finding.condition)
            ):
                return finding
        raise KeyError((statistic, reader, condition))

    @cached_property
    def first_estimates(self) -> Mapping[tuple[str, str | None, str], Estimate]:
        """The first finite estimate by statistic, reader or None, condition or "".

        Pages ask for many, and a report of a stranger may hold any number of findings.
        """
        firsts: dict[tuple[str, str | None, str], Estimate] = {}
        for f in self.findings:
            keys = product((f.statistic,), (None, f.reader), ("", f.condition))
            for key in keys if math.isfinite(f.estimate.value) else ():
                firsts.setdefault(key, f.estimate)
        return firsts

    @property
    def frame(self) -> pd.DataFrame:
        """One row per finding: the statistic, its interval, and how it was got."""
        rows = [
            {**vars(finding), **asdict(finding.estimate)} for finding in self.findings
        ]
        return pd.DataFrame(rows, columns=list(FRAME))

    @property
    def figures(self) -> Mapping[str, Any]:
        """Altair charts by name, such as "decision-map", each drawn when first used."""
        figures: Mapping[str, Any] = VIEWS.thing("figures")(self)
        return figures

    def save(self, directory: str | Path, *, overwrite: bool = False) -> Path:
        """The folder, with report.html, report.json, the figures and the items in it.

        `measurand.load_report` reads it again. A report that is there already is
        replaced where `overwrite` says so; whatever else is there is refused.
        """
        check_is_path("directory", directory)
        save = VIEWS.thing("folder")
        path: Path = save(self, directory, {}, overwrite=overwrite)
        return path

    def __str__(self) -> str:
        """What the terminal shows."""
        text: str = VIEWS.thing("text")(self)
        return text

    def _repr_html_(self) -> str:
        """What a notebook shows: the page, in a frame of its own."""
        frame: str = VIEWS.thing("notebook")(self)
        return frame


@dataclass(frozen=True, eq=False)
class Reading:
    """What one reader found; each audit adds what is its own.

    Attributes:
        name: The reader's name.
        strength: What the reader can see.
        findings: Every estimate that it gave.
        not_run: What could not be done with it, and why.
        remarks: What it said besides its answers.
    """

    name: str
    strength: Strength
    findings: Sequence[Finding]
    not_run: Mapping[str, str]
    remarks: Mapping[str, float | str]

    def add_not_run(self, missing: Mapping[str, str]) -> Self:
        """The same, with more that could not be done, and why."""
        return replace(self, not_run={**self.not_run, **missing})


def merge_findings(readings: Iterable[Reading]) -> list[Finding]:
    """The findings of all readers, in their order."""
    return [finding for reading in readings for finding in reading.findings]


def merge_not_run(readings: Iterable[Reading]) -> dict[str, str]:
    """What could not be done with any of the readers, and why."""
    return {what: why for reading in readings for what, why in reading.not_run.items()}


def merge_remarks(readings: Iterable[Reading]) -> dict[str, dict[str, float | str]]:
    """What each reader said besides its answers, where it said anything."""
    return {
        reading.name: dict(reading.remarks) for reading in readings if reading.remarks
    }
