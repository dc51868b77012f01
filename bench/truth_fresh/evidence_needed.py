"""Evidence designs in which the labels need the evidence."""

import re

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
    WORKPLACES,
    Rng,
    choose,
    coin,
    first_of,
    flip,
    letter,
    other,
    passage,
    pick,
    picks,
    sentence_with,
    upper,
    word_list,
    words_of,
)
from bench.truth_fresh.meanings import MEANINGS

CLAIM = {"query": "claim", "evidence": "passage", "label": "label"}


def multi_hop(rng: Rng, part: str) -> dict:
    """Person to workplace to town; the passage also links another person."""
    who, stranger = picks(rng, PEOPLE, 2)
    shop, shop2 = picks(rng, WORKPLACES, 2)
    town, town2 = picks(rng, TOWNS, 2)
    link = pick(rng, ("{} works at the {}.", "{} has a job at the {}."))
    place = pick(rng, ("The {} stands in {}.", "The {} opened its doors in {}."))
    facts = [
        link.format(who, shop),
        link.format(stranger, shop2),
        place.format(shop, town),
        place.format(shop2, town2),
    ]
    true = coin(rng)
    claim = pick(
        rng, ("{} goes to work in {}.", "Every morning {} walks to a job in {}.")
    )
    return {
        "claim": claim.format(who, town if true else town2),
        "passage": passage(rng, facts, 0, 2),
        "label": "true" if true else "false",
    }


def follow_hops(row: Row) -> str:
    """The label by both links."""
    who = first_of(row["claim"], PEOPLE)
    shop = first_of(sentence_with(row["passage"], who), WORKPLACES)
    facts = str(row["passage"]).split(". ")
    town = next(first_of(f, TOWNS) for f in facts if f.startswith(f"The {shop} "))
    return "true" if town == first_of(row["claim"], TOWNS) else "false"


DEEDS = word_list(
    "warned praised followed called helped visited thanked blamed hired trained"
)
FITS = ("consistent", "inconsistent")


def tell_deed(rng: Rng, agent: str, deed: str, patient: str) -> str:
    """The deed in the active or passive voice."""
    if coin(rng):
        return f"the {agent} {deed} the {patient}"
    return f"the {patient} was {deed} by the {agent}"


def swapped_roles(rng: Rng, part: str) -> dict:
    """Who did it to whom, in either voice, on both sides."""
    (agent, patient), deed = picks(rng, TRADES, 2), pick(rng, DEEDS)
    same = coin(rng, 0.65)
    pair = (agent, patient) if same else (patient, agent)
    fact = f"{pick(rng, TIMES)}, {tell_deed(rng, pair[0], deed, pair[1])}."
    return {
        "statement": upper(tell_deed(rng, agent, deed, patient)) + ".",
        "story": passage(rng, [fact], 1, 3),
        "verdict": FITS[0] if same else FITS[1],
    }


def agent_of(text: str) -> str:
    """Who does the deed."""
    trade = "|".join(TRADES)
    form = rf"[Tt]he ({trade}) (was )?(?:{'|'.join(DEEDS)}) (?:by )?the ({trade})"
    first, passive, second = re.search(form, text).groups()
    return second if passive else first


def compare_agents(row: Row) -> str:
    """The label by the two agents."""
    same = agent_of(str(row["statement"])) == agent_of(str(row["story"]))
    return FITS[0] if same else FITS[1]


def visitor_numbers(rng: Rng, part: str) -> dict:
    """More or fewer than a number; the report holds one number near it."""
    bound, thing = int(rng.integers(1_100, 9_000)), pick(rng, THINGS)
    count = bound + (1 if coin(rng) else -1) * int(rng.integers(1, 61))
    more = coin(rng, 0.8)
    form = pick(rng, ("{} {}s were sold in {}.", "Shops sold {} {}s in {}."))
    limit = f"{'more' if more else 'fewer'} than {bound:,}"
    town = pick(rng, TOWNS)
    fact = pick(
        rng,
        ("The yearly count for {} came to {} {}s.", "In {} clerks put down {} {}s."),
    )
    return {
        "claim": upper(form.format(limit, thing, town)),
        "passage": passage(rng, [fact.format(town, f"{count:,}", thing)], 1, 3),
        "label": "true" if (count > bound) == more else "false",
    }


