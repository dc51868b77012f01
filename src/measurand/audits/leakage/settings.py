"""What is chosen before a leakage audit is run."""

from dataclasses import dataclass

from measurand.audits.leakage.thresholds import (
    COMPONENTS,
    DRAWS,
    FOLDS,
    LEAST_MARGIN,
    MARGIN,
)
from measurand.core.bounds import (
    MOST_CLUSTERS,
    MOST_DRAWS,
    MOST_FOLDS,
    MOST_MARGIN,
    MOST_SEEDS,
    check_number,
)
from measurand.core.errors import BadOption
from measurand.experiment.ladder import check_rung

BOUNDS: dict[str, tuple[float, float]] = {
    "margin": (LEAST_MARGIN, MOST_MARGIN),
    "seeds": (1, MOST_SEEDS),
    "folds": (2, MOST_FOLDS),
    "draws": (1, MOST_DRAWS),
    "k": (2, MOST_CLUSTERS),
    "components": (0, MOST_CLUSTERS),
}


@dataclass(frozen=True)
class LeakageSettings:
    """What counts as nothing, how items are cut and clustered, how far to climb.

    Attributes:
        margin: Accuracy over the majority that still counts as nothing.
        calibrate: Whether a reader that finds no leak calls a stronger one.
        strongest: The strongest reader that may be called.
        seeds: How often a trained encoder is trained anew; None takes what is usual.
        k: Clusters; None takes them from the number of items.
        components: Principal components that are clustered; 0 takes the embedding.
        folds: Parts into which items without a given split are cut.
        draws: Ways of cutting them.
        reference: The accuracy of the best published model, from 0 to 1.
        tsne: Whether to draw the map; None draws up to 20,000 items.
    """

    margin: float = MARGIN
    calibrate: bool = True
    strongest: str = "minilm"
    seeds: int | None = None
    k: int | None = None
    components: int = COMPONENTS
    folds: int = FOLDS
    draws: int = DRAWS
    reference: float | None = None
    tsne: bool | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        for name, bounds in BOUNDS.items():
            value = getattr(self, name)
            if value is not None:
                check_number(name, value, *bounds)
        check_rung(self.strongest)
        if self.reference is not None and not 0 < self.reference <= 1:
            raise BadOption(
                f"`reference` is {self.reference}; allowed are 0 to 1, not percent"
            )
