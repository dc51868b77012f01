"""What is chosen before an exposure audit is run, and its constants.

Every report shows both.
"""

from dataclasses import dataclass
from numbers import Integral

from measurand.audits.exposure.arms import NEEDED, expand_arms
from measurand.audits.exposure.study import Design
from measurand.core.bounds import MOST_MARGIN, MOST_REPEATS, MOST_ROWS, check_number
from measurand.core.errors import BadOption, UnknownName
from measurand.stats.exposure.decisions import FEW_TASKS, REACH, WIDER
from measurand.stats.exposure.nuts import import_bayes

MARGIN = 1.0  # percentage points of accuracy that still count as nothing
M, N, REPEATS = 50, 200, 50  # labelled rows, test rows, draws
DOSE = 0.1  # the share of test rows that the control learns with their labels
POOL = 0.1  # of a pool: where a draw takes more, draws share much, and it is said
CLASSES = 25  # beyond this, m rows hold hardly any of each class
MUCH = 0.05  # a share of texts cut or repeated that a reader of the report should know
SLICES = 500  # unreplicated studies of the meta-analysis
DRAWS = 4000  # posterior draws
R_HAT = 1.01  # over this, chains of NUTS disagree
AGREE = 0.1  # posterior sds between NUTS and Laplace that no verdict would notice

SHOWN = {
    "margin": MARGIN,
    "dose": DOSE,
    "pool": POOL,
    "wider": WIDER,
    "few_tasks": FEW_TASKS,
    "reach": REACH,
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
    """How counts are analysed."""

    model: str = "observation"
    sampler: str = "laplace"
    checks: bool = False
    notable: float | None = None

    def check_options(self) -> None:
        """Nothing, where it can be followed: better said before a long study."""
        for kind, name, allowed in (
            ("model", self.model, COMPARED_MODELS),
            ("sampler", self.sampler, SAMPLERS),
        ):
            if name not in allowed:
                raise UnknownName(kind, name, allowed)
        if self.notable is not None:
            check_number("notable", self.notable, 0.001, 10)
        if self.sampler == "nuts":
            import_bayes("numpyro.infer")


@dataclass(frozen=True)
class ExposureSettings:
    """How rows are drawn, what is trained, how it is analysed.

    `measurand.exposure` says what each one means.
    """

    m: tuple[int, ...] | int = M
    n: tuple[int, ...] | int = N
    repeats: tuple[int, ...] | int = REPEATS
    arms: tuple[str, ...] = NEEDED
    doses: tuple[float, ...] = (DOSE,)
    margin: float = MARGIN
    model: str = "observation"
    sampler: str = "laplace"
    notable: float | None = None
    checks: bool = False
    calibrate: bool = True

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        self.method.check_options()
        if not 0 < self.margin <= 100 * MOST_MARGIN:
            raise BadOption(
                f"`margin` is {self.margin}; allowed are 0 to "
                f"{100 * MOST_MARGIN:.0f} percentage points, without 0"
            )
        for name, least, most in BOUNDS:
            for value in _several(getattr(self, name)):
                if not isinstance(value, Integral):
                    raise BadOption(f"`{name}` is {value!r}; give whole numbers")
                check_number(name, value, least, most)
        if len(_several(self.repeats)) not in (1, len(_several(self.n))):
            raise BadOption(
                f"`repeats` has {len(_several(self.repeats))} numbers and `n` "
                f"{len(_several(self.n))}; give one, or one for each n"
            )
        for dose in self.doses:
            if not 0 < dose <= 1:
                raise BadOption(f"a dose is {dose}; allowed are shares above 0 up to 1")
        expand_arms(self.arms)

    @property
    def method(self) -> Method:
        """How the rows are analysed."""
        return Method(self.model, self.sampler, self.checks, self.notable)

    @property
    def designs(self) -> list[Design]:
        """What is drawn and trained, a design a size."""
        sizes, draws = _several(self.n), _several(self.repeats)
        draws = draws * len(sizes) if len(draws) == 1 else draws
        return [
            Design(m, n, repeats, tuple(self.arms), tuple(self.doses))
            for m in _several(self.m)
            for n, repeats in zip(sizes, draws, strict=True)
        ]


def _several(value: tuple[int, ...] | int) -> tuple[int, ...]:
    """One number or several, as several."""
    return value if isinstance(value, tuple) else (value,)
