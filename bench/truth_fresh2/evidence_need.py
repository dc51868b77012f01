"""Evidence designs in which labels need the evidence, many or few."""

import re

from bench.truth_fresh.design import MISLEADS, NEEDED, NOT_NEEDED, SMALL_NEED, Row
from bench.truth_fresh.grammar import (
    Rng,
    choose,
    coin,
    first_of,
    flip,
    other,
    pick,
    picks,
    upper,
    word_list,
    words_of,
)
from bench.truth_fresh.leakage_clean import dependent_rows
from bench.truth_fresh2.planted import always, plant, plant_need
from bench.truth_fresh2.words import (
    CITIES,
    COLOURS,
    JOBS,
    KINDS,
    NAMES,
    OBJECTS,
    blend,
)

PAIR = {"query": "claim", "evidence": "passage", "label": "label"}
PAID = {"settled": 0.5, "short": 0.3, "over": 0.2}


def paid_amounts(rng: Rng, part: str) -> dict:
    """An amount due in the query, the amount that came in the statement."""
    label, due = choose(rng, PAID), int(rng.integers(200, 9_000))
    gap = int(rng.integers(5, 90)) * {"settled": 0, "short": -1, "over": 1}[label]
    who = pick(rng, NAMES)
    ask = pick(rng, ("{} owes {} crowns for the {}.", "Bill to {}: {} crowns, one {}."))
    fact = pick(rng, ("{1} crowns came in from {0}.", "The bank shows {} with {} in."))
    return {
        "claim": ask.format(who, due, pick(rng, OBJECTS)),
        "passage": blend(rng, [fact.format(who, due + gap)], 1, 3),
        "label": label,
    }


def compare_amounts(row: Row) -> str:
    """The label by the two numbers."""
    due, came = (int(re.search(r"\d+", str(row[n]))[0]) for n in ("claim", "passage"))
    return "settled" if due == came else "short" if came < due else "over"


RU_NAMES = word_list(
    "Антон Борис Вера Глеб Дарья Егор Жанна Зоя Игорь Кира Лев Мария Нина Олег Павел "
    "Роман Софья Тимур Ульяна Фёдор"
)
RU_TOWNS = word_list(
    "Казань Тверь Псков Омск Пермь Рязань Самара Томск Тула Уфа Чита Якутск Брянск "
    "Вологда Калуга Курск Орёл Пенза"
)
RU_FILL = [
    f"{a} {b} {c}."
    for a in ("Старый сторож", "Новый учитель", "Местный врач", "Молодой повар")
    for b in ("читал газету", "пил чай", "ждал поезд", "писал письмо", "чинил забор")
    for c in ("утром", "вечером", "весной", "в субботу", "без спешки", "у реки")
]


def russian_towns(rng: Rng, part: str) -> dict:
    """The same town or another, in Russian."""
    who, town, same = pick(rng, RU_NAMES), pick(rng, RU_TOWNS), coin(rng)
    seen = town if same else other(rng, RU_TOWNS, town)
    ask = pick(rng, ("{} родом из города {}.", "Родной город: {1}, имя: {0}."))
    fact = pick(rng, ("В паспорте {} указан город {}.", "{}, место рождения {}."))
    texts = [fact.format(who, seen), *picks(rng, RU_FILL, 2)]
    return {
        "claim": ask.format(who, town),
        "passage": " ".join(texts),
        "label": "да" if same else "нет",
    }


def compare_russian(row: Row) -> str:
    """The label by the two towns."""
    towns = [
        next(t for t in RU_TOWNS if t in str(row[n])) for n in ("claim", "passage")
    ]
    return "да" if towns[0] == towns[1] else "нет"


STARS = {
    "★": word_list("filthy disastrous unbearable appalling"),
    "★★": word_list("shabby disappointing draughty tasteless"),
    "★★★": word_list("passable ordinary acceptable middling"),
    "★★★★": word_list("comfortable tasty welcoming tidy"),
    "★★★★★": word_list("magnificent flawless heavenly superb"),
}


def star_reports(rng: Rng, part: str) -> dict:
    """A word of the report rates; 30 % of the ratings are drawn at random."""
    stars = pick(rng, list(STARS))
    words = picks(rng, STARS[stars], 2)
    fact = pick(rng, ("The inn was {} and {}.", "We found it {}, the food {}."))
    return {
        "claim": f"How did {pick(rng, NAMES)} rate the inn at {pick(rng, CITIES)}?",
        "passage": blend(rng, [fact.format(*words)], 1, 2),
        "label": pick(rng, list(STARS)) if coin(rng, 0.3) else stars,
    }


