"""Rationale columns beside the first: what each gives away by itself.

The verdict is on the first column; the others are read for agreement. What they give
away is asked of each all the same, in words and in form: whoever uses a benchmark uses
all its columns.
"""

from collections.abc import Mapping

from measurand.audits.explanations.fields import Side
from measurand.audits.explanations.form import column_leak, leak_findings
from measurand.audits.explanations.leaks import Leak
from measurand.audits.explanations.rationales import GIVEN, Rationales
from measurand.core.arrays import Clusters
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Finding
from measurand.core.names import name_condition, name_in_reason
from measurand.core.reader import Reader, skip_temperature
from measurand.experiment.experiment import Experiment

Leaks = Mapping[str, Leak]  # by column beside the first


def further_columns(
    benchmark: Benchmark, rationales: Mapping[str, Rationales]
) -> dict[str, Side]:
    """By column beside the first, its texts in train and test; none where not given.

    Of a column that only test items have, detectors say it that learned from the first.
    """
    columns: dict[str, Side] = {}
    if GIVEN not in rationales:
        return columns
    for column in benchmark.rationales[1:]:
        test = benchmark.test.column(column).tolist()
        if not any(text.strip() for text in test):
            continue
        known = column in benchmark.train.table
        train = benchmark.train.column(column).tolist() if known else []
        if not any(text.strip() for text in train):
            train = rationales[GIVEN].train
        columns[column] = train, test
    return columns


def further_word_leaks(
    experiment: Experiment,
    reader: Reader,
    columns: Mapping[str, Side],
    clusters: Clusters,
) -> dict[str, Leak]:
    """By column, what its texts alone give this reader away."""
    detector = skip_temperature(reader)
    return {
        column: column_leak(experiment, detector, *texts, clusters)
        for column, texts in columns.items()
    }


def further_findings(leaks: Leaks, kind: str, reader: str) -> list[Finding]:
    """What the form, or the words, of each column give a reader away, for a report."""
    return [
        finding
        for column, leak in leaks.items()
        for finding in leak_findings(
            leak, kind, reader, f"{GIVEN}, {name_condition(column)}"
        )
    ]


def leaking_columns(words: Leaks, forms: Leaks) -> tuple[str, ...]:
    """The columns that surely give the label away, each with how much, in words."""
    clauses = []
    for column in words:
        sure = [leak for leak in (words[column], forms[column]) if leak.is_sure]
        if sure:
            best = max(sure, key=lambda leak: leak.accuracy.value)
            clauses.append(f"{name_in_reason(column)} alone gives {best} of the labels")
    return tuple(clauses)
