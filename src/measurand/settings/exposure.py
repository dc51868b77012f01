"""What is chosen before an exposure audit is run."""

from dataclasses import dataclass
from typing import ClassVar

from measurand.core.bounds import MOST_MARGIN, MOST_REPEATS, MOST_ROWS
from measurand.core.errors import BadOption
from measurand.core.setting import Settings, setting
from measurand.settings.running import Calibrate

COMPARED_MODELS = ("observation", "paper", "released")
SAMPLERS = ("laplace", "nuts")


@dataclass(frozen=True)
class ExposureSettings(Settings):
    """How rows are drawn, what is trained, how it is analysed.

    Attributes:
        readers: Who is asked where nobody names others.
        analysis: The settings that an analysis of somebody else's accuracies takes:
            the rest is of the experiment.
    """

    panel: ClassVar[str] = "Study"
    readers: ClassVar[tuple[str, ...]] = ("pca", "idf")
    analysis: ClassVar = ("margin", "model", "sampler", "notable", "checks")

    m: tuple[int, ...] | int = setting(
        50, "Labelled rows; repeatable, for a grid of sizes.", *(1, MOST_ROWS)
    )
    n: tuple[int, ...] | int = setting(
        200, "Test rows, and as many extra; repeatable.", 1, MOST_ROWS
    )
    repeats: tuple[int, ...] | int = setting(
        50, "How often rows are drawn; once, or once for each n.", *(2, MOST_REPEATS)
    )
    arms: tuple[str, ...] = setting(
        ("base", "extra", "test"),
        "base, extra and test, which are always needed, overtrained (the texts "
        "read twice as often) or transfer (texts of another task); repeatable.",
        check="audits.exposure.arms:expand_arms",
        option="--arm",
    )
    doses: tuple[float, ...] = setting(
        (0.1,),
        "The share of test rows that a control learns with their labels; repeatable.",
        *(0, 1, True),
        option="--dose",
    )
    margin: float = setting(
        1.0,
        "Percentage points that count as nothing.",
        *(0, int(100 * MOST_MARGIN), True),
        unit=" percentage points",
    )
    model: str = setting(
        "observation",
        "The hierarchical model beside the paired differences: observation, paper "
        "or released.",
        allowed=COMPARED_MODELS,
    )
    sampler: str = setting(
        "laplace",
        "How the model is fitted: laplace, or nuts beside it (minutes).",
        allowed=SAMPLERS,
        check="audits.exposure.statistics.nuts:check_sampler",
    )
    notable: float | None = setting(
        None,
        "Log-odds that an unreplicated study would take for an effect. Default: "
        "what its own interval tells from zero.",
        *(0.001, 10),
    )
    checks: bool = setting(
        False, "Run the checks of the method at full length (a minute)."
    )
    calibrate: Calibrate = True

    def check_together(self) -> None:
        """Refuse repeats that are neither one number nor one for each n."""
        sizes, draws = len(several(self.n)), len(several(self.repeats))
        if draws not in (1, sizes):
            raise BadOption(
                f"`repeats` has {draws} numbers and `n` {sizes}; give one, or one for "
                "each n"
            )


def several(value: tuple[int, ...] | int) -> tuple[int, ...]:
    """One number or several, as several."""
    return value if isinstance(value, tuple) else (value,)