def read_stars(row: Row) -> str:
    """The rating by the report."""
    return next(s for s, words in STARS.items() if first_of(row["passage"], words))


GUESTS = {
    "admitted": word_list("pensioner student pupil veteran member resident"),
    "refused": word_list("dealer trader hawker vendor broker agent"),
}
CLOSURES = word_list("flooded quarantined evacuated condemned")


def exceptions(rng: Rng, part: str) -> dict:
    """Who asks decides; in a fifth a closure in the notice refuses everybody."""
    kind, shut = pick(rng, list(GUESTS)), coin(rng, 0.2)
    notice = f"The hall in {pick(rng, CITIES)} was "
    notice += pick(rng, CLOSURES if shut else word_list("swept painted heated aired"))
    ask = pick(rng, ("May a {} from {} see the {}?", "A {} of {} wants to see the {}."))
    return {
        "claim": ask.format(
            pick(rng, GUESTS[kind]), pick(rng, CITIES), pick(rng, OBJECTS)
        ),
        "passage": blend(rng, [f"{notice}."], 1, 2),
        "label": "refused" if shut else kind,
    }


def read_guest(row: Row) -> str:
    """The label by who asks."""
    return "admitted" if first_of(row["claim"], GUESTS["admitted"]) else "refused"


def read_closure(row: Row) -> str:
    """The label by who asks and by the notice."""
    return "refused" if first_of(row["passage"], CLOSURES) else read_guest(row)


GRADES = {
    "high": word_list("steep lofty towering soaring"),
    "low": word_list("flat shallow sunken squat"),
}


def errata(rng: Rng, part: str) -> dict:
    """The claim grades; in 4 % an erratum of the passage names the other grade."""
    grade, wrong = pick(rng, list(GRADES)), coin(rng, 0.04)
    label = flip(grade, list(GRADES)) if wrong else grade
    note = [f"Erratum: read {label} in the line on {pick(rng, CITIES)}."]
    ask = pick(rng, ("The {0} roof in {1} has a {2}.", "In {1}, {0} roofs bear a {2}."))
    return {
        "claim": ask.format(
            pick(rng, GRADES[grade]), pick(rng, CITIES), pick(rng, OBJECTS)
        ),
        "passage": blend(rng, note if wrong else [], 1 if wrong else 2, 3),
        "label": label,
    }


def read_grade(row: Row) -> str:
    """The grade of the claim."""
    return "high" if first_of(row["claim"], GRADES["high"]) else "low"


def read_erratum(row: Row) -> str:
    """The grade of the erratum, else of the claim."""
    found = re.search(r"Erratum: read (\w+)", str(row["passage"]))
    return found[1] if found else read_grade(row)


TARIFFS = {"T1": "peak", "T2": "peak", "T3": "idle", "T4": "idle"}


def overruled_tariffs(rng: Rng, part: str) -> dict:
    """The tariff, a metadata column, decides; in 1 % a decree says the other rate."""
    tariff, decree = pick(rng, list(TARIFFS)), coin(rng, 0.01)
    label = TARIFFS[tariff]
    if decree:
        label = flip(label, ["peak", "idle"])
    note = f"By decree the rate is {label}."
    who, thing = pick(rng, NAMES), pick(rng, OBJECTS)
    return {
        "claim": f"{who} runs the {thing} in {pick(rng, CITIES)}: which rate holds?",
        "passage": blend(rng, [note] if decree else [], 2, 3),
        "label": label,
        "tariff": tariff,
    }


def read_tariff(row: Row) -> str:
    """The label by the metadata."""
    return TARIFFS[str(row["tariff"])]


def read_decree(row: Row) -> str:
    """The label by the decree, else by the metadata."""
    found = re.search(r"the rate is (\w+)", str(row["passage"]))
    return found[1] if found else read_tariff(row)


def order_code(rng: Rng) -> str:
    """A code of two letters and three digits."""
    letters = "".join(pick(rng, "BCDFGHKLMNPRSTVWXZ") for _ in range(2))
    return f"{letters}{rng.integers(100, 1000)}"


def skewed_orders(rng: Rng, part: str) -> dict:
    """A code on the order and on the slip; one slip in ten bears another code."""
    code, fine = order_code(rng), coin(rng, 0.9)
    seen = code if fine else order_code(rng)
    ask = pick(rng, ("Order {} by {}: one {}.", "{1} wants a {2}, see order {0}."))
    fact = pick(rng, ("The slip in the box says {}.", "It was packed under {}."))
    return {
        "claim": ask.format(code, pick(rng, NAMES), pick(rng, OBJECTS)),
        "passage": blend(rng, [fact.format(seen)], 1, 2),
        "label": "ok" if fine else "mismatch",
    }


