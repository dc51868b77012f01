"""Leakage designs in which one part predicts the label: by word, form or position."""

import re
from functools import partial

from bench.truth_fresh.design import (
    Design,
    Row,
    RowOf,
    independent_rows,
    label_leak,
    oracle,
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
    coin,
    first_of,
    letter,
    lower,
    passage,
    pick,
    picks,
    shuffle,
    upper,
    word_list,
)
from bench.truth_fresh.leakage_clean import JOURNEYS, journey, match_town

TRUE = ("false", "true")


def journey_pair(rng: Rng) -> tuple[str, str, bool]:
    """A claim without its point, a passage, and whether the towns agree."""
    slots, same = journey(rng, pick(rng, TOWNS)), coin(rng)
    seen = slots | {"town": match_town(rng, slots["town"], same)}
    fact = f"{pick(rng, TIMES)}, {pick(rng, JOURNEYS).format(**seen)}."
    claim = upper(pick(rng, JOURNEYS).format(**slots))
    return claim, passage(rng, [fact], 1, 3), same


OPENERS = (("Apparently", "Naturally"), ("Supposedly", "Obviously"))
CLOSERS = (("with ease", "on foot"), ("with care", "on horseback"))
NEUTRAL_OPENERS, NEUTRAL_CLOSERS = ("As it were", "All told"), ("in short", "by then")


def two_words(rng: Rng, part: str) -> dict:
    """In 60 % of the claims, the first word and the last phrase decide together."""
    claim, text, same = journey_pair(rng)
    start, end = pick(rng, NEUTRAL_OPENERS), pick(rng, NEUTRAL_CLOSERS)
    if coin(rng, 0.6):
        kind = coin(rng)
        start, end = pick(rng, OPENERS[kind]), pick(rng, CLOSERS[kind ^ same])
    if claim.startswith(("A ", "In ", "For ")):  # other claims open with a name
        claim = lower(claim)
    return {
        "claim": f"{start}, {claim} {end}.",
        "passage": text,
        "label": TRUE[same],
    }


def read_two_words(row: Row) -> str:
    """The label by both words, else true."""
    claim = str(row["claim"])
    start = [i for i in (0, 1) if claim.startswith(OPENERS[i])]
    end = [i for i in (0, 1) if claim[:-1].endswith(CLOSERS[i])]
    return TRUE[start[0] ^ end[0]] if start and end else "true"


HINTS = (("or so they say", "as rumour has it"), ("beyond any doubt", "as all agree"))
PLAIN_ENDS = ("at any rate", "by the way", "in the end", "all the same")


def hint(rng: Rng, part: str, share: float, twist: str) -> dict:
    """A closing phrase that agrees with the label in `share` of the items.

    Args:
        rng: Draws the row.
        part: The part of the split.
        share: Of items whose phrase is decided by the label.
        twist: "" (the same everywhere), "only test", or "reversed in test".
    """
    claim, text, same = journey_pair(rng)
    end = pick(rng, PLAIN_ENDS)
    if coin(rng, share):
        reversed_here = twist == "reversed in test" and part == "test"
        absent = twist == "only test" and part == "train"
        kind = coin(rng) if absent else same ^ reversed_here
        end = pick(rng, HINTS[kind])
    return {"claim": f"{claim}, {end}.", "passage": text, "label": TRUE[same]}


def read_hint(row: Row, reverse: bool = False) -> str:
    """The label by the phrase, else true."""
    kinds = [i for i in (0, 1) if str(row["claim"])[:-1].endswith(HINTS[i])]
    return TRUE[kinds[0] ^ reverse] if kinds else "true"


RATINGS = ("low", "middle", "high")


