"""What the form of rationales gives away: that there is one, its length, its writing.

Detectors of rationales read words. A label can stand in what is no word: a smile or a
frown, a space before the last point, capitals, or that there is no rationale at all.
No mask of words hides any of that. So a linear reader of form alone is asked too, which
sees the rationale as made-up words for its length, case, spacing, marks and digits.
Where that surely tells the label, the simplest part that does so is named.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from measurand.audits.explanations.estimates import detection_leak
from measurand.audits.explanations.fields import (
    free_field_name,
    restrict_fields,
    role_columns,
)
from measurand.audits.explanations.leaks import Leak
from measurand.audits.explanations.masking import detect_labels
from measurand.core.arrays import Clusters
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.experiment.experiment import Experiment, reopen_experiment
from measurand.readers.baselines import SurfaceReader

RATIONALE = "rationale"
SURFACE = "surface"  # the name of the reader of form
PRESENCE, LENGTH = "whether there is one at all", "how long it is"
WRITING = "how it is written"


@dataclass(frozen=True)
class FormLeak:
    """What the form of rationales gives away."""

    leak: Leak
    cause: str


def read_form(
    experiment: Experiment,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    clusters: Clusters = None,
) -> FormLeak:
    """What the form of these rationales gives away, and by which part of it."""

    def ask(reader: Reader, change: Callable[[str], str]) -> Leak:
        train, test = (
            [change(text) for text in side] for side in (train_texts, test_texts)
        )
        return column_leak(experiment, reader, train, test, clusters)

    whole = ask(SurfaceReader(folds=0), str)
    if not whole.is_sure:
        return FormLeak(whole, "")
    if ask(SurfaceReader(folds=0), _mark_presence).is_sure:
        return FormLeak(whole, PRESENCE)
    length = ask(SurfaceReader(length_only=True, folds=0), str)
    return FormLeak(whole, LENGTH if length.is_sure else WRITING)


def column_leak(
    experiment: Experiment,
    detector: Reader,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    clusters: Clusters = None,
) -> Leak:
    """What a detector gets that reads these texts and nothing else."""
    benchmark = experiment.benchmark
    field = free_field_name(RATIONALE, role_columns(benchmark))
    sides = [{RATIONALE: train_texts}, {RATIONALE: test_texts}]
    alone = restrict_fields(benchmark, (), sides, {RATIONALE: field})
    with reopen_experiment(experiment, alone) as sub_experiment:
        detection = detect_labels(sub_experiment, detector, field)
    gold = benchmark.test.gold(benchmark.classes)
    return detection_leak(detection, gold, clusters=clusters)


def leak_findings(leak: Leak, kind: str, reader: str, explainer: str) -> list[Finding]:
    """What form, or words, give away, for a report."""
    return [
        Finding(f"{kind}_only", reader, explainer, leak.accuracy, leak.decision),
        Finding(f"{kind}_bits", reader, explainer, leak.bits, leak.bits_decision),
    ]


def _mark_presence(text: str) -> str:
    """One word for any text, none for none."""
    return "there" if text.strip() else ""
