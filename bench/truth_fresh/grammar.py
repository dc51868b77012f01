"""Word lists and sentence templates that all designs share."""

import re
from collections.abc import Sequence
from itertools import product
from typing import TypeVar

import numpy as np

Rng = np.random.Generator
T = TypeVar("T")


def word_list(text: str) -> list[str]:
    """The words of a text, parted by spaces."""
    return text.split()


def phrase_list(text: str) -> list[str]:
    """The phrases of a text, parted by bars."""
    return text.split("|")


PEOPLE = word_list(
    "Anna Boris Clara Daniel Elena Felix Greta Henry Irene Jonas Katya Leo Maria "
    "Nadia Oscar Paula Quentin Rosa Simon Tara Ulrich Vera Walter Xenia Yusuf Zoe "
    "Amir Beatrix Cosmo Delia Edgar Flora Gustav Hanna Ivan Judith Karim Lydia Marco "
    "Nina Otto Petra Rafael Sonja Tomas Ursula Viktor Wanda"
)
TOWNS = word_list(
    "Porto Lima Bergen Quito Leeds Turin Ghent Kazan Oslo Perth Malmo Sofia Lyon "
    "Dakar Hanoi Cusco Basel Graz Nantes Tampere Windhoek Salem Boise Tulsa Austin "
    "Denver Halifax Regina Seville Vigo Split Zadar Brno Lublin Riga Tartu Kaunas "
    "Galway Dundee Swansea Cairns Hobart Kyoto Nara Pune Jaipur Accra Kampala"
)
TRADES = word_list(
    "baker nurse tailor gardener plumber painter teacher pilot judge sailor clerk "
    "barber butcher miner weaver dentist farmer porter singer actor editor guard "
    "carpenter locksmith translator surveyor librarian fisherman"
)
WORKPLACES = word_list(
    "bakery foundry brewery dairy shipyard printworks sawmill tannery pharmacy "
    "observatory laundry vineyard quarry glassworks bookshop"
)
THINGS = word_list(
    "lamp basket ladder kettle blanket mirror bucket drum clock carpet violin saddle "
    "compass tripod helmet lantern pillow wagon barrel plough statue stove desk vase "
    "telescope hammock canoe sledge trumpet ribbon"
)
FILLER_SUBJECTS = phrase_list(
    "The old mill|A narrow street|The market hall|A row of elms|The village choir|"
    "A local paper|The harbour wall|A quiet courtyard|The weekly fair|A small chapel|"
    "The river bank|A team of volunteers|The summer school|A faded map|The town band|"
    "A wooden pier|The night train|A retired captain|The back garden|A stone bridge"
)
FILLER_VERBS = phrase_list(
    "drew visitors|was mentioned in letters|looked much the same|had been restored|"
    "stood near the square|was popular with families|kept its old charm|"
    "appeared in several photographs|was discussed at length|needed some repairs|"
    "inspired a few poems|changed hands more than once|was closed for a while|"
    "remained open to guests|caused little trouble|was praised by travellers"
)
FILLER_ENDS = phrase_list(
    "in those years|during the winter|after the storm|as everyone remembers|"
    "for many decades|in spite of the weather|at that time|according to neighbours|"
    "before the reforms|throughout the season|on most evenings|as records show|"
    "without much notice|to general surprise"
)
TIMES = phrase_list(
    "On Monday|That spring|Late at night|One morning|After lunch|In early June|"
    "Last winter|During the fair|Before dawn|At the weekend|Some years ago|"
    "Around noon"
)
ADJECTIVES = word_list(
    "grey heavy painted narrow rusty small wooden bright plain broken tall worn "
    "polished dusty curious light striped sturdy borrowed foreign"
)


def pick(rng: Rng, options: Sequence[T]) -> T:
    """One of the options."""
    return options[int(rng.random() * len(options))]  # ten times as fast as integers()


def picks(rng: Rng, options: Sequence[T], k: int) -> list[T]:
    """`k` different options in random order."""
    places: dict[int, None] = {}
    while len(places) < k:
        places[int(rng.random() * len(options))] = None
    return [options[place] for place in places]


def coin(rng: Rng, chance: float = 0.5) -> bool:
    """True with this chance."""
    return bool(rng.random() < chance)


def shuffle(rng: Rng, options: Sequence[T]) -> list[T]:
    """The options in random order."""
    return [options[i] for i in rng.permutation(len(options))]


def choose(rng: Rng, shares: dict[str, float]) -> str:
    """One key, by its share."""
    value = rng.random()
    for name, share in shares.items():
        value -= share
        if value < 0:
            return name
    return name


def other(rng: Rng, options: Sequence[T], but: T) -> T:
    """One of the options other than `but`."""
    return pick(rng, [option for option in options if option != but])


def filler(rng: Rng) -> str:
    """A sentence that predicts nothing: no name, number or negation."""
    return pick(rng, FILLERS)


def passage(rng: Rng, facts: Sequence[str], low: int, high: int) -> str:
    """The facts among `low` to `high` filler sentences, in random order."""
    extra = [filler(rng) for _ in range(pick(rng, range(low, high + 1)))]
    return " ".join(shuffle(rng, [*facts, *extra]))


def lower(text: str) -> str:
    """The text with a small first letter."""
    return text[:1].lower() + text[1:]


def upper(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def words_of(text: object) -> list[str]:
    """The words of a text, as written."""
    return re.findall(r"[A-Za-z]+", str(text))


def first_of(text: object, known: Sequence[str]) -> str:
    """The first word of the text that is among `known`, or an empty text."""
    return next((word for word in words_of(text) if word in known), "")


def sentence_with(text: object, word: str) -> str:
    """The first sentence that holds the word, or an empty text."""
    sentences = re.split(r"(?<=[.!?])\s+", str(text))
    return next((line for line in sentences if word in words_of(line)), "")


def flip(label: str, labels: Sequence[str]) -> str:
    """The other one of two labels."""
    return labels[1] if label == labels[0] else labels[0]


def letter(place: int) -> str:
    """The letter of a choice by its place."""
    return "ABCDE"[place]


FILLERS = [
    text
    for subject, verb, end in product(FILLER_SUBJECTS, FILLER_VERBS, FILLER_ENDS)
    for text in (
        f"{subject} {verb} {end}.",
        f"{upper(end)}, {lower(subject)} {verb}.",
    )
]
