"""Designs of a hostile statistician: odd families, masked cues, redundant evidence."""

import re
from collections.abc import Callable
from math import comb
from typing import Any

import pandas as pd

from bench.truth_fresh.design import (
    Design,
    Row,
    independent_rows,
    label_leak,
    label_need,
    oracle,
)
from bench.truth_fresh.grammar import (
    PEOPLE,
    THINGS,
    TOWNS,
    TRADES,
    Rng,
    coin,
    filler,
    passage,
    pick,
    picks,
    shuffle,
    upper,
    words_of,
)

CLAIM = {"query": "claim", "evidence": "story", "label": "label"}
SPLIT, GROUPED = CLAIM | {"split": "split"}, CLAIM | {"group": "source"}
BARE = {"query": "question", "choices": "options", "label": "answer"}
CROSSED = CLAIM | {"metadata": ["site", "item", "shift"]}
COMPARED = CLAIM | {"metadata": ["ours", "theirs"]}
LEAN = 0.56
FEWER = [comb(9, k) * LEAN ** (9 - k) * (1 - LEAN) ** k for k in range(5)]
UNEVEN = 1 - sum(1 / count for count in range(2, 6)) / 4
NO_YES, RARE = ("no", "yes"), ("usual", "odd")
TONES, ENDINGS = ("sadly", "gladly"), ("ix", "um")
TASKS = ("sing", "cook", "walk", "read", "swim", "paint")
WEAK = THINGS + TRADES[:26]
SIDES = (frozenset(WEAK[::2]), frozenset(WEAK[1::2]))
CONSONANTS, VOWELS = "bdfgklmnprstvz", "aeiou"
Rule = Callable[[Row], object]
FOUND: list[Design] = []


def planted(
    name: str, size: float, roles: dict, n: int, *rules: Rule, **more: Any
) -> Callable:
    """Keep a design that draws `n` rows, or a table at 0; until h12 these are leaks.

    Args:
        name: Of the design.
        size: The true leak, or gain by the evidence.
        roles: Of the columns.
        n: How many rows.
        rules: The best with the part or evidence, and that without it.
        more: `train` rows; `knowable`; `told`: whether the evidence tells the label.
    """
    is_leak, train = name < "h13", more.get("train", 0)
    labels = label_leak(size) if is_leak else label_need(size, more.get("told", True))
    known = oracle(*rules, roles["label"], "test" * bool(train)) if rules else None

    def keep(draw: Callable) -> Callable:
        make = independent_rows(draw, n, train) if n else draw
        knows, why = more.get("knowable", True), str(draw.__doc__)
        audit = "leakage" if is_leak else "evidence"
        FOUND.append(Design(name, audit, make, roles, *labels, knows, size, why, known))
        return draw

    return keep


def nonce(rng: Rng, syllables: int = 3) -> str:
    """A word that nobody has seen."""
    return "".join(pick(rng, CONSONANTS) + pick(rng, VOWELS) for _ in range(syllables))


def numbers_of(text: object) -> list[int]:
    """The whole numbers of a text."""
    return [int(number) for number in re.findall(r"\d+", str(text))]


def by_sign(column: str, pattern: str, labels: tuple[str, str] = NO_YES) -> Rule:
    """The second label where a pattern stands in a column, else the first."""
    return lambda row: labels[bool(re.search(pattern, str(row[column])))]


def by_numbers(rule: Callable[..., bool], *columns: str) -> Rule:
    """The label by a rule over the whole numbers of some columns."""
    return lambda row: NO_YES[rule(*numbers_of([row[column] for column in columns]))]


def by_rank(rank: int, key: Callable) -> Rule:
    """The place of the choice of a rank, by a key."""
    return lambda row: min(
        range(len(row["options"])),
        key=lambda n: row["options"][n] != sorted(row["options"], key=key)[rank],
    )


read_tone, read_told = by_sign("claim", "[Gg]ladly"), by_sign("story", "wrote high")
greater_first, middle = by_numbers(lambda a, b: a > b, "claim"), by_rank(1, int)
ours_greater = by_numbers(lambda a, b: a > b, "ours", "theirs")
story_greater = by_numbers(lambda a, b: a < b, "claim", "story")
is_early = by_sign("claim", r"^(\w+ ){1,4}often")
is_high = by_numbers(lambda a: a >= 5_500, "claim")
is_named = by_sign("story", "to sing", ("cook", "sing"))


def mixed(rng: Rng, said: list[str]) -> str:
    """The words in random order, as one sentence."""
    return upper(" ".join(shuffle(rng, said))) + "."


def item(rng: Rng, claim: str, true: bool) -> dict:
    """A row with evidence that tells nothing."""
    return {"claim": claim, "story": passage(rng, [], 2, 3), "label": NO_YES[true]}


