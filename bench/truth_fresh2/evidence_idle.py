"""Evidence designs in which no label needs the evidence."""

from operator import itemgetter

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import (
    Rng,
    coin,
    first_of,
    letter,
    pick,
    picks,
    shuffle,
    upper,
    word_list,
    words_of,
)
from bench.truth_fresh.leakage_clean import dependent_rows
from bench.truth_fresh2.planted import plant_need
from bench.truth_fresh2.words import (
    CITIES,
    JOBS,
    KINDS,
    NAMES,
    OBJECTS,
    blend,
)

PAIR = {"query": "claim", "evidence": "passage", "label": "label"}


def aside(rng: Rng) -> str:
    """A sentence about something else."""
    return f"{pick(rng, NAMES)} met a {pick(rng, JOBS)} in {pick(rng, CITIES)}."


FOOD = word_list("bakery dairy brewery grocery butchery creamery")
ART = word_list("museum theatre gallery library opera cinema")
TRIPS = (
    "First the {}, then the {}, is how {} went.",
    "{2} saw the {0} before the {1}.",
    "From the {} past the {} walked {}.",
)


def order_of_stops(rng: Rng, part: str) -> dict:
    """Which of two stops comes first decides; the words are the same."""
    stops = [pick(rng, FOOD), pick(rng, ART)]
    food = coin(rng)
    claim = pick(rng, TRIPS).format(*(stops if food else stops[::-1]), pick(rng, NAMES))
    return {
        "claim": claim,
        "passage": blend(rng, [aside(rng)], 1, 2),
        "label": "food first" if food else "art first",
    }


def read_stops(row: Row) -> str:
    """The label by the first stop."""
    return "food first" if first_of(row["claim"], FOOD + ART) in FOOD else "art first"


SUITS = {
    "hearts": word_list("doctor nurse medic surgeon"),
    "spades": word_list("digger farmer gardener ploughman"),
    "clubs": word_list("boxer wrestler fencer sprinter"),
    "diamonds": word_list("jeweller banker goldsmith cashier"),
}


def noisy_suits(rng: Rng, part: str) -> dict:
    """A word of the claim decides but for a fifth of labels drawn at random."""
    suit = pick(rng, list(SUITS))
    ask = pick(rng, ("The {} of {} drew a card.", "In {1} a {0} sat down to play."))
    return {
        "claim": ask.format(pick(rng, SUITS[suit]), pick(rng, CITIES)),
        "passage": blend(rng, [aside(rng)], 1, 2),
        "label": pick(rng, list(SUITS)) if coin(rng, 0.2) else suit,
    }


def read_suit(row: Row) -> str:
    """The label by the claim."""
    return next(s for s, words in SUITS.items() if first_of(row["claim"], words))


LINES = ("red line", "green line", "blue line")
STOPS = word_list(
    "Abbey Bridge Castle Dock Elm Ferry Gate Harbour Inn Junction Keep Lock"
)
SIGNS = (
    word_list("scarlet crimson ruby"),
    word_list("emerald olive jade"),
    word_list("navy azure cobalt"),
)


def stations(rng: Rng, part: str) -> dict:
    """Twelve stations, a metadata column, decide; so does a colour in the passage."""
    place = int(rng.integers(12))
    line = place % 3
    fact = f"The ticket that {pick(rng, NAMES)} kept is {pick(rng, SIGNS[line])}."
    return {
        "claim": f"Which line did the {pick(rng, JOBS)} take to {pick(rng, CITIES)}?",
        "passage": blend(rng, [fact], 1, 2),
        "label": LINES[line],
        "station": STOPS[place],
    }


def read_station(row: Row) -> str:
    """The label by the metadata."""
    return LINES[STOPS.index(str(row["station"])) % 3]


TONES = {
    "formal": word_list("kindly hereby sincerely respectfully"),
    "casual": word_list("hey cheers gonna thx"),
}
HEADS = {
    ("AT", "formal"): "Sehr geehrte Damen und Herren",
    ("AT", "casual"): "Servus",
    ("IE", "formal"): "Dear Sir or Madam",
    ("IE", "casual"): "Hiya",
}


def country_and_tone(rng: Rng, part: str) -> dict:
    """Metadata give the country and the query the tone; the draft answer gives both."""
    country, tone = pick(rng, ("AT", "IE")), pick(rng, list(TONES))
    word, thing = pick(rng, TONES[tone]), pick(rng, OBJECTS)
    ask = pick(rng, ("{}, where is the {} for {}?", "The {1} of {2} is late, {0}."))
    return {
        "claim": ask.format(word, thing, pick(rng, NAMES)),
        "passage": f"{HEADS[country, tone]}, {blend(rng, [], 1, 2)}",
        "label": f"{country}-{tone}",
        "country": country,
    }


def read_tone(row: Row) -> str:
    """The label by metadata and query."""
    tone = "formal" if first_of(row["claim"], TONES["formal"]) else "casual"
    return f"{row['country']}-{tone}"


STATES = {
    "gain": word_list(
        "won earned inherited obtained acquired collected secured received gathered "
        "harvested pocketed landed netted claimed fetched reaped amassed captured "
        "recovered gained"
    ),
    "loss": word_list(
        "lost forfeited mislaid dropped wasted squandered surrendered sacrificed "
        "misplaced gambled burned drained shed ceded spilled sank ruined broke "
        "wrecked missed"
    ),
}
BOOKED = {"gain": "credit", "loss": "debit"}


