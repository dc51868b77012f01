"""What is chosen before an evidence audit is run."""

from dataclasses import dataclass

from measurand.audits.evidence.thresholds import LEAST_MARGIN, MARGIN, SHUFFLES
from measurand.core.bounds import (
    MOST_MARGIN,
    MOST_SEEDS,
    MOST_SHUFFLES,
    check_number,
)
from measurand.core.errors import UnknownName
from measurand.experiment.ladder import check_rung
from measurand.interventions.shuffle import Shuffle

CONTROL_AMOUNTS = ("none", "quick", "full")


@dataclass(frozen=True)
class EvidenceSettings:
    """How the evidence is shuffled, what counts as nothing, how far to climb.

    Attributes:
        shuffles: How many shuffles of the evidence.
        shuffle: Their kind: plain, within-label, within-length or nearest.
        margin: Accuracy lost that still counts as nothing.
        calibrate: Whether a reader that does not depend calls the next rung.
        strongest: The highest rung that may be called.
        seeds: How often a trained encoder is trained anew; None takes what is usual.
        controls: How much is spiked and blanked: none; quick, one dose for readers
            that take seconds; or full, several for these and one for encoders.
    """

    shuffles: int = SHUFFLES
    shuffle: str = "plain"
    margin: float = MARGIN
    calibrate: bool = True
    strongest: str = "minilm"
    seeds: int | None = None
    controls: str = "none"

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        check_number("shuffles", self.shuffles, 1, MOST_SHUFFLES)
        check_number("margin", self.margin, LEAST_MARGIN, MOST_MARGIN)
        if self.seeds is not None:
            check_number("seeds", self.seeds, 1, MOST_SEEDS)
        Shuffle("evidence", self.shuffle)  # refuses a kind that does not exist
        check_rung(self.strongest)
        if self.controls not in CONTROL_AMOUNTS:
            raise UnknownName("amount of controls", self.controls, CONTROL_AMOUNTS)
