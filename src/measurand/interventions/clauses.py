"""Rules that say a sentence in another order or form: English, and wary.

A rule takes a sentence without its closing point and gives the other ways that it
knows; none, where the sentence is not plainly of the form that it is about. What a rule
makes may still sound odd: a judge decides what is kept.
"""

import re
from collections.abc import Callable, Iterator

from measurand.core.words import FUNCTION

Rule = Callable[[str], Iterator[str]]

SUBORDINATE = (
    "as soon as|even though|although|because|though|whenever|when|while|after|before"
    "|unless|if"
)
PLACES = (
    "in front of|on top of|in the middle of|next to|close to|in|on|at|near|inside"
    "|outside|behind|beside|under|beneath|above|along|around|across|during|by"
)
HERE = "outside|inside|outdoors|indoors|here|there"
BE = "is|are|was|were"
FINITE = (
    f"{BE}|has|have|had|do|does|did|can|could|will|would|shall|should|may|might|must"
    "|who|that|which"
)
ONE = "a|an|another|one|somebody|someone"
MORE = "some|several|many|two|three|four|five|six|seven|eight|nine|ten|no|few|most"
PERSON = "man|woman|boy|girl|child|kid|lady|guy|person|someone|somebody"
PERSONS = "men|women|boys|girls|children|kids|ladies|guys|people|persons"
MADE = (
    "directed|produced|created|founded|developed|published|released|composed|designed"
    "|discovered|invented|built|painted|recorded|performed|hosted|edited|organized"
    "|established|distributed|portrayed|played|voiced"
)
DATE = r"in (?:[A-Z][a-z]+ )?\d{4}|on [A-Z][a-z]+ \d+(?:, \d{4})?"
# Words in -ing that are no doing; and doings that mostly describe somebody else's.
NOUNS = (
    "building|king|ring|thing|something|nothing|anything|everything|string|spring|wing"
    "|morning|evening|ceiling|wedding|painting|clothing|swing|sibling|during|being"
    "|wearing|holding|carrying|using|including|according|dining|living|training"
)
DOING = rf"(?!(?:{NOUNS})\b)[a-z]+ing"

FRONTED = re.compile(rf"({SUBORDINATE}) ([^,]+), ?([^,]+)", re.IGNORECASE)
TRAILING = re.compile(rf"([^,]+?),? ({SUBORDINATE}) ([^,]+)")
ASKED = re.compile(r"\b(?:ask|wonder|know|see|tell|sure|even|just|as)\w*$")
PLACED = re.compile(rf"((?:[^,]+ )?(?:{BE}) {DOING}.*?) ((?:{PLACES}) [^,]+)")
DATED = re.compile(rf"((?:(?!\b(?:who|that|which)\b)[^,])+) ({DATE})")
OPENING = re.compile(
    rf"((?:{PLACES}) [^,]+), ([^,]+)|(In \d{{4}}) ([^,]+)", re.IGNORECASE
)
BEING = re.compile(
    rf"((?:{ONE}|{MORE})\b(?:(?!\b(?:{FINITE})\b)[^,])*) ({BE}) "
    rf"((?:{DOING}|{PLACES}|{HERE})\b.*)",
    re.IGNORECASE,
)
THERE = re.compile(
    rf"there ({BE}) ((?:{ONE}|{MORE})\b.*?) ((?:{DOING}|{PLACES}|{HERE})\b.*)",
    re.IGNORECASE,
)
FRAGMENT = re.compile(
    rf"((?:{ONE}|{MORE})\b(?:(?!\b{DOING}\b)[^,])*) ({DOING}\b.*)", re.IGNORECASE
)
VERB = re.compile(rf"\b(?:{FINITE})\b|'s\b", re.IGNORECASE)
SOUNDS_FINITE = re.compile(r"[a-z][^s]s\b")  # "a monk avoids drinking" is no fragment
RELATIVE = re.compile(rf"\b(?:who|that|which) (?:{BE}) (?=[a-z]+ing\b)")
WEARING = re.compile(
    rf"\b(?:({PERSON})|(?:{PERSONS})) (?=(?:wearing|holding|carrying)\b)"
)
PAIR = re.compile(
    r"\b(a|an|the|his|her|their|one) ([a-z]+) and (a|an|the|his|her|their|one) ([a-z]+)"
    r"(?= (?:is|are|was|were|\w+ing)\b|$)",
    re.IGNORECASE,
)
PASSIVE = re.compile(rf"([^,]+) (?:was|were) ({MADE}) by ([^,]+)")
AGENT = re.compile(rf"\b(?:{PLACES}|for|and|{FINITE})\b")
IDENTITY = re.compile(r"([A-Z][^,]*?) (is|was) the ((?!same\b|first of\b)[^,]+)")


