"""Whether items can receive the evidence of others, and what is named where not."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.audits.evidence.shuffles import check_shuffle
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import CannotIntervene
from measurand.experiment.experiment import open_experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS


def audited(benchmark, **settings):
    chosen = {"shuffles": 5, "strongest": "cross", **settings}
    with open_experiment(benchmark) as experiment:
        return audit(
            experiment, {"tfidf": READERS.load("tfidf")}, EvidenceSettings(**chosen)
        )


def few_documents(sizes, **terms):
    """Items that share so few documents that a fold may hold hardly another."""
    documents = np.repeat(np.arange(len(sizes)), sizes)
    table = pd.DataFrame(
        {
            "query": [f"is it so on day {i}" for i in range(len(documents))],
            "evidence": [f"document {number}" for number in documents],
            "label": ["yes", "no"] * (len(documents) // 2),
        }
    )
    return from_frames(table, name="few", **terms)


@pytest.mark.parametrize(
    ("sizes", "terms", "advice"),
    [
        # Each fold holds one document, so that no shuffle has another to give.
        ([50, 50, 50], {}, "; drop repeated texts, or choose `split_by` 'query'"),
        (
            [60, 50, 60, 50, 60, 50],
            {},
            ", or choose `split_by` 'query' or `shuffle` 'nearest'",
        ),
        ([150, 30, 20], {"split_by": "query"}, ", or choose `shuffle` 'nearest'"),
    ],
)
def test_evidence_that_cannot_be_shuffled_names_what_would_do(sizes, terms, advice):
    with pytest.raises(CannotIntervene, match="items share one text") as refused:
        audited(few_documents(sizes, **terms), folds=3)
    assert str(refused.value).endswith(advice)


@pytest.mark.slow
def test_what_is_named_for_evidence_that_cannot_be_shuffled_works():
    report = audited(few_documents([50, 50, 50], split_by="query"), calibrate=False)
    assert report.finding("delta_evi", "tfidf").estimate.n == 150
    skewed = few_documents([150, 30, 20], split_by="query")
    report = audited(skewed, calibrate=False, shuffle="nearest")
    assert report.finding("delta_evi", "tfidf").estimate.n == 200


def half_blank(count, first=0):
    """Items of which every second has no evidence."""
    rng = np.random.default_rng(first)
    numbers = range(first, first + count)
    texts = [
        "" if n % 2 else " ".join(f"word{w}" for w in rng.integers(10**6, size=9))
        for n in numbers
    ]
    return pd.DataFrame(
        {
            "claim": [f"claim number{n}" for n in numbers],
            "evidence": texts,
            "label": [["yes", "no"][n // 2 % 2] for n in numbers],
        }
    )


def test_too_many_blanks_are_named_as_such():
    rows = half_blank(90).assign(evidence=["one text"] + [""] * 89)
    with pytest.raises(CannotIntervene, match="89 of 90 items have no evidence"):
        check_shuffle(*[from_frames(rows, rows, name="b")] * 2, Shuffle("evidence"), 0)