def plain_claim(rng: Rng) -> str:
    """A claim that tells nothing."""
    return f"The {pick(rng, TRADES)} of {pick(rng, TOWNS)} has a {pick(rng, THINGS)}."


@planted("h01_two_numbers", 0.25, CLAIM, 1500, greater_first, "no")
def two_numbers(rng: Rng, part: str) -> dict:
    """Of two numbers of the claim the first is greater in 75 % of the true ones."""
    low, high = sorted(picks(rng, range(1_000, 9_999), 2))
    true = coin(rng)
    first, second = (high, low) if coin(rng, 0.75) == true else (low, high)
    thing, town = pick(rng, THINGS), pick(rng, TOWNS)
    claim = f"Sales of a {thing} went from {first} to {second} in {town}."
    return item(rng, claim, true)


@planted("h02_endings", 0.3, CLAIM, 1200, by_sign("claim", "um was"), "no")
def endings(rng: Rng, part: str) -> dict:
    """A made-up word inside the claim ends by the label in 80 %."""
    true = coin(rng)
    end = ENDINGS[true if coin(rng, 0.8) else not true]
    claim = f"In {pick(rng, TOWNS)} the {nonce(rng)}{end} was sold to {nonce(rng)}a."
    return item(rng, claim, true)


@planted("h03_early_late", 0.3, CLAIM, 1200, is_early, "no", knowable=False)
def early_late(rng: Rng, part: str) -> dict:
    """One word stands early or late among unseen words, by the label in 80 %."""
    true = coin(rng)
    early = true if coin(rng, 0.8) else not true
    said = [nonce(rng) for _ in range(9)]
    said.insert(int(rng.integers(1, 4)) if early else int(rng.integers(6, 9)), "often")
    claim = upper(" ".join(said)) + "."
    return item(rng, claim, true)


def read_weak_words(row: Row) -> str:
    """The label by the side that most weak words are of."""
    weak = [word.lower() for word in words_of(row["claim"]) if word.lower() in WEAK]
    return NO_YES[2 * sum(word in SIDES[1] for word in weak) > len(weak)]


@planted("h04_contrast_pairs", sum(FEWER) - 0.5, CLAIM, 0, read_weak_words, "no")
def contrast_pairs(rng: Rng) -> pd.DataFrame:
    """Pairs of texts on the same rare words with both labels; weak words lean."""
    rows = []
    for _ in range(700):
        topic = [nonce(rng) for _ in range(6)]
        for true in (False, True):
            weak = [
                pick(rng, sorted(SIDES[true if coin(rng, LEAN) else not true]))
                for _ in range(9)
            ]
            said = mixed(rng, topic + weak)
            rows.append(item(rng, said, true))
    return pd.DataFrame(rows).assign(split="")


def toned(rng: Rng, true: bool, agrees: float) -> str:
    """A claim with a tone that agrees with the label in a share."""
    tone = TONES[true if coin(rng, agrees) else not true]
    return f"{upper(tone)}, the {pick(rng, TRADES)} of {pick(rng, TOWNS)} {nonce(rng)}."


@planted("h05_blank_groups", 0.2, GROUPED, 600, read_tone, "no")
def blank_groups(rng: Rng, part: str) -> dict:
    """A tone that leaks; the column of sources is empty in 60 %."""
    true = coin(rng)
    source = "" if coin(rng, 0.6) else f"source {rng.integers(1, 200)}"
    return item(rng, toned(rng, true, 0.7), true) | {"source": source}


@planted("h06_seed_copies", 0, CLAIM, 0, knowable=False)
def seed_copies(rng: Rng) -> pd.DataFrame:
    """Loose copies of random seeds, each with one random label."""
    rows = []
    for _ in range(80):
        words, true = [nonce(rng) for _ in range(10)], coin(rng)
        for _ in range(6):
            said = mixed(rng, picks(rng, words, 3) + picks(rng, THINGS, 4))
            rows.append(item(rng, said, true))
    return pd.DataFrame(rows).assign(split="")


@planted("h07_second_number", 0.8, BARE, 600, middle, 0)
def second_number(rng: Rng, part: str) -> dict:
    """The right one of five numbers is always the second least."""
    values = [int(v) for v in picks(rng, range(100, 999), 5)]
    return {
        "question": f"What did the {pick(rng, TRADES)} of {pick(rng, TOWNS)} count?",
        "options": [str(value) for value in values],
        "answer": values.index(sorted(values)[1]),
    }


