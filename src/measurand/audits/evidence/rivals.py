"""Whether a reader that leans on the evidence is better than one that has none.

A loss on wrong evidence shows that a reader uses the evidence, not that the labels need
it: one that takes the evidence for a ruler of the claim's length loses where another
reads the length itself. So whoever depends is held against the best without evidence.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from measurand.audits.evidence.reading import EvidenceBaselines, EvidenceReading
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.stats.decisions import ABOVE, UNDECIDED
from measurand.stats.paired import share_difference

NEEDLESS = "no more than without evidence"


@dataclass(frozen=True, eq=False)
class Rival:
    """The best reading without evidence, beside a reader that depends on it.

    Attributes:
        name: Who reads what.
        part: What is read.
        accuracy: How often it is right.
        gain: What the reader with the evidence has over it.
        margin: The gain under which the evidence is not needed.
    """

    name: str
    part: str
    accuracy: float
    gain: Estimate
    margin: float

    @property
    def is_as_good(self) -> bool:
        """Whether the evidence surely adds no more than the margin."""
        return self.gain.high <= self.margin

    @property
    def may_be_as_good(self) -> bool:
        """Whether the evidence does not surely add anything."""
        return self.gain.low <= 0 or self.is_as_good

    @property
    def clause(self) -> str:
        """What speaks against the reader that depends."""
        often = "is right as often" if self.is_as_good else "may be right as often"
        return (
            f"{self.name} {often} ({self.accuracy:.3f}; with the evidence "
            f"{self.gain} more)"
        )


def find_rivals(
    readings: Sequence[EvidenceReading], baselines: EvidenceBaselines
) -> dict[str, Rival]:
    """For each reader that depends, by its name, the best without evidence.

    To choose among answers is easier than to write one: writers are held against
    writers, and who chooses against those who do.
    """
    rivals = {}
    for reading in (r for r in readings if r.decision == ABOVE):
        alike = [r for r in readings if bool(r.written) == bool(reading.written)]
        others = [*_read_without(alike)]
        if not reading.written:
            others.append(("metadata", "over metadata", baselines.metadata))
        if not others:
            continue
        name, part, right = max(others, key=lambda read: float(read[2].mean()))
        gain = share_difference(reading.right, right, clusters=baselines.clusters)
        accuracy = float(right.mean())
        rivals[reading.name] = Rival(name, part, accuracy, gain, baselines.margin)
    return rivals


def needs_evidence(reading: EvidenceReading, rivals: Mapping[str, Rival]) -> bool:
    """Whether a reader depends, and is surely better than all without evidence."""
    rival = rivals.get(reading.name)
    return reading.decision == ABOVE and not (rival and rival.may_be_as_good)


def rival_findings(rivals: Mapping[str, Rival]) -> list[Finding]:
    """What each reader that depends has over the best without evidence."""
    return [
        Finding("evidence_gain", name, rival.part, rival.gain, _decide(rival))
        for name, rival in rivals.items()
    ]


def _decide(rival: Rival) -> str:
    if rival.is_as_good:
        return NEEDLESS
    return UNDECIDED if rival.may_be_as_good else ABOVE


def _read_without(
    readings: Sequence[EvidenceReading],
) -> Iterator[tuple[str, str, "pd.Series[float]"]]:
    """Who reads what without evidence, and which items are right by it."""
    for reading in readings:
        if "query_only" in reading.alone:
            who = f"{reading.name} from the query alone"
            yield who, "over query alone", reading.alone["query_only"]
