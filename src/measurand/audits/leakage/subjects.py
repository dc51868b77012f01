"""Leakage of choices by subject: whether some subjects give theirs away more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.scores import (
    LEAKS,
    UNDECIDED,
    WITHIN,
    LeakageBaselines,
)
from measurand.audits.leakage.settings import FEWEST_OF_SUBJECT, MOST_SUBJECTS
from measurand.core.arrays import Floats, Ints
from measurand.core.clusters import count_clusters
from measurand.core.finding import Exhibit, Finding, Verdict
from measurand.core.names import SUBJECT, name_condition
from measurand.stats.scores import share_interval
from measurand.stats.uncertainty import mean_interval

DRAWN = 20  # subjects of a chart, the worst first


def add_subjects(
    canonical: CanonicalBenchmark, reading: LeakageReading, baselines: LeakageBaselines
) -> LeakageReading:
    """The reading with what choices alone give away of each subject."""
    items = canonical.scored_items
    if items.subject is None or not canonical.has_choices:
        return reading
    field = str(items.choices)
    runs = reading.answers.alone[field]
    subjects = items.column(items.subject).set_axis(items.ids.astype(str))
    subjects = subjects.loc[[str(item_id) for item_id in runs.ids]]
    counted = _count_subjects(subjects, baselines.clusters)
    if not counted:
        why = f"no two subjects have {FEWEST_OF_SUBJECT} items that hang apart"
        return reading.add_not_run({f"subjects of {reading.name}": why})
    right = runs.right.mean(axis=0)
    findings = subject_findings(reading.name, right, subjects, counted, baselines)
    leaking = [
        f"{name_condition(field)}, {f.condition}"
        for f in findings
        if f.decision == LEAKS
    ]
    stage = replace(reading.stage, elsewhere=(*reading.stage.elsewhere, *leaking))
    left = subjects.nunique() - len(counted)
    few = {f"{left} subjects of {reading.name}": f"under {FEWEST_OF_SUBJECT} items"}
    added = replace(reading, findings=(*reading.findings, *findings), stage=stage)
    return added.add_not_run(few if left else {})


def _count_subjects(subjects: "pd.Series[str]", clusters: Ints) -> list[str]:
    """The subjects with enough items that hang apart, the largest first."""
    counts = {
        str(subject): count_clusters(clusters[(subjects == subject).to_numpy()])
        for subject in subjects.unique()
    }
    enough = [s for s in sorted(counts) if counts[s] >= FEWEST_OF_SUBJECT]
    enough.sort(key=lambda subject: -counts[subject])
    return enough[:MOST_SUBJECTS] if len(enough) > 1 else []


def subject_findings(
    name: str,
    right: Floats,
    subjects: "pd.Series[str]",
    counted: Sequence[str],
    baselines: LeakageBaselines,
) -> list[Finding]:
    """Accuracy from choices alone, by subject; what leaks is decided by Holm's steps.

    Args:
        name: The reader's name.
        right: How often each item was answered right.
        subjects: What each item is about.
        counted: The subjects that are stated.
        baselines: What the accuracies are held against, item by item.
    """
    over = right - baselines.majority.to_numpy()
    rows = {s: np.flatnonzero((subjects == s).to_numpy()) for s in counted}
    decisions = _decide_by_holm(over, rows, baselines)
    findings = []
    for subject, inside in rows.items():
        estimate = share_interval(right[inside], baselines.clusters[inside])
        condition = f"{SUBJECT}{subject}"
        findings.append(
            Finding("choices_only", name, condition, estimate, decisions[subject])
        )
    return findings


def _decide_by_holm(
    over: Floats, rows: Mapping[str, Ints], baselines: LeakageBaselines
) -> dict[str, str]:
    """What each subject does: the surest first, each with the error that is left."""
    margin, clusters = baselines.margin, baselines.clusters

    def interval(subject: str, level: float) -> tuple[float, float]:
        inside = rows[subject]
        estimate = mean_interval(over[inside], clusters[inside], level)
        return estimate.low, estimate.high

    def surety(subject: str) -> float:
        low, high = interval(subject, 0.95)
        return ((low + high) / 2 - margin) / max(high - low, 1e-12)

    outcomes, open_steps = {}, True
    ranked = sorted(rows, key=lambda subject: (-surety(subject), subject))
    for step, subject in enumerate(ranked):
        level = 1 - 0.05 / ((len(ranked) - step) * baselines.readers)
        open_steps = open_steps and interval(subject, level)[0] > margin
        near_zero = interval(subject, 0.90)[1] < margin
        rest = WITHIN if near_zero else UNDECIDED
        outcomes[subject] = LEAKS if open_steps else rest
    return outcomes


def name_worst_subject(verdict: Verdict, findings: Sequence[Finding]) -> Verdict:
    """The verdict with the subject that surely leaks most, where one does."""
    by_subject = [f for f in findings if f.condition.startswith(SUBJECT)]
    leaking = [f for f in by_subject if f.decision == LEAKS]
    if verdict.label != LEAKS or not leaking:
        return verdict
    worst = max(leaking, key=lambda f: f.estimate.low)
    readers = [f for f in by_subject if f.reader == worst.reader]
    count = sum(f.decision == LEAKS for f in readers)
    clause = (
        f"; of {len(readers)} subjects {count} surely "
        f"{'leaks' if count == 1 else 'leak'}, most "
        f"{worst.condition.removeprefix(SUBJECT)!r}: {worst.reader} reaches "
        f"{worst.estimate} there from the choices alone"
    )
    return replace(verdict, reason=verdict.reason + clause)


def subject_exhibit(findings: Sequence[Finding], chance: float) -> tuple[Exhibit, ...]:
    """A bar a subject and reader, those first that leak the most."""
    by_subject = [f for f in findings if f.condition.startswith(SUBJECT)]
    if not by_subject:
        return ()
    worst = sorted(by_subject, key=lambda f: (-f.estimate.low, f.condition))
    shown = {*dict.fromkeys(f.condition for f in worst[:DRAWN])}
    rows = [
        {
            "group": f.reader,
            "bar": f.condition.removeprefix(SUBJECT),
            "value": f.estimate.value,
            "low": f.estimate.low,
            "high": f.estimate.high,
        }
        for f in worst
        if f.condition in shown
    ]
    settings = {
        "reference": chance,
        "reference_label": "chance",
        "x_title": "accuracy from the choices alone",
    }
    caption = "Accuracy from the choices alone, by subject, those that leak most first"
    chart = Exhibit("subjects", "bars", pd.DataFrame(rows), caption, settings)
    return (chart,)
