"""Reading: what one reader found."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from measurand.core.finding import Finding
from measurand.core.recipe import Strength


@dataclass(frozen=True, eq=False)
class Reading:
    """What one reader found; each audit adds what is its own.

    Attributes:
        name: The reader's name.
        strength: What the reader can see.
        findings: Every estimate that it gave.
        not_run: What could not be done with it, and why.
        remarks: What it said beside its answers.
    """

    name: str
    strength: Strength
    findings: Sequence[Finding]
    not_run: Mapping[str, str]
    remarks: Mapping[str, float | str]


def merge_findings(readings: Iterable[Reading]) -> list[Finding]:
    """The findings of all readers, in their order."""
    return [finding for reading in readings for finding in reading.findings]


def merge_not_run(readings: Iterable[Reading]) -> dict[str, str]:
    """What could not be done with any of the readers, and why."""
    return {what: why for reading in readings for what, why in reading.not_run.items()}


def merge_remarks(readings: Iterable[Reading]) -> dict[str, dict[str, float | str]]:
    """What each reader said beside its answers, where it said anything."""
    return {
        reading.name: dict(reading.remarks) for reading in readings if reading.remarks
    }
