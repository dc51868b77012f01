"""Leakage designs in which no part alone predicts the label."""

from bench.truth_fresh.grammar import (
    Rng,
    coin,
    lower,
    other,
    pick,
    picks,
    shuffle,
    upper,
    word_list,
)
from bench.truth_fresh.leakage_clean import dependent_rows
from bench.truth_fresh2.planted import plant_clean
from bench.truth_fresh2.words import (
    CITIES,
    COLOURS,
    JOBS,
    KINDS,
    NAMES,
    OBJECTS,
    blend,
    fill,
)

PAIR = {"query": "claim", "evidence": "passage", "label": "label"}
SPLIT = PAIR | {"split": "split"}
HOURS = word_list("one two three four five six seven eight nine ten eleven twelve")
DELAYS = ("punctual", "one hour late", "two hours late")


def ferries(rng: Rng, part: str) -> dict:
    """Hours on the dial, so that neither hour alone predicts the delay."""
    due, late = int(rng.integers(12)), int(rng.integers(3))
    town, thing = pick(rng, CITIES), pick(rng, OBJECTS)
    ask = pick(
        rng,
        ("The ferry with the {1} leaves {0} at {2}.", "At {2} the {1} goes to {0}."),
    )
    fact = pick(rng, ("It was {} when the ropes were cast off.", "At {} it sailed."))
    return {
        "claim": ask.format(town, thing, HOURS[due]),
        "passage": blend(rng, [fact.format(HOURS[(due + late) % 12])], 1, 3),
        "label": DELAYS[late],
    }


def skewed_drawers(rng: Rng, part: str) -> dict:
    """The same colour in 90 %, any other one in the rest."""
    colour, same = pick(rng, COLOURS), coin(rng, 0.9)
    seen = colour if same else other(rng, COLOURS, colour)
    thing, who = pick(rng, OBJECTS), pick(rng, NAMES)
    ask = pick(rng, ("The {1} of {2} is {0}.", "{2} bought one {0} {1}."))
    fact = pick(rng, ("The photo shows a {0} {1}.", "A {1}, {0} all over, is seen."))
    return {
        "claim": ask.format(colour, thing, who),
        "passage": blend(rng, [fact.format(seen, thing)], 1, 2),
        "label": "regular" if same else "defect",
    }


