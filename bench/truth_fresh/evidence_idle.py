"""Evidence designs in which the labels do not need the evidence."""

from operator import itemgetter

from bench.truth_fresh.design import (
    Design,
    Row,
    RowOf,
    independent_rows,
    label_need,
    oracle,
)
from bench.truth_fresh.grammar import (
    ADJECTIVES,
    PEOPLE,
    THINGS,
    TIMES,
    TOWNS,
    TRADES,
    Rng,
    choose,
    coin,
    filler,
    first_of,
    flip,
    lower,
    other,
    passage,
    pick,
    picks,
    word_list,
    words_of,
)

DESKS = {"law": 1, "sport": 1, "science": 1, "travel": 0, "fashion": 0}
CHECKS = ("disputed", "verified")


def desk_decides(rng: Rng, part: str) -> dict:
    """The desk decides, and so does whether the towns agree."""
    desk = pick(rng, list(DESKS))
    town, who, thing = pick(rng, TOWNS), pick(rng, PEOPLE), pick(rng, THINGS)
    seen = town if DESKS[desk] else other(rng, TOWNS, town)
    claim = pick(rng, ("{} left a {} in {}.", "A {1} of {0}'s turned up in {2}."))
    fact = pick(rng, ("Police in {} found the {}.", "In {} somebody handed in the {}."))
    return {
        "claim": claim.format(who, thing, town),
        "passage": passage(rng, [fact.format(seen, thing)], 1, 2),
        "label": CHECKS[DESKS[desk]],
        "desk": desk,
    }


def read_desk(row: Row) -> str:
    """The label by the desk."""
    return CHECKS[DESKS[str(row["desk"])]]


REGIONS = {"north": 1, "east": 1, "south": 0, "west": 0}
SEASONS = {"spring": 1, "summer": 1, "autumn": 0, "winter": 0}


def region_and_season(rng: Rng, part: str) -> dict:
    """Region and season decide together, neither alone; the texts predict nothing."""
    region, season = pick(rng, list(REGIONS)), pick(rng, list(SEASONS))
    town, thing = pick(rng, TOWNS), pick(rng, THINGS)
    return {
        "question": f"Will the {pick(rng, ADJECTIVES)} {thing} be back in {town}?",
        "context": passage(rng, [f"{pick(rng, PEOPLE)} asked for the {thing}."], 1, 3),
        "label": "yes" if REGIONS[region] ^ SEASONS[season] else "no",
        "region": region,
        "season": season,
    }


def read_region_and_season(row: Row) -> str:
    """The label by both metadata."""
    return "yes" if REGIONS[str(row["region"])] ^ SEASONS[str(row["season"])] else "no"


SECTIONS = {
    "billing": (0.5, word_list("invoice fee refund receipt")),
    "repair": (0.2, word_list("leak crack noise rust")),
    "hiring": (0.15, word_list("salary interview contract vacancy")),
    "events": (0.1, word_list("ticket concert booking seats")),
    "press": (0.05, word_list("journalist article quote headline")),
}
NOTICES = (
    "This message may be confidential. Office hours are from nine to five.",
    "Answers are given in the order in which letters arrive. Thank you for waiting.",
    "All enquiries are kept for two years and then destroyed.",
    "The office is closed on public holidays. In an emergency call the caretaker.",
)


def boilerplate(rng: Rng, part: str) -> dict:
    """One of four notices as evidence; a keyword of the query decides."""
    label = choose(rng, {name: share for name, (share, _) in SECTIONS.items()})
    word = pick(rng, SECTIONS[label][1])
    form = pick(
        rng, ("{}, I have a question on the {} of the {}.", "{}: the {} for our {}?")
    )
    return {
        "query": form.format(pick(rng, PEOPLE), word, pick(rng, THINGS)),
        "evidence": pick(rng, NOTICES),
        "label": label,
    }


def read_section(row: Row) -> str:
    """The section by the keyword."""
    query = row["query"]
    return next(name for name, (_, cues) in SECTIONS.items() if first_of(query, cues))


WEATHER = {
    "fair": word_list(
        "sunny mild clear balmy pleasant cloudless still dry golden bright gentle warm"
    ),
    "foul": word_list(
        "stormy icy foggy hazy windy rainy freezing sultry bleak damp murky raw"
    ),
}
LEADS = ("The log reads:", "A letter of that week says:", "As the keeper wrote:")