@planted("h08_alphabet", UNEVEN, BARE, 600, by_rank(0, str), 0, knowable=False)
def alphabet(rng: Rng, part: str) -> dict:
    """Of two to five names the first of the alphabet is always right."""
    options = [upper(nonce(rng)) for _ in range(int(rng.integers(2, 6)))]
    return {
        "question": f"Who was the {pick(rng, TRADES)} of {pick(rng, TOWNS)}?",
        "options": options,
        "answer": options.index(min(options)),
    }


@planted("h09_rare_class", 0.04, CLAIM, 800, by_sign("claim", "!$", RARE), "usual")
def rare_class(rng: Rng, part: str) -> dict:
    """The rare class of 5 % shouts in 80 % of its items, the other never."""
    rare = coin(rng, 0.05)
    mark = "!" if rare and coin(rng, 0.8) else "."
    claim = plain_claim(rng).replace(".", mark)
    return item(rng, claim, rare) | {"label": RARE[rare]}


@planted("h10_hidden_reversal", 0.25, SPLIT, 710, read_tone, "no", train=620)
def hidden_reversal(rng: Rng, part: str) -> dict:
    """A tone in half of the test and, for the other label, in 8 % of training."""
    true, test = coin(rng), part == "test"
    claim = plain_claim(rng)
    if coin(rng, 0.5 if test else 0.08):
        claim = f"{upper(TONES[true == test])}, {claim.lower()}"
    return item(rng, claim, true)


