"""Pairs that negation and quantifiers join: not, never, few, all but one."""

import re

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import Rng, choose, coin, other, pick, word_list
from bench.truth_fresh2.planted import plant_need
from bench.truth_fresh2.words import CITIES, JOBS, KINDS, NAMES, OBJECTS
from bench.truth_meaning.numbers import kind_in
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

VERBS = dict(  # base form: past
    zip(
        word_list(
            "repair sell paint hide borrow move clean polish wrap weigh photograph "
            "lock return mend carry unload open draw test mark ship label cover insure"
        ),
        word_list(
            "repaired sold painted hid borrowed moved cleaned polished wrapped weighed "
            "photographed locked returned mended carried unloaded opened drew tested "
            "marked shipped labelled covered insured"
        ),
        strict=True,
    )
)
DID = "{a} {v} the {o}.", "{a} did {b} the {o}.", "The {o}: {a} {v} it."
DID_NOT = (
    "{a} did not {b} the {o}.",
    "{a} never {v} the {o}.",
    "At no time was the {o} {v} by {a}.",
)
MANAGED = (
    "{a} managed to {b} the {o}.",
    "{a} went on to {b} the {o}.",
    "{a} remembered to {b} the {o}.",
    "{a} took the time to {b} the {o}.",
    "{a} succeeded when asked to {b} the {o}.",
)
FAILED = (
    "{a} failed to {b} the {o}.",
    "{a} refused to {b} the {o}.",
    "{a} forgot to {b} the {o}.",
    "{a} gave up trying to {b} the {o}.",
    "{a} declined when asked to {b} the {o}.",
)


def acts(rng: Rng, claimed: bool, seen: bool) -> tuple[str, str]:
    """A claim and a fact of the same act, each that it was done or not."""
    base = pick(rng, [*VERBS])
    slots = {"a": pick(rng, NAMES), "o": pick(rng, OBJECTS), "b": base}
    claim = fill_form(rng, DID if claimed else DID_NOT, v=VERBS[base], **slots)
    return claim, fill_form(rng, MANAGED if seen else FAILED, **slots)


def negated_acts(rng: Rng, part: str) -> dict:
    """Done or not done in the claim; managed or failed in the evidence."""
    claimed, seen = coin(rng), coin(rng)
    return pair(rng, *acts(rng, claimed, seen), judge(claimed == seen))


def read_acts(row: Row) -> str:
    """The label by what both say of the act."""
    claimed = read_form((*DID_NOT, *DID), row["claim"])[0] >= len(DID_NOT)
    seen = read_form((*MANAGED, *FAILED), row["passage"])[0] < len(MANAGED)
    return judge(claimed == seen)


PEOPLE = word_list(
    "pupils sailors miners clerks nurses farmers singers dancers porters bakers "
    "tailors drivers cooks guards runners swimmers painters lawyers monks hunters"
)
ACTIONS = {
    "passed the test": "failed it",
    "signed the letter": "left it unsigned",
    "caught the boat": "missed it",
    "voted for the plan": "voted against it",
    "kept the rules": "broke them",
    "paid the fee": "owe it still",
}
MANY = "Nearly all", "Most of the", "The bulk of the", "The great majority of the"
FEW = "Hardly any", "Very few of the", "Only a handful of the", "Next to none of the"
COUNTS = (
    "Of {t} {p} in {c}, {k} {x}.",
    "{c} had {t} {p}, of whom {k} {x}.",
    "{k} out of {t} {p} in {c} {x}.",
)


def quantifiers(rng: Rng, part: str) -> dict:
    """Most or hardly any in the claim; counts of those who did or did not."""
    many, share, undone = coin(rng), coin(rng), coin(rng)
    total = int(rng.integers(24, 95))
    some = max(2, round(total * rng.uniform(0.02, 0.2)))
    action = pick(rng, [*ACTIONS])
    slots = {"p": pick(rng, PEOPLE), "c": pick(rng, CITIES)}
    what = (
        ACTIONS[action].replace(" it", f" {action.split(' ', 1)[1]}") if undone else ""
    )
    count = total - some if share else some
    fact = fill_form(rng, COUNTS, t=total, k=count, x=what or action, **slots)
    start = pick(rng, MANY if many else FEW)
    claim = f"{start} {slots['p']} in {slots['c']} {action}."
    return pair(rng, claim, fact, judge((share != undone) == many))


def read_quantifiers(row: Row) -> str:
    """The label by the share, by what was counted and by the quantifier."""
    text = str(row["passage"])
    count, total = sorted(int(number) for number in re.findall(r"\d+", text))
    undone = not any(action in text for action in ACTIONS)
    many = str(row["claim"]).startswith(MANY)
    return judge(((count / total > 0.5) != undone) == many)


EVENTS = word_list(
    "regatta auction parade banquet rehearsal excursion inquest raffle sermon siege "
    "voyage wedding census debate funeral picnic seance strike tournament vigil"
)
ALL_BUT = (
    "Everybody but {a} took part in the {e} in {c}.",
    "With the exception of {a}, all took part in the {e} in {c}.",
    "Apart from {a}, no one missed the {e} in {c}.",
)
NONE_BUT = (
    "Nobody but {a} took part in the {e} in {c}.",
    "With the exception of {a}, all missed the {e} in {c}.",
    "Apart from {a}, no one took part in the {e} in {c}.",
)
JOINED = "{a} took part in the {e} in {c}.", "{a} was among those at the {e} in {c}."
MISSED = "{a} took no part in the {e} in {c}.", "{a} missed the {e} in {c}."