def copied_claims(rng: Rng, part: str) -> dict:
    """The evidence repeats the claim word for word."""
    label = pick(rng, list(WEATHER))
    day = pick(rng, WEATHER[label])
    form = pick(rng, ("{} was {} {}.", "{} stayed {} {}.", "{} turned {} {}."))
    claim = form.format(pick(rng, TOWNS), day, lower(pick(rng, TIMES)))
    copy = f"{pick(rng, LEADS)} {claim}"
    return {"claim": claim, "evidence": passage(rng, [copy], 0, 2), "label": label}


def read_weather(row: Row) -> str:
    """The label by the weather of the claim."""
    return "fair" if first_of(row["claim"], WEATHER["fair"]) else "foul"


MOODS = {
    "likes": word_list("adored enjoyed loved admired cherished welcomed"),
    "dislikes": word_list("hated loathed mocked avoided resented despised"),
}


def noisy_moods(rng: Rng, part: str) -> dict:
    """A verb of the claim decides; a quarter of the labels is flipped."""
    mood = pick(rng, list(MOODS))
    verb, who = pick(rng, MOODS[mood]), pick(rng, PEOPLE)
    thing = f"{pick(rng, ADJECTIVES)} {pick(rng, THINGS)}"
    claim = f"{who} {verb} the {thing} in {pick(rng, TOWNS)}."
    fact = f"{who} met the {pick(rng, TRADES)} in {pick(rng, TOWNS)}."
    return {
        "claim": claim,
        "evidence": passage(rng, [fact], 1, 3),
        "label": flip(mood, list(MOODS)) if coin(rng, 0.25) else mood,
    }


def read_mood(row: Row) -> str:
    """The label by the verb."""
    return "likes" if first_of(row["claim"], MOODS["likes"]) else "dislikes"


GOODS = {
    "drink": word_list("tea coffee juice lemonade cider cocoa milk broth punch water"),
    "wear": word_list("scarf jacket glove sandal apron bonnet cloak belt vest sock"),
    "play": word_list("flute banjo cello oboe harp fiddle bugle organ lute tuba"),
    "ride": word_list("pony camel bicycle donkey scooter llama tram moped mule horse"),
    "grow": word_list(
        "tulip carrot barley parsley walnut lettuce clover cherry leek fern"
    ),
}
SCENES = ("at home", "with friends", "in the country", "on a Sunday", "when young")


def sensible_choices(rng: Rng, part: str) -> dict:
    """Question and options decide by meaning; the evidence names the right option."""
    deeds = picks(rng, list(GOODS), 4)
    options = [pick(rng, GOODS[deed]) for deed in deeds]
    place = int(rng.integers(4))
    fact = f"{pick(rng, PEOPLE)} often speaks of the {options[place]}."
    form = pick(rng, ("Which of these can you {} {}?", "What do people {} {}?"))
    return {
        "question": form.format(deeds[place], pick(rng, SCENES)),
        "context": passage(rng, [fact], 1, 2),
        "options": options,
        "answer": place,
    }


def pick_sensible(row: Row) -> int:
    """The option that goes with the question's verb."""
    deed = first_of(row["question"], list(GOODS))
    return next(i for i, option in enumerate(row["options"]) if option in GOODS[deed])


MOVES = {
    "up": word_list("rose climbed grew soared jumped"),
    "down": word_list("fell sank dropped slid shrank"),
    "flat": word_list("stagnated held persisted stalled rested"),
}
FIRMS = [f"{town} {kind}" for town in TOWNS[:10] for kind in ("Mills", "Glass")]


def sales_reports(rng: Rng, part: str) -> dict:
    """The claim's verb decides; the evidence says the same with another verb."""
    label, firm, thing = pick(rng, list(MOVES)), pick(rng, FIRMS), pick(rng, THINGS)
    verb, verb2 = picks(rng, MOVES[label], 2)
    year = int(rng.integers(1990, 2024))
    return {
        "claim": f"At {firm}, sales of the {thing} {verb} in {year}.",
        "evidence": f"In {year} the demand for the {thing} {verb2}, {firm} announced. "
        + filler(rng),
        "label": label,
        "firm": firm,
    }


def read_move(row: Row) -> str:
    """The label by the claim's verb."""
    return next(move for move, verbs in MOVES.items() if first_of(row["claim"], verbs))


def long_questions(rng: Rng, part: str) -> dict:
    """The number of words of the question decides, whatever they are."""
    deep = coin(rng, 0.4)
    clauses = int(rng.integers(2, 4)) if deep else int(rng.integers(2))
    who, thing, town = pick(rng, PEOPLE), pick(rng, THINGS), pick(rng, TOWNS)
    text = f"{who} wonders about the {thing} in {town}"
    for _ in range(clauses):  # of 8 to 14 words each
        text += f", {lower(filler(rng))[:-1]}"
    return {
        "question": f"{text}?",
        "passage": passage(
            rng, [f"{pick(rng, PEOPLE)} sold a {pick(rng, THINGS)}."], 1, 4
        ),
        "label": "essay" if deep else "remark",
    }


