"""An arm is made of asks that share fits, shuffles and stored answers."""

import numpy as np

from measurand.arms.answers import ask_arms
from measurand.arms.arm import DRAWS, Arm
from measurand.arms.pool import FOLDS
from measurand.core.intervention import Rearranging
from measurand.core.recipe import identity
from measurand.experiment.experiment import open_experiment
from measurand.interventions.fields import Keep, Substitute
from measurand.interventions.shuffle import Shuffle
from measurand.readers.linear import TfidfReader
from tests.arms.planted import SpyReader, claim_pool, spy

POOL = claim_pool(evidence=0.9)
READER = TfidfReader(folds=0)


def ask(pool, *arms, store=None):
    with open_experiment(pool.benchmark, store=store) as experiment:
        return ask_arms(experiment, pool, arms), experiment.tally


def test_an_arm_is_one_ask_a_draw_and_fold():
    asks = Arm(READER, draws=3).asks()
    assert len(asks) == 3 * FOLDS
    assert len({a.fit for a in asks}) == 3 * FOLDS
    assert len(Arm(READER).asks()) == DRAWS * FOLDS


def test_arms_that_learn_alike_share_their_fits():
    full = Arm(READER)
    moved = Arm(READER, asked=Shuffle("evidence"), repeats=3, draws=1)
    assert [a.fit for a in moved.asks()] == [a.fit for a in full.asks()][:FOLDS]
    other = Arm(READER, Keep("query"))
    assert not {a.fit for a in other.asks()} & {a.fit for a in full.asks()}


def test_what_is_shared_is_learned_once():
    reader = spy()
    moved = Arm(reader, asked=Shuffle("evidence"), repeats=3, draws=1)
    ask(POOL, Arm(reader, draws=1), moved)
    assert len(SpyReader.learned) == FOLDS
    assert len(SpyReader.asked) == FOLDS * (1 + 3)


def test_a_shuffle_still_rearranges_and_says_whose_text_each_item_got():
    arm = Arm(READER, asked=Shuffle("evidence"), repeats=3, draws=1)
    assert all(isinstance(a.under, Rearranging) for a in arm.asks())
    (answer,) = ask(POOL, arm)[0].values()
    assert answer.donors.shape == answer.shuffled.shape == (3, len(POOL))
    texts = POOL.items.column("evidence").to_numpy(object)
    assert (texts[answer.donors] != texts).all()


def test_donors_stand_in_the_fold_of_who_gets_their_text():
    reader = spy()
    arm = Arm(reader, asked=Shuffle("evidence"), repeats=1, draws=1)
    (answer,) = ask(POOL, arm)[0].values()
    fold = {i: n for n, items in enumerate(SpyReader.asked) for i in items.ids}
    of_item = np.array([fold[i] for i in POOL.items.ids])
    assert (of_item[answer.donors[0]] == of_item).all()


def test_folds_cut_no_family_and_hold_every_item_once():
    reader = spy()
    ask(POOL, Arm(reader, draws=1))
    asked = [i for items in SpyReader.asked for i in items.ids]
    assert sorted(asked) == sorted(POOL.items.ids)
    for learned, answered in zip(SpyReader.learned, SpyReader.asked, strict=True):
        assert not {*learned.ids} & {*answered.ids}


def test_a_part_kept_alone_is_all_that_is_seen():
    reader = spy()
    ask(POOL, Arm(reader, Keep("query"), draws=1))
    for items in (*SpyReader.learned, *SpyReader.asked):
        assert [*items.table.columns] == ["query", "label"]


def test_a_substitute_shows_no_word_of_the_place_it_takes():
    reader = spy()
    ask(POOL, Arm(reader, Substitute("query", "evidence"), draws=1))
    evidence = {*POOL.items.column("evidence")}
    for items in (*SpyReader.learned, *SpyReader.asked):
        assert items.fields == ("query", "evidence")
        assert items.column("evidence").equals(items.column("query").rename("evidence"))
        assert not items.table.isin(evidence).any(axis=None)


def test_what_was_answered_is_computed_no_more(tmp_path):
    arms = Arm(READER), Arm(READER, Keep("query"), draws=1)
    first, tally = ask(POOL, *arms, store=tmp_path)
    assert tally["computed"] == (DRAWS + 1) * FOLDS
    again, tally = ask(POOL, *arms, store=tmp_path)
    assert tally == {"computed": 0, "reused": (DRAWS + 1) * FOLDS}
    assert all((first[a].shares == again[a].shares).all() for a in arms)


def test_a_run_that_was_ended_half_way_ends_in_the_same_numbers(tmp_path):
    full, moved = (
        Arm(READER),
        Arm(READER, asked=Shuffle("evidence"), repeats=2, draws=1),
    )
    ask(POOL, full, store=tmp_path)  # and then it was ended
    later, tally = ask(POOL, full, moved, store=tmp_path)
    assert tally["computed"] == FOLDS
    whole, _ = ask(POOL, full, moved)
    assert (later[moved].shuffled == whole[moved].shuffled).all()
    assert (later[full].right == whole[full].right).all()


def test_an_arm_has_an_identity_of_its_settings():
    arms = Arm(READER), Arm(READER, draws=1), Arm(READER, Keep("query"))
    assert len({identity(arm) for arm in arms}) == 3
    assert identity(Arm(READER)) == identity(arms[0])
    assert len({*arms, Arm(READER)}) == 3
