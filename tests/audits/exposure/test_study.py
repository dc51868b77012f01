"""The arms of the exposure study: what is asked for, overtrained, planned and kept."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import ExposureSettings, audit, plan_exposure
from measurand.audits.exposure.arms import arm_recipes, expand_arms, side_texts
from measurand.audits.exposure.settings import designs_of
from measurand.audits.exposure.study import Design, pool_rows
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadOption, NotApplicable, UnknownName
from measurand.core.recipe import Traits
from measurand.core.seeds import generator
from measurand.core.task import Task
from measurand.experiment.experiment import open_experiment
from measurand.readers.adaptable import IdfReader, PcaReader
from measurand.selections.rows import Subsample
from tests.audits.exposure.planted_counts import clause
from tests.audits.exposure.test_audit import texts

SMALL = ExposureSettings(m=20, n=40, repeats=4, calibrate=False)
EVERY = replace(SMALL, arms=("base", "extra", "test", "overtrained"))


@dataclass(frozen=True)
class Epochs:
    """A light reader that pretends to read its texts in epochs."""

    epochs: int = 1
    texts: tuple[str, ...] = ()
    length: int = 0

    def adapt(self, texts):
        return replace(self, texts=tuple(texts))

    def overtrain(self):
        return replace(self, epochs=2 * self.epochs)

    def for_task(self, task):
        return replace(self, length=task.length)

    def fit(self, items, rng):
        inner = PcaReader(components=10 * self.epochs, texts=self.texts)
        return Told(inner.fit(items, rng), self)


@dataclass(frozen=True)
class Told:
    inner: object
    recipe: Epochs

    @property
    def classes(self):
        return self.inner.classes

    def predict(self, items):
        return self.inner.predict(items)

    def remarks(self):
        said = {"length": self.recipe.length}
        loss = {"lm_loss": 3.0 / self.recipe.epochs} if self.recipe.texts else {}
        return {**said, **loss}


@pytest.fixture(scope="module")
def task():
    return from_frames(texts(400), name="made", query="text", label="label")


@pytest.fixture(scope="module")
def report(task):
    with open_experiment(task) as running:
        return audit(running, {"two": Epochs()}, EVERY)


@pytest.mark.slow
def test_overtraining_is_stated_beside_the_ordinary_arms(report):
    lower = report.finding("lm_loss_lower", "two").estimate
    assert (lower.value, lower.n, lower.method) == (1.0, 8, "Wilson")
    change = report.finding("lm_loss_change", "two").estimate
    assert change.value == pytest.approx(-50)
    for statistic in ("boost", "bias", "beta_bias"):
        assert report.finding(statistic, condition="m=20,n=40,overtrained")
        assert report.finding(statistic, condition="m=20,n=40")
    assert {"overtrained", "lm_loss"} <= {one.name for one in report.exhibits}


def test_the_loss_of_every_arm_is_kept_with_its_draw(report):
    rows = report.items
    assert (rows["lm_loss_extra"] == 3.0).all()
    assert (rows["lm_loss_overtrained_test"] == 1.5).all()
    assert "lm_loss_base" not in rows
    assert "correct_overtrained_extra" in rows


def test_no_arm_is_read_that_was_not_asked_for(task):
    with open_experiment(task) as running:
        said = audit(running, {"two": Epochs()}, SMALL)
    assert {f.statistic for f in said.findings}.isdisjoint({"lm_loss_lower"})
    assert "correct_overtrained_test" not in said.items


def test_boost_and_bias_need_three_arms():
    assert expand_arms(["test", "base", "extra"]) == ("base", "extra", "test")
    with pytest.raises(BadOption, match="no 'base' or 'extra' in `arms`; boost"):
        expand_arms(["test"])
    with pytest.raises(UnknownName, match="did you mean 'overtrained'"):
        expand_arms(["base", "overtraind"])


def test_what_reads_in_no_epochs_cannot_be_overtrained(task):
    with (
        open_experiment(task) as running,
        pytest.raises(NotApplicable, match="idf reads its"),
    ):
        audit(running, {"idf": IdfReader()}, EVERY)


def test_a_text_that_train_holds_is_never_adapted_to():
    rows = texts(300).assign(text=lambda table: table["text"].str.slice(0, 4))
    held = from_frames(
        rows.assign(id=range(300)), name="short", query="text", label="label", id="id"
    )
    with open_experiment(pool_rows(held)) as running:
        train, extra, test = side_texts(running, 20, 60, 0)
    assert not {*train} & ({*extra} | {*test})
    assert 0 < len(extra) < 60
    with pytest.raises(AssertionError, match="never sees train"):
        arm_recipes(PcaReader(), train, [*extra, train[0]], test)


def test_a_reader_is_suited_to_each_task(task):
    about = {"made": Task(length=77)}
    with open_experiment(task) as running:
        said = audit(running, {"two": Epochs()}, SMALL, about=about)
    assert said.settings["tasks"]["made"]["length"] == 77


def test_a_plan_counts_what_is_left_and_loses_nothing(task):
    readers = {"pca": PcaReader()}
    with open_experiment(task) as running:
        first = plan_exposure(running, readers, SMALL)
        assert (first.trials, running.tally["computed"]) == (8, 8)
        assert first.seconds > 0
        assert "plan: 8 trials, about" in str(first)
        audit(running, readers, SMALL)
        assert running.tally["computed"] == 16
        assert str(plan_exposure(running, readers, SMALL)) == (
            "plan: every trial is in the store"
        )


def test_draws_done_are_shown_as_they_come(task):
    seen = []
    with open_experiment(task) as running:
        audit(
            running,
            {"pca": PcaReader()},
            SMALL,
            progress=lambda *what: seen.append(what),
        )
    assert seen[0] == ("made", "pca", 0, 4)
    assert seen[-1] == ("made", "pca", 4, 4)
    assert np.diff([what[2] for what in seen]).min() >= 0


def test_too_few_draws_are_refused():
    with pytest.raises(BadOption, match="`repeats` 1"):
        Design(50, 200, 1)


def test_losses_of_one_model_alone_are_compared():
    from measurand.audits.exposure.findings import loss_findings

    columns = {"m": 50, "n": 200, "lm": ["a", "b"] * 3, "task": "t", "subsample": 1}
    counts = pd.DataFrame(columns).assign(
        lm_loss_extra=[2.0, None] * 3,
        lm_loss_test=[2.0, None] * 3,
        lm_loss_overtrained_extra=[1.0, None, 3.0, None, 1.0, None],
        lm_loss_overtrained_test=[1.0, None] * 3,
    )
    lower = [f for f in loss_findings(counts, 0) if f.statistic == "lm_loss_lower"]
    assert [(f.reader, f.estimate.value) for f in lower] == [("a", 5 / 6)]


def test_a_dose_puts_test_rows_in_place_of_labelled_ones(task):
    pool = pool_rows(task).train
    plain, few, many, test = (
        Subsample(20, 40, 3, side, leaked)(pool, generator(0, "select"))
        for side, leaked in (("train", 0), ("train", 4), ("train", 8), ("test", 0))
    )
    assert len(plain) == len(few) == len(many) == 20
    leaked = [{*part.ids} & {*test.ids} for part in (plain, few, many)]
    assert [len(ids) for ids in leaked] == [0, 4, 8]
    assert leaked[1] < leaked[2]
    counts = [part.labels.value_counts().min() for part in (plain, few, many)]
    assert counts[0] == 10
    assert min(counts) >= 6


def test_every_run_has_a_control_that_knows_what_it_leaked(task):
    with open_experiment(task) as running:
        report = audit(running, {"idf": IdfReader()}, replace(SMALL, doses=(0.1, 0.2)))
    rows = report.items
    assert (rows["leaked_dose_0.1"] == 4).all()
    assert (rows["leaked_dose_0.2"] == 8).all()
    assert (rows["leaked_right_dose_0.2"] <= rows["leaked_dose_0.2"]).all()
    gain = report.finding("control_gain", condition="dose 0.2, m=20,n=40").estimate
    moved = rows["correct_dose_0.2"] - rows["correct_extra"]
    assert gain.value == pytest.approx(100 * moved.mean() / 40)
    assert report.settings["doses"] == [0.1, 0.2]


@dataclass(frozen=True)
class Remembering:
    """A reader that answers what it learned, and guesses the first class otherwise."""

    kind: ClassVar[str] = "remembering"
    texts: tuple[str, ...] = ()

    def adapt(self, texts):
        return replace(self, texts=tuple(texts))

    def fit(self, items, rng):
        pairs = zip(items.column("text"), items.gold(items.classes), strict=True)
        return Remembered(items.classes, dict(pairs))


@dataclass(frozen=True)
class Remembered:
    classes: tuple[str, ...]
    known: dict[str, int]

    def predict(self, items):
        answers = [self.known.get(text, 0) for text in items.column("text")]
        return np.eye(len(self.classes))[answers]


def test_what_is_remembered_is_recovered_whole(task):
    with open_experiment(task, workers=1) as running:
        chosen = replace(SMALL, repeats=8, calibrate=False)
        report = audit(running, {"all": Remembering()}, chosen)
    recovered = report.finding("recovery", "all models").estimate
    assert recovered.value == 1.0
    gain = report.finding("control_gain").estimate
    before = report.items["leaked_dose_0.1"] - report.items["leaked_before_dose_0.1"]
    assert gain.value == pytest.approx(100 * before.mean() / 40)
    assert report.verdict.label == "not inflated"
    seen = clause(report.verdict, "control.seen")
    assert seen["gain"].value == pytest.approx(gain.value / 100)


@pytest.mark.slow
def test_texts_of_a_sibling_task_are_an_arm_of_their_own(task):
    other = from_frames(texts(400, seed=1), name="other", query="text", label="label")
    tasks = {"made": task, "other": other}
    chosen = replace(SMALL, arms=("base", "extra", "test", "transfer"))
    with open_experiment(task) as running:
        report = audit(running, {"idf": IdfReader()}, chosen, tasks=tasks)
    moved = report.items["correct_transfer"] - report.items["correct_base"]
    found = report.finding("transfer", "all models").estimate
    assert found.value == pytest.approx(100 * moved.mean() / 40)
    with open_experiment(task) as running, pytest.raises(BadOption, match="one task"):
        audit(running, {"idf": IdfReader()}, chosen)


@pytest.mark.slow
def test_a_grid_of_sizes_is_one_run(task):
    grid = ExposureSettings(m=(10, 20), n=(20, 40), repeats=(4, 3), calibrate=False)
    assert [(d.m, d.n, d.repeats) for d in designs_of(grid)] == [
        (10, 20, 4),
        (10, 40, 3),
        (20, 20, 4),
        (20, 40, 3),
    ]
    with open_experiment(task) as running:
        report = audit(running, {"idf": IdfReader()}, grid)
    conditions = {f.condition for f in report.findings if f.statistic == "bias"}
    assert conditions == {f"m={m},n={n}" for m in (10, 20) for n in (20, 40)}
    assert report.finding("trend").estimate.method.endswith("draws as clusters")
    table = next(e.table for e in report.exhibits if e.name == "table_1")
    assert len(table) == 4
    with pytest.raises(BadOption, match="one for each n"):
        ExposureSettings(n=(20, 40, 60), repeats=(4, 3))


@pytest.mark.slow
def test_a_row_says_what_was_trained(task):
    with open_experiment(task) as running:
        light = audit(running, {"idf": IdfReader()}, SMALL)
        heavy = audit(running, {"two": Epochs()}, SMALL)
    assert set(light.items["trained"]) == {"features"}
    assert heavy.settings["trained"] == {"two": ["full"]}


def test_a_pool_that_draws_use_up_is_warned_of(task):
    with open_experiment(task) as running:
        report = audit(running, {"idf": IdfReader()}, SMALL)
    assert any(
        "a draw takes m + 2n = 100 of the 400 rows" in w for w in report.warnings
    )
    lengths = next(e.table for e in report.exhibits if e.name == "table_2")
    assert lengths["length_25"].iloc[0] <= lengths["length_75"].iloc[0]
    assert lengths["pool_share"].iloc[0] == 0.25


def test_a_reader_without_labels_has_no_control(task):
    assert Design(20, 40, 4, doses=(0.1,)).arms_of(Unlearned()) == (
        "base",
        "extra",
        "test",
    )


@dataclass(frozen=True)
class Unlearned(Remembering):
    kind: ClassVar[str] = "unlearned"
    traits: ClassVar[Traits] = Traits(learns_labels=False)
