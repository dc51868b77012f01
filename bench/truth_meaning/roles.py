"""Pairs that roles join: who did what to whom, in other words and another order."""

from collections.abc import Sequence

from bench.truth_fresh.design import Row
from bench.truth_fresh.grammar import Rng, choose, coin, pick, picks
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

# Each group says the same of {a} and {b}, in several ways.
Groups = Sequence[Sequence[str]]
WON: Groups = (
    (
        "{a} beat {b} in {c}.",
        "{a} defeated {b} in {c}.",
        "{a} won against {b} in {c}.",
        "{b} lost to {a} in {c}.",
        "{b} was defeated by {a} in {c}.",
        "{b} was beaten by {a} in {c}.",
        "{a} got the better of {b} in {c}.",
        "{b} had to give in to {a} in {c}.",
    ),
)
PASSED: Groups = (
    (
        "{a} sold the {o} to {b} in {c}.",
        "{b} bought the {o} from {a} in {c}.",
        "{b} purchased the {o} of {a} in {c}.",
    ),
    (
        "{a} lent {b} the {o} in {c}.",
        "{b} borrowed the {o} from {a} in {c}.",
        "{b} was lent the {o} by {a} in {c}.",
    ),
    (
        "{a} gave {b} the {o} in {c}.",
        "{b} received the {o} from {a} in {c}.",
        "{b} was given the {o} by {a} in {c}.",
    ),
    (
        "{a} stole the {o} from {b} in {c}.",
        "{b} was robbed of the {o} by {a} in {c}.",
        "{b} lost the {o} to the thief {a} in {c}.",
    ),
    (
        "{a} left the {o} to {b} in {c} in a will.",
        "{b} inherited the {o} from {a} in {c}.",
        "{b} was the heir of {a} for the {o} in {c}.",
    ),
)
KIN: Groups = (
    (
        "In {c}, {a} is the parent of {b}.",
        "In {c}, {b} is the child of {a}.",
        "In {c}, {b} was born to {a}.",
    ),
    (
        "In {c}, {a} employs {b}.",
        "In {c}, {b} works for {a}.",
        "In {c}, {a} is the boss of {b}.",
    ),
    (
        "In {c}, {a} teaches {b}.",
        "In {c}, {b} is the pupil of {a}.",
        "In {c}, {b} learns from {a}.",
    ),
    (
        "In {c}, {a} is the landlord of {b}.",
        "In {c}, {b} is the tenant of {a}.",
        "In {c}, {b} pays rent to {a}.",
    ),
    (
        "In {c}, {a} is the doctor of {b}.",
        "In {c}, {b} is the patient of {a}.",
        "In {c}, {a} treats the illness of {b}.",
    ),
    (
        "In {c}, {a} is the uncle of {b}.",
        "In {c}, {b} is the nephew of {a}.",
        "In {c}, {b} is the son of the brother of {a}.",
    ),
    (
        "In {c}, {a} owes money to {b}.",
        "In {c}, {b} is the creditor of {a}.",
        "In {c}, {a} is in the debt of {b}.",
    ),
    (
        "In {c}, {a} chases {b}.",
        "In {c}, {b} flees from {a}.",
        "In {c}, {b} is pursued by {a}.",
    ),
)
MORE: Groups = (
    (
        "{a} of {c} is taller than {b}.",
        "{b} is shorter than {a} of {c}.",
        "{a} of {c} towers over {b}.",
    ),
    (
        "{a} of {c} is older than {b}.",
        "{b} is younger than {a} of {c}.",
        "{a} of {c} was born before {b}.",
    ),
    (
        "{a} of {c} is faster than {b}.",
        "{b} is slower than {a} of {c}.",
        "{a} of {c} outruns {b}.",
    ),
    (
        "{a} of {c} is richer than {b}.",
        "{b} is poorer than {a} of {c}.",
        "{a} of {c} has more money than {b}.",
    ),
    (
        "{a} of {c} is heavier than {b}.",
        "{b} is lighter than {a} of {c}.",
        "{a} of {c} outweighs {b}.",
    ),
    (
        "{a} of {c} is stronger than {b}.",
        "{b} is weaker than {a} of {c}.",
        "{a} of {c} has more muscle than {b}.",
    ),
    (
        "{a} of {c} is cleverer than {b}.",
        "{b} is duller than {a} of {c}.",
        "{a} of {c} outwits {b}.",
    ),
)


def swap_roles(rng: Rng, groups: Groups) -> dict:
    """Two forms of one group, with the same roles or with swapped ones."""
    forms, holds = pick(rng, groups), coin(rng)
    one, two = picks(rng, NAMES, 2)
    slots = {"c": pick(rng, CITIES), "o": pick(rng, OBJECTS)}
    fact = fill_form(rng, forms, a=one, b=two, **slots)
    roles = {"a": one, "b": two} if holds else {"a": two, "b": one}
    return pair(rng, fill_form(rng, forms, **roles, **slots), fact, judge(holds))


