"""What an explanations audit would take, before it is run."""

from collections.abc import Mapping
from dataclasses import dataclass

from measurand.audits.explanations.dealing import DEALS, LABEL_DEALS
from measurand.audits.explanations.fields import seed_readers
from measurand.audits.explanations.information_arms import BASELINES
from measurand.audits.explanations.masking import CURVE, FOLDS
from measurand.audits.explanations.rationales import PROMPTED, default_explainers
from measurand.core.reader import Reader
from measurand.experiment.ask import Ask
from measurand.experiment.budget import is_dear, round_duration
from measurand.experiment.experiment import Experiment, plan_asks
from measurand.explainers import EDITED
from measurand.settings.explanations import ExplanationsSettings


@dataclass(frozen=True)
class ExplanationsPlan:
    """What a run would do.

    Attributes:
        explainers: How many explainers.
        judged: How many pairs of texts are judged, at most.
        written: How many texts a language model writes.
        trainings: By reader, how often it is trained, at most.
        seconds: By reader on torch, about how long that takes; of others it is short.
    """

    explainers: int
    judged: int
    written: int
    trainings: Mapping[str, int]
    seconds: Mapping[str, float]

    def __str__(self) -> str:
        """One line of it.

        >>> print(ExplanationsPlan(9, 6000, 0, {"tfidf": 250}, {}))
        9 explainers, up to 6,000 pairs judged, 250 trainings of tfidf
        """
        parts = [f"{self.explainers} explainers", f"up to {self.judged:,} pairs judged"]
        if self.written:
            parts.append(f"{self.written:,} texts written by a model")
        for reader, count in self.trainings.items():
            took = self.seconds.get(reader)
            time = "" if took is None else f" (about {round_duration(took)})"
            parts.append(f"{count:,} trainings of {reader}{time}")
        return ", ".join(parts)


def plan_explanations(
    experiment: Experiment,
    readers: Mapping[str, Reader],
    settings: ExplanationsSettings,
) -> ExplanationsPlan:
    """Count what would be done; one training of an encoder is timed."""
    benchmark = experiment.benchmark
    names = settings.explainers or default_explainers(benchmark)
    written = (*PROMPTED, *(EDITED if settings.model else ()))
    asking = sum(name in written for name in names)
    # A model that rewords queries is asked once an item, but where noise is all.
    rewording = settings.paraphraser is not None and settings.count > 1
    test, train = len(benchmark.test), len(benchmark.train)
    trainings, seconds = {}, {}
    for name, reader in readers.items():
        trainings[name] = _count_trainings(len(names), reader, settings)
        if is_dear(reader):
            once = plan_asks(experiment, [Ask(reader)]).seconds
            if once is not None:
                seconds[name] = once * trainings[name]
    return ExplanationsPlan(
        len(names),
        2 * test * settings.count * len(names),
        asking * (train + test * (1 + settings.count)) + test * rewording,
        trainings,
        seconds,
    )


def _count_trainings(
    explainers: int, reader: Reader, settings: ExplanationsSettings
) -> int:
    """How often a reader is trained, in all."""
    seeds = len(seed_readers(reader, settings.seeds))
    dealt = 2 * seeds if seeds > 1 else DEALS + LABEL_DEALS
    if settings.preset == "paper":
        dealt = 0
    shared = (1 + len(BASELINES)) * seeds
    # Whole, alone, masked and with each baseline; masks, and what they leave.
    each = (3 + len(BASELINES)) * seeds + FOLDS + 2 + dealt
    curve, attacks = (1 + seeds) * (len(CURVE) - 1), 2 * seeds
    return shared + explainers * each + curve + attacks
