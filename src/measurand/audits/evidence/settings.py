"""What is chosen before an evidence audit is run."""

from dataclasses import dataclass

from measurand.audits.evidence.thresholds import LEAST_MARGIN, MARGIN, SHUFFLES
from measurand.core.errors import BadOption


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
    """

    shuffles: int = SHUFFLES
    shuffle: str = "plain"
    margin: float = MARGIN
    calibrate: bool = True
    strongest: str = "minilm"
    seeds: int | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        if self.seeds is not None and self.seeds < 1:
            raise BadOption(f"`seeds` is {self.seeds}; allowed are 1 or more")
        if self.shuffles < 1:
            raise BadOption(f"`shuffles` is {self.shuffles}; allowed are 1 or more")
        if not LEAST_MARGIN <= self.margin < 1:
            raise BadOption(
                f"`margin` is {self.margin}; allowed are {LEAST_MARGIN} to below 1"
            )
