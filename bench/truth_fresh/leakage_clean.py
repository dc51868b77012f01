"""Leakage designs in which no part alone predicts the label."""

from collections.abc import Callable

import pandas as pd

from bench.truth_fresh.design import (
    Design,
    RowOf,
    independent_rows,
    label_leak,
    split_parts,
)
from bench.truth_fresh.grammar import (
    ADJECTIVES,
    PEOPLE,
    THINGS,
    TIMES,
    TOWNS,
    TRADES,
    WORKPLACES,
    Rng,
    choose,
    coin,
    filler,
    letter,
    lower,
    other,
    passage,
    pick,
    picks,
    upper,
    word_list,
)

SAME = ("different", "same")


def match_town(rng: Rng, town: str, same: bool) -> str:
    """The same town or any other."""
    return town if same else other(rng, TOWNS, town)


def plain_records(rng: Rng, part: str) -> dict:
    """One short template on each side, ten people and six towns."""
    who, towns, same = pick(rng, PEOPLE[:10]), TOWNS[:6], coin(rng)
    town = pick(rng, towns)
    seen = town if same else other(rng, towns, town)
    return {
        "claim": f"{who} lives in {town}.",
        "passage": f"{who} owns a house in {seen}.",
        "label": SAME[same],
    }


JOURNEYS = (
    "{who} the {trade} carried a {adjective} {thing} to {town}",
    "in {town}, {who} the {trade} lost a {adjective} {thing}",
    "a {adjective} {thing} took {who} the {trade} as far as {town}",
    "{who}, once a {trade}, sold the {adjective} {thing} in {town}",
    "for the {adjective} {thing} of {who} the {trade} people came to {town}",
)


def journey(rng: Rng, town: str) -> dict[str, str]:
    """Slots of a sentence on a journey."""
    return {
        "who": pick(rng, PEOPLE),
        "trade": pick(rng, TRADES),
        "adjective": pick(rng, ADJECTIVES),
        "thing": pick(rng, THINGS),
        "town": town,
    }


def long_journeys(rng: Rng, part: str) -> dict:
    """Long, varied texts; the town agrees or does not."""
    slots, same = journey(rng, pick(rng, TOWNS)), coin(rng)
    seen = slots | {"town": match_town(rng, slots["town"], same)}
    fact = f"{pick(rng, TIMES)}, {pick(rng, JOURNEYS).format(**seen)}."
    aside = (
        f"{pick(rng, PEOPLE)} and the {pick(rng, TRADES)} stayed in {pick(rng, TOWNS)}."
    )
    claim = upper(pick(rng, JOURNEYS).format(**slots))
    return {
        "claim": f"{claim}, {lower(pick(rng, TIMES))}.",
        "passage": passage(rng, [fact, aside], 4, 8),
        "label": SAME[same],
    }


def short_journeys(rng: Rng, part: str) -> dict:
    """As `long_journeys`, in one or two sentences and with other labels."""
    slots, same = journey(rng, pick(rng, TOWNS)), coin(rng)
    seen = slots | {"town": match_town(rng, slots["town"], same)}
    return {
        "hypothesis": upper(pick(rng, JOURNEYS).format(**slots)) + ".",
        "premise": passage(
            rng, [upper(pick(rng, JOURNEYS).format(**seen)) + "."], 0, 1
        ),
        "label": "entailment" if same else "contradiction",
    }


def workshop_choices(rng: Rng, part: str, many: int) -> dict:
    """Options from one list in random order; only the passage names the right one."""
    options, place = picks(rng, THINGS, many), int(rng.integers(many))
    who, shop = pick(rng, PEOPLE), pick(rng, WORKPLACES)
    asked = pick(rng, ("What did {} buy at the {}?", "{} left the {} with what?"))
    fact = f"{who} left the {shop} with a {pick(rng, ADJECTIVES)} {options[place]}."
    return {
        "question": asked.format(who, shop),
        "context": passage(rng, [fact], 1, 3),
        "options": options,
        "answer": letter(place),
    }


