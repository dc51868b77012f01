"""Figures on real benchmarks, against those measured apart from this project."""

import pytest

from measurand.benchmarks.load import load_benchmark
from measurand.core.clusters import linked_clusters
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.stats.decisions import equivalence_decision
from measurand.stats.shuffles import shuffle_effect
from tests.shared_data import needs_data, path

pytestmark = needs_data

SNLI = ("nli/snli_train_18k.jsonl.gz", {"test": "nli/esnli_test.jsonl.gz"})
FEVER = ("verification/fever_dev.jsonl.gz", {"split_by": "query"})
BOOLQ = ("questions/boolq_train.jsonl.gz", {"test": "questions/boolq_dev.jsonl.gz"})
SICK = ("nli/sick.jsonl.gz", {})


def loaded(source):
    name, options = source
    options = {k: path(v) if k == "test" else v for k, v in options.items()}
    return load_benchmark(path(name), **options)


def measured(benchmark, reader, repeats=20):
    """Accuracy, and the effect of the shuffle."""
    recipe, shuffle = (
        READERS.load(reader).without_temperature(),
        Shuffle(benchmark.evidence),
    )
    with open_experiment(benchmark) as running:
        full, wrong = ask_all(
            running, [Ask(recipe), Ask(recipe, under=shuffle, repeats=repeats)]
        )
    clusters = linked_clusters([benchmark.test.column(benchmark.evidence)])
    effect = shuffle_effect(full.correct[0], wrong.correct, wrong.donors, clusters)
    return full.correct.mean(), effect


@pytest.mark.parametrize(
    ("source", "reader", "accuracy", "delta", "tolerance"),
    [
        (SNLI, "tfidf", 0.58, 0.011, 0.03),
        (FEVER, "tfidf", 0.67, 0.006, 0.03),
        (BOOLQ, "tfidf", 0.70, 0.068, 0.03),
        (SNLI, "cross", 0.69, 0.17, 0.06),
        (FEVER, "cross", 0.76, 0.22, 0.06),
        (SICK, "cross", 0.82, 0.25, 0.06),
    ],
    ids=["snli", "fever", "boolq", "snli-cross", "fever-cross", "sick-cross"],
)
@pytest.mark.slow
def test_accuracy_and_effect_are_those_measured_elsewhere(
    source, reader, accuracy, delta, tolerance
):
    right, effect = measured(loaded(source), reader, 20 if reader == "tfidf" else 5)
    assert right == pytest.approx(accuracy, abs=tolerance)
    assert effect.value == pytest.approx(delta, abs=tolerance)


@pytest.mark.parametrize(("source", "said"), [(SNLI, "near zero"), (BOOLQ, "depends")])
@pytest.mark.slow
def test_the_screen_decides_as_measured_elsewhere(source, said):
    assert (
        equivalence_decision(measured(loaded(source), "tfidf")[1].interval, 0.02)
        == said
    )


@pytest.mark.slow
def test_a_claim_only_reader_finds_nothing_on_symmetric_fever():
    train, test = path(FEVER[0]), path("verification/fever_symmetric.jsonl.gz")
    benchmark = load_benchmark(train, test=test)
    keep = Keep(benchmark.query)
    ask = Ask(
        READERS.load("tfidf").without_temperature(), fitted_under=keep, under=keep
    )
    with open_experiment(benchmark) as running:
        (said,) = ask_all(running, [ask])
    assert said.correct.mean() == pytest.approx(0.5, abs=0.03)
