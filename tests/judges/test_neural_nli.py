"""Entailment classifiers as judges: classes by name, and names of judges."""

import numpy as np
import pytest

from measurand.core.errors import BadOption, MissingWeights, UnknownName
from measurand.core.explainer import Judge
from measurand.core.recipe import TORCH, traits_of
from measurand.judges import JUDGES, LIKENESSES, load_judge
from measurand.judges.lexical import LexicalJudge
from measurand.judges.neural import NliJudge
from measurand.models.classifier import load_classifier
from tests.models import tiny_classifier
from tests.shared_data import BESIDE

PAIRS = [(f"claim about thing{i}", f"thing{i % 3} is good") for i in range(8)]
REAL = BESIDE / "models" / "minilm-nli"


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tiny_classifier.save(tmp_path_factory.mktemp("judge"))


def test_the_score_is_the_probability_of_entailment(place):
    said = NliJudge(place, 62).entails(PAIRS)
    shares = load_classifier(place).shares(PAIRS, 62)
    np.testing.assert_array_equal(said, shares[:, 1])
    assert np.ptp(said) > 0.01


@pytest.mark.parametrize("order", [(1, 0, 2), (2, 1, 0), (0, 2, 1)])
@pytest.mark.parametrize("name", ["entailment", "ENTAILMENT", "Entails"])
def test_the_class_is_found_by_its_name_wherever_it_stands(
    place, tmp_path, order, name
):
    classes = ("contradiction", name, "not_entailment")
    moved = tiny_classifier.save(tmp_path, classes, order)
    expected = NliJudge(place).entails(PAIRS)
    np.testing.assert_allclose(NliJudge(moved).entails(PAIRS), expected, atol=1e-6)


@pytest.mark.parametrize(
    "classes",
    [None, ("yes", "no"), ("not_entailment", "other"), ("entailment", "entails_not")],
)
def test_a_judge_without_one_entailment_class_is_refused(tmp_path, classes):
    judge = NliJudge(tiny_classifier.save(tmp_path, classes))
    with pytest.raises(BadOption, match="must be called entailment") as refused:
        judge.check_weights()
    said = str(refused.value)
    assert all(name in said for name in classes or ("LABEL_0", "LABEL_1", "LABEL_2"))
    assert "\n" not in said
    with pytest.raises(BadOption):
        judge.entails(PAIRS)


def test_a_pair_given_twice_is_judged_once(place):
    judge = NliJudge(place)
    said = judge.entails([*PAIRS, *PAIRS[::-1]])
    np.testing.assert_array_equal(said[:8], said[8:][::-1])
    np.testing.assert_array_equal(said[:8], judge.entails(PAIRS))
    assert judge.entails([]).shape == (0,)


def test_a_judge_is_named_or_is_a_directory_or_a_hub_id(place):
    assert load_judge("lexical") == LexicalJudge()
    assert load_judge(place) == NliJudge(place)
    assert load_judge("someone/some-nli") == NliJudge("someone/some-nli")
    assert isinstance(load_judge(place), Judge)
    assert traits_of(load_judge(place)).packages == TORCH


@pytest.mark.parametrize("name", ["", "nli", "lexicl", "/no/such/folder", "a b/c"])
def test_what_is_no_judge_is_one_line(name):
    with pytest.raises(UnknownName, match=r"no judge called .*lexical"):
        load_judge(name)


def test_a_directory_that_is_no_model_is_one_line(tmp_path):
    with pytest.raises(MissingWeights, match="cannot load a classifier"):
        load_judge(str(tmp_path)).check_weights()


def test_every_name_in_the_catalogues_resolves():
    for catalogue in (JUDGES, LIKENESSES):
        assert all(callable(catalogue.thing(name)) for name in catalogue)


@pytest.mark.skipif(
    not REAL.is_dir(), reason="a trained judge is not part of the project"
)
def test_a_trained_judge_knows_entailment_from_contradiction():
    dog = "A brown dog is running through the park."
    pairs = [(dog, "An animal is outside."), (dog, "The dog is asleep at home.")]
    sure, never = NliJudge(str(REAL)).entails(pairs)
    assert sure > 0.8
    assert never < 0.1
