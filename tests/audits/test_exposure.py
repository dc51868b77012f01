"""The exposure audit: planted counts, and the whole study with light readers."""

import re

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import analysed, arms, audit
from measurand.audits.exposure.study import pooled
from measurand.benchmarks.frames import from_frames
from measurand.core.errors import BadInput, BadOption, NotApplicable
from measurand.core.seeds import generator
from measurand.experiment.answers import opened
from measurand.readers.linear import TfidfReader
from measurand.readers.unlabeled import IdfReader, PcaReader
from measurand.report.saved import document, dumps
from measurand.selections.subsamples import Subsample

N = 200
LIGHT = {"pca": PcaReader(), "idf": IdfReader()}


def study(boost=0.0, bias=0.0, *, tasks=6, draws=40, seed=0):
    """Counts with effects planted in accuracy, and a little luck of their own."""
    rng = np.random.default_rng(seed)
    rows = []
    for task in range(tasks):
        hard = 0.6 + 0.03 * task
        for draw in range(draws):
            here = hard + rng.normal(0, 0.02)
            chances = [here, here + boost, here + boost + bias]
            right = [rng.binomial(N, min(p + rng.normal(0, 0.02), 1)) for p in chances]
            names = ("correct_base", "correct_extra", "correct_test")
            key = {"m": 50, "n": N, "lm": "one", "task": f"t{task}", "subsample": draw}
            rows.append({**key, **dict(zip(names, right, strict=True))})
    return pd.DataFrame(rows)


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


@pytest.mark.parametrize(
    ("boost", "bias", "label"),
    [
        (0.05, 0.04, "inflated"),
        (0.05, 0.0, "not inflated within the margin"),
        (0.0, 0.0, "undecided"),
    ],
)
def test_a_planted_bias_is_found_and_an_absent_one_is_not(boost, bias, label):
    report = analysed(study(boost, bias, draws=60), name="planted", margin=1.0)
    assert report.verdict.label == label
    if label == "undecided":
        assert "adaptation did nothing" in report.verdict.reason
    found = report.finding("bias").estimate
    assert found.low - 0.5 < 100 * bias < found.high + 0.5


@pytest.mark.parametrize(
    ("boost", "draws", "said"),
    [
        (-0.05, 60, "adaptation made answers worse"),
        (0.0, 400, "adaptation did nothing on average, so nothing could be inflated"),
        (0.004, 20, "adaptation did nothing that shows on average; about"),
    ],
)
def test_a_study_without_a_clear_boost_says_why_it_decides_nothing(boost, draws, said):
    told = analysed(study(boost, 0.0, draws=draws), name="planted", margin=1.0).verdict
    assert (told.label, said in told.reason) == ("undecided", True), told.reason


def test_a_reader_that_is_inflated_alone_is_not_hidden_by_another():
    one, other = study(0.0, 0.06, draws=60), study(0.06, -0.06, draws=60, seed=1)
    counts = pd.concat([one, other.assign(lm="two")])
    report = analysed(counts, name="planted", margin=1.0)
    assert report.verdict.label == "undecided"
    assert "but one: bias" in report.verdict.reason
    assert report.finding("bias", "one").estimate.low > 1
    assert report.finding("bias", "two").estimate.high < -1
    assert report.findings[0].statistic == "boost"


def test_a_gain_and_a_loss_are_not_called_nothing():
    helped, hurt = study(0.05, draws=60), study(-0.05, draws=60, seed=1)
    counts = pd.concat([helped, hurt.assign(lm="two")])
    told = analysed(counts, name="planted", margin=1.0).verdict
    assert told.label == "undecided"
    assert "adaptation helped one and hurt two" in told.reason
    assert told.reason.endswith("points: not inflated by itself")
    assert "did nothing" not in told.reason


def test_a_bias_below_the_margin_is_not_said_to_need_more_draws():
    told = analysed(study(0.06, -0.04, draws=60), name="planted", margin=1.0).verdict
    assert told.label == "undecided"
    assert told.reason.endswith("the test's own text helped less than other text did")