def read_ten(row: Row) -> str:
    """The class by the number."""
    return "ABCDEFGHIJ"[(numbers_of(row["claim"])[0] - 10_000) // 9_000]


@planted("h11_ten_classes", 0.9, CLAIM, 700, read_ten, "A")
def ten_classes(rng: Rng, part: str) -> dict:
    """Ten classes, in the order of the one number of the claim."""
    number = int(rng.integers(0, 90_000))
    claim = f"The stall in {pick(rng, TOWNS)} took {number + 10_000} for a basket."
    return item(rng, claim, True) | {"label": "ABCDEFGHIJ"[number // 9_000]}


@planted("h12_zipf_groups", 0, GROUPED, 0, knowable=False)
def zipf_groups(rng: Rng) -> pd.DataFrame:
    """Groups of Zipf sizes with a random label and a word each; texts are random."""
    weights = 1 / (3.0 + pd.Series(range(90)))
    chosen = rng.choice(90, 500, p=(weights / weights.sum()).to_numpy())
    known = {g: (nonce(rng), NO_YES[coin(rng)]) for g in range(90)}
    rows = [
        item(rng, mixed(rng, [known[g][0], *picks(rng, THINGS, 5)]), True)
        | {"label": known[g][1] if coin(rng, 0.9) else pick(rng, NO_YES)}
        | {"source": f"source {g}"}
        for g in chosen.tolist()
    ]
    return pd.DataFrame(rows).assign(split="")


def told(rng: Rng, claim: str, true: bool) -> dict:
    """A row with evidence that says the label in so many words."""
    story = passage(rng, [f"The clerk wrote {('low', 'high')[true]}."], 1, 2)
    return {"claim": claim, "story": story, "label": NO_YES[true]}


@planted("h13_threshold", 0, CLAIM, 800, read_told, is_high)
def threshold(rng: Rng, part: str) -> dict:
    """The one number of the claim decides; the evidence says so again."""
    number = int(rng.integers(1_000, 10_000))
    claim = f"The {pick(rng, TRADES)} of {pick(rng, TOWNS)} has {number} coins."
    return told(rng, claim, number >= 5_500)


def read_crossed(row: Row) -> str:
    """The label by both columns."""
    return NO_YES[(row["site"] == "south") ^ (row["shift"] == "night")]


@planted("h14_crossed_columns", 0, CROSSED, 600, read_told, read_crossed)
def crossed_columns(rng: Rng, part: str) -> dict:
    """Two columns decide together beside a number of the item; so says the story."""
    site, late = coin(rng), coin(rng)
    return told(rng, plain_claim(rng), site ^ late) | {
        "site": ("north", "south")[site],
        "item": f"item {rng.integers(10**9)}",
        "shift": ("day", "night")[late],
    }


@planted("h15_compared_columns", 0, COMPARED, 600, read_told, ours_greater)
def compared_columns(rng: Rng, part: str) -> dict:
    """The greater of two columns of numbers decides; the evidence says so again."""
    ours, theirs = (int(v) for v in picks(rng, range(1_000, 9_999), 2))
    return told(rng, plain_claim(rng), ours > theirs) | {"ours": ours, "theirs": theirs}


@planted("h16_middle_told", 0, BARE | {"evidence": "story"}, 500, middle, middle)
def middle_told(rng: Rng, part: str) -> dict:
    """The middle one of three numbers is right, and the evidence names it, too."""
    values = [int(v) for v in picks(rng, range(1_000, 9_999), 3)]
    gold = sorted(values)[1]
    return {
        "question": f"What did the {pick(rng, TRADES)} of {pick(rng, TOWNS)} count?",
        "story": passage(rng, [f"The clerk wrote down {gold}."], 1, 2),
        "options": [str(value) for value in values],
        "answer": values.index(gold),
    }


def says_twice(row: Row) -> str:
    """The label by whether a word stands there twice."""
    said = str(row["claim"]).lower().strip(".").split()
    return NO_YES[len({*said}) < len(said)]


@planted("h17_repeated_word", 0, CLAIM, 500, read_told, says_twice)
def repeated_word(rng: Rng, part: str) -> dict:
    """Whether the claim says a word twice decides; the evidence says so again."""
    true, said = coin(rng), picks(rng, THINGS, 6)
    said[5] = pick(rng, said[:5]) if true else said[5]
    return told(rng, mixed(rng, said), true)


@planted("h18_constant", 0, CLAIM, 300, told=False)
def constant_story(rng: Rng, part: str) -> dict:
    """One story for all items; the tone of the claim tells 70 %."""
    true = coin(rng)
    story = "The old mill drew visitors in those years."
    return {"claim": toned(rng, true, 0.7), "story": story, "label": NO_YES[true]}


@planted("h19_copied_claim", 0, CLAIM, 400)
def copied_claim(rng: Rng, part: str) -> dict:
    """The story is the claim once more, whose tone tells 70 %."""
    true = coin(rng)
    claim = toned(rng, true, 0.7)
    return {"claim": claim, "story": claim, "label": NO_YES[true]}


@planted("h20_one_class", 1 / 6, CLAIM, 300, is_named, "cook")
def one_class(rng: Rng, part: str) -> dict:
    """The story names the task of one of six classes; of the others it is silent."""
    task = pick(rng, TASKS)
    facts = ["They all met to sing."] if task == "sing" else [filler(rng)]
    claim = plain_claim(rng)
    return {"claim": claim, "story": passage(rng, facts, 1, 2), "label": task}


@planted("h21_at_margin", 0.02, CLAIM, 1000, read_told, read_tone)
def at_margin(rng: Rng, part: str) -> dict:
    """The tone decides but for 4 % without one, of which only the story tells."""
    true = coin(rng)
    claim = plain_claim(rng) if coin(rng, 0.04) else toned(rng, true, 1)
    return told(rng, claim, true)


def read_crossed_answers(row: Row) -> str:
    """The label by both."""
    same = ("is so" in str(row["claim"])) == (row["story"] == "yes")
    return ("wrong", "right")[same]


@planted("h22_crossed_answers", 0.5, CLAIM, 100, read_crossed_answers, "right")
def crossed_answers(rng: Rng, part: str) -> dict:
    """The story is yes or no; the form of the claim says which of them is right."""
    asked, answer = coin(rng), coin(rng)
    form = ("It is false that the {} has a {}", "It is so that the {} has a {}")[asked]
    claim = form.format(pick(rng, TRADES), pick(rng, THINGS)) + "."
    label = ("wrong", "right")[asked == answer]
    return {"claim": claim, "story": NO_YES[answer], "label": label}


@planted("h23_noisy_numbers", 0.1, CLAIM, 1500, story_greater, "no")
def noisy_numbers(rng: Rng, part: str) -> dict:
    """Whether the claim's number is the lesser one; 40 % of labels are flipped."""
    number, count = (int(v) for v in picks(rng, range(1_000, 9_999), 2))
    true = (count > number) ^ coin(rng, 0.4)
    who, town = pick(rng, PEOPLE), pick(rng, TOWNS)
    return {
        "claim": f"{who} sold more than {number} lamps in {town}.",
        "story": passage(rng, [f"In {town} the clerk wrote down {count}."], 1, 2),
        "label": NO_YES[true],
    }


@planted("h24_few_topics", 0.5, CLAIM, 0, read_told, "no", knowable=False)
def few_topics(rng: Rng) -> pd.DataFrame:
    """Each of few topics has ten words and one random label; the story tells it."""
    known = [[nonce(rng) for _ in range(10)] for _ in range(14)]
    labels = shuffle(rng, [bool(i % 2) for i in range(14)])
    rows = []
    for i in range(600):
        said = mixed(rng, picks(rng, known[i % 14], 4) + picks(rng, THINGS, 3))
        rows.append(told(rng, said, labels[i % 14]))
    return pd.DataFrame(rows).assign(split="")


DESIGNS: tuple[Design, ...] = tuple(FOUND)
