"""The ladder: each rung tests the zero of the one below."""

from collections.abc import Mapping

from measurand.audits.evidence.answered import EvidenceBaselines
from measurand.audits.evidence.packet import EvidenceReading, read_evidence
from measurand.core.errors import BadOption
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.experiment.experiment import Experiment
from measurand.experiment.ladder import (
    LADDER,
    higher_rungs,
    order_by_strength,
    strength_of,
)
from measurand.interventions.shuffle import Shuffle
from measurand.stats.decisions import ABOVE


def climb_evidence_ladder(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    shuffle: Shuffle,
    shuffles: int,
    baselines: EvidenceBaselines,
    calibrate: bool,
    seeds: int | None,
    strongest: str,
) -> tuple[list[EvidenceReading], dict[str, Reader]]:
    """The packets of the readers asked for and of the rungs they call."""
    blind = [
        name
        for name, reader in readers.items()
        if strength_of(reader) == Strength.TEXTLESS
    ]
    if blind:
        raise BadOption(
            f"{blind[0]} reads no evidence, so it cannot show that labels depend on "
            f"it; it runs beside every audit: choose among {', '.join(LADDER)}"
        )
    used_readers = order_by_strength(readers)
    readings = [
        read_evidence(name, reader, experiment, shuffle, shuffles, baselines, seeds)
        for name, reader in used_readers.items()
    ]
    if not calibrate:
        return readings, used_readers
    # A planted benchmark never calls for an encoder: its answer is known.
    planted = experiment.benchmark.planted
    rungs = higher_rungs(readers, strongest, weightless=planted)
    while readings[-1].decision != ABOVE and (rung := next(rungs, None)):
        name, reader = rung
        used_readers[name] = reader
        arguments = (reader, experiment, shuffle, shuffles, baselines, seeds)
        readings.append(read_evidence(name, *arguments))
    return readings, used_readers