def compare_numbers(row: Row) -> str:
    """The label by the two numbers."""
    bound, count = (
        int(re.search(r"\d,\d{3}", str(row[name]))[0].replace(",", ""))
        for name in ("claim", "passage")
    )
    more = "more than" in str(row["claim"]).lower()
    return "true" if (count > bound) == more else "false"


DONE = ("{} repaired the {}", "{} managed to repair the {}", "{} has repaired the {}")
UNDONE = (
    "{} did not repair the {}",
    "{} never repaired the {}",
    "{} has not repaired the {}",
)
NEGATIONS = ("not", "never")


def negated_reports(rng: Rng, part: str) -> dict:
    """Either side may be negated; a fifth of the reports are of another thing."""
    who, (thing, thing2) = pick(rng, PEOPLE), picks(rng, THINGS, 2)
    label = choose(rng, {"supported": 0.4, "refuted": 0.4, "unrelated": 0.2})
    claimed, reported = coin(rng), coin(rng)
    if label != "unrelated":
        reported = claimed == (label == "supported")
    subject = thing2 if label == "unrelated" else thing
    fact = pick(rng, DONE if reported else UNDONE).format(who, subject)
    return {
        "claim": pick(rng, DONE if claimed else UNDONE).format(who, thing) + ".",
        "passage": passage(
            rng, [f"{pick(rng, TIMES)}, it was noted that {fact}."], 1, 2
        ),
        "label": label,
    }


def compare_polarity(row: Row) -> str:
    """The label by thing and negation."""
    if first_of(row["claim"], THINGS) != first_of(row["passage"], THINGS):
        return "unrelated"
    negated = [bool(first_of(row[name], NEGATIONS)) for name in ("claim", "passage")]
    return "supported" if negated[0] == negated[1] else "refuted"


def gifts(rng: Rng, part: str) -> dict:
    """Only the passage names who brought which of the four options."""
    (who, stranger), options = picks(rng, PEOPLE, 2), picks(rng, THINGS, 4)
    place = int(rng.integers(4))
    event = pick(rng, ("wedding", "market", "picnic", "concert", "auction"))
    verb = pick(rng, ("brought a", "came with a", "carried a", "turned up with a"))
    facts = [f"To the {event} {who} {verb} {pick(rng, ADJECTIVES)} {options[place]}."]
    if coin(rng, 0.3):
        wrong = other(rng, options, options[place])
        facts.append(f"{stranger} {verb} {pick(rng, ADJECTIVES)} {wrong}.")
    return {
        "question": f"What did {who} bring to the {event}?",
        "context": passage(rng, facts, 1, 3),
        "options": [f"a {option}" for option in options],
        "answer": letter(place),
    }


def find_gift(row: Row) -> str:
    """The option in the sentence of the person asked about."""
    who = first_of(row["question"], PEOPLE)
    thing = first_of(sentence_with(row["context"], who), THINGS)
    return letter(list(row["options"]).index(f"a {thing}"))


DRUGS = word_list(
    "aspirin codeine penicillin latex iodine quinine sulfa morphine heparin insulin"
)
CLINICS = [f"{town} clinic" for town in TOWNS[:12]]


def noisy_records(rng: Rng, part: str) -> dict:
    """A claim on a templated record, 70 % consistent, 20 % of labels flipped."""
    who, drug, clinic = pick(rng, PEOPLE), pick(rng, DRUGS), pick(rng, CLINICS)
    same = coin(rng, 0.7)
    listed = drug if same else other(rng, DRUGS, drug)
    label = FITS[0] if same else FITS[1]
    record = (
        f"Record of the {clinic} | name {who} | age {rng.integers(18, 90)} | pulse "
        f"{rng.integers(55, 110)} | allergy {listed} | ward {pick(rng, 'ABCDEF')} | "
        f"next of kin a {pick(rng, TRADES)} in {pick(rng, TOWNS)}"
    )
    return {
        "claim": f"{who} must not be given {drug}.",
        "record": record,
        "label": flip(label, FITS) if coin(rng, 0.2) else label,
        "clinic": clinic,
    }


