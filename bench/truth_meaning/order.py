"""Pairs that dates and order join: before, after, how long, which part of the day."""

import re

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import Rng, choose, coin, phrase_list, pick, picks
from bench.truth_fresh.grammar import word_list as words
from bench.truth_fresh2.words import CITIES, NAMES, OBJECTS
from bench.truth_meaning.numbers import kind_in
from bench.truth_meaning.pairs import (
    fill_form,
    judge,
    pair,
    plant_joint,
    plant_some,
    read_form,
)

MONTHS = words(
    "January February March April May June July August September October November "
    "December"
)
HOUSES = words(
    "museum theatre library station hospital brewery chapel market school mill bank "
    "bakery zoo harbour prison stadium laundry observatory hotel foundry"
)
BEFORE = "before {y}", "earlier than {y}", "prior to {y}"
AFTER = "after {y}", "later than {y}", "not until after {y}"
OPENED = (
    "In {y} the {h} in {c} opened its doors.",
    "The opening of the {h} in {c} fell in {y}.",
    "{y} was the year in which the {h} in {c} was opened.",
)


def year_in(text: object) -> int:
    """The first year of a text."""
    return int(re.search(r"\d{4}", str(text))[0])


def before_or_after(rng: Rng, part: str) -> dict:
    """A claim of before or after a year; the year itself in the evidence."""
    mark, late, after = int(rng.integers(1300, 1950)), coin(rng), coin(rng)
    year = mark + int(rng.integers(2, 70)) * (1 if late else -1)
    bound = fill_form(rng, AFTER if after else BEFORE, y=mark)
    slots = {"h": pick(rng, HOUSES), "c": pick(rng, CITIES)}
    claim = "The {h} in {c} opened ".format(**slots) + f"{bound}."
    fact = fill_form(rng, OPENED, y=year, **slots)
    return pair(rng, claim, fact, judge(late == after))


def read_years(row: Row) -> str:
    """The label by both years and the direction."""
    after = read_form((*AFTER, *BEFORE), row["claim"])[0] < len(AFTER)
    return judge((year_in(row["passage"]) > year_in(row["claim"])) == after)


CENTURIES = words(
    "twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
    "nineteenth twentieth"
)
DATED = (
    "The {o} bears the date {y} and the name {a}.",
    "It was in {y} that {a} had the {o} made.",
    "{a} signed the {o} in {y}.",
)


def centuries(rng: Rng, part: str) -> dict:
    """A century in words in the claim, a year of it or of another in the evidence."""
    century, seen = picks(rng, range(len(CENTURIES)), 2)
    holds = coin(rng)
    year = 1101 + 100 * (century if holds else seen) + int(rng.integers(99))
    who, thing = pick(rng, NAMES), pick(rng, OBJECTS)
    claim = f"The {thing} of {who} is of the {CENTURIES[century]} century."
    fact = fill_form(rng, DATED, o=thing, a=who, y=year)
    return pair(rng, claim, fact, judge(holds))