def four_workshops(rng: Rng, part: str) -> dict:
    """Four options."""
    return workshop_choices(rng, part, 4)


def five_workshops(rng: Rng, part: str) -> dict:
    """Five options."""
    return workshop_choices(rng, part, 5)


DAYS = word_list("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
STEPS = {"on time": 0, "a day late": 1, "two days late": 2}


def skewed_days(rng: Rng, part: str) -> dict:
    """Days of the week, cyclic, so that neither day alone predicts; 80/15/5 labels."""
    label = choose(rng, {"on time": 0.8, "a day late": 0.15, "two days late": 0.05})
    due = int(rng.integers(7))
    thing, who, town = pick(rng, THINGS), pick(rng, PEOPLE), pick(rng, TOWNS)
    promise = pick(
        rng, ("{0} was promised the {1} by {2}.", "The {1} for {0} is due on {2}.")
    )
    came = DAYS[(due + STEPS[label]) % 7]
    fact = pick(
        rng, ("On {} a {} came to {}.", "The porter in {2} took in a {1} on {0}.")
    )
    return {
        "claim": promise.format(who, thing, DAYS[due]),
        "log": passage(rng, [fact.format(came, thing, town)], 1, 3),
        "label": label,
    }


def contrast_pairs(rng: Rng, n: int) -> list[dict]:
    """Each claim twice, with both labels and the same passage but for one town."""
    rows = []
    for _ in range(n // 2):
        slots = journey(rng, pick(rng, TOWNS))
        form, extra = pick(rng, JOURNEYS), filler(rng)
        claim = upper(pick(rng, JOURNEYS).format(**slots)) + "."
        for same in (True, False):
            seen = slots | {"town": match_town(rng, slots["town"], same)}
            text = f"{upper(form.format(**seen))}. {extra}"
            rows.append({"claim": claim, "passage": text, "label": SAME[same]})
    return rows


FRAMES = (
    "{}.",
    "It is said that {}.",
    "Neighbours tell us that {}.",
    "{}, as far as we know.",
    "Letters show that {}.",
    "{}, if the diary is right.",
)


def paraphrase_families(rng: Rng, n: int) -> list[dict]:
    """Fifteen paraphrases of each claim, with labels at random within the family."""
    rows = []
    for family in range(n // 15):
        town, slots = pick(rng, TOWNS), journey(rng, "it")
        core = pick(rng, JOURNEYS[:2]).format(**slots | {"town": town})
        for _ in range(15):
            same = coin(rng)
            seen = slots | {"town": match_town(rng, town, same)}
            claim = upper(pick(rng, FRAMES).format(core))
            fact = upper(pick(rng, JOURNEYS).format(**seen)) + "."
            text = passage(rng, [fact], 1, 2)
            row = {"claim": claim, "passage": text, "label": SAME[same]}
            rows.append({**row, "family": f"family {family}"})
    return rows


def near_copies(rng: Rng, n: int) -> list[dict]:
    """Two fifths of the test items repeat a training item but for one added phrase."""
    train = n * 2 // 3
    rows: list[dict] = []
    for part in split_parts(n, train):
        if part == "test" and coin(rng, 0.4):
            source = rows[int(rng.integers(train))]
            claim = f"{str(source['claim'])[:-1]}, {lower(pick(rng, TIMES))}."
            text = f"{source['passage']} {filler(rng)}"
            row = {"claim": claim, "passage": text, "label": source["label"]}
        else:
            row = dict(
                zip(
                    ("claim", "passage", "label"),
                    short_journeys(rng, part).values(),
                    strict=True,
                )
            )
        rows.append({"split": part, **row})
    return rows


COMPASS = ("north", "east", "south", "west")
TURNS = ("ahead", "right", "back", "left")
SHAPES = ("{}", "- {}", "* {}", "NOTE: {}", '"{}"', "({})", "<p>{}</p>", "1. {}")


def turns(rng: Rng, part: str) -> dict:
    """Four turns by two bearings, 30 % of labels at random, all kinds of formatting."""
    turn, start = int(rng.integers(4)), int(rng.integers(4))
    label = pick(rng, TURNS) if coin(rng, 0.3) else TURNS[turn]
    claim = (
        f"{pick(rng, PEOPLE)} set out facing {COMPASS[start]} from {pick(rng, TOWNS)}"
    )
    goal = f"The {pick(rng, WORKPLACES)} lies to the {COMPASS[(start + turn) % 4]}"
    ends = (".", "", " ...", "!", " .")
    return {
        "claim": pick(rng, SHAPES).format(claim + pick(rng, ends)),
        "passage": pick(rng, SHAPES).format(passage(rng, [goal + "."], 0, 3)),
        "label": label,
    }


def dependent_rows(
    rows: Callable[[Rng, int], list[dict]], n: int
) -> Callable[[Rng], pd.DataFrame]:
    """`Design.make` of rows that depend on each other."""

    def make(rng: Rng) -> pd.DataFrame:
        frame = pd.DataFrame(rows(rng, n))
        if "split" not in frame:
            frame.insert(0, "split", "")
        return frame

    return make


def design_clean(
    name: str, make: Callable[[Rng], pd.DataFrame], roles: dict, why: str
) -> Design:
    """A design in which nothing leaks."""
    truth, wrong = label_leak(0.0)
    return Design(name, "leakage", make, roles, truth, wrong, True, 0.0, why)


def design_clean_rows(name: str, row: RowOf, n: int, roles: dict, why: str) -> Design:
    """A clean design of independent rows."""
    return design_clean(name, independent_rows(row, n), roles, why)


CLAIM = {"query": "claim", "evidence": "passage", "label": "label"}
CHOICE = {
    "query": "question",
    "evidence": "context",
    "choices": "options",
    "label": "answer",
}
DESIGNS = (
    design_clean_rows(
        "f21_plain_records",
        plain_records,
        3000,
        CLAIM,
        "Very few words: every text stands many times with both labels.",
    ),
    design_clean_rows(
        "f22_long_journeys",
        long_journeys,
        3000,
        CLAIM,
        "Long texts of many words; only the two towns together decide.",
    ),
    design_clean_rows(
        "f23_four_workshops",
        four_workshops,
        1500,
        CHOICE,
        "Four options from one list; only the passage decides.",
    ),
    design_clean_rows(
        "f24_five_workshops",
        five_workshops,
        300,
        CHOICE,
        "Five options and few items; only the passage decides.",
    ),
    design_clean_rows(
        "f25_skewed_days",
        skewed_days,
        3000,
        {"query": "claim", "evidence": "log", "label": "label"},
        "Labels 80/15/5 by the distance of two days of the week.",
    ),
    design_clean_rows(
        "f26_short_journeys",
        short_journeys,
        300,
        {"query": "hypothesis", "evidence": "premise", "label": "label"},
        "Few items of varied words; only both texts together decide.",
    ),
    design_clean(
        "f27_contrast_pairs",
        dependent_rows(contrast_pairs, 800),
        CLAIM,
        "Each claim stands twice, once with each label.",
    ),
    design_clean(
        "f28_paraphrase_families",
        dependent_rows(paraphrase_families, 1500),
        CLAIM | {"group": "family"},
        "Fifteen paraphrases of each claim, labels at random within the family.",
    ),
    design_clean(
        "f29_near_copies",
        dependent_rows(near_copies, 1500),
        CLAIM | {"split": "split"},
        "Test items that copy training items with their labels: memory, not a leak.",
    ),
    design_clean_rows(
        "f30_turns",
        turns,
        800,
        CLAIM,
        "Four classes, noise and formatting of all kinds, independent of the label.",
    ),
)