def compare_drugs(row: Row) -> str:
    """The label by the two drugs, without noise."""
    same = first_of(row["claim"], DRUGS) == first_of(row["record"], DRUGS)
    return FITS[0] if same else FITS[1]


def implied_traits(rng: Rng, part: str) -> dict:
    """The passage implies a trait or its opposite in other words."""
    subject, traits, signs = MEANINGS[int(rng.integers(len(MEANINGS)))]
    claimed, implied = int(rng.integers(2)), int(rng.integers(2))
    sign = f"{pick(rng, TIMES)}, {signs[implied]}."
    tail = pick(rng, ("", " that day", " indeed", " this time"))
    return {
        "claim": f"{subject} was {traits[claimed]}{tail}.",
        "passage": passage(rng, [sign], 1, 3),
        "label": "follows" if claimed == implied else "contradicts",
    }


def look_up_trait(row: Row) -> str:
    """The label by the list of meanings."""
    text = str(row["passage"])
    for subject, traits, signs in MEANINGS:
        for trait, sign in zip(traits, signs, strict=True):
            if sign in text and str(row["claim"]).startswith(f"{subject} was"):
                same = trait in words_of(str(row["claim"]))
                return "follows" if same else "contradicts"
    return ""


def design_need(
    name: str, row: RowOf, n: int, roles: dict, size: float, *rules, why: str, **more
) -> Design:
    """A design whose evidence is worth `size`, by two rules: with it and without."""
    truth, wrong = label_need(size, reader_uses_evidence=True)
    make = independent_rows(row, n, more.get("train", 0))
    knowable = more.get("knowable", True)
    known = oracle(*rules, label=roles["label"])
    return Design(
        name, "evidence", make, roles, truth, wrong, knowable, size, why, known
    )


RECORD = {
    "query": "claim",
    "evidence": "record",
    "label": "label",
    "group": "clinic",
    "split": "split",
}
DESIGNS = (
    design_need(
        "f01_multi_hop",
        multi_hop,
        1500,
        CLAIM,
        0.5,
        follow_hops,
        "true",
        knowable=False,
        why="Two facts must be joined; overlap is the same for both labels.",
    ),
    design_need(
        "f02_swapped_roles",
        swapped_roles,
        800,
        {"query": "statement", "evidence": "story", "label": "verdict"},
        0.35,
        compare_agents,
        "consistent",
        knowable=False,
        why="Agent and patient are the same or swapped, in either voice.",
    ),
    design_need(
        "f03_visitor_numbers",
        visitor_numbers,
        800,
        CLAIM,
        0.5,
        compare_numbers,
        "true",
        why="A bound in the claim against one number in the passage.",
    ),
    design_need(
        "f04_negated_reports",
        negated_reports,
        1500,
        CLAIM,
        0.6,
        compare_polarity,
        "supported",
        why="Negation on either side, and a fifth about another thing.",
    ),
    design_need(
        "f05_gifts",
        gifts,
        300,
        {
            "query": "question",
            "evidence": "context",
            "choices": "options",
            "label": "answer",
        },
        0.75,
        find_gift,
        "A",
        why="Four options; only the passage names the right one.",
    ),
    design_need(
        "f06_noisy_records",
        noisy_records,
        3000,
        RECORD,
        0.18,
        compare_drugs,
        "consistent",
        train=2000,
        why="Templated records, 20 % of labels flipped, 12 clinics.",
    ),
    design_need(
        "f07_implied_traits",
        implied_traits,
        800,
        CLAIM,
        0.5,
        look_up_trait,
        "follows",
        knowable=False,
        why="The passage implies the trait or its opposite in other words.",
    ),
)
