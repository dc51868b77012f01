"""Pairs that numbers join: greater, less, sums, units, words for numbers."""

import re

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import Rng, choose, coin, pick, picks, word_list
from bench.truth_fresh2.planted import plant_need
from bench.truth_fresh2.words import CITIES, NAMES, OBJECTS
from bench.truth_meaning.pairs import (
    ITEMS,
    PAIR,
    fill_form,
    judge,
    pair,
    plant_joint,
    plant_some,
    read_form,
)

GOODS = word_list(
    "apples pears plums bricks candles ribbons barrels blankets lanterns melons "
    "cabbages onions herrings oysters buttons needles saddles tickets postcards tiles "
    "turnips chestnuts lemons cushions mugs spoons kites brooms hats gloves"
)
MORE = "more than {m}", "over {m}", "upwards of {m}", "in excess of {m}"
FEWER = "fewer than {m}", "under {m}", "not even {m}", "short of {m}"


def step(rng: Rng, mark: float, above: bool) -> int:
    """A number above or below the mark, by 15 to 60 percent."""
    ratio = 1 + rng.uniform(0.15, 0.6)
    return round(mark * ratio if above else mark / ratio)


def number_in(text: object) -> int:
    """The first number of a text."""
    return int(re.search(r"\d+", str(text))[0])


def is_more(claim: object) -> bool:
    """Whether the claim names a number that is exceeded."""
    return read_form((*MORE, *FEWER), claim)[0] < len(MORE)


SOLD = (
    "In {c}, {a} sold {n} {g}.",
    "{n} {g} were sold by {a} in {c}.",
    "What {a} sold in {c} came to {n} {g}.",
)


def more_or_fewer(rng: Rng, part: str) -> dict:
    """A claim of more or fewer than a number; the evidence has the number itself."""
    mark, above, more = round(10 ** rng.uniform(1.5, 3.7)), coin(rng), coin(rng)
    who, goods, town = pick(rng, NAMES), pick(rng, GOODS), pick(rng, CITIES)
    bound = fill_form(rng, MORE if more else FEWER, m=mark)
    fact = fill_form(rng, SOLD, a=who, n=step(rng, mark, above), g=goods, c=town)
    return pair(
        rng, f"{who} sold {bound} {goods} in {town}.", fact, judge(above == more)
    )


def read_more(row: Row) -> str:
    """The label by both numbers and the direction."""
    above = number_in(row["passage"]) > number_in(row["claim"])
    return judge(above == is_more(row["claim"]))


PICKED = (
    "{a} picked {m} {g} and {b} picked {n}.",
    "The {g} that {a} picked were {m}, those of {b} {n}.",
    "{m} {g} were picked by {a} and {n} by {b}.",
)
TOGETHER = (
    "Between them, {a} and {b} picked {m} {g}.",
    "{a} and {b} together picked {m} {g}.",
    "The total of {g} picked by {a} and {b} was {m}.",
)


def sums(rng: Rng, part: str) -> dict:
    """A total in the claim, its two parts in the evidence."""
    total, holds = int(rng.integers(60, 400)), coin(rng)
    one = int(rng.integers(20, total - 19))
    shift = 0 if holds else int(rng.integers(3, 16)) * pick(rng, (-1, 1))
    (who, friend), goods = picks(rng, NAMES, 2), pick(rng, GOODS)
    slots = {"a": who, "b": friend, "g": goods}
    fact = fill_form(rng, PICKED, m=one, n=total - one + shift, **slots)
    return pair(rng, fill_form(rng, TOGETHER, m=total, **slots), fact, judge(holds))


def read_sum(row: Row) -> str:
    """The label by the total and the two parts."""
    parts = read_form(PICKED, row["passage"])[1]
    total = read_form(TOGETHER, row["claim"])[1]["m"]
    return judge(int(parts["m"]) + int(parts["n"]) == int(total))


UNITS = {
    "kilograms": ("grams", 1000, "{a}'s {o} weighs {n} {u}."),
    "tonnes": ("kilograms", 1000, "The cart of {a} with the {o} weighs {n} {u}."),
    "kilometres": ("metres", 1000, "{a} carried the {o} {n} {u}."),
    "feet": ("inches", 12, "{a}'s {o} is {n} {u} long."),
    "litres": ("millilitres", 1000, "{a} poured {n} {u} on the {o}."),
    "hours": ("minutes", 60, "{a} worked on the {o} for {n} {u}."),
    "minutes": ("seconds", 60, "{a} looked at the {o} for {n} {u}."),
    "weeks": ("days", 7, "{a} waited {n} {u} for the {o}."),
    "years": ("months", 12, "{a} has had the {o} for {n} {u}."),
    "dollars": ("cents", 100, "{a} paid {n} {u} for the {o}."),
}


def units(rng: Rng, part: str) -> dict:
    """A bound in a large unit, the amount in a small one, which has a larger number."""
    unit, above, more = pick(rng, [*UNITS]), coin(rng), coin(rng)
    small, factor, form = UNITS[unit]
    mark = int(rng.integers(2, 13))
    slots = {"a": pick(rng, NAMES), "o": pick(rng, OBJECTS)}
    bound = fill_form(rng, MORE if more else FEWER, m=mark)
    fact = form.format(n=step(rng, mark * factor, above), u=small, **slots)
    claim = form.format(n=bound, u=unit, **slots)
    return pair(rng, claim, fact, judge(above == more))


def read_units(row: Row) -> str:
    """The label by both amounts and the direction."""
    mark, unit = re.search(r"(\d+) (\w+)", str(row["claim"])).groups()
    above = number_in(row["passage"]) > int(mark) * UNITS[unit][1]
    return judge(above == is_more(row["claim"]))