def read_century(row: Row) -> str:
    """The label by the century of the year."""
    name = CENTURIES[(year_in(row["passage"]) - 1101) // 100]
    return judge(f" {name} " in str(row["claim"]))


REACHED = (
    "{a} reached {x} on {p} {m} and {y} on {q} {n}.",
    "{a} came to {x} on {p} {m}, to {y} on {q} {n}.",
)
FIRST = (
    "{a} saw {x} before {y}.",
    "{a} saw {y} after {x}.",
    "{a} saw {x} first and then {y}.",
    "{a} saw {y} only once {x} had been seen.",
)


def which_first(rng: Rng, part: str) -> dict:
    """Which of two towns was seen first; the evidence dates both, in any order."""
    who, towns, holds = pick(rng, NAMES), picks(rng, CITIES, 2), coin(rng)
    early, late = sorted(picks(rng, range(12), 2))
    stops = [(towns[0], early), (towns[1], late)][:: pick(rng, (1, -1))]
    (x, m), (y, n) = stops
    p, q = int(rng.integers(1, 29)), int(rng.integers(1, 29))
    fact = fill_form(rng, REACHED, a=who, x=x, y=y, p=p, q=q, m=MONTHS[m], n=MONTHS[n])
    said = towns if holds else towns[::-1]
    claim = fill_form(rng, FIRST, a=who, x=said[0], y=said[1])
    return pair(rng, claim, fact, judge(holds))


def read_first(row: Row) -> str:
    """The label by the months of both towns."""
    stops = read_form(REACHED, row["passage"])[1]
    months = {stops[t]: MONTHS.index(stops[m]) for t, m in (("x", "m"), ("y", "n"))}
    towns = read_form(FIRST, row["claim"])[1]
    return judge(months[towns["x"]] < months[towns["y"]])


SPANS = {"a week": 7, "ten days": 10, "a fortnight": 14, "three weeks": 21}
LONGER = "longer than {s}", "more than {s}", "upwards of {s}"
SHORTER = "shorter than {s}", "less than {s}", "not even {s}"
STAYED = (
    "Between {p} and {q} {m}, {a} was in {c}.",
    "From {p} to {q} {m}, {a} was in {c}.",
    "{c} had {a} as a guest from {p} until {q} {m}.",
)


def durations(rng: Rng, part: str) -> dict:
    """More or less than a span in words; the evidence has the first and last day."""
    span, long, more = pick(rng, [*SPANS]), coin(rng), coin(rng)
    days = SPANS[span] + int(rng.integers(2, 6)) * (1 if long else -1)
    start = int(rng.integers(1, 29 - days))
    slots = {"a": pick(rng, NAMES), "c": pick(rng, CITIES)}
    bound = fill_form(rng, LONGER if more else SHORTER, s=span)
    claim = "The stay of {a} in {c} was ".format(**slots) + f"{bound}."
    month = pick(rng, MONTHS)
    fact = fill_form(rng, STAYED, p=start, q=start + days, m=month, **slots)
    return pair(rng, claim, fact, judge(long == more))


def read_durations(row: Row) -> str:
    """The label by both days, the span and the direction."""
    start, end = (int(day) for day in re.findall(r"\d+", str(row["passage"])))
    span = next(days for s, days in SPANS.items() if s in str(row["claim"]))
    more = any(f.split(" {")[0] in str(row["claim"]) for f in LONGER)
    return judge((end - start > span) == more)


CLAIMED = {
    "morning": ("in the morning", "early in the day", "before noon"),
    "evening": ("in the evening", "late in the day", "after dark"),
}
HOURS = {
    "morning": phrase_list(
        "at daybreak|as the sun rose|over breakfast|when the cocks crowed|at sunrise|"
        "at dawn|at first light|while the dew still lay|at eight a.m.|as the sky paled|"
        "just after waking up|before the schools began"
    ),
    "evening": phrase_list(
        "at dusk|as the sun set|over supper|when the owls called|at sunset|at "
        "nightfall|by moonlight|as the lamps were lit|at nine p.m.|under the stars|"
        "just before going to bed|after the theatre closed"
    ),
}
SIGNED = "{a} signed for the {o} {t}.", "The {o} was signed for by {a} {t}."


def parts_of_day(rng: Rng, part: str) -> dict:
    """A part of the day in the claim, what goes with it or with another."""
    time, seen = (pick(rng, [*HOURS]) for _ in "ab")
    slots = {"a": pick(rng, NAMES), "o": pick(rng, OBJECTS)}
    claim = fill_form(rng, SIGNED, t=pick(rng, CLAIMED[time]), **slots)
    fact = fill_form(rng, SIGNED, t=pick(rng, HOURS[seen]), **slots)
    return pair(rng, claim, fact, judge(time == seen))


def read_hours(row: Row) -> str:
    """The label by the two parts of the day."""
    hours = {time: tuple(some) for time, some in HOURS.items()}
    return judge(kind_in(row["claim"], CLAIMED) == kind_in(row["passage"], hours))


ENTRANTS = {
    "exempt": ("exempt from all terms", "whom no term binds", "an honorary member"),
    "barred": ("barred for life", "excluded from the contest", "struck off the list"),
    "plain": ("an ordinary entrant", "one of the usual entrants", "a normal entrant"),
}
CLOSED = (
    "The last day for entries from {c} was {d} {m}.",
    "Entries from {c} closed on {d} {m}.",
)


def deadlines(rng: Rng, part: str) -> dict:
    """Who is exempt is in, who is barred is out; else, in 28 %, the last day rules."""
    kind = choose(rng, {"exempt": 0.36, "barred": 0.36, "plain": 0.28})
    day, early = int(rng.integers(10, 20)), coin(rng)
    last = day + int(rng.integers(1, 10)) * (1 if early else -1)
    month, town = pick(rng, MONTHS), pick(rng, CITIES)
    who = f"{pick(rng, NAMES)} from {town}, {pick(rng, ENTRANTS[kind])},"
    fact = fill_form(rng, CLOSED, c=town, d=last, m=month)
    holds = early if kind == "plain" else kind == "exempt"
    return pair(rng, f"{who} wrote on {day} {month} and is in.", fact, judge(holds))


def read_entrant(row: Row) -> str:
    """The label without the last day."""
    return judge(kind_in(row["claim"], ENTRANTS) == "exempt")


def read_deadline(row: Row) -> str:
    """The label with it."""
    if kind_in(row["claim"], ENTRANTS) != "plain":
        return read_entrant(row)
    day, last = (int(re.search(r"\d+", row[n])[0]) for n in ("claim", "passage"))
    return judge(day <= last)


DESIGNS = (
    plant_joint(
        "m07_before_or_after",
        before_or_after,
        read_years,
        "Before or after a year; the year itself is in the evidence.",
    ),
    plant_joint(
        "m08_centuries",
        centuries,
        read_century,
        "A century in words against a year of it or of another.",
    ),
    plant_joint(
        "m09_which_first",
        which_first,
        read_first,
        "Which of two came first; the evidence dates both.",
    ),
    plant_joint(
        "m10_durations",
        durations,
        read_durations,
        "A span in words against the first and the last day.",
    ),
    plant_joint(
        "m11_parts_of_day",
        parts_of_day,
        read_hours,
        "Morning or evening against sunrise, supper and the like.",
    ),
    plant_some(
        "m12_deadlines",
        deadlines,
        (read_deadline, read_entrant),
        0.86,
        "The claim decides but for 28 %, where a day is compared with the last day.",
    ),
)
