"""What the exposure audit makes of counts: findings, figures, checks, chains."""

import sys
import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import (
    ExposureSettings,
    analyse_accuracies,
    checks,
    exhibits,
)
from measurand.audits.exposure.analysis import (
    SizeAnalysis,
    analyse_contrast,
    pair_sizes,
)
from measurand.audits.exposure.checks import LONG, SHORT
from measurand.audits.exposure.findings import chain_warnings, contrast_findings
from measurand.audits.exposure.settings import Method
from measurand.audits.exposure.statistics import nuts
from measurand.audits.exposure.statistics.counts import pair_arms, study_counts
from measurand.core.errors import BadOption, MissingExtra
from measurand.report.figures import KINDS, draw_svg
from measurand.report.html import page
from tests.audits.exposure.planted_counts import study

ATTACK = "<b>x</b> & y"
CHAIN = {"chains": 1, "warmup": 150, "samples": 250}


@pytest.fixture(scope="module")
def report():
    return analyse_accuracies(study(0.05, tasks=4, draws=4), name="made")


@pytest.fixture
def short_chains(monkeypatch):
    pytest.importorskip("numpyro", reason="needs the bayes extra")
    whole = nuts.sample_nuts
    monkeypatch.setattr(
        "measurand.audits.exposure.analysis.sample_nuts",
        lambda posterior, seed: whole(posterior, seed=seed, **CHAIN),
    )


def exhibit(report, name):
    return next(one for one in report.exhibits if one.name == name)


def test_every_figure_of_the_paper_is_there(report):
    names = {one.name for one in report.exhibits}
    assert {
        *("task_bias_50_200_1", "task_boost_50_200_1"),  # Figure 1
        *("predictive", "slices_50_200"),  # Figures 2 to 5
        *("prior_accuracies", "prior_differences", "recovery"),  # Figures 7 and 8
    } <= names
    assert "pca_toy" not in names  # Figure 6 belongs to the reader that it is about


def test_every_exhibit_has_the_columns_its_kind_is_drawn_from(report):
    for one in report.exhibits:
        assert one.caption
        if one.kind != "table":
            kind = KINDS[one.kind]
            assert {*kind.texts, *kind.numbers} <= {*one.table.columns}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["predictive", "slices_50_200", "recovery"])
def test_a_figure_is_drawn(report, name):
    assert draw_svg(exhibit(report, name)) is not None


def test_tasks_beyond_one_figure_go_into_another(monkeypatch):
    monkeypatch.setattr(exhibits, "ROWS", 2)
    counts = study_counts(study(tasks=4, draws=2))
    one = analyse_contrast(pair_arms(counts, "bias"), Method("paper"), 0, ("test",))
    drawn = exhibits.exhibit_task_differences(
        SizeAnalysis(50, 200, counts, {"bias": one})
    )
    shown = [set(each.table["series"]) for each in drawn]
    assert shown == [{"t0", "t1"}, {"t2", "t3"}]


def test_true_accuracy_is_known_better_than_a_repeated_study(report):
    rows = exhibit(report, "averages").table.set_index("name")
    width = rows["high"] - rows["low"]
    assert width["bias, true accuracy"] < width["bias, repeated study"]


@pytest.fixture(scope="module")
def several():
    models = [study(0.05, tasks=2, draws=3, seed=n).assign(lm=n) for n in range(2)]
    names = {0: ATTACK, 1: f"encoder:/{'folder/' * 20}b"}
    counts = pd.concat(models)
    return analyse_accuracies(counts.assign(lm=counts["lm"].map(names)), name="made")


def test_the_figure_of_intervals_holds_each_model_alone_beside_all(several):
    rows = exhibit(several, "averages").table.set_index(["group", "name"])
    for contrast in ("boost", "bias"):
        names = rows.loc[f"{contrast}, m=50,n=200"].index
        assert [*names[:2]] == ["all models", f"{ATTACK} alone"]
        told = several.finding(contrast, ATTACK).estimate
        drawn = rows.loc[(f"{contrast}, m=50,n=200", f"{ATTACK} alone")]
        assert (drawn["value"], drawn["low"]) == (told.value, told.low)
        ways = ("repeated study", "wide priors", "true accuracy")
        assert [*names[3:]] == [f"all models, {way}" for way in ways]


def test_one_model_is_not_drawn_beside_itself(report):
    names = exhibit(report, "averages").table["name"]
    assert not names.str.contains("alone|all models").any()