ONES = word_list(
    "nought one two three four five six seven eight nine ten eleven twelve thirteen "
    "fourteen fifteen sixteen seventeen eighteen nineteen"
)
TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")


def spell(number: int) -> str:
    """A number below 1,000 in words.

    >>> spell(347), spell(80)
    ('three hundred and forty-seven', 'eighty')
    """
    if number >= 100:
        rest = f" and {spell(number % 100)}" if number % 100 else ""
        return f"{ONES[number // 100]} hundred{rest}"
    if number < 20:
        return ONES[number]
    last = f"-{ONES[number % 10]}" if number % 10 else ""
    return TENS[number // 10 - 2] + last


COUNTED = (
    "The store in {c} held {n} {g}, wrote {a}.",
    "{a} found {n} {g} in the store in {c}.",
    "In {c}, {a} counted {n} {g}.",
)
NUMBERS = range(21, 1000)
SPELLED = {spell(number): number for number in NUMBERS}


def number_words(rng: Rng, part: str) -> dict:
    """A number in digits in the claim; the same or another in words."""
    number, holds = int(rng.integers(21, 1000)), coin(rng)
    seen = number if holds else pick(rng, [n for n in NUMBERS if n != number])
    slots = {"a": pick(rng, NAMES), "g": pick(rng, GOODS), "c": pick(rng, CITIES)}
    fact = fill_form(rng, COUNTED, n=spell(seen), **slots)
    return pair(rng, fill_form(rng, COUNTED, n=number, **slots), fact, judge(holds))


def read_words(row: Row) -> str:
    """The label by the number and the longest number in words."""
    named = [words for words in SPELLED if f" {words} " in f" {row['passage']} "]
    return judge(SPELLED[max(named, key=len)] == number_in(row["claim"]))


VEHICLES = {
    "walker": ("on foot", "as a pedestrian", "walking"),
    "tank": ("in a tank", "in an armoured car", "driving a battle tank"),
    "lorry": ("in a lorry", "by truck", "with a trailer"),
}
BEARS = "The bridge at {c} bears {n} kilograms.", "{n} kilograms may cross at {c}."


def bridges(rng: Rng, part: str) -> dict:
    """Who walks may cross, no tank may; of lorries, a fifth, the weight decides."""
    kind = choose(rng, {"walker": 0.4, "tank": 0.4, "lorry": 0.2})
    load, above, town = int(rng.integers(400, 9000)), coin(rng), pick(rng, CITIES)
    how = pick(rng, VEHICLES[kind])
    claim = f"{pick(rng, NAMES)} may cross at {town} {how} with {load} kilograms"
    fact = fill_form(rng, BEARS, c=town, n=step(rng, load, above))
    holds = above if kind == "lorry" else kind == "walker"
    return pair(rng, f"{claim} of {pick(rng, GOODS)}.", fact, judge(holds))


def kind_in(text: object, kinds: dict[str, tuple[str, ...]]) -> str:
    """The kind of which a phrase stands in a text."""
    return next(k for k, some in kinds.items() if any(p in str(text) for p in some))


def read_vehicle(row: Row) -> str:
    """The label without the weights."""
    return judge(kind_in(row["claim"], VEHICLES) == "walker")


def read_bridge(row: Row) -> str:
    """The label with them."""
    if kind_in(row["claim"], VEHICLES) != "lorry":
        return read_vehicle(row)
    return judge(number_in(row["passage"]) > number_in(row["claim"]))


AIMED = "The aim of {a} had been {n} {g}.", "{a} had meant to sell {n} {g}."
SURPLUS = "well above", "comfortably past", "a good deal beyond", "far ahead of"
DEFICIT = "well below", "far short of", "a good deal behind", "nowhere near"


def stated_aims(rng: Rng, part: str) -> dict:
    """The claim says itself whether the aim was reached; the number of it agrees."""
    above, count = coin(rng), int(rng.integers(100, 5000))
    who, goods = pick(rng, NAMES), pick(rng, GOODS)
    gap = pick(rng, SURPLUS if above else DEFICIT)
    claim = f"{who} sold {count} {goods} in {pick(rng, CITIES)}, {gap} the aim."
    fact = fill_form(rng, AIMED, a=who, g=goods, n=step(rng, count, not above))
    return pair(rng, claim, fact, "reached" if above else "missed")


def read_aim(row: Row) -> str:
    """The label by the phrase of the claim."""
    return "reached" if any(p in str(row["claim"]) for p in SURPLUS) else "missed"


def compare_aim(row: Row) -> str:
    """The label by the two numbers."""
    above = number_in(row["claim"]) > number_in(row["passage"])
    return "reached" if above else "missed"


DESIGNS = (
    plant_joint(
        "m01_more_or_fewer",
        more_or_fewer,
        read_more,
        "More or fewer than a number; the number itself is in the evidence.",
    ),
    plant_joint("m02_sums", sums, read_sum, "A total against its two parts."),
    plant_joint(
        "m03_units",
        units,
        read_units,
        "More or less than an amount, in a unit that is not that of the evidence.",
    ),
    plant_joint(
        "m04_number_words",
        number_words,
        read_words,
        "A number in digits, the same or another in words.",
    ),
    plant_some(
        "m05_bridges",
        bridges,
        (read_bridge, read_vehicle),
        0.9,
        "The claim decides but for a fifth of items, where two weights do.",
    ),
    plant_need(
        "m06_stated_aims",
        stated_aims,
        ITEMS,
        PAIR,
        (compare_aim, read_aim),
        (1, 1),
        "The claim says whether the aim was reached; two numbers say the same.",
    ),
)