def latin_squares(rng: Rng, n: int) -> list[dict]:
    """Three claims by three passages; each text stands once with each label."""
    rows = []
    for _ in range(n // 9):
        who, thing, town = pick(rng, NAMES), pick(rng, OBJECTS), pick(rng, CITIES)
        kinds, extra = picks(rng, KINDS, 2), fill(rng)
        shifts, moves = ("early", "middle", "late"), ("one", "two", "three")
        claims = [
            f"In {town}, {who} of the {kinds[0]} {thing} had the {s} shift."
            for s in shifts
        ]
        texts = [
            f"{who} then moved on by {m} places. The {kinds[1]} bell rang. {extra}"
            for m in moves
        ]
        rows += [
            {"claim": claims[i], "passage": texts[j], "label": shifts[(i + j + 1) % 3]}
            for i in range(3)
            for j in range(3)
        ]
    return shuffle(rng, rows)


EL_WHO = word_list("Άννα Νίκος Ελένη Γιώργος Μαρία Πέτρος Σοφία Κώστας Ιωάννα Λευτέρης")
EL_WHERE = word_list("Αθήνα Πάτρα Βόλος Χανιά Ρόδος Κως Σπάρτη Λάρισα Καβάλα Δράμα")
EL_WHAT = word_list("βιβλίο τραπέζι ποδήλατο κλειδί γράμμα ρολόι καπέλο λουλούδι")


def greek_squares(rng: Rng, n: int) -> list[dict]:
    """Two claims by two passages in Greek; each text stands with both labels."""
    rows = []
    for _ in range(n // 4):
        who, what = pick(rng, EL_WHO), pick(rng, EL_WHAT)
        towns = picks(rng, EL_WHERE, 2)
        claims = [f"Το {what}: {who}, {town}." for town in towns]
        texts = [f"{town}: εκεί είδαν το {what} ({who})." for town in towns]
        rows += [
            {
                "claim": claims[i],
                "passage": texts[j],
                "label": "ναι" if i == j else "όχι",
            }
            for i in range(2)
            for j in range(2)
        ]
    return shuffle(rng, rows)


def long_minutes(rng: Rng, part: str) -> dict:
    """Long minutes; the office named on both sides agrees or does not."""
    job, same = pick(rng, JOBS), coin(rng)
    seen = job if same else other(rng, JOBS, job)
    who, town = pick(rng, NAMES), pick(rng, CITIES)
    ask = pick(rng, ("{} is the {} of {}.", "In {2} the {1} is called {0}."))
    return {
        "claim": ask.format(who, job, town),
        "passage": blend(rng, [f"{who} spoke as the {seen} of the town."], 12, 20),
        "label": "backed" if same else "denied",
    }


def either_or(rng: Rng, part: str) -> dict:
    """Two options, both in the passage, which binds them to two names."""
    options, place = picks(rng, CITIES, 2), int(rng.integers(2))
    (who, rival), thing = picks(rng, NAMES, 2), pick(rng, OBJECTS)
    ask = pick(rng, ("Where did {} find the {}?", "The {1} of {0} is from where?"))
    fact = pick(rng, ("{} brought it from {}.", "For {} it all began in {}."))
    facts = [fact.format(who, options[place]), fact.format(rival, options[1 - place])]
    return {
        "question": ask.format(who, thing),
        "passage": blend(rng, facts, 1, 2),
        "one": options[0],
        "two": options[1],
        "answer": options[place],
    }


MONTHS = word_list(
    "January February March April May June July August September October November "
    "December"
)


def shifted_labels(rng: Rng, part: str) -> dict:
    """70 % of training items agree and 30 % of test items."""
    same = coin(rng, 0.7 if part == "train" else 0.3)
    month = pick(rng, MONTHS)
    seen = month if same else other(rng, MONTHS, month)
    who, thing = pick(rng, NAMES), pick(rng, OBJECTS)
    ask = pick(rng, ("{} sold the {} in {}.", "In {2} the {1} was sold by {0}."))
    fact = pick(rng, ("The deed for the {} is of {}.", "The {} changed hands in {}."))
    return {
        "claim": ask.format(who, thing, month),
        "passage": blend(rng, [fact.format(thing, seen)], 1, 2),
        "label": "agrees" if same else "differs",
    }


def sighting(rng: Rng) -> dict:
    """The slots of a claim."""
    slots = zip(
        ("who", "kind", "thing", "job"), (NAMES, KINDS, OBJECTS, JOBS), strict=True
    )
    return {name: pick(rng, words) for name, words in slots}


FRAMES = (
    "{who} gave the {kind} {thing} to the {job} from {town}",
    "to the {job} from {town} went the {kind} {thing} of {who}",
    "the {kind} {thing} was a present from {who} for the {job} from {town}",
    "in {town} a {job} got hold of the {kind} {thing}, thanks to {who}",
)


def tell(rng: Rng, slots: dict, town: str, same: bool) -> dict:
    """A claim of the slots, and a passage that agrees on the town or does not."""
    seen = town if same else other(rng, CITIES, town)
    fact = f"The {slots['job']} who knew {slots['who']} came from {seen}."
    return {
        "claim": upper(pick(rng, FRAMES).format(**slots, town=town)) + ".",
        "passage": blend(rng, [fact], 1, 2),
        "label": "true" if same else "false",
    }


def named_pairs(rng: Rng, n: int) -> list[dict]:
    """Two wordings of each claim with one label; a column names the pair."""
    rows = []
    for number in range(n // 2):
        slots, town, same = sighting(rng), pick(rng, CITIES), coin(rng)
        rows += [
            {**tell(rng, slots, town, same), "pair": f"pair {number}"} for _ in "ab"
        ]
    return rows


def rewritten_tests(rng: Rng, n: int) -> list[dict]:
    """Three in ten test items reword a training item, with its label."""
    train, kept, rows = n * 7 // 10, [], []
    for number in range(n):
        if number < train:
            kept.append((sighting(rng), pick(rng, CITIES), coin(rng)))
            told = kept[-1]
        elif coin(rng, 0.3):
            told = pick(rng, kept)
        else:
            told = sighting(rng), pick(rng, CITIES), coin(rng)
        part = "train" if number < train else "test"
        rows.append({"split": part, **tell(rng, *told)})
    return rows


SECTORS = tuple(f"#{number}" for number in range(1, 7))
FRUITS = word_list("apple pear plum fig grape quince")
STEPS = word_list("zero one two three four five")
MARKS = ("{}", "> {}", "[{}]", "{} (sic)", "~{}~", "Q: {}")


def wheel(rng: Rng, part: str) -> dict:
    """Six sectors by start and turn, a fifth of labels at random, marks at random."""
    start, turn = int(rng.integers(6)), int(rng.integers(6))
    ask = (
        f"{pick(rng, NAMES)} set the {pick(rng, OBJECTS)} wheel on the {FRUITS[start]}."
    )
    fact = f"It was turned by {STEPS[turn]} sectors."
    if coin(rng):
        ask = lower(ask)
    return {
        "claim": pick(rng, MARKS).format(ask),
        "passage": pick(rng, MARKS).format(blend(rng, [fact], 1, 3)),
        "label": pick(rng, SECTORS) if coin(rng, 0.2) else SECTORS[(start + turn) % 6],
    }


OPTIONS = {
    "query": "question",
    "evidence": "passage",
    "choices": ("one", "two"),
    "label": "answer",
}
DESIGNS = (
    plant_clean(
        "g21_ferries",
        ferries,
        3000,
        PAIR,
        "punctual",
        1 / 3,
        "Three labels by the distance of two hours on a dial.",
    ),
    plant_clean(
        "g22_skewed_drawers",
        skewed_drawers,
        2500,
        PAIR,
        "regular",
        0.9,
        "Labels 90/10 by whether two colours agree.",
    ),
    plant_clean(
        "g23_latin_squares",
        None,
        900,
        PAIR,
        "late",
        1 / 3,
        "Every claim and every passage stands once with each of three labels.",
        make=dependent_rows(latin_squares, 900),
    ),
    plant_clean(
        "g24_greek_squares",
        None,
        200,
        PAIR,
        "ναι",
        0.5,
        "200 items in Greek; every claim and every passage stands with both labels.",
        make=dependent_rows(greek_squares, 200),
    ),
    plant_clean(
        "g25_long_minutes",
        long_minutes,
        2500,
        PAIR,
        "backed",
        0.5,
        "Long passages; only the office on both sides tells.",
    ),
    plant_clean(
        "g26_either_or",
        either_or,
        4000,
        OPTIONS,
        lambda row: row["one"],
        0.5,
        "Two options, both in the passage; only the name in the question tells which.",
    ),
    plant_clean(
        "g27_shifted_labels",
        shifted_labels,
        4000,
        SPLIT,
        "differs",
        0.7,
        "Labels 70/30 in training and 30/70 in testing; the texts are alike.",
        train=2500,
        only="test",
    ),
    plant_clean(
        "g28_named_pairs",
        None,
        4000,
        PAIR | {"group": "pair"},
        "true",
        0.5,
        "Two wordings of each claim with one label, in a group: memory, not a leak.",
        make=dependent_rows(named_pairs, 4000),
        knowable=False,
    ),
    plant_clean(
        "g29_rewritten_tests",
        None,
        4000,
        SPLIT,
        "true",
        0.5,
        "Test items reword training items, with their labels: memory, not a leak.",
        make=dependent_rows(rewritten_tests, 4000),
        knowable=False,
    ),
    plant_clean(
        "g30_wheel",
        wheel,
        5000,
        PAIR,
        "#1",
        1 / 6,
        "Six labels with odd names, noise and marks of all kinds, by start and turn.",
    ),
)