def test_names_of_models_are_text_in_the_figure_and_the_page(several):
    svg = draw_svg(exhibit(several, "averages"))
    shown = [text.text or "" for text in ET.fromstring(svg).iter() if text.text]
    assert {f"{ATTACK} alone", "all models"} <= {*shown}
    assert sum(text.endswith("folder/b alone") for text in shown) == 2
    assert "<b>" not in svg + page(several, {"averages": svg.encode()})


@pytest.mark.parametrize(("models", "figures"), [(1, 2), (2, 2), (6, 4)])
def test_sizes_share_a_figure_of_intervals_as_far_as_it_stays_legible(models, figures):
    counts = study_counts(study(tasks=2, draws=2))
    one = analyse_contrast(pair_arms(counts, "bias"), Method("paper"), 0, ("test",))
    both = {"boost": one, "bias": one}
    named = [counts.assign(lm=f"model {n}") for n in range(models)]
    paired = pair_sizes(pd.concat(named))
    found = [
        SizeAnalysis(50, n, counts.assign(n=n), both, paired)
        for n in (50, 100, 200, 500)
    ]
    drawn = [each.table for each in exhibits.exhibit_averages(found, 1.0)]
    assert len(drawn) == figures
    assert max(map(len, drawn)) <= exhibits.INTERVALS
    rows = pd.concat(drawn)
    assert len(rows) == 4 * 2 * (4 + (models if models > 1 else 0))
    assert not rows.duplicated(["group", "name"]).any()


@pytest.mark.slow
def test_the_toy_is_drawn_where_its_reader_ran():
    made = analyse_accuracies(study(tasks=2, draws=3).assign(lm="pca"), name="made")
    toy = exhibit(made, "pca_toy").table
    assert toy["series"].nunique() == 4
    low, *_, high = toy[toy["x"] == 25]["y"]
    assert 0.03 < low < 0.15 < 0.25 < high


def test_full_checks_are_longer_and_add_the_calibration_curve(monkeypatch):
    monkeypatch.setattr(checks, "LONG", SHORT)
    made = analyse_accuracies(
        study(tasks=2, draws=3), settings=ExposureSettings(checks=True), name="made"
    )
    assert {"calibration", "pca_toy"} <= {one.name for one in made.exhibits}
    assert made.settings["checks"] is True
    assert LONG.trials == 2_000
    assert LONG.studies >= 1_000


def test_repeated_trainings_are_told_from_draws():
    rng = np.random.default_rng(0)
    once = study(tasks=3, draws=6)
    luck = {"correct_test": once["correct_test"] + rng.integers(-9, 9, len(once))}
    table = pd.concat([once.assign(seed=1), once.assign(seed=2, **luck)])
    found = analyse_accuracies(table, name="made")
    training = found.finding("training_sd", condition="bias, m=50,n=200").estimate
    assert training.low < 100 * 3.7 / 200 < training.high  # half the sd of what differs
    assert found.finding("subsample_sd").estimate.high > 0


@pytest.mark.slow
def test_nuts_states_how_its_chains_went_and_agrees(short_chains):
    counts = study_counts(study(0.05, tasks=3, draws=4))
    one = analyse_contrast(
        pair_arms(counts, "bias"), Method("paper", "nuts"), 0, ("test",)
    )
    found = list(contrast_findings(one, "bias", "m=50,n=200"))
    told = {each.statistic: each for each in reversed(found)}
    assert {"r_hat", "ess_bulk", "divergences"} <= set(told)
    assert told["beta_bias"].estimate.method.startswith("NUTS")
    assert told["nuts_gap"].decision == "agrees"
    drawn = {
        e.name: e
        for e in exhibits.exhibit_chains(SizeAnalysis(50, 200, counts, {"bias": one}))
    }
    trace = drawn["trace_beta_bias_50_200"].table
    assert trace["series"].unique().tolist() == ["chain 1"]


def test_chains_that_disagree_are_warned_about():
    counts = study_counts(study(tasks=2, draws=2))
    one = analyse_contrast(pair_arms(counts, "bias"), Method("paper"), 0, ("test",))
    wrong = nuts.Chains({}, {"beta": 1.0, "pair": 1.2}, {}, 3, "paper", 4)
    said = chain_warnings(
        [SizeAnalysis(50, 200, counts, {"bias": replace(one, chains=wrong)})]
    )
    assert "R-hat of pair is 1.200" in said[0]
    assert "3 divergences" in said[1]


def test_a_sampler_that_is_not_there_is_refused(monkeypatch):
    with pytest.raises(BadOption, match="did you mean 'nuts'"):
        ExposureSettings(sampler="nut")
    monkeypatch.setitem(sys.modules, "numpyro.infer", None)
    with pytest.raises(MissingExtra, match=r"measurand\[bayes\]"):
        ExposureSettings(sampler="nuts")