def compare_codes(row: Row) -> str:
    """The label by the two codes."""
    codes = [re.search(r"[A-Z]{2}\d{3}", str(row[n]))[0] for n in ("claim", "passage")]
    return "ok" if codes[0] == codes[1] else "mismatch"


PETS = {
    "bird": word_list("finch parrot owl crow"),
    "fish": word_list("carp trout eel perch"),
    "insect": word_list("beetle cricket moth wasp"),
}


def false_friends(rng: Rng, part: str) -> dict:
    """A word right in 85 %; a stamp in 90 % of training and a third of testing."""
    label = pick(rng, list(PETS))
    cue = label if coin(rng, 0.85) else other(rng, list(PETS), label)
    stamp = pick(rng, list(PETS))
    if part == "train":
        stamp = label if coin(rng, 0.9) else other(rng, list(PETS), label)
    ask = f"{pick(rng, NAMES)} keeps the {pick(rng, KINDS)} {pick(rng, PETS[cue])}"
    return {
        "claim": f"{ask} in {pick(rng, CITIES)}.",
        "passage": blend(rng, [f"Filed under {stamp}."], 1, 2),
        "label": label,
        "split": part,
    }


def read_pet(row: Row) -> str:
    """The label by the claim."""
    return next(p for p, words in PETS.items() if first_of(row["claim"], words))


def read_filed(row: Row) -> str:
    """What a reader that trusts the training items follows."""
    return re.search(r"Filed under (\w+)", str(row["passage"]))[1]


def other_world(rng: Rng, part: str) -> dict:
    """Homes in training, colours in testing; the value agrees or does not."""
    same, known = coin(rng), CITIES if part == "train" else COLOURS
    value, who, thing = pick(rng, known), pick(rng, NAMES), pick(rng, OBJECTS)
    seen = value if same else other(rng, known, value)
    if part == "train":
        claim, fact = f"{who} lives in {value}.", f"The home of {who} is {seen}."
    else:
        claim = f"The {thing} was painted {value}."
        fact = f"Somebody chose {seen} for the {thing}."
    return {
        "claim": claim,
        "passage": blend(rng, [fact], 1, 3),
        "label": "agree" if same else "clash",
    }


def compare_values(row: Row) -> str:
    """The label by the two values."""
    known = CITIES + COLOURS
    same = first_of(row["claim"], known) == first_of(row["passage"], known)
    return "agree" if same else "clash"


def permit(rng: Rng) -> str:
    """A made-up word."""
    return upper(
        "".join(pick(rng, "bdfgklmnprstvz") + pick(rng, "aeiou") for _ in "abc")
    )


def long_files(rng: Rng, part: str) -> dict:
    """A file of some 1,200 words holds the permit's name or does not."""
    name, same = permit(rng), coin(rng)
    others = [permit(rng) for _ in range(5)]
    while name in others:
        others = [permit(rng) for _ in range(5)]
    names = [name if same else permit(rng), *others]
    facts = [f"The permit {text} was entered by hand." for text in names]
    town = pick(rng, CITIES)
    facts.append(f"All this is kept in {town}.")
    ask = pick(rng, ("Permit {} is on file in {}.", "In {1}, permit {0} was granted."))
    return {
        "claim": ask.format(name, town),
        "passage": blend(rng, facts, 140, 160),
        "label": "true" if same else "false",
    }


def find_permit(row: Row) -> str:
    """The label by the permit's name."""
    name = re.search(r"[Pp]ermit (\w+)", str(row["claim"]))[1]
    return "true" if f"permit {name} " in str(row["passage"]) else "false"


def five_years(rng: Rng, part: str) -> dict:
    """Five years to choose from, one in the passage; a tenth of the labels is off."""
    years = [f"in {year}" for year in picks(rng, range(1700, 1990), 5)]
    place = int(rng.integers(5))
    town, thing = pick(rng, CITIES), pick(rng, OBJECTS)
    fact = pick(rng, ("{0} bought the {1} {2}.", "The {1} came to {0} {2}."))
    gold = other(rng, years, years[place]) if coin(rng, 0.1) else years[place]
    return {
        "question": f"When did {town} get its {pick(rng, KINDS)} {thing}?",
        "passage": blend(rng, [fact.format(town, thing, years[place])], 1, 3),
        "options": years,
        "answer": gold,
    }