def compare_roles(row: Row, groups: Groups) -> str:
    """The label by who has the first role in both texts."""
    forms = [form for group in groups for form in group]
    first = {read_form(forms, row[text])[1]["a"] for text in ("claim", "passage")}
    return judge(len(first) == 1)


def plant_roles(name: str, groups: Groups, why: str):
    """A design of pairs with the same or with swapped roles."""

    def row(rng: Rng, part: str) -> dict:
        return swap_roles(rng, groups)

    def read(row: Row) -> str:
        return compare_roles(row, groups)

    return plant_joint(name, row, read, why)


PRIZES = {
    "alone": ("the only entrant", "whom nobody opposed", "without a rival"),
    "absent": ("who never turned up", "sick at home", "who had withdrawn"),
    "finalist": ("one of the last two", "who came to the final", "a finalist"),
}


def finals(rng: Rng, part: str) -> dict:
    """Who was alone has won, who was absent has not; in 24 % the final decides."""
    kind = choose(rng, {"alone": 0.38, "absent": 0.38, "finalist": 0.24})
    who, rival = picks(rng, NAMES, 2)
    won, town = coin(rng), pick(rng, CITIES)
    roles = {"a": who, "b": rival} if won else {"a": rival, "b": who}
    fact = fill_form(rng, WON[0], c=town, **roles)
    prize = f"{pick(rng, KINDS)} {pick(rng, OBJECTS)}"
    claim = f"{who}, {pick(rng, PRIZES[kind])}, got the {prize} in {town}."
    holds = won if kind == "finalist" else kind == "alone"
    return pair(rng, claim, fact, judge(holds))


def read_prize(row: Row) -> str:
    """The label without the final."""
    return judge(kind_in(row["claim"], PRIZES) == "alone")


def read_final(row: Row) -> str:
    """The label with it."""
    if kind_in(row["claim"], PRIZES) != "finalist":
        return read_prize(row)
    winner = read_form(WON[0], row["passage"])[1]["a"]
    return judge(str(row["claim"]).startswith(winner))


ATTACKED = "{a} hit {b} in {c}.", "In {c} {a} struck {b}.", "{a} pushed {b} in {c}."
SUFFERED = (
    "{a} was hit by {b} in {c}.",
    "In {c} {a} was struck by {b}.",
    "{a} was pushed by {b} in {c}.",
)
COMPLAINED = (
    "The {j} reports that {v} complained of {w}.",
    "{w} apologised to {v}, says the {j}.",
    "{v} was hurt and {w} was arrested, says the {j}.",
)


def attackers(rng: Rng, part: str) -> dict:
    """The voice of the claim says what its first name did; the evidence agrees."""
    hit = coin(rng)
    who, whom = picks(rng, NAMES, 2)
    forms = ATTACKED if hit else SUFFERED
    claim = fill_form(rng, forms, a=who, b=whom, c=pick(rng, CITIES))
    roles = {"w": who, "v": whom} if hit else {"w": whom, "v": who}
    fact = fill_form(rng, COMPLAINED, j=pick(rng, JOBS), **roles)
    return pair(rng, claim, fact, "attacker" if hit else "victim")


def read_voice(row: Row) -> str:
    """The label by the verb of the claim."""
    return "victim" if " by " in str(row["claim"]) else "attacker"


def read_complaint(row: Row) -> str:
    """The label by the first name of the claim and by what the evidence says of it."""
    who = read_form((*SUFFERED, *ATTACKED), row["claim"])[1]["a"]
    attacker = read_form(COMPLAINED, row["passage"])[1]["w"]
    return "attacker" if who == attacker else "victim"


DESIGNS = (
    plant_roles("m19_winners", WON, "Who beat whom: beat, lost to, was beaten by."),
    plant_roles("m20_owners", PASSED, "Who got what from whom: sold, bought, lent."),
    plant_roles("m21_kin", KIN, "Who is whose parent, boss, pupil, tenant."),
    plant_roles("m22_comparatives", MORE, "Who is taller, older or faster than whom."),
    plant_some(
        "m23_finals",
        finals,
        (read_final, read_prize),
        0.88,
        "The claim decides but for a quarter of items, where who beat whom does.",
    ),
    plant_need(
        "m24_attackers",
        attackers,
        ITEMS,
        PAIR,
        (read_complaint, read_voice),
        (1, 1),
        "The claim says who hit whom; so does the complaint in the evidence.",
    ),
)
