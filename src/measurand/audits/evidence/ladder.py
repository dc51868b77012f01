"""The ladder: each rung tests the zero of the one below."""

from collections.abc import Mapping

from measurand.audits.evidence.answered import Ground
from measurand.audits.evidence.packet import Packet, packet
from measurand.core.errors import BadOption
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.experiment.answers import Experiment
from measurand.experiment.ladder import (
    LADDER,
    higher_rungs,
    order_by_strength,
    strength_of,
)
from measurand.interventions.shuffle import Shuffle
from measurand.stats.equivalence import ABOVE


def climbed(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    shuffle: Shuffle,
    shuffles: int,
    ground: Ground,
    calibrate: bool,
    seeds: int | None,
    strongest: str,
) -> tuple[list[Packet], dict[str, Reader]]:
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
    used = order_by_strength(readers)
    packets = [
        packet(name, reader, experiment, shuffle, shuffles, ground, seeds)
        for name, reader in used.items()
    ]
    if not calibrate:
        return packets, used
    # A planted benchmark never calls for an encoder: its answer is known.
    planted = experiment.benchmark.planted
    rungs = higher_rungs(readers, strongest, weightless=planted)
    while packets[-1].decision != ABOVE and (rung := next(rungs, None)):
        name, reader = rung
        used[name] = reader
        asked = (reader, experiment, shuffle, shuffles, ground, seeds)
        packets.append(packet(name, *asked))
    return packets, used