def exceptions(rng: Rng, part: str) -> dict:
    """All but one or none but one; the claim is of that one or of somebody else."""
    every, joined, apart = coin(rng), coin(rng), coin(rng)
    one, slots = pick(rng, NAMES), {"e": pick(rng, EVENTS), "c": pick(rng, CITIES)}
    who = one if apart else other(rng, NAMES, one)
    fact = fill_form(rng, ALL_BUT if every else NONE_BUT, a=one, **slots)
    claim = fill_form(rng, JOINED if joined else MISSED, a=who, **slots)
    return pair(rng, claim, fact, judge((every != apart) == joined))


def read_exceptions(row: Row) -> str:
    """The label by who is excepted, from what, and what is claimed."""
    form, slots = read_form((*ALL_BUT, *NONE_BUT), row["passage"])
    verb, who = read_form((*JOINED, *MISSED), row["claim"])
    every, apart = form < len(ALL_BUT), slots["a"] == who["a"]
    return judge((every != apart) == (verb < len(JOINED)))


FOND = "{a} is fond of the {k} {o}.", "The {k} {o} pleases {a}."
AVERSE = "{a} cannot stand the {k} {o}.", "The {k} {o} annoys {a}."
LIKES = (
    "{a} likes the {k} {o}.",
    "It is false that {a} dislikes the {k} {o}.",
    "{a} has never disliked the {k} {o}.",
    "No one who knows {a} would say that the {k} {o} is disliked.",
)
DISLIKES = (
    "{a} dislikes the {k} {o}.",
    "It is false that {a} likes the {k} {o}.",
    "{a} has never liked the {k} {o}.",
    "No one who knows {a} would say that the {k} {o} is liked.",
)


def double_negation(rng: Rng, part: str) -> dict:
    """Liking or not in the claim; the same with up to two negations."""
    claimed, seen = coin(rng), coin(rng)
    slots = {"a": pick(rng, NAMES), "o": pick(rng, OBJECTS), "k": pick(rng, KINDS)}
    claim = fill_form(rng, FOND if claimed else AVERSE, **slots)
    fact = fill_form(rng, LIKES if seen else DISLIKES, **slots)
    return pair(rng, claim, fact, judge(claimed == seen))


def read_parity(row: Row) -> str:
    """The label by the parity of the negations."""
    claimed = read_form((*FOND, *AVERSE), row["claim"])[0] < len(FOND)
    forms = *LIKES[1:], *DISLIKES[1:], LIKES[0], DISLIKES[0]  # the plain forms last
    form = forms[read_form(forms, row["passage"])[0]]
    return judge(claimed == (form in LIKES))


GUESTS = {
    "member": ("a member", "who belongs to the club", "one of the founders"),
    "thief": ("a known thief", "who stole the silver", "once caught stealing"),
    "guest": ("a guest", "a visitor", "an outsider"),
}
OPEN_DOOR = (
    "At {c}, one {j} writes, nobody is turned away.",
    "Strangers were never refused by the {j} at {c}.",
    "The {j} at {c} does not close the door to anyone from elsewhere.",
)
SHUT_DOOR = (
    "At {c}, one {j} writes, nobody from elsewhere is let in.",
    "Strangers were never welcomed by the {j} at {c}.",
    "The {j} at {c} does not open the door to anyone from elsewhere.",
)


def doors(rng: Rng, part: str) -> dict:
    """Members get in and thieves do not; of guests, a quarter, the notice decides."""
    kind = choose(rng, {"member": 0.38, "thief": 0.38, "guest": 0.24})
    free, town = coin(rng), pick(rng, CITIES)
    who = f"{pick(rng, NAMES)}, {pick(rng, GUESTS[kind])}, with a {pick(rng, OBJECTS)},"
    fact = fill_form(rng, OPEN_DOOR if free else SHUT_DOOR, c=town, j=pick(rng, JOBS))
    holds = free if kind == "guest" else kind == "member"
    return pair(rng, f"{who} may enter the club at {town}.", fact, judge(holds))


def read_guest(row: Row) -> str:
    """The label without the notice."""
    return judge(kind_in(row["claim"], GUESTS) == "member")


def read_door(row: Row) -> str:
    """The label with it."""
    if kind_in(row["claim"], GUESTS) != "guest":
        return read_guest(row)
    form = read_form((*OPEN_DOOR, *SHUT_DOOR), row["passage"])[0]
    return judge(form < len(OPEN_DOOR))


def random_labels(rng: Rng, part: str) -> dict:
    """Acts that were done or not, as above, of which the label knows nothing."""
    claim, fact = acts(rng, coin(rng), coin(rng))
    return pair(rng, claim, fact, judge(coin(rng)))


def plant_nothing(name: str, row, why: str):
    """A design of which no part says anything about the label."""
    rules, more = (read_acts, read_acts), {"used": False, "knowable": False}
    return plant_need(name, row, ITEMS, PAIR, rules, (0.5, 0.5), why, **more)


DESIGNS = (
    plant_joint(
        "m13_negated_acts",
        negated_acts,
        read_acts,
        "Done or not in the claim, managed or failed in the evidence.",
    ),
    plant_joint(
        "m14_quantifiers",
        quantifiers,
        read_quantifiers,
        "Most or hardly any in the claim, counts in the evidence.",
    ),
    plant_joint(
        "m15_exceptions",
        exceptions,
        read_exceptions,
        "All but one or none but one; the claim is of that one or of another.",
    ),
    plant_joint(
        "m16_double_negation",
        double_negation,
        read_parity,
        "Liking or disliking, with none, one or two negations.",
    ),
    plant_some(
        "m17_doors",
        doors,
        (read_door, read_guest),
        0.88,
        "The claim decides but for a quarter of items, where a notice does.",
    ),
    plant_nothing(
        "m18_random_labels",
        random_labels,
        "Pairs that agree or contradict each other, with labels at random.",
    ),
)
