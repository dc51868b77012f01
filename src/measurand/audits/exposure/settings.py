"""What is chosen before an exposure audit is run."""

from dataclasses import dataclass

from measurand.audits.exposure.analysis import Method
from measurand.audits.exposure.study import NEEDED, Design
from measurand.audits.exposure.thresholds import MARGIN, REPEATS, M, N
from measurand.core.errors import BadOption


@dataclass(frozen=True)
class ExposureSettings:
    """How rows are drawn, what is trained, how it is analysed.

    Attributes:
        m: Labelled rows to learn from.
        n: Test rows, and as many extra ones.
        repeats: How often rows are drawn.
        arms: base, extra and test; overtrained may be added.
        margin: Percentage points that still count as nothing.
        model: observation, paper or released.
        sampler: laplace, or nuts beside it.
        checks: Whether the checks of the method are run at full length.
    """

    m: int = M
    n: int = N
    repeats: int = REPEATS
    arms: tuple[str, ...] = NEEDED
    margin: float = MARGIN
    model: str = "observation"
    sampler: str = "laplace"
    checks: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        self.method.check_options()
        if not 0 < self.margin < 100:
            raise BadOption(
                f"`margin` is {self.margin}; allowed are 0 to 100 percentage points"
            )

    @property
    def method(self) -> Method:
        """How the rows are analysed."""
        return Method(self.model, self.sampler, self.checks)

    @property
    def design(self) -> Design:
        """What is drawn and trained."""
        return Design(self.m, self.n, self.repeats, tuple(self.arms))
