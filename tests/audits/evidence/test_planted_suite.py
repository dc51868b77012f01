"""The synthetic suite meets the figures of the paper."""

from dataclasses import replace

import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks import SYNTHETIC
from measurand.core.seeds import generator
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.readers.linear import TfidfReader

pytestmark = pytest.mark.slow

SEED = 20261115  # any would do; `demo` and other tests take 0


def audited(name, *, metadata=True):
    """The report of one benchmark; without metadata, no shift of theirs is tried."""
    benchmark = SYNTHETIC.load(name, seed=SEED)
    if not metadata:
        sides = ("train", "test")
        plain = {side: replace(getattr(benchmark, side), metadata=()) for side in sides}
        benchmark = replace(benchmark, **plain)
    with open_experiment(benchmark, seed=SEED) as running:
        settings = EvidenceSettings(shuffles=5)
        return audit(
            running, {n: READERS.load(n) for n in ("tfidf", "cross")}, settings
        )


def value(report, *which):
    return report.finding(*which).estimate.value


def test_nq_is_directly_coupled_and_collapses_when_its_answer_type_shifts():
    report = audited("synthetic:nq")
    assert report.verdict.region == "direct coupling"
    assert report.verdict.label in ("used, not needed", "not needed")
    assert value(report, "mpds", "tfidf") == pytest.approx(1.0, abs=0.005)
    assert value(report, "delta_evi", "tfidf", "plain") == pytest.approx(0.0, abs=0.005)
    assert value(report, "ood_gap", "tfidf", "answer_type") > 0.95
    assert value(report, "ood_gap", "tfidf", "topic") == pytest.approx(0, abs=0.02)
    assert value(report, "flip_rate", "protocol", "answer_type") == 1.0
    assert value(report, "flip_rate", "protocol", "topic") == 0.0


def test_hotpotqa_is_latently_coupled_and_a_filter_widens_its_gap():
    report = audited("synthetic:hotpotqa")
    assert report.verdict.region == "latent coupling"
    assert report.verdict.label in ("used, not needed", "not needed")
    for reader in ("tfidf", "cross"):
        assert value(report, "mpds", reader) == pytest.approx(0.643, abs=0.02)
        assert value(report, "delta_evi", reader, "plain") == pytest.approx(
            0.0, abs=0.01
        )
    assert report.finding("filter_gain", "tfidf", "filtered").estimate.high < 0
    assert value(report, "filter_gain", "tfidf", "random") > value(
        report, "filter_gain", "tfidf", "filtered"
    )


def test_triviaqa_depends_on_its_evidence():
    report = audited("synthetic:triviaqa", metadata=False)
    assert report.verdict.label == "needed"
    assert value(report, "delta_evi", "tfidf", "plain") == pytest.approx(
        0.808, abs=0.03
    )


@pytest.mark.parametrize("name", list(SYNTHETIC))
def test_no_label_word_stands_in_a_query_and_a_reader_needs_hundreds_of_items(name):
    benchmark = SYNTHETIC.load(name, seed=5)
    spoken = set(" ".join(benchmark.test.column("query")).replace("?", "").split())
    assert not spoken & set(benchmark.classes)
    rng = generator(5, "few")
    accuracy = {}
    for size in (50, 2000):
        few = benchmark.train.rows(rng.permutation(len(benchmark.train))[:size])
        fitted = TfidfReader(folds=0).fit(few, rng)
        said = [
            fitted.classes[i] for i in fitted.predict(benchmark.test).argmax(axis=1)
        ]
        accuracy[size] = (benchmark.test.labels == said).mean()
    assert accuracy[50] < accuracy[2000] - 0.2


def test_the_same_seed_gives_the_same_items_and_another_seed_others():
    first, again, other = (SYNTHETIC.load("synthetic:nq", seed=s) for s in (1, 1, 2))
    assert first.test.digest == again.test.digest != other.test.digest
