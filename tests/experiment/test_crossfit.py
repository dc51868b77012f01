"""One ask about items in folds: who answers has never learned from the item."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.split import FOLD, fold_benchmark
from measurand.core.intervention import AsIs
from measurand.experiment.ask import EMBEDDING, Ask
from measurand.experiment.crossfit import fold_asks
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import LookupReader
from measurand.readers.linear import TfidfReader
from measurand.selections.rows import Both, HoldOut, Only


def made_rows(n=90):
    """Labels that nothing tells; every text stands once."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "query": [f"question {i}" for i in range(n)],
            "evidence": [f"text {i}" for i in range(n)],
            "label": rng.choice(["no", "yes"], n),
        }
    )


@pytest.fixture
def folded():
    return fold_benchmark(from_frames(made_rows(), name="made"), 3, seed=0)


def test_a_memory_of_texts_is_never_asked_about_what_it_has_seen(folded):
    with open_experiment(folded) as experiment:
        (answers,) = ask_all(experiment, [Ask(LookupReader("evidence"))])
    shares = folded.test.table.groupby(FOLD)["label"]
    seen = answers.probabilities[0].max(axis=1)
    assert answers.ids == tuple(folded.test.ids)
    assert len(shares) == 3
    assert (seen < 1).all()  # what stands in its memory it would be sure of


def test_the_joined_answer_is_what_each_fold_answered(folded):
    shuffled = Ask(TfidfReader(), under=Shuffle("evidence"), repeats=2)
    with open_experiment(folded) as experiment:
        whole, mixed = ask_all(experiment, [Ask(TfidfReader()), shuffled])
    with open_experiment(replace(folded, folds=1)) as experiment:
        for fold in ("0", "1", "2"):
            sides = {"fitted_on": HoldOut(FOLD, fold), "about": Only(FOLD, fold)}
            (alone,) = ask_all(experiment, [Ask(TfidfReader(), **sides)])
            places = folded.test.ids.get_indexer(alone.ids)
            assert (whole.probabilities[:, places] == alone.probabilities).all()
    folds = folded.test.column(FOLD).to_numpy()
    assert (folds[mixed.donors] == folds).all()
    assert (np.sort(mixed.donors[0]) == np.arange(len(folds))).all()
    assert (mixed.donors != np.arange(len(folds))).all()


def test_a_changed_text_does_not_move_an_item_to_another_fold(folded):
    texts = [f"{t} so" for t in folded.test.column("evidence")]
    changed = folded.test.with_field("evidence", texts)
    sample = replace(folded, train=changed, test=changed)
    ask = Ask(LookupReader("query"))
    with open_experiment(sample) as experiment:
        (answers,) = ask_all(experiment, [ask])
    assert (answers.probabilities[0].max(axis=1) < 1).all()
    assert sample.folds == 3


def test_what_readers_show_of_themselves_is_not_cut(folded):
    ask = Ask(TfidfReader(), under=AsIs(), what=EMBEDDING)
    assert fold_asks(ask, folded) == [ask]
    chosen = Ask(TfidfReader(), fitted_on=Only("label", "yes"))
    first = fold_asks(chosen, folded)[0]
    assert first.fitted_on == Both(HoldOut(FOLD, "0"), Only("label", "yes"))