def clauses(sentence: str) -> Iterator[str]:
    """The subordinate clause at the other end.

    >>> list(clauses("When it rains, they stay")), list(clauses("A man ran after it"))
    (['They stay when it rains'], ['After it, a man ran'])
    """
    if found := FRONTED.fullmatch(sentence):
        link, first, last = found.groups()
        yield f"{raised(last)} {link.lower()} {lowered(first)}"
    elif (found := TRAILING.fullmatch(sentence)) and not ASKED.search(found[1]):
        yield f"{raised(found[2])} {found[3]}, {lowered(found[1])}"


def places(sentence: str) -> Iterator[str]:
    """The place or the date at the other end.

    >>> list(places("A man is sitting on a bench"))
    ['On a bench, a man is sitting']
    >>> list(places("In 1999, he left")), list(places("Ann left in May 1999"))
    (['He left in 1999'], ['In May 1999, Ann left'])
    """
    if found := OPENING.fullmatch(sentence):
        when, what = found[1] or found[3], found[2] or found[4]
        yield f"{raised(what)} {lowered(when)}"
    elif found := DATED.fullmatch(sentence) or PLACED.fullmatch(sentence):
        yield f"{raised(found[2])}, {lowered(found[1])}"


def existence(sentence: str) -> Iterator[str]:
    """What somebody does, as somebody there is; and the other way round.

    >>> list(existence("A man is sleeping")), list(existence("A man sleeping"))
    (['There is a man sleeping'], ['A man is sleeping', 'There is a man sleeping'])
    >>> list(existence("There are two dogs in a park")), list(existence("A man is old"))
    (['Two dogs are in a park'], [])
    """
    if found := THERE.fullmatch(sentence):
        be, who, doing = found.groups()
        yield f"{raised(who)} {be} {doing}"
    elif found := BEING.fullmatch(sentence):
        yield f"There {found[2]} {lowered(found[1])} {found[3]}"
    elif (found := FRAGMENT.fullmatch(sentence)) and not VERB.search(sentence):
        who, doing = found.groups()
        one = who.split()[0].lower() in ONE.split("|") and " and " not in who
        if one and SOUNDS_FINITE.search(who):
            return
        be = "is" if one else "are"
        yield f"{who} {be} {doing}"
        yield f"There {be} {lowered(who)} {doing}"


def relatives(sentence: str) -> Iterator[str]:
    """With "who is" left out before a doing, or put there.

    >>> list(relatives("A man who is sleeping snores"))
    ['A man sleeping snores']
    >>> list(relatives("Two men holding hands"))
    ['Two men who are holding hands']
    """
    if RELATIVE.search(sentence):
        yield RELATIVE.sub("", sentence)
    elif found := WEARING.search(sentence):
        be = "is" if found[1] else "are"
        yield f"{sentence[: found.end()]}who {be} {sentence[found.end() :]}"


def pairs(sentence: str) -> Iterator[str]:
    """Two that are named together, named in the other order.

    >>> list(pairs("A man and a dog are playing"))
    ['A dog and a man are playing']
    """
    if found := PAIR.search(sentence):
        first, second = f"{found[1]} {found[2]}", f"{found[3]} {found[4]}"
        if found.start() == 0:
            first, second = lowered(first), raised(second)
        before, after = sentence[: found.start()], sentence[found.end() :]
        yield f"{before}{second} and {first}{after}"


def voices(sentence: str) -> Iterator[str]:
    """What was done by somebody, as somebody doing it; and names for descriptions.

    >>> list(voices("The film was directed by Ann Lee"))
    ['Ann Lee directed the film']
    >>> list(voices("Oslo is the capital of Norway"))
    ['The capital of Norway is Oslo']
    """
    if found := PASSIVE.fullmatch(sentence):
        if not AGENT.search(found[3]) and not VERB.search(found[1]):
            yield f"{raised(found[3])} {found[2]} {lowered(found[1])}"
    elif (found := IDENTITY.fullmatch(sentence)) and not VERB.search(found[3]):
        yield f"The {found[3]} {found[2]} {lowered(found[1])}"


def frames(sentence: str) -> Iterator[str]:
    """The sentence inside another that adds nothing.

    >>> list(frames("The dog sleeps"))
    ['It is the case that the dog sleeps', 'The fact is that the dog sleeps']
    """
    # Not "it is true that": entailment classifiers take it to say more than it does.
    yield f"It is the case that {lowered(sentence)}"
    yield f"The fact is that {lowered(sentence)}"


def questions(sentence: str) -> Iterator[str]:
    """The question after words that only announce it.

    >>> list(questions("does it rain"))
    ['Tell me, does it rain', 'The question is: does it rain']
    """
    yield f"Tell me, {lowered(sentence)}"
    yield f"The question is: {lowered(sentence)}"


RULES: tuple[Rule, ...] = (existence, clauses, places, voices, pairs, relatives)


def lowered(part: str) -> str:
    """The part as it stands inside a sentence: names keep their capital."""
    first = part.split(" ", 1)[0]
    plain = first.lower() in FUNCTION or first.lower() in MORE.split("|")
    return part[:1].lower() + part[1:] if plain and first != "I" else part


def raised(part: str) -> str:
    """The part as it stands at the start of a sentence."""
    return part[:1].upper() + part[1:]
