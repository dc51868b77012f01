"""What is chosen before an exposure audit is run."""

from dataclasses import dataclass

from measurand.audits.exposure.analysis import Method
from measurand.audits.exposure.study import NEEDED, Design, expand_arms
from measurand.audits.exposure.thresholds import MARGIN, REPEATS, M, N
from measurand.core.bounds import MOST_MARGIN, MOST_REPEATS, MOST_ROWS, check_number
from measurand.core.errors import BadOption

BOUNDS = (("m", 1, MOST_ROWS), ("n", 1, MOST_ROWS), ("repeats", 2, MOST_REPEATS))


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
        if not 0 < self.margin <= 100 * MOST_MARGIN:
            raise BadOption(
                f"`margin` is {self.margin}; allowed are 0 to "
                f"{100 * MOST_MARGIN:.0f} percentage points, without 0"
            )
        for name, least, most in BOUNDS:
            check_number(name, getattr(self, name), least, most)
        expand_arms(self.arms)

    @property
    def method(self) -> Method:
        """How the rows are analysed."""
        return Method(self.model, self.sampler, self.checks)

    @property
    def design(self) -> Design:
        """What is drawn and trained."""
        return Design(self.m, self.n, self.repeats, tuple(self.arms))
