"""Models behind a server that read choices: by letter, with or without shares."""

import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.choices import ReadsChoices, fit_to
from measurand.core.errors import BadOption
from measurand.experiment.experiment import open_experiment
from measurand.readers.endpoint import EndpointReader, endpoint_reader
from tests.core.test_choices import choice_items
from tests.models.fake_server import serving

ROWS = [["red", "blue"], ["one", "two", "three"], ["B", "A", "D", "C"], ["alone"]]
ITEMS = choice_items(ROWS, [1, 0, 3, 0])


def rng():
    return np.random.default_rng(0)


def reached(server, **settings):
    return endpoint_reader("small", server.url, retries=1, timeout_s=5, **settings)


def options(prompt):
    """The offered choices by their marks."""
    return dict(re.findall(r"^(\w+)\. (.*)$", prompt, re.MULTILINE))


def test_a_letter_is_asked_for_and_its_likely_tokens_are_the_shares():
    with serving() as server:
        fitted = fit_to(reached(server), ITEMS, rng())
        shares = fitted.predict(ITEMS)
        asked = list(server.asked)
    assert isinstance(reached(server), ReadsChoices)
    assert len(asked) == 3  # one choice leaves no question
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares[:2, 3], 0)
    assert shares[3].tolist() == [1, 0, 0, 0]
    odds = np.exp([-0.1, -2.5])
    np.testing.assert_allclose(shares[0, :2], odds / odds.sum())
    prompt = next(p for p in asked if "red" in p)
    assert "Which of these answers is the right one?\nA. red\nB. blue" in prompt
    assert "<question>\nwhich? 0\n</question>" in prompt
    assert "<choices>" not in prompt
    # A choice that reads like a letter is offered by number.
    assert [*options(next(p for p in asked if ". D" in p))] == ["1", "2", "3", "4"]
    assert fitted.remarks() == {"orders": 1, "unparsed": 0.0, "log_probabilities": 0.5}


def test_without_shares_an_item_is_asked_again_and_again():
    turns = Counter()

    def wavering(prompt):
        turns[prompt] += 1
        return "B" if turns[prompt] % 4 == 0 else "A"

    pair = choice_items([["red", "blue"]], [0])
    with serving(wavering, logprobs=False) as server:
        once = fit_to(reached(server), pair, rng()).predict(pair)
        turns.clear()
        often = fit_to(reached(server, answers=4), pair, rng()).predict(pair)
    np.testing.assert_allclose(once, [[0.99, 0.01]])
    np.testing.assert_allclose(often, [[0.745, 0.255]])
    with serving() as server:
        fit_to(reached(server, answers=4), pair, rng()).predict(pair)
        assert server.asked.total() == 1  # the likely tokens said it all


def test_examples_are_answered_by_the_letter_of_their_own_choices():
    with serving() as server:
        fitted = fit_to(reached(server, shots=2), choice_items(ROWS[:2], [1, 2]), rng())
        (turns,) = fitted.prompts(choice_items(ROWS[:1], [0]))
    said = {
        options(turns[i]["content"])[turns[i + 1]["content"].strip()] for i in (0, 2)
    }
    assert said == {"blue", "three"}
    assert len(turns) == 5


def test_how_often_must_be_once_or_more():
    with pytest.raises(BadOption, match="`answers` is 0"):
        endpoint_reader("small", "http://127.0.0.1:1", answers=0)


def towns(n=90):
    """Passages that name the right one of three towns."""
    names = ["Oslo", "Rome", "Lima"]
    gold = np.random.default_rng(0).integers(3, size=n)
    return pd.DataFrame(
        {
            "question": [f"Where is boat {i}?" for i in range(n)],
            "evidence": [f"Boat {i} is in {names[g]}." for i, g in enumerate(gold)],
            "choices": [names] * n,
            "answer": gold,
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("logprobs", [True, False])
def test_a_model_that_reads_the_passage_loses_on_the_wrong_one(logprobs):
    def by_passage(prompt):
        here = re.search(r"is in (\w+)\.", prompt)
        marks = {text: mark for mark, text in options(prompt).items()}
        return marks[here[1]] if here else "A"

    benchmark = from_frames(towns(), name="towns")
    settings = EvidenceSettings(calibrate=False, shuffles=2, folds=3)
    with (
        serving(by_passage, logprobs=logprobs) as server,
        open_experiment(benchmark) as experiment,
    ):
        reader = reached(server)
        assert isinstance(reader, EndpointReader)
        report = audit(experiment, {"small": reader}, settings)
    found = {(f.statistic, f.reader): f.estimate for f in report.findings}
    assert report.verdict.region == "evidence-sensitive"
    assert found["accuracy", "small"].value == 1
    assert found["delta_evi", "small"].low > 0.3
    assert found["closed_book", "small"].value < 0.6
