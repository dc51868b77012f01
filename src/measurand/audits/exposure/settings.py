"""What is chosen before an exposure audit is run, and its constants.

Every report shows both.
"""

from dataclasses import dataclass

from measurand.audits.exposure.study import NEEDED, Design, expand_arms
from measurand.core.bounds import MOST_MARGIN, MOST_REPEATS, MOST_ROWS, check_number
from measurand.core.errors import BadOption, UnknownName
from measurand.stats.exposure.nuts import import_bayes

MARGIN = 1.0  # percentage points of accuracy that still count as nothing
M, N, REPEATS = 50, 200, 50  # labelled rows, test rows, draws
CLASSES = 25  # beyond this, m rows hold hardly any of each class
MUCH = 0.05  # a share of texts cut or repeated that a reader of the report should know
SLICES = 500  # unreplicated studies of the meta-analysis
DRAWS = 4000  # posterior draws
R_HAT = 1.01  # over this, chains of NUTS disagree
AGREE = 0.1  # posterior sds between NUTS and Laplace that no verdict would notice

SHOWN = {
    "margin": MARGIN,
    "many_classes": CLASSES,
    "much_cut_or_repeated": MUCH,
    "slices": SLICES,
    "draws": DRAWS,
    "r_hat": R_HAT,
    "agree": AGREE,
}

COMPARED_MODELS = ("observation", "paper", "released")
SAMPLERS = ("laplace", "nuts")
BOUNDS = (("m", 1, MOST_ROWS), ("n", 1, MOST_ROWS), ("repeats", 2, MOST_REPEATS))


@dataclass(frozen=True)
class Method:
    """How counts are analysed.

    Attributes:
        model: observation, paper or released.
        sampler: laplace; nuts samples the same posterior as well.
        checks: Whether the checks by simulation are run at full length.
    """

    model: str = "observation"
    sampler: str = "laplace"
    checks: bool = False

    def check_options(self) -> None:
        """Nothing, where it can be followed: better said before a long study."""
        for kind, name, allowed in (
            ("model", self.model, COMPARED_MODELS),
            ("sampler", self.sampler, SAMPLERS),
        ):
            if name not in allowed:
                raise UnknownName(kind, name, allowed)
        if self.sampler == "nuts":
            import_bayes("numpyro.infer")


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
