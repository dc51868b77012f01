"""A fifth audit, as somebody would add it: is one label nearly all of them?"""

from dataclasses import dataclass

from measurand.core.audit import Audit
from measurand.core.finding import Finding, Report, Verdict
from measurand.core.recipe import describe_recipe
from measurand.core.setting import Settings, setting
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all
from measurand.settings.running import Seeds
from measurand.stats.scores import wilson_share

LABELS = ("balanced", "skewed")


@dataclass(frozen=True)
class ToySettings(Settings):
    """From which share labels are skewed."""

    share: float = setting(0.9, "The share from which labels are skewed.", 0, 1, True)
    seeds: Seeds = None


def audit(experiment, readers, settings):
    """Say whether one label is nearly all."""
    benchmark = experiment.benchmark
    commonest = int(benchmark.test.labels.value_counts().max())
    share = wilson_share(commonest, len(benchmark.test))
    label = LABELS[share.value >= settings.share]
    answers = ask_all(experiment, [Ask(reader) for reader in readers.values()])
    findings = [
        Finding(
            "accuracy", name, "full", wilson_share(int(a.correct.sum()), len(a.ids))
        )
        for name, a in zip(readers, answers, strict=True)
    ]
    return Report(
        "toy",
        benchmark.describe(),
        Verdict(label, "", None, f"the commonest label is {share.value:.2f} of all"),
        (Finding("majority", "majority", "full", share, label), *findings),
        {
            "share": settings.share,
            "seeds": settings.seeds,
            "readers": {
                name: describe_recipe(reader) for name, reader in readers.items()
            },
        },
    )


AUDIT = Audit(
    name="toy",
    question="is one label nearly all?",
    labels=LABELS,
    readers=("majority",),
    settings=ToySettings,
    run=audit,
    usual=False,
    demo={"synthetic:nq": {"share": 0.2}, "synthetic:triviaqa": {}},
)
