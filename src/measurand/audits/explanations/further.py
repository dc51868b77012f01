"""Rationale columns beside the first: what each gives away by itself.

The verdict is on the first column; the others are read for agreement. What they give
away is asked of each all the same, in words and in form: whoever uses a benchmark uses
all its columns.
"""

from collections.abc import Mapping

from measurand.audits.explanations.corpus import Corpus
from measurand.audits.explanations.fields import without_temperature
from measurand.audits.explanations.form import SURFACE, column_leak, read_form
from measurand.audits.explanations.leaks import Leak
from measurand.audits.explanations.rationales import GIVEN
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.experiment.experiment import Experiment


def further_leaks(
    experiment: Experiment, name: str, reader: Reader, corpus: Corpus
) -> dict[str, dict[str, Leak]]:
    """By column beside the first and by reader, what its texts alone give away.

    Of a column that only test items have, detectors say it that learned from the first.
    """
    if corpus.explainer != GIVEN:
        return {}
    benchmark, detector = experiment.benchmark, without_temperature(reader)
    leaks = {}
    for column in benchmark.rationales[1:]:
        test = benchmark.test.column(column).tolist()
        if not any(text.strip() for text in test):
            continue
        known = column in benchmark.train.table
        train = benchmark.train.column(column).tolist() if known else []
        if not any(text.strip() for text in train):
            train = corpus.rationales[GIVEN].train
        leaks[column] = {
            name: column_leak(experiment, detector, train, test, corpus.clusters),
            SURFACE: read_form(experiment, train, test, corpus.clusters).leak,
        }
    return leaks


def further_findings(leaks: Mapping[str, Mapping[str, Leak]]) -> list[Finding]:
    """What each further column gives away, for a report."""
    findings = []
    for column, by_reader in leaks.items():
        for reader, leak in by_reader.items():
            kind = "form" if reader == SURFACE else "rationale"
            where = reader, f"{GIVEN}, {column}"
            findings += [
                Finding(f"{kind}_only", *where, leak.accuracy, leak.decision),
                Finding(f"{kind}_bits", *where, leak.bits, leak.bits_decision),
            ]
    return findings


def leaking_columns(leaks: Mapping[str, Mapping[str, Leak]]) -> tuple[str, ...]:
    """The columns that surely give the label away, each with how much, in words."""
    told = []
    for column, by_reader in leaks.items():
        sure = [leak for leak in by_reader.values() if leak.is_sure]
        if sure:
            best = max(sure, key=lambda leak: leak.accuracy.value)
            told.append(f"{column} alone gives {best} of the labels")
    return tuple(told)