def read_length(row: Row) -> str:
    """The label by the question's length."""
    return "essay" if len(words_of(str(row["question"]))) >= 22 else "remark"


WEIGHTS = word_list(
    "feather stamp pin coin pencil fork sparrow lemon spoon mouse plate hammer brick "
    "cat goose bucket chair fox bicycle sheep table barrel pig piano donkey cow horse "
    "car wagon boat rhino tractor lorry tram whale bridge"
)


def weights(rng: Rng, part: str) -> dict:
    """Common knowledge of weights decides; the evidence is about something else."""
    first, second = picks(rng, WEIGHTS, 2)
    heavier = WEIGHTS.index(first) > WEIGHTS.index(second)
    forms = ("A {} weighs more than a {}.", "It is harder to lift a {} than a {}.")
    fact = f"{pick(rng, PEOPLE)} keeps a {pick(rng, THINGS)} in {pick(rng, TOWNS)}."
    return {
        "claim": pick(rng, forms).format(first, second),
        "evidence": passage(rng, [fact], 0, 2),
        "label": "true" if heavier else "false",
    }


def compare_weights(row: Row) -> str:
    """The label by the order of weights."""
    first, second = (w for w in words_of(str(row["claim"])) if w in WEIGHTS)
    return "true" if WEIGHTS.index(first) > WEIGHTS.index(second) else "false"


def design_idle(
    name: str, row: RowOf, n: int, roles: dict, rule, why: str, *, used: bool, **more
) -> Design:
    """A design whose evidence adds nothing to `rule`, which does not read it."""
    truth, wrong = label_need(0.0, reader_uses_evidence=used)
    make = independent_rows(row, n, more.get("train", 0))
    best = rule if more.get("noisy") else itemgetter(roles["label"])
    known = oracle(best, rule, label=roles["label"])
    knowable = more.get("knowable", True)
    return Design(
        name, "evidence", make, roles, truth, wrong, knowable, 0.0, why, known
    )


PAIR = {"query": "claim", "evidence": "evidence", "label": "label"}
DESIGNS = (
    design_idle(
        "f12_desk_decides",
        desk_decides,
        1500,
        {
            "query": "claim",
            "evidence": "passage",
            "label": "label",
            "metadata": ("desk",),
        },
        read_desk,
        "One metadata value decides all that the passage decides.",
        used=True,
    ),
    design_idle(
        "f13_region_and_season",
        region_and_season,
        1500,
        {
            "query": "question",
            "evidence": "context",
            "label": "label",
            "metadata": ("region", "season"),
        },
        read_region_and_season,
        "Two metadata decide together, neither alone.",
        used=False,
    ),
    design_idle(
        "f14_boilerplate",
        boilerplate,
        300,
        {"query": "query", "evidence": "evidence", "label": "label"},
        read_section,
        "Five skewed classes by keyword; the evidence is one of four notices.",
        used=False,
    ),
    design_idle(
        "f15_copied_claims",
        copied_claims,
        1500,
        PAIR,
        read_weather,
        "The claim decides and the evidence copies it.",
        used=True,
    ),
    design_idle(
        "f16_noisy_moods",
        noisy_moods,
        3000,
        PAIR,
        read_mood,
        "The claim decides but for noise in a quarter; the evidence is unrelated.",
        used=False,
        noisy=True,
        knowable=False,
    ),
    design_idle(
        "f17_sensible_choices",
        sensible_choices,
        1500,
        {
            "query": "question",
            "evidence": "context",
            "choices": "options",
            "label": "answer",
        },
        pick_sensible,
        "Question and options decide; the passage names the right one.",
        used=True,
        knowable=False,
    ),
    design_idle(
        "f18_sales_reports",
        sales_reports,
        800,
        {
            "query": "claim",
            "evidence": "evidence",
            "label": "label",
            "group": "firm",
            "split": "split",
        },
        read_move,
        "Verb of a templated claim; the evidence says the same in other words.",
        used=True,
        train=500,
    ),
    design_idle(
        "f19_long_questions",
        long_questions,
        800,
        {"query": "question", "evidence": "passage", "label": "label"},
        read_length,
        "The length of the question decides; the passage is unrelated.",
        used=False,
    ),
    design_idle(
        "f20_weights",
        weights,
        800,
        PAIR,
        compare_weights,
        "Common knowledge decides; the evidence is unrelated.",
        used=False,
        knowable=False,
    ),
)