def test_the_draws_that_a_decision_needs_are_counted():
    told = analysed(study(0.05, 0.0, draws=8), name="planted", margin=1.0).verdict
    needed = re.search(
        r"about ([\d,]+) draws a task and model could decide", told.reason
    )
    assert needed
    assert int(needed[1].replace(",", "")) >= 16


def test_the_study_runs_and_states_what_it_promises(task):
    with opened(task) as running:
        report = audit(running, LIGHT, m=20, n=60, repeats=6)
    stated = {f.statistic for f in report.findings}
    assert {
        *("boost", "bias", "beta_boost", "beta_bias", "p_adjusted"),
        *("meta_outside", "meta_coverage", "log_evidence"),
    } <= stated
    assert set(report.items["lm"]) == {"pca", "idf"}
    assert len(report.items) == 12
    assert report.finding("boost").condition == "m=20,n=60"


def test_the_same_seed_gives_the_same_report_at_any_number_of_workers(task):
    said = []
    for workers in (1, 2):
        with opened(task, workers=workers) as running:
            report = audit(running, {"pca": PcaReader()}, m=20, n=60, repeats=4)
            said.append(dumps(document(report)))
    assert said[0] == said[1]


def test_arms_differ_in_their_texts_alone_and_never_read_train(task):
    with opened(pooled(task)) as running:
        asks = arms.asks(running, PcaReader(), 20, 60, range(3, 4))
    assert len({ask.stream for ask in asks}) == 1
    assert len({(ask.fitted_on, ask.about) for ask in asks}) == 1
    base, extra, test = (set(ask.reader.texts) for ask in asks)
    pool = pooled(task).train
    train = set(
        Subsample(20, 60, 3, "train")(pool, generator(0, "select")).column("text")
    )
    assert not base
    assert not train & (extra | test)
    assert not extra & test


def test_sides_are_disjoint_and_train_is_balanced(task):
    pool = pooled(task).train
    sides = [
        Subsample(21, 60, 0, side)(pool, np.random.default_rng(1))
        for side in ("extra", "train", "test")
    ]
    ids = [set(side.ids) for side in sides]
    assert [len(one) for one in ids] == [60, 20, 60]
    assert not ids[0] & ids[1] | ids[0] & ids[2] | ids[1] & ids[2]
    assert sides[1].labels.value_counts().tolist() == [10, 10]


def test_too_few_rows_are_refused_with_how_many_are_needed(task):
    with opened(task) as running, pytest.raises(BadInput, match="need 1050 rows"):
        audit(running, LIGHT, m=50, n=500, repeats=2)


def test_a_rare_class_is_refused():
    rare = texts(400)
    rare.loc[rare.index[:6], "label"] = "c"
    made = from_frames(rare, name="rare", query="text", label="label")
    with opened(made) as running, pytest.raises(BadInput, match="class 'c' has 6 rows"):
        audit(running, LIGHT, m=50, n=50, repeats=2)


def test_a_reader_that_cannot_adapt_is_refused(task):
    with (
        opened(task) as running,
        pytest.raises(NotApplicable, match="tfidf cannot go on"),
    ):
        audit(running, {"tfidf": TfidfReader()}, repeats=2)


def test_a_margin_is_in_percentage_points():
    with pytest.raises(BadOption, match="percentage points"):
        analysed(study(draws=4), name="x", margin=0.0)


def test_repeated_texts_and_many_classes_are_warned_about():
    many = texts(800)
    many["text"] = [f"text {i % 37}" for i in range(800)]
    many["label"] = [f"c{i % 30}" for i in range(800)]
    made = from_frames(many, name="many", query="text", label="label", split_by="query")
    with opened(made) as running:
        report = audit(running, {"pca": PcaReader()}, m=30, n=100, repeats=2)
    said = " ".join(report.warnings)
    assert "30 classes" in said
    assert "extra texts too" in said


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