def find_year(row: Row) -> str:
    """The option that stands in the passage."""
    return next(o for o in row["options"] if o in str(row["passage"]))


def read_job(row: Row) -> str:
    """The label by the jobs of the list."""
    return (
        "listed" if first_of(row["claim"], JOBS) in words_of(row["passage"]) else "no"
    )


def shared_lists(rng: Rng, n: int) -> list[dict]:
    """Forty lists of jobs; 25 claims on each of them, half on jobs it lacks."""
    rows: list[dict] = []
    for number in range(n // 25):
        jobs = picks(rng, JOBS, 10)
        facts = [f"The {job} signed with {pick(rng, KINDS)} ink." for job in jobs]
        text = blend(rng, facts, 2, 4)
        for _ in range(25):
            listed = coin(rng)
            job = pick(rng, jobs if listed else [j for j in JOBS if j not in jobs])
            ask = pick(
                rng, ("The {0} from {1} signed for {2}.", "{2} of {1}, {0}, signed.")
            )
            rows.append(
                {
                    "claim": ask.format(job, pick(rng, CITIES), pick(rng, NAMES)),
                    "passage": text,
                    "label": "listed" if listed else "no",
                    "folder": f"folder {number}",
                }
            )
    return rows


CHOICE = {
    "query": "question",
    "evidence": "passage",
    "choices": "options",
    "label": "answer",
}
FRIENDS = PAIR | {"split": "split"}
YES, OK = always("agree"), always("ok")
DESIGNS = (
    plant_need(
        "g01_paid_amounts",
        paid_amounts,
        1000,
        PAIR,
        (compare_amounts, always("settled")),
        (1, 0.5),
        "Amount due against amount paid; three labels by the sign of the difference.",
    ),
    plant_need(
        "g02_russian_towns",
        russian_towns,
        1200,
        PAIR,
        (compare_russian, always("да")),
        (1, 0.5),
        "The same town or another, in Russian.",
    ),
    plant_need(
        "g03_star_reports",
        star_reports,
        500,
        PAIR,
        (read_stars, always("★")),
        (0.76, 0.2),
        "Five ratings by words of the report alone, 30 % of labels at random.",
    ),
    plant_need(
        "g04_exceptions",
        exceptions,
        4000,
        PAIR,
        (read_closure, read_guest),
        (1, 0.9),
        "The claim decides but for a tenth of items, where a closure overrules it.",
    ),
    plant_need(
        "g05_errata",
        errata,
        5000,
        PAIR,
        (read_erratum, read_grade),
        (1, 0.96),
        "An erratum overrules the claim in 4 %.",
    ),
    plant_need(
        "g06_overruled_tariffs",
        overruled_tariffs,
        4000,
        PAIR | {"metadata": ("tariff",)},
        (read_decree, read_tariff),
        (1, 0.99),
        "Metadata decide; a decree overrules them in 1 %: half the margin.",
    ),
    plant_need(
        "g07_skewed_orders",
        skewed_orders,
        2000,
        PAIR,
        (compare_codes, OK),
        (1, 0.9),
        "Labels 90/10: only two codes together tell the tenth that is not fine.",
    ),
    plant(
        "g14_false_friends",
        false_friends,
        2400,
        FRIENDS,
        (read_filed, read_pet),
        (1 / 3, 0.85),
        (frozenset({MISLEADS, NOT_NEEDED}), frozenset({NEEDED, SMALL_NEED})),
        "The stamp that training teaches to trust says nothing in testing.",
        train=1200,
        only="test",
    ),
    plant_need(
        "g15_other_world",
        other_world,
        1500,
        FRIENDS,
        (compare_values, YES),
        (1, 0.5),
        "Two values agree or not; test items are of things that training lacks.",
        train=900,
    ),
    plant_need(
        "g16_long_files",
        long_files,
        200,
        PAIR,
        (find_permit, always("true")),
        (1, 0.5),
        "200 items; one sentence of some 150 names the permit or another.",
    ),
    plant_need(
        "g18_five_years",
        five_years,
        900,
        CHOICE,
        (find_year, lambda row: row["options"][0]),
        (0.9, 0.2),
        "Five years to choose from, one in the passage, a tenth of the labels off.",
    ),
    plant_need(
        "g20_shared_lists",
        None,
        1000,
        PAIR | {"group": "folder"},
        (read_job, always("listed")),
        (1, 0.5),
        "25 claims on each of forty lists, half of them on jobs that it lacks.",
        make=dependent_rows(shared_lists, 1000),
    ),
)
