"""The exposure audit: the whole study with light readers."""

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, arms, audit
from measurand.audits.exposure.study import pool_rows
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadInput, NotApplicable
from measurand.core.seeds import generator
from measurand.experiment.experiment import open_experiment
from measurand.readers.adaptable import IdfReader, PcaReader
from measurand.readers.linear import TfidfReader
from measurand.report.saved import document, dumps
from measurand.selections.rows import Subsample

LIGHT = {"pca": PcaReader(), "idf": IdfReader()}


def texts(n=900, seed=0):
    rng = np.random.default_rng(seed)
    words = np.array([f"w{i}" for i in range(300)])
    label = rng.integers(2, size=n)
    said = [
        " ".join([*rng.choice(words, 8), *rng.choice(words[20 * one :][:20], 3)])
        for one in label
    ]
    return pd.DataFrame({"text": said, "label": np.array(["a", "b"])[label]})


@pytest.fixture(scope="module")
def task():
    return from_frames(texts(), name="made", query="text", label="label")


def test_the_study_runs_and_states_what_it_promises(task):
    with open_experiment(task) as running:
        report = audit(running, LIGHT, ExposureSettings(m=20, n=60, repeats=6))
    stated = {f.statistic for f in report.findings}
    assert {
        *("boost", "bias", "beta_boost", "beta_bias", "p_adjusted"),
        *("meta_outside", "meta_coverage", "log_evidence"),
    } <= stated
    assert set(report.items["lm"]) == {"pca", "idf"}
    assert len(report.items) == 12
    assert report.finding("boost").condition == "m=20,n=60"


@pytest.mark.slow
def test_the_same_seed_gives_the_same_report_at_any_number_of_workers(task):
    said = []
    for workers in (1, 2):
        with open_experiment(task, workers=workers) as running:
            report = audit(
                running, {"pca": PcaReader()}, ExposureSettings(m=20, n=60, repeats=4)
            )
            said.append(dumps(document(report)))
    assert said[0] == said[1]


def test_arms_differ_in_their_texts_alone_and_never_read_train(task):
    with open_experiment(pool_rows(task)) as running:
        asks = arms.arm_asks(running, PcaReader(), 20, 60, range(3, 4))
    assert len({ask.stream for ask in asks}) == 1
    assert len({(ask.fitted_on, ask.about) for ask in asks}) == 1
    assert len({replace(ask.reader, texts=()) for ask in asks}) == 1
    base, extra, test = (set(ask.reader.texts) for ask in asks)
    pool = pool_rows(task).train
    train = set(
        Subsample(20, 60, 3, "train")(pool, generator(0, "select")).column("text")
    )
    assert base == train  # features of its own items, made as those of others are
    assert not train & (extra | test)
    assert not extra & test


def test_sides_are_disjoint_and_train_is_balanced(task):
    pool = pool_rows(task).train
    sides = [
        Subsample(21, 60, 0, side)(pool, np.random.default_rng(1))
        for side in ("extra", "train", "test")
    ]
    ids = [set(side.ids) for side in sides]
    assert [len(one) for one in ids] == [60, 20, 60]
    assert not ids[0] & ids[1] | ids[0] & ids[2] | ids[1] & ids[2]
    assert sides[1].labels.value_counts().tolist() == [10, 10]


def test_too_few_rows_are_refused_with_how_many_are_needed(task):
    with (
        open_experiment(task) as running,
        pytest.raises(BadInput, match="need 1050 rows"),
    ):
        audit(running, LIGHT, ExposureSettings(m=50, n=500, repeats=2))


def test_a_rare_class_is_refused():
    rare = texts(400)
    rare.loc[rare.index[:6], "label"] = "c"
    made = from_frames(rare, name="rare", query="text", label="label")
    with (
        open_experiment(made) as running,
        pytest.raises(BadInput, match="class 'c' has 6 rows"),
    ):
        audit(running, LIGHT, ExposureSettings(m=50, n=50, repeats=2))


@pytest.mark.parametrize(
    ("m", "line"),
    [
        (50, "rare: class 'c' has 6 rows and m = 50 needs 16"),
        (2, "rare: m = 2 is less than a row of each of 3 classes"),
    ],
)
def test_of_several_tasks_the_one_that_cannot_be_drawn_from_is_named(task, m, line):
    rare = texts(400)
    rare.loc[rare.index[:6], "label"] = "c"
    made = from_frames(rare, name="rare", query="text", label="label")
    tasks = {"made": task, "rare": made}
    with open_experiment(task) as running, pytest.raises(BadInput, match=line):
        audit(running, LIGHT, ExposureSettings(m=m, n=50, repeats=2), tasks=tasks)
    assert not running.tally["computed"]


def test_a_reader_that_cannot_adapt_is_refused(task):
    with (
        open_experiment(task) as running,
        pytest.raises(NotApplicable, match="tfidf cannot go on"),
    ):
        audit(running, {"tfidf": TfidfReader()}, ExposureSettings(repeats=2))


def test_repeated_texts_and_many_classes_are_warned_about():
    many = texts(800)
    many["text"] = [f"text {i % 37}" for i in range(800)]
    many["label"] = [f"c{i % 30}" for i in range(800)]
    made = from_frames(many, name="many", query="text", label="label", split_by="query")
    with open_experiment(made) as running:
        report = audit(
            running, {"pca": PcaReader()}, ExposureSettings(m=30, n=100, repeats=2)
        )
    said = " ".join(report.warnings)
    assert "30 classes" in said
    assert "extra texts too" in said
    shown = report.settings["thresholds"]
    assert (shown["many_classes"], shown["much_cut_or_repeated"]) == (25, 0.05)


@pytest.mark.parametrize("reader", LIGHT.values(), ids=LIGHT)
def test_texts_change_what_a_light_reader_sees(reader, task):
    items = task.train
    texts = items.column("text").tolist()[:80]
    rng = np.random.default_rng(0)
    plain, adapted = (
        r.fit(items, rng).predict(items) for r in (reader, reader.adapt(texts))
    )
    assert not np.allclose(plain, adapted)
    np.testing.assert_allclose(adapted.sum(axis=1), 1)


@pytest.mark.slow
def test_a_near_zero_of_bags_of_words_is_of_these_alone_and_calls_an_encoder(
    task, monkeypatch
):
    called = []

    def rungs(readers, strongest, *, rungs):
        called.append(strongest)
        return iter(())

    module = sys.modules["measurand.audits.exposure.audit"]
    monkeypatch.setattr(module, "higher_rungs", rungs)
    # The interval of eight draws fits this margin, and the control gains more than it.
    chosen = ExposureSettings(m=20, n=60, repeats=8, margin=4.4, doses=(0.25,))
    with open_experiment(task) as running:
        report = audit(running, {"idf": IdfReader()}, chosen)
        alone = audit(running, {"idf": IdfReader()}, replace(chosen, calibrate=False))
    assert report.verdict.label == "not inflated"
    assert "models.light" in [clause.code for clause in report.verdict.clauses]
    assert called == ["minilm"]
    assert "not installed" in report.not_run["minilm"]
    assert alone.not_run["minilm"] == "no stronger reader was to be called"