def many_synonyms(rng: Rng, part: str) -> dict:
    """Twenty verbs a class in the claim; one word a class in the passage."""
    label = pick(rng, list(STATES))
    claim = f"{pick(rng, NAMES)} {pick(rng, STATES[label])} the {pick(rng, OBJECTS)}"
    return {
        "claim": f"{claim} in {pick(rng, CITIES)}.",
        "passage": blend(rng, [f"The clerk booked a {BOOKED[label]}."], 1, 2),
        "label": label,
    }


def read_verb(row: Row) -> str:
    """The label by the verb of the claim."""
    return "gain" if first_of(row["claim"], STATES["gain"]) else "loss"


TASTES = {
    "sweet": word_list("honey syrup sugar caramel"),
    "salty": word_list("brine anchovy pretzel bacon"),
}
JARS = {"sweet": "pantry", "salty": "cellar"}


def shared_errors(rng: Rng, part: str) -> dict:
    """Query and passage err together: both are right in the same 80 % of items."""
    label = pick(rng, list(TASTES))
    cue = label if coin(rng, 0.8) else next(t for t in TASTES if t != label)
    ask = pick(rng, ("{} served the {} in {}.", "In {2} the {1} of {0} was tried."))
    return {
        "claim": ask.format(
            pick(rng, NAMES), pick(rng, TASTES[cue]), pick(rng, CITIES)
        ),
        "passage": blend(rng, [f"It came from the {JARS[cue]}."], 1, 2),
        "label": label,
    }


def read_taste(row: Row) -> str:
    """The label by the claim."""
    return "sweet" if first_of(row["claim"], TASTES["sweet"]) else "salty"


def phrase(rng: Rng, many: int) -> str:
    """An option with `many` kinds before the object."""
    return f"the {' '.join(picks(rng, KINDS, many))} {pick(rng, OBJECTS)}"


def longest_option(rng: Rng, part: str) -> dict:
    """The longest of four options is right; the passage names it too."""
    gold = phrase(rng, pick(rng, (5, 6)))
    wrong = [phrase(rng, pick(rng, (1, 2, 3))) for _ in range(3)]
    options = shuffle(rng, [gold, *wrong])
    return {
        "question": f"What did {pick(rng, NAMES)} carry to {pick(rng, CITIES)}?",
        "passage": blend(rng, [f"It was {gold}."], 1, 2),
        "options": options,
        "answer": letter(options.index(gold)),
    }


def read_longest(row: Row) -> str:
    """The longest option."""
    sizes = [len(words_of(option)) for option in row["options"]]
    return letter(sizes.index(max(sizes)))


ODD = {
    "??": word_list("lantern candle torch"),
    "o.k.": word_list("hammer pliers wrench"),
    "(x)": word_list("ladle skillet whisk"),
}


def folders(rng: Rng, n: int) -> list[dict]:
    """Forty passages of ten items each; a word of the query decides."""
    rows: list[dict] = []
    for number in range(n // 10):
        text = upper(blend(rng, [aside(rng)], 8, 12))
        for _ in range(10):
            label = pick(rng, list(ODD))
            ask = pick(rng, ("The {} of {} in {}.", "{1} left a {0} in {2}."))
            rows.append(
                {
                    "claim": ask.format(
                        pick(rng, ODD[label]), pick(rng, NAMES), pick(rng, CITIES)
                    ),
                    "passage": text,
                    "label": label,
                    "folder": f"folder {number}",
                }
            )
    return rows


def read_odd(row: Row) -> str:
    """The label by the query."""
    return next(k for k, words in ODD.items() if first_of(row["claim"], words))


def plant_idle(name, row, n, roles, rule, rate, why, **more):
    """A design in which `rule`, which does not read the evidence, is the best one."""
    best = itemgetter(roles["label"]) if rate == 1 else rule
    return plant_need(name, row, n, roles, (best, rule), (rate, rate), why, **more)


DESIGNS = (
    plant_idle(
        "g08_order_of_stops",
        order_of_stops,
        1500,
        PAIR,
        read_stops,
        1,
        "The order of two words of the claim decides; the passage is unrelated.",
        used=False,
    ),
    plant_idle(
        "g09_noisy_suits",
        noisy_suits,
        5000,
        PAIR,
        read_suit,
        0.85,
        "A word of the claim decides but for noise; the passage is unrelated.",
        used=False,
        knowable=False,
    ),
    plant_idle(
        "g10_stations",
        stations,
        800,
        PAIR | {"metadata": ("station",)},
        read_station,
        1,
        "A metadata column of twelve values decides all that the passage decides.",
    ),
    plant_idle(
        "g11_country_and_tone",
        country_and_tone,
        1200,
        PAIR | {"metadata": ("country",)},
        read_tone,
        1,
        "Metadata and query decide together; the passage says the same.",
    ),
    plant_idle(
        "g12_many_synonyms",
        many_synonyms,
        2500,
        PAIR,
        read_verb,
        1,
        "Forty verbs of the claim decide; so does one plain word of the passage.",
    ),
    plant_idle(
        "g13_shared_errors",
        shared_errors,
        2000,
        PAIR,
        read_taste,
        0.8,
        "Query and passage are right and wrong in the same items.",
        knowable=False,
    ),
    plant_idle(
        "g17_longest_option",
        longest_option,
        1500,
        {
            "query": "question",
            "evidence": "passage",
            "choices": "options",
            "label": "answer",
        },
        read_longest,
        1,
        "The longest option is right; the passage names it as well.",
    ),
    plant_idle(
        "g19_folders",
        None,
        400,
        PAIR | {"group": "folder"},
        read_odd,
        1,
        "A word of the query decides; ten items share each unrelated passage.",
        used=False,
        make=dependent_rows(folders, 400),
    ),
)
