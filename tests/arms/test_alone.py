"""What one part alone predicts."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from measurand.arms.alone import (
    CHANNELS,
    DEALS,
    FIRST,
    MARGIN,
    REACH,
    PartAlone,
    alone_arms,
    bits_margin,
    measure_parts,
    part_room,
)
from measurand.arms.controls import plant_controls
from measurand.arms.families import Family
from measurand.arms.plants import Planted
from measurand.arms.pool import FOLDS, LOOSE, loosen
from measurand.core.estimate import Estimate
from measurand.experiment.experiment import open_experiment
from tests.arms.planted import (
    choice_pool,
    claim_pool,
    claims,
    contests,
    draw_texts,
    pool_of,
)
from tests.arms.test_families import paraphrases


def effect(low, high):
    """A channel whose ends are these at any level."""
    middle = (low + high) / 2
    estimate = Estimate(middle, low, high, 0.95, 300, "made")
    return SimpleNamespace(value=middle, interval=lambda level: estimate)


def part(accuracy=(-0.01, 0.01), bits=(-0.01, 0.01), room=0.5, **other):
    """What a part predicts whose channels have these ends."""
    return PartAlone(
        "query",
        Family("query", np.arange(300)),
        room,
        {"tfidf": effect(*accuracy), "form": effect(-0.05, -0.01)},
        {"tfidf": effect(*bits), "form": effect(-0.05, -0.01)},
        tests=4,
        error=0.05,
        margin_bits=0.04,
        **other,
    )


def test_the_bound_is_the_highest_end_and_never_beyond_the_room():
    assert part((-0.01, 0.03)).bound == pytest.approx(0.03)
    assert part((-0.01, 0.03), room=0.01).bound == 0.01
    assert part((-0.2, -0.1)).bound == 0
    assert part().best[0] == "tfidf"


def test_a_bound_is_not_below_what_is_found_nor_below_what_a_cue_is_worth():
    found = part((0.01, 0.05), room=0.02)
    assert found.present
    assert found.bound == pytest.approx(0.03)  # over blanks, which lie below guessing
    cue = Estimate(0.05, 0.04, 0.06, 0.9, 300, "made")
    assert part(cues=["a cue"], cue_worth=cue).bound == pytest.approx(0.06)


def test_a_cue_that_is_worth_more_than_the_margin_is_a_large_leak():
    def told(low):
        return part(cues=["a cue"], cue_worth=Estimate(0.04, low, 0.06, 0.9, 300, ""))

    assert told(MARGIN + 0.001).surely_large
    assert not told(MARGIN - 0.001).surely_large


def test_where_texts_leave_no_room_nothing_is_there():
    assert not part((0.01, 0.05), room=0.0).present


def test_what_is_there_is_certain_in_accuracy_or_in_bits_or_by_a_cue():
    assert part((0.001, 0.03)).present
    assert part(bits=(0.0041, 0.03)).present
    assert not part(bits=(0.0039, 0.03)).present  # calibration may leave as much
    assert part(cues=["a cue"]).present
    assert not part().present


def test_a_leak_is_large_beyond_the_margin_or_without_a_small_bound():
    assert part((MARGIN + 0.001, 0.03)).surely_large
    assert part(bits=(0.041, 0.06)).surely_large
    assert part((0.001, REACH * MARGIN + 0.01)).surely_large
    assert not part((0.001, REACH * MARGIN - 0.01)).surely_large
    assert not part((-0.01, 0.3)).surely_large


def test_channels_share_what_cues_leave_of_the_error():
    assert part().level == pytest.approx(1 - 2 * 0.04 / 4)


@pytest.mark.parametrize(
    ("recovered", "certified", "found"),
    [
        ((0.01, 0.05), False, True),
        ((-0.01, 0.06), False, False),  # not for certain
        ((0.001, 0.03), False, False),  # less than half
        ((-0.01, 0.01), True, True),
    ],
)
def test_a_control_is_found_by_half_of_it_or_by_the_cue(recovered, certified, found):
    estimate = effect(*recovered).interval(0.9)
    assert Planted("dense", 0.05, estimate, certified).found is found


def test_each_channel_has_its_blanks_over_the_same_folds():
    pool = claim_pool()
    plan = alone_arms(pool, "query")
    assert [*plan] == [*CHANNELS]
    for arm, *blanks in plan.values():
        assert len(blanks) == DEALS
        assert {blank.family for blank in blanks} == {arm.family}
        assert len({blank.change for blank in blanks}) == DEALS


def test_the_margin_in_bits_is_the_share_that_the_margin_is():
    balanced = pool_of(claims(200).assign(label=["no", "yes"] * 100))
    assert bits_margin(balanced) == pytest.approx(0.04)
    skewed = pool_of(claims(200).assign(label=["no"] * 180 + ["yes"] * 20))
    entropy = -0.9 * np.log2(0.9) - 0.1 * np.log2(0.1)
    assert bits_margin(skewed) == pytest.approx(MARGIN * entropy * 2)
    four = choice_pool(contests(60))
    assert bits_margin(four) == pytest.approx(MARGIN * 2 / 0.75)


def test_a_text_with_both_labels_leaves_no_room():
    table = claims(200)
    twice = pd.concat([table.assign(label="yes"), table.assign(label="no")])
    pool = pool_of(twice)
    assert part_room(pool, "query") == pytest.approx(0)
    assert part_room(pool_of(table), "query") == pytest.approx(
        1 - table["label"].value_counts(normalize=True).max()
    )


def mirrored(count, letters):
    """Pairs of choices that stand in two items, in two orders."""
    rng = np.random.default_rng(0)
    pairs = [draw_texts(2, rng) for _ in range(count // 2)]
    cells = [pair[::turn] for pair in pairs for turn in (1, -1)]
    names = [f"Which of {n}?" for n in range(count)]
    return pd.DataFrame({"claim": names, "choices": cells, "label": letters}).assign(
        split=np.where(np.arange(count) % 3, "train", "test")
    )


def test_of_choices_room_is_what_the_texts_or_the_place_leave():
    turned = mirrored(80, ["A", "A", "B", "B"] * 20)  # each text right as often
    assert part_room(choice_pool(turned), "choices") == pytest.approx(0)
    first = mirrored(80, ["A"] * 80)  # who takes the first is always right
    assert part_room(choice_pool(first), "choices") == pytest.approx(0.5)
    same = mirrored(80, ["A", "B"] * 40)  # the same text is right in both
    assert part_room(choice_pool(same), "choices") == pytest.approx(0.5)


def test_choices_of_several_lines_are_not_taken_for_each_other():
    table = mirrored(80, ["A"] * 80)
    cells = [["a\nb", "c"], ["a", "b\nc"]] * 40
    rooms = part_room(choice_pool(table.assign(choices=cells)), "choices")
    assert rooms == pytest.approx(0.5)


def test_loose_folds_hold_paraphrases_and_families():
    texts, group = paraphrases(60)
    label = np.where(group % 2, "yes", "no")
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"claim": texts, "label": label})
    pool = pool_of(table.assign(evidence=draw_texts(600, rng)))
    loose = loosen(pool, "query")
    column = loose.families[LOOSE].numbers
    assert column.max() < 150
    assert np.bincount(column).max() <= len(pool) / FOLDS
    family = pool.families["query"].numbers
    assert all(len(np.unique(column[family == n])) == 1 for n in range(family.max()))


def measure(pool):
    with open_experiment(pool.benchmark) as experiment:
        return measure_parts(experiment, pool)


def test_a_part_of_one_text_is_not_asked_about():
    table = claims(120, claim=0.4).assign(evidence="It is so.")
    measured = measure(pool_of(table))
    assert [*measured] == ["query"]
    assert measured["query"].tests == 2 * len(CHANNELS)
    assert measured["query"].surely_large


def test_other_channels_are_asked_only_where_the_first_settles_nothing():
    measured = measure(pool_of(claims(150, claim=0.5)))
    assert measured["query"].surely_large
    assert {*measured["query"].accuracy} == {*FIRST}
    assert {*measured["evidence"].accuracy} == {*CHANNELS}
    assert measured["query"].tests == 4 * len(CHANNELS) == measured["evidence"].tests
    with open_experiment((pool := claim_pool(150)).benchmark) as experiment:
        brief = measure_parts(experiment, pool, brief=True)
    assert {*brief["query"].accuracy} == {*FIRST}


def test_the_bound_is_no_lower_than_what_is_sure_to_be_found():
    assert part((-0.01, 0.03), detectable=0.1).bound == 0.1
    assert part((-0.01, 0.03), detectable=0.1, room=0.05).bound == 0.05


def test_where_a_small_control_is_missed_a_larger_one_is_planted(monkeypatch):
    pool = claim_pool(100)
    alone = part(bits=(-0.1, 0.1))
    tried = []

    def plant(experiment, pool, alone, spread, worth):
        tried.append((spread, worth))
        found = spread == "dense" or worth > 0.09
        return Planted(spread, worth, effect(0.0, 0.1).interval(0.9), found)

    monkeypatch.setattr("measurand.arms.controls.plant_control", plant)
    found = plant_controls(None, pool, alone)
    assert tried == [("dense", 2 * MARGIN), ("sparse", 2 * MARGIN), ("sparse", 0.095)]
    assert found.detectable == found.bound == 0.095
    assert all(control.found for control in found.controls)


@pytest.mark.slow
def test_paraphrases_that_were_learned_are_memory_and_no_leak():
    texts, group = paraphrases(60)
    rng = np.random.default_rng(1)
    label = np.where(rng.random(60) < 0.5, "yes", "no")[group]
    alone = measure(
        pool_of(
            pd.DataFrame({"claim": texts, "label": label}), query="claim", label="label"
        )
    )["query"]
    assert alone.present
    assert alone.memory


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_leak_as_large_as_the_bound_would_be_found(seed):
    pool = claim_pool(600, seed)
    with open_experiment(pool.benchmark, seed=seed) as experiment:
        alone = measure_parts(experiment, pool)["query"]
        controls = plant_controls(experiment, pool, alone).controls
    assert [control.spread for control in controls] == ["dense", "sparse"]
    assert all(control.worth >= 2 * MARGIN - 0.005 for control in controls)
    assert all(control.found for control in controls)