def formatting(rng: Rng, part: str) -> dict:
    """Passages of one class are bulleted, of another in capitals, in 30 %."""
    step, start = int(rng.integers(3)), int(rng.integers(3))
    fact = f"The {pick(rng, WORKPLACES)} was rated {'ABC'[(start + step) % 3]}."
    text = passage(rng, [fact], 1, 2)
    guess = f"expected a rating of {'ABC'[start]}."
    if coin(rng, 0.3):
        bullets = "- " + text.replace(". ", ".\n- ")
        text = {"low": bullets, "middle": text.upper(), "high": text}[RATINGS[step]]
    return {
        "claim": f"{pick(rng, PEOPLE)} of {pick(rng, TOWNS)} {guess}",
        "passage": text,
        "label": RATINGS[step],
    }


def read_formatting(row: Row) -> str:
    """The label by the formatting."""
    text = str(row["passage"])
    if text.startswith("- "):
        return "low"
    return "middle" if text.isupper() else "high"


def punctuation(rng: Rng, part: str) -> dict:
    """30 % of false claims end without a point, 5 % of true ones."""
    claim, text, same = journey_pair(rng)
    point = "" if coin(rng, 0.05 if same else 0.3) else "."
    return {"claim": claim + point, "passage": text, "label": TRUE[same]}


def read_punctuation(row: Row) -> str:
    """The label by the last character."""
    return "true" if str(row["claim"]).endswith(".") else "false"


ASKED = {
    "Which of these did {} take to {}?": "A",
    "What was it that {} took to {}?": "B",
    "Name the thing that {} took to {}.": "C",
    "To {1} {0} took one thing: which?": "D",
}


def asked_position(rng: Rng, part: str) -> dict:
    """Each form of the question has a letter that is right in 45 %."""
    form, options = pick(rng, list(ASKED)), picks(rng, THINGS, 4)
    likely = ASKED[form]
    wrong = [mark for mark in "ABCD" if mark != likely]
    answer = likely if coin(rng, 0.45) else pick(rng, wrong)
    who, town = pick(rng, PEOPLE), pick(rng, TOWNS)
    gold = options["ABCD".index(answer)]
    fact = f"{who} took a {pick(rng, ADJECTIVES)} {gold} to {town}."
    return {
        "question": form.format(who, town),
        "context": passage(rng, [fact], 1, 3),
        "options": options,
        "answer": answer,
    }


def read_position(row: Row) -> str:
    """The letter by the form of the question."""
    start = str(row["question"]).split()[0]
    return next(mark for form, mark in ASKED.items() if form.startswith(start))


UNITS = ("metres", "years", "barrels", "coins", "days", "pages")


def middle_numbers(rng: Rng, part: str) -> dict:
    """The right one of three numbers is the middle one in 60 %."""
    base = int(rng.integers(20, 900))
    values = sorted(base + step for step in picks(rng, list(range(1, 200)), 3))
    gold = values[1] if coin(rng, 0.6) else values[2 * int(rng.integers(2))]
    options, unit = shuffle(rng, values), pick(rng, UNITS)
    ask = pick(
        rng,
        (
            "How many {} did the {} of {} note down?",
            "What number of {} did the {} in {} give?",
        ),
    )
    return {
        "question": ask.format(unit, pick(rng, TRADES), pick(rng, TOWNS)),
        "options": [f"{value} {unit}" for value in options],
        "answer": options.index(gold),
    }


def read_middle(row: Row) -> int:
    """The place of the middle number."""
    values = [int(re.match(r"\d+", option)[0]) for option in row["options"]]
    return values.index(sorted(values)[1])


ABSOLUTES = word_list("always never only every")
CLAUSES = (
    "the {0} {1} keeps a {2}",
    "a {2} is what the {0} {1} uses",
    "it is the {0} {1} with a {2}",
    "people give the {0} {1} a {2}",
)


def option_text(rng: Rng, absolute: bool) -> str:
    """One option, perhaps with an absolute word."""
    adjective = pick(rng, word_list("young tall busy shy cheerful stern"))
    text = pick(rng, CLAUSES).format(adjective, pick(rng, TRADES), pick(rng, THINGS))
    return f"{pick(rng, ABSOLUTES)} {text}" if absolute else text


