import dataclasses

import numpy as np
import pytest

from measurand.audits.explanations.levels import Composite, Scores, metric_levels
from measurand.audits.explanations.meta_evaluation import (
    ORDER,
    evaluate_metrics,
    unseparated_types,
)
from measurand.core.errors import BadInput, Undefined
from measurand.core.finding import Finding
from measurand.explainers import EXPLAINERS, SUITE
from measurand.stats.frontier import varif
from measurand.stats.specificity import rescale_auc
from tests.audits.explanations.handmade import estimate

N = 300
ROBUST = {"given": 0.8, "concise": 0.85, "pseudo-specific": 0.9, "vacuous": 1.0}
TOLD = {"given": 0.6, "concise": 0.4, "pseudo-specific": 0.1, "vacuous": 0.0}
SPECIFIC = {"given": 1.0, "concise": 0.95, "pseudo-specific": 0.8, "vacuous": 0.5}
VARIF = Composite(
    ("robustness", "lcig", "specificity"),
    lambda r, i, s: varif(rescale_auc(s), r, np.clip(i, 0, 1)),
)


def around(means, rng, spread=0.02):
    return {one: mean + spread * rng.normal(size=N) for one, mean in means.items()}


@pytest.fixture
def scores(rng):
    items = {
        "robustness": around(ROBUST, rng),
        "lcig": around(TOLD, rng),
        "specificity": around(SPECIFIC, rng),
    }
    return Scores(items, {"varif": VARIF})


def finding(found, statistic, reader):
    return next(
        one for one in found if (one.statistic, one.reader) == (statistic, reader)
    )


def test_robustness_alone_turns_the_order_round_and_varif_keeps_it(scores):
    found = evaluate_metrics(scores, {}, seed=0).findings
    assert finding(found, "rank_correlation", "robustness").estimate.high == -1
    assert finding(found, "rank_correlation", "varif").estimate.low == 1
    assert finding(found, "h5", "varif").decision == "supported"


def test_what_was_resampled_is_said_of_every_figure(scores):
    drift = {"entailment": np.linspace(0, 1, N), "rouge_l": np.ones(N)}
    halves = dataclasses.replace(scores, clusters=np.arange(N) // 2)
    for table, unit in ((scores, "over items"), (halves, "over 150 clusters")):
        methods = {
            one.statistic: one.estimate.method
            for one in evaluate_metrics(table, drift, seed=0).findings
            if "auc" not in one.statistic
        }
        assert {*methods} == {"rank_correlation", "h1", "h4", "h5"}
        assert all(unit in method for method in methods.values())
        every = metric_levels(table, seed=0)["varif"]
        assert unit in every.among(ORDER).of("given").method


def test_a_metric_tells_given_from_a_type_by_the_auc_of_its_items(scores):
    found = evaluate_metrics(scores, {}, seed=0).findings
    assert finding(found, "auc_vacuous", "lcig").estimate.low > 0.95
    assert finding(found, "auc_vacuous", "robustness").estimate.high < 0.05
    assert {one.condition for one in found if "auc" in one.statistic} <= set(SUITE)


def test_metrics_that_disagree_are_named_with_an_item_that_shows_it(scores):
    table = evaluate_metrics(scores, {}, seed=0).disagreements
    row = table.query("metric == 'robustness' and other == 'lcig'").set_index("rival")
    assert row.loc["given", "preferred"].tolist() == [
        "concise",
        "pseudo-specific",
        "vacuous",
    ]
    vacuous = row[row["preferred"] == "vacuous"].loc["given"]
    item, told = vacuous["item"], scores.items["lcig"]
    assert told["given"][item] > told["vacuous"][item]
    assert vacuous["difference"] > 0 > vacuous["other_difference"]


def test_every_explainer_of_the_known_order_is_in_the_catalogue():
    assert set(ORDER) <= set(EXPLAINERS)


def test_the_same_seed_gives_the_same_statements(scores):
    one, two = (
        evaluate_metrics(scores, {}, seed=3),
        evaluate_metrics(scores, {}, seed=3),
    )
    assert one.findings == two.findings
    assert one.disagreements.equals(two.disagreements)


def test_a_composite_is_of_means_and_not_a_mean_of_composites(rng):
    noise = {"x": rng.normal(size=N)}
    clipped = Composite(("i",), lambda i: np.clip(i, 0, 1))
    figure = metric_levels(Scores({"i": noise}, {"c": clipped}), seed=0)["c"].values
    assert figure.tolist() == [max(noise["x"].mean(), 0)]


def test_what_was_not_scored_is_said_and_nothing_is_made_up(rng):
    items = {"lcig": around({"vacuous": 0.0, "circular": 0.0}, rng)}
    found = evaluate_metrics(Scores(items), {}, seed=0)
    assert not found.findings
    assert "only 1 of the 4" in found.not_run["rank_correlation"]
    assert found.not_run["auc"].startswith("given was not asked for")
    named = {"auc", "rank_correlation", "h1", "h2", "h3", "h4", "h5"}
    assert set(found.not_run) == named


def test_metrics_that_lack_the_same_share_one_line(scores):
    lost = {"vacuous": np.ones(N)}
    items = {**scores.items, "robustness": lost, "rouge_l": lost}
    found = evaluate_metrics(Scores(items), {}, seed=0).not_run
    assert "no such item scores" in found["auc of robustness, rouge_l"]
    assert "only 1 of the 4" in found["rank_correlation of robustness, rouge_l"]
    assert {*found} == {
        *("auc of robustness, rouge_l", "rank_correlation of robustness, rouge_l"),
        *("h2", "h3", "h4", "h5"),
    }


def test_scores_of_different_items_are_refused():
    with pytest.raises(BadInput, match="same items"):
        Scores({"a": {"x": np.zeros(3)}, "b": {"x": np.zeros(4)}})
    with pytest.raises(Undefined, match="no explainer"):
        metric_levels(Scores({}), seed=0)


def test_items_that_one_side_lacks_are_left_out_of_both(rng):
    given, other = rng.normal(size=(2, N))
    other[:100] = np.nan
    items = {"r": {"given": given, "vacuous": other}}
    found = finding(
        evaluate_metrics(Scores(items), {}, seed=0).findings, "auc_vacuous", "r"
    )
    assert found.estimate.n == N - 100


def test_a_run_whose_varif_does_not_separate_the_suite_is_unsuited(scores):
    """D18: the run's own controls are asked before a frontier is stated."""
    found = evaluate_metrics(scores, {}, seed=0)
    assert not found.compared
    assert found.drops is None
    told = [
        Finding("auc_vacuous", "varif", "vacuous", estimate(0.95, 0.9, 0.98)),
        Finding(
            "auc_label-swapped", "varif", "label-swapped", estimate(0.7, 0.65, 0.75)
        ),
        Finding("auc_drift", "lcig", "drift", estimate(0.5, 0.4, 0.6)),
    ]
    assert unseparated_types(told[:1]) == ()
    assert unseparated_types(told) == ("label-swapped",)
