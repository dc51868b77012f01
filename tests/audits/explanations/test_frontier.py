"""VARIF, the frontier and every metric of items, by hand."""

from dataclasses import replace

import numpy as np
import pytest

from measurand.audits.explanations.frontier import (
    explainer_frontier,
    input_overlaps,
    score_explainers,
)
from measurand.audits.explanations.levels import Scores
from measurand.audits.explanations.levels import metric_levels as figured
from measurand.stats.resampling import percentile_estimate
from tests.audits.explanations.handmade import (
    informed,
    items,
    levels,
    robust,
    specific,
    wrote,
)


def scored(
    log_p0,
    log_p1,
    stable,
    auc,
    *,
    surface=None,
    copied=None,
    preset="default",
    **more,
):
    """The scores of one explainer, `e`, on as many items."""
    n = len(auc)
    return score_explainers(
        items(n),
        {"e": wrote(*["claim 0 so"] * n)},
        {"e": robust(*stable, **(surface or {}))},
        {"e": informed(log_p0, log_p1, **more)},
        {"e": replace(specific(*auc), preset=preset)},
        {"e": np.zeros(n, bool) if copied is None else np.array(copied, bool)},
        None,
        preset=preset,
    )


def figure(table, metric):
    return figured(table, seed=0)[metric].values.tolist()


def test_varif_is_s_times_the_harmonic_mean_all_of_means():
    table = scored([-1, -1], [-0.5, -0.5], [1, 0.5], [1, 0.75])
    # I = 0.5, R = 0.75, S = 2 * 0.875 - 1 = 0.75, H = 2 * 0.75 * 0.5 / 1.25 = 0.6.
    assert figure(table, "informativeness") == [0.5]
    assert figure(table, "robustness") == [0.75]
    assert figure(table, "specificity") == [0.75]
    assert figure(table, "varif without s") == pytest.approx([0.6])
    assert figure(table, "varif") == pytest.approx([0.45])


def test_what_is_made_of_means_holds_the_spread_between_seeds():
    n = 400
    # LC-IG 0.3 and 0.5: a standard error of 0.1.
    runs = [informed([-1] * n, [-1 + told] * n).runs[0] for told in (0.3, 0.5)]
    both = replace(informed([-1] * n, [-0.6] * n), runs=tuple(runs))
    made = {"e": wrote(*["so"] * n)}
    own = ({"e": robust(*[1.0] * n)}, {"e": both}, {"e": specific(*[1.0] * n)})
    copied = {"e": np.zeros(n, bool)}
    found = figured(score_explainers(items(n), made, *own, copied, None), seed=0)
    told, varif = found["lcig"].of("e"), found["varif"].of("e")
    assert told.value == pytest.approx(0.4)
    # D20: two seeds leave one degree of freedom, of which t at 95 % is 12.7, not 1.96.
    assert told.high - told.low == pytest.approx(2 * 12.7 * 0.1, rel=0.2)
    assert varif.low == 0
    assert varif.high == pytest.approx(1)
    assert "items and 2 seeds" in varif.method
    assert "seeds" not in found["robustness"].of("e").method


def test_the_spread_between_seeds_covers_as_often_as_it_says():
    """D20: by z, intervals of two seeds covered 73 % of what seeds alone move."""
    rng, held, times = np.random.default_rng(0), {2: 0, 3: 0}, 300
    for seeds in held:
        for number in range(times):
            means = rng.normal(0, 1, seeds)
            error = (float(means.std(ddof=1) / np.sqrt(seeds)), seeds - 1)
            column = {"lcig": {"e": np.full(20, means.mean())}}
            table = Scores(column, seeds=seeds, spread={("lcig", "e"): error})
            one = figured(table, seed=number, resamples=400)["lcig"].of("e")
            held[seeds] += one.low <= 0 <= one.high
    assert min(held.values()) >= 0.92 * times
    assert max(held.values()) <= 0.98 * times


def test_the_proposal_has_the_mean_of_s_i_and_of_varif_i():
    """D15: S as it is, and VARIF_i = S_i H_i item by item, then the mean."""
    sides = [-1, -1], [-0.5, -1.5], [1, 0.5], [1, 0.25]
    table = scored(*sides, preset="paper")
    assert figure(table, "specificity") == [0.625]
    # Item 1: H = 2 * 1 * 0.5 / 1.5, S = 1; item 2: I is clipped at 0.
    assert figure(table, "varif") == pytest.approx([(2 / 3 + 0) / 2])
    assert figure(scored(*sides), "specificity") == [0.25]


