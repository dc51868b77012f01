"""The ladder: each rung tests the zero of the one below."""

from collections.abc import Mapping

from measurand.audits.evidence.packet import Ground, Packet, packet
from measurand.core.errors import BadOption
from measurand.core.reader import Reader
from measurand.experiment.answers import Experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.stats.equivalence import ABOVE

LADDER = ("tfidf", "cross")  # from weak to strong
TEXTLESS = ("majority", "metadata")


def climbed(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    shuffle: Shuffle,
    shuffles: int,
    ground: Ground,
    calibrate: bool,
) -> tuple[list[Packet], dict[str, Reader]]:
    """The packets of the readers asked for and of the rungs they call."""
    blind = [name for name in readers if name in TEXTLESS]
    if blind:
        raise BadOption(
            f"{blind[0]} reads no evidence, so it cannot show that labels depend on "
            f"it; it runs beside every audit: choose among {', '.join(LADDER)}"
        )
    known = list(READERS)
    strength = {name: known.index(name) for name in readers if name in known}
    used = dict(sorted(readers.items(), key=lambda r: strength.get(r[0], len(known))))
    packets = [
        packet(name, reader, experiment, shuffle, shuffles, ground)
        for name, reader in used.items()
    ]
    rungs = [name for name in LADDER if name not in used] if calibrate else []
    while rungs and packets[-1].decision != ABOVE and packets[-1].name in LADDER[:-1]:
        name = rungs.pop(0)
        used[name] = READERS.load(name)
        packets.append(packet(name, used[name], experiment, shuffle, shuffles, ground))
    return packets, used
