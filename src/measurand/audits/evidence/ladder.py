"""The ladder: each rung tests the zero of the one below."""

from collections.abc import Mapping

from measurand.audits.evidence.answered import Ground
from measurand.audits.evidence.packet import Packet, packet
from measurand.core.errors import BadOption, MissingExtra, MissingWeights, UnknownName
from measurand.core.reader import Reader
from measurand.experiment.answers import Experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.stats.equivalence import ABOVE

LADDER = ("tfidf", "cross", "minilm")  # from weak to strong
WEIGHTY = ("minilm",)  # rungs that need an extra and weights
TEXTLESS = ("majority", "metadata")


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
        packet(name, reader, experiment, shuffle, shuffles, ground, seeds)
        for name, reader in used.items()
    ]
    planted = experiment.benchmark.planted
    rungs = higher(packets[-1].name, strongest, planted) if calibrate else []
    while rungs and packets[-1].decision != ABOVE:
        name = rungs.pop(0)
        if name not in used:
            used[name] = READERS.load(name)
            asked = (used[name], experiment, shuffle, shuffles, ground, seeds)
            packets.append(packet(name, *asked))
    return packets, used


def higher(name: str, strongest: str, planted: bool) -> list[str]:
    """The rungs above a reader, up to the strongest, that can be climbed here.

    A planted benchmark never calls for an encoder: its answer is known.
    """
    if strongest not in LADDER:
        raise UnknownName("rung of the ladder", strongest, LADDER)
    top = LADDER.index(strongest) + 1
    above = LADDER[LADDER.index(name) + 1 : top] if name in LADDER else ()
    return [
        rung for rung in above if rung not in WEIGHTY or (not planted and there(rung))
    ]


def there(name: str) -> bool:
    """Whether a strong reader and its weights are installed."""
    try:
        READERS.load(name).ready()
    except (MissingExtra, MissingWeights):
        return False
    return True