def test_near_copies_of_the_input_count_for_nothing():
    """D18a: R, I and S of a copy cipher are perfect."""
    perfect = [-1, -1], [0, 0], [1, 1], [1, 1]
    assert figure(scored(*perfect), "varif") == pytest.approx([1])
    assert figure(scored(*perfect, copied=[1, 1]), "varif") == [0]
    assert figure(scored(*perfect, copied=[1, 0]), "varif") == pytest.approx([0.5])


def test_noise_that_cancels_is_no_merit():
    table = scored([-1, -1], [0, -2], [1, 1], [1, 1])
    assert figure(table, "varif") == [0]
    assert table.items["varif"]["e"].tolist() == pytest.approx([1, 0])


def test_without_the_mask_the_whole_rationale_counts():
    table = scored([-1, -1], [-1, -1], [1, 1], [1, 1], whole=[0, 0])
    assert figure(table, "varif") == [0]
    assert figure(table, "varif without mask") == pytest.approx([1])


def test_what_lies_over_1_or_under_0_is_clipped_after_the_mean():
    assert figure(scored([-1], [0.5], [1], [1]), "informativeness") == [1]
    assert figure(scored([-1], [-3], [1], [1]), "informativeness") == [0]
    assert figure(scored([-1], [0], [1], [0.2]), "specificity") == [0]


def test_an_explainer_without_robustness_has_no_varif():
    table = scored([-1, -1], [0, 0], [np.nan, np.nan], [1, 1])
    found = figured(table, seed=0)
    assert "robustness" not in found
    assert not [metric for metric in found if metric.startswith("varif")]
    assert found["informativeness"].values.tolist() == [1]
    assert explainer_frontier(found, ["e"]) is None


def test_robustness_is_over_the_items_that_have_it():
    table = scored([-1, -1], [0, 0], [np.nan, 0.5], [1, 1])
    assert figure(table, "robustness") == [0.5]
    assert np.isnan(table.items["varif"]["e"][0])


def test_bertscore_may_stand_in_rs_place():
    surface = {"bertscore": [1, 1]}
    table = scored([-1, -1], [0, 0], [0.5, 0.5], [1, 1], surface=surface)
    assert figure(table, "varif with bertscore") == pytest.approx([1])
    assert figure(table, "varif") == pytest.approx([2 / 3])
    assert "varif with bertscore" not in scored([-1], [0], [1], [1]).metrics


def test_length_and_overlap_are_of_words():
    table = scored([-1, -1], [0, 0], [1, 1], [1, 1])
    assert table.items["length"]["e"].tolist() == [3, 3]
    # "claim 0 so" beside "claim 0" and "claim 1".
    assert table.items["overlap"]["e"].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert input_overlaps(items(1), [""]).tolist() == [0]


def axes(r, i, moved=None, kept=None):
    """Explainers on both axes; `moved` and `kept` are the draws of each."""
    return {"robustness": levels(r, moved), "informativeness": levels(i, kept)}


def test_the_frontier_is_among_methods_only():
    r = {"given": 0.8, "tfidf-1": 0.9, "random-1": 0.7, "vacuous": 1.0}
    i = {"given": 0.6, "tfidf-1": 0.2, "random-1": 0.1, "vacuous": 0.9}
    found = explainer_frontier(axes(r, i), ["given", "tfidf-1", "random-1"])
    assert found.names == ("given", "tfidf-1", "random-1")
    assert found.better == {
        "given": (),
        "tfidf-1": (),
        "random-1": ("given", "tfidf-1"),
    }
    assert found.chance == {"given": 1, "tfidf-1": 1, "random-1": 0}
    # 0.9 x 0.2, and 0.8 x (0.6 - 0.2) above it.
    assert found.hypervolume.value == pytest.approx(0.18 + 0.32)


def test_the_area_says_what_was_resampled():
    both = levels({"a": 0.5, "b": 0.4}, what="7 clusters")
    two = {"robustness": both, "informativeness": both}
    found = explainer_frontier(two, ["a", "b"])
    assert found.hypervolume.method.startswith("basic bootstrap over 7 clusters,")