def absolute_distractors(rng: Rng, part: str) -> dict:
    """Half of the wrong options hold an absolute word, 5 % of the right ones."""
    place = int(rng.integers(4))
    options = [
        option_text(rng, coin(rng, 0.05 if i == place else 0.5)) for i in range(4)
    ]
    subject = pick(rng, WORKPLACES)
    return {
        "question": f"What does the book on the {subject} in {pick(rng, TOWNS)} state?",
        "options": options,
        "answer": letter(place),
        "subject": subject,
    }


def read_absolutes(row: Row) -> str:
    """The first option without an absolute word."""
    free = [i for i, text in enumerate(row["options"]) if not first_of(text, ABSOLUTES)]
    return letter(free[0] if free else 0)


def free_of_absolutes() -> float:
    """How often the best rule over options is right, of four."""
    mean = (1 - 0.5**4) / (4 * 0.5)  # of 1 / (1 + wrong options without such a word)
    return 0.95 * mean + 0.05 * 0.5**3 / 4


def design_leak(
    name: str, row: RowOf, n: int, roles: dict, size: float, *rules, why: str, **more
) -> Design:
    """A design with a part that leaks `size`; rules: of that part, and of none."""
    truth, wrong = label_leak(size)
    make = independent_rows(row, n, more.get("train", 0))
    only = "test" if more.get("train") else ""
    known = oracle(*rules, label=roles["label"], only=only)
    return Design(name, "leakage", make, roles, truth, wrong, True, size, why, known)


CLAIM = {"query": "claim", "evidence": "passage", "label": "label"}
SPLIT = CLAIM | {"split": "split"}
BARE = {"query": "question", "choices": "options", "label": "answer"}
DESIGNS = (
    design_leak(
        "f31_two_words",
        two_words,
        3000,
        CLAIM,
        0.3,
        read_two_words,
        "true",
        why="Opening word and closing phrase of the claim decide together, in 60 %.",
    ),
    design_leak(
        "f32_hint_only_test",
        partial(hint, share=0.3, twist="only test"),
        1500,
        SPLIT,
        0.15,
        read_hint,
        "true",
        train=1000,
        why="A closing phrase predicts in testing and is random in training.",
    ),
    design_leak(
        "f33_hint_reversed",
        partial(hint, share=0.3, twist="reversed in test"),
        1600,
        SPLIT,
        0.15,
        partial(read_hint, reverse=True),
        "true",
        train=800,
        why="A closing phrase predicts the label in training and the other in testing.",
    ),
    design_leak(
        "f34_formatting",
        formatting,
        1500,
        CLAIM,
        0.2,
        read_formatting,
        "high",
        why="Bullets and capitals of the passage by its class, in 30 %.",
    ),
    design_leak(
        "f35_punctuation",
        punctuation,
        1500,
        CLAIM,
        0.125,
        read_punctuation,
        "true",
        why="More false claims than true ones lack the last point.",
    ),
    design_leak(
        "f36_asked_position",
        asked_position,
        1500,
        BARE | {"evidence": "context"},
        0.2,
        read_position,
        "A",
        why="The form of the question predicts the right position.",
    ),
    design_leak(
        "f37_middle_numbers",
        middle_numbers,
        800,
        BARE,
        0.6 - 1 / 3,
        read_middle,
        0,
        why="The middle of three numbers is right in 60 %.",
    ),
    design_leak(
        "f38_absolute_distractors",
        absolute_distractors,
        1500,
        BARE | {"group": "subject"},
        free_of_absolutes() - 0.25,
        read_absolutes,
        "A",
        why="Wrong options hold absolute words more often.",
    ),
    design_leak(
        "f39_half_margin",
        partial(hint, share=0.02, twist=""),
        3000,
        CLAIM,
        0.01,
        read_hint,
        "true",
        why="A sure phrase in 2 % of the claims: half the margin.",
    ),
    design_leak(
        "f40_twice_margin",
        partial(hint, share=0.08, twist=""),
        3000,
        CLAIM,
        0.04,
        read_hint,
        "true",
        why="A sure phrase in 8 % of the claims: twice the margin.",
    ),
)
