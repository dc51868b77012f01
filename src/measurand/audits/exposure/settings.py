"""The constants of the exposure audit, which every report shows, and its designs."""

from dataclasses import dataclass, fields

from measurand.audits.exposure.statistics.decisions import FEW_TASKS, REACH, WIDER
from measurand.audits.exposure.study import Design
from measurand.settings.exposure import ExposureSettings, several

POOL = 0.1  # of a pool: where a draw takes more, draws share much, and it is said
CLASSES = 25  # beyond this, m rows hold hardly any of each class
MUCH = 0.05  # a share of texts cut or repeated that a reader of the report should know
SLICES = 500  # unreplicated studies of the meta-analysis
DRAWS = 4000  # posterior draws
R_HAT = 1.01  # over this, chains of NUTS disagree
AGREE = 0.1  # posterior sds between NUTS and Laplace that no verdict would notice

SHOWN = {
    "margin": ExposureSettings.margin,
    "dose": ExposureSettings.doses[0],
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


@dataclass(frozen=True)
class Method:
    """How counts are analysed."""

    model: str = ExposureSettings.model
    sampler: str = ExposureSettings.sampler
    checks: bool = ExposureSettings.checks
    notable: float | None = ExposureSettings.notable


def method_of(settings: ExposureSettings) -> Method:
    """How the rows are analysed."""
    return Method(**{f.name: getattr(settings, f.name) for f in fields(Method)})


def designs_of(settings: ExposureSettings) -> list[Design]:
    """What is drawn and trained, a design per size."""
    sizes, draws = several(settings.n), several(settings.repeats)
    draws = draws * len(sizes) if len(draws) == 1 else draws
    return [
        Design(m, n, repeats, settings.arms, settings.doses)
        for m in several(settings.m)
        for n, repeats in zip(sizes, draws, strict=True)
    ]