def test_equal_explainers_do_not_beat_each_other():
    found = explainer_frontier(
        axes({"a": 0.5, "b": 0.5}, {"a": 0.5, "b": 0.5}), ["a", "b"]
    )
    assert found.better == {"a": (), "b": ()}
    assert found.chance == {"a": 1, "b": 1}


def test_the_chance_is_the_share_of_resamples():
    moved, kept = [[0.5, 0.4]] * 3 + [[0.5, 0.6]], [[0.5, 0.5]] * 4
    one = axes({"a": 0.5, "b": 0.45}, {"a": 0.5, "b": 0.5}, moved, kept)
    assert explainer_frontier(one, ["a", "b"]).chance == {"a": 0.75, "b": 0.25}


def test_only_those_with_both_axes_have_a_place():
    found = explainer_frontier(
        axes({"b": 1, "a": 1}, {"c": 1, "a": 0.5, "b": 0.2}), ["a", "b", "c"]
    )
    assert dict(zip(found.names, found.points.tolist(), strict=True)) == {
        "a": [1, 0.5],
        "b": [1, 0.2],
    }
    assert explainer_frontier(axes({"a": 1}, {"c": 1}), ["a", "c"]) is None
    alone = axes({"a": 1, "b": 1}, {"a": 1, "c": 1})
    assert explainer_frontier(alone, ["a", "b", "c"]) is None  # D18: one point is none
    assert explainer_frontier(axes({"vacuous": 1}, {"vacuous": 1}), []) is None


def test_a_figure_is_of_the_items_that_have_it():
    """Robustness of 7 items was stated of 490."""
    stable = [0.5] * 3 + [np.nan] * 5
    found = figured(scored([-1] * 8, [-0.5] * 8, stable, [1] * 8), seed=0)
    assert found["robustness"].of("e").n == found["varif"].of("e").n == 3
    assert found["informativeness"].of("e").n == 8


def test_a_resample_without_an_item_that_has_the_score_is_drawn_again():
    """Some points were not a number, and all that was computed was lost."""
    stable = np.where(np.arange(60) < 3, [0.2, 0.5, 0.8] * 20, np.nan)
    found = figured(scored([-1] * 60, [-0.5] * 60, stable, [1] * 60), seed=0)
    assert np.isfinite(found["robustness"].draws).all()
    assert np.isfinite(found["varif"].draws).all()
    assert found["robustness"].of("e").low == pytest.approx(0.2)
    axes_found = {name: found[name] for name in ("robustness", "informativeness")}
    assert explainer_frontier(axes_found, ["e"]) is None


def test_a_figure_that_most_resamples_lack_has_none():
    column = np.r_[0.5, np.full(59, np.nan)]
    crossed = np.column_stack([np.arange(60) // 6, np.arange(60) % 6])
    table = {"robustness": {"e": column}, "length": {"e": np.ones(60)}}
    found = figured(Scores(table, {}, crossed), seed=0)
    assert {*found} == {"length"}


def test_the_area_is_of_the_items_that_have_both_axes():
    few = replace(levels({"a": 0.5, "b": 0.4}), counts=(7, 100))
    both = {"robustness": few, "informativeness": levels({"a": 0.5, "b": 0.4})}
    assert explainer_frontier(both, ["a", "b"]).hypervolume.n == 7


@pytest.mark.slow
def test_the_interval_of_varif_covers_the_truth():
    rng, held, times, n = np.random.default_rng(0), 0, 200, 120
    # I = 0.4, R = 0.7, S = 2 * 0.85 - 1: VARIF of the means that are drawn around.
    truth = 0.7 * 2 * 0.7 * 0.4 / 1.1
    for _ in range(times):
        p0 = -1 + rng.uniform(-0.5, 0.5, n)
        p1 = p0 + 0.4 + rng.normal(0, 0.3, n)
        stable, auc = rng.beta(7, 3, n), rng.beta(8.5, 1.5, n)
        table = scored(p0, p1, stable, auc)
        one = figured(table, seed=0, resamples=300)["varif"]
        found = percentile_estimate(one.values[0], one.draws[:, 0], n)
        held += found.low <= truth <= found.high
    assert held >= 0.90 * times
