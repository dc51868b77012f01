"""Paraphrases by rule."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.core.errors import BadOption
from measurand.core.intervention import Rewording
from measurand.interventions.paraphrase import (
    MOST,
    Paraphrase,
    first_paraphrase,
    normalize_wording,
    propose_paraphrases,
)
from measurand.text.words import has_negation


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("A kid sleeps on the couch.", "A child sleeps on the couch."),
        ("A kid sleeps on the couch.", "A kid sleeps on the sofa."),
        ("A car is red", "An automobile is red"),
        ("An infant cries", "A baby cries"),
        ("Kids shout .", "Children shout ."),
        ("He isn't here.", "He is not here."),
        ("They are not here.", "They aren't here."),
        ("It's a dog.", "It is a dog."),
        ("When it rains, they stay.", "They stay when it rains."),
        ("They left because it rained.", "Because it rained, they left."),
        ("In 1999, the band split.", "The band split in 1999."),
        ("A man is asleep in a chair.", "A guy is asleep in a chair."),
        ("Two men are cooking.", "There are two men cooking."),
        ("There is a boat near the pier.", "A boat is near the pier."),
        ("A woman reading a map", "A woman is reading a map"),
        ("A man who is running is late.", "A man running is late."),
        ("A cat and a cow are friends.", "A cow and a cat are friends."),
        ("The song was composed by Ann Lee.", "Ann Lee composed the song."),
        ("Oslo is the capital of Norway.", "The capital of Norway is Oslo."),
        ("The dog barks outside.", "The dog barks outdoors."),
        ("is the film old", "is the movie old"),
        ("Ann knits.", "It is the case that Ann knits."),
        ("does ann knit", "Tell me, does ann knit"),
    ],
)
def test_a_text_is_said_in_another_way(text, way):
    assert way in propose_paraphrases(text)


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Men in Black is old.", "Guys"),
        ("She saw the Big Kid.", "Child"),
        ("They waited outside the house.", "outdoors"),
        ("The movie-goer left.", "film-goer"),
        ("A monk avoids drinking.", "is a monk avoids"),
        ("She asked if it rained.", "If it rained"),
        ("A man is tall.", "There is"),
        ("The film that he made in 1999", "In 1999,"),
    ],
)
def test_a_text_is_left_alone_where_it_would_say_something_else(text, never):
    assert not any(never in way for way in propose_paraphrases(text))


def test_single_swaps_come_first_and_frames_last():
    ways = propose_paraphrases("A kid is watching a film.")
    assert ways[:3] == [
        "A child is watching a film.",
        "A kid is viewing a film.",
        "A kid is watching a movie.",
    ]
    assert ways[-1] == "The fact is that a kid is watching a film."


def test_two_sentences_are_never_reordered():
    ways = propose_paraphrases("A kid is in bed. He is ill.")
    assert "A child is in bed. He is ill." in ways
    assert not any("There is" in way or "the case" in way for way in ways)


WORDS = """A The kid man film is was not isn't watching outside . , When there 1999 in
I'm Paris an automobile and dogs who big ? 猫"""
SAID = st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)


@given(SAID)
def test_proposals_are_different_few_and_the_same_each_time(text):
    ways = propose_paraphrases(text)
    assert ways == propose_paraphrases(text)
    assert len(ways) <= MOST
    assert (
        len({normalize_wording(text), *map(normalize_wording, ways)}) == len(ways) + 1
    )


@given(SAID)
def test_the_first_paraphrase_is_the_first_proposal(text):
    assert first_paraphrase(text) == next(iter(propose_paraphrases(text)), None)


@given(SAID)
def test_no_proposal_denies_what_the_text_does_not_deny(text):
    short = re.compile(r"\b(?:lacks?|lacked|unable|incapable)\b")
    for way in propose_paraphrases(text):
        assert has_negation(way) == has_negation(text) or short.search(way)


def test_a_text_without_words_has_no_other_wording():
    assert (
        propose_paraphrases("")
        == propose_paraphrases("  ")
        == propose_paraphrases("?!")
        == []
    )


def test_the_draw_th_proposal_is_taken_or_the_text_stays(items, rng):
    said = items.with_field("claim", ["A kid sleeps."] * 59 + [""])
    assert isinstance(Paraphrase("claim"), Rewording)
    changed = Paraphrase("claim", 1)(said, rng).column("claim")
    assert set(changed[:59]) == {propose_paraphrases("A kid sleeps.")[1]}
    assert changed.iloc[-1] == ""
    assert Paraphrase("claim", 99)(said, rng).digest == said.digest


def test_a_draw_below_nought_is_refused():
    with pytest.raises(BadOption, match="draw is -1"):
        Paraphrase("claim", -1)
