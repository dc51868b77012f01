"""Rules that say a sentence in another order or form: English, and wary.

A rule takes a sentence without its closing point and gives the other ways that it
knows; none, where the sentence is not clearly of the form that it is about. What a rule
makes may still sound odd: a judge decides what is kept.
"""

import re
from collections.abc import Callable, Iterator

from measurand.text.words import FUNCTION

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
# Words in -ing that are not verbs; and verbs that mostly describe somebody else's.
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


def _move_clause(sentence: str) -> Iterator[str]:
    """The subordinate clause at the other end.

    >>> list(_move_clause("When it rains, they stay"))
    ['They stay when it rains']
    >>> list(_move_clause("A man ran after it"))
    ['After it, a man ran']
    """
    if match := FRONTED.fullmatch(sentence):
        link, first, last = match.groups()
        yield f"{_uppercase_start(last)} {link.lower()} {_lowercase_start(first)}"
    elif (match := TRAILING.fullmatch(sentence)) and not ASKED.search(match[1]):
        yield f"{_uppercase_start(match[2])} {match[3]}, {_lowercase_start(match[1])}"


def _move_place(sentence: str) -> Iterator[str]:
    """The place or the date at the other end.

    >>> list(_move_place("A man is sitting on a bench"))
    ['On a bench, a man is sitting']
    >>> list(_move_place("In 1999, he left")), list(_move_place("Ann left in May 1999"))
    (['He left in 1999'], ['In May 1999, Ann left'])
    """
    if match := OPENING.fullmatch(sentence):
        when, what = match[1] or match[3], match[2] or match[4]
        yield f"{_uppercase_start(what)} {_lowercase_start(when)}"
    elif match := DATED.fullmatch(sentence) or PLACED.fullmatch(sentence):
        yield f"{_uppercase_start(match[2])}, {_lowercase_start(match[1])}"


def _restate_existence(sentence: str) -> Iterator[str]:
    """What somebody does, as somebody there is; and the other way round.

    >>> list(_restate_existence("A man is sleeping"))
    ['There is a man sleeping']
    >>> list(_restate_existence("A man sleeping"))
    ['A man is sleeping', 'There is a man sleeping']
    >>> list(_restate_existence("There are two dogs in a park"))
    ['Two dogs are in a park']
    >>> list(_restate_existence("A man is old"))
    []
    """
    if match := THERE.fullmatch(sentence):
        be, who, doing = match.groups()
        yield f"{_uppercase_start(who)} {be} {doing}"
    elif match := BEING.fullmatch(sentence):
        yield f"There {match[2]} {_lowercase_start(match[1])} {match[3]}"
    elif (match := FRAGMENT.fullmatch(sentence)) and not VERB.search(sentence):
        who, doing = match.groups()
        singular = who.split()[0].lower() in ONE.split("|") and " and " not in who
        if singular and SOUNDS_FINITE.search(who):
            return
        be = "is" if singular else "are"
        yield f"{who} {be} {doing}"
        yield f"There {be} {_lowercase_start(who)} {doing}"


def _toggle_relative(sentence: str) -> Iterator[str]:
    """With "who is" left out before a doing, or put there.

    >>> list(_toggle_relative("A man who is sleeping snores"))
    ['A man sleeping snores']
    >>> list(_toggle_relative("Two men holding hands"))
    ['Two men who are holding hands']
    """
    if RELATIVE.search(sentence):
        yield RELATIVE.sub("", sentence)
    elif match := WEARING.search(sentence):
        be = "is" if match[1] else "are"
        yield f"{sentence[: match.end()]}who {be} {sentence[match.end() :]}"


def _swap_pair(sentence: str) -> Iterator[str]:
    """Two that are named together, named in the other order.

    >>> list(_swap_pair("A man and a dog are playing"))
    ['A dog and a man are playing']
    """
    if match := PAIR.search(sentence):
        first, second = f"{match[1]} {match[2]}", f"{match[3]} {match[4]}"
        if match.start() == 0:
            first, second = _lowercase_start(first), _uppercase_start(second)
        before, after = sentence[: match.start()], sentence[match.end() :]
        yield f"{before}{second} and {first}{after}"


def _change_voice(sentence: str) -> Iterator[str]:
    """What was done by somebody, as somebody doing it; and names for descriptions.

    >>> list(_change_voice("The film was directed by Ann Lee"))
    ['Ann Lee directed the film']
    >>> list(_change_voice("Oslo is the capital of Norway"))
    ['The capital of Norway is Oslo']
    """
    if match := PASSIVE.fullmatch(sentence):
        if not AGENT.search(match[3]) and not VERB.search(match[1]):
            start, end = _uppercase_start(match[3]), _lowercase_start(match[1])
            yield f"{start} {match[2]} {end}"
    elif (match := IDENTITY.fullmatch(sentence)) and not VERB.search(match[3]):
        yield f"The {match[3]} {match[2]} {_lowercase_start(match[1])}"


def frame_statement(sentence: str) -> Iterator[str]:
    """The sentence inside another that adds nothing.

    >>> list(frame_statement("The dog sleeps"))
    ['It is the case that the dog sleeps', 'The fact is that the dog sleeps']
    """
    # Not "it is true that": entailment classifiers take it to say more than it does.
    yield f"It is the case that {_lowercase_start(sentence)}"
    yield f"The fact is that {_lowercase_start(sentence)}"


def frame_question(sentence: str) -> Iterator[str]:
    """The question after words that only announce it.

    >>> list(frame_question("does it rain"))
    ['Tell me, does it rain', 'The question is: does it rain']
    """
    yield f"Tell me, {_lowercase_start(sentence)}"
    yield f"The question is: {_lowercase_start(sentence)}"


RULES: tuple[Rule, ...] = (
    _restate_existence,
    _move_clause,
    _move_place,
    _change_voice,
    _swap_pair,
    _toggle_relative,
)


def _lowercase_start(part: str) -> str:
    """The part as it stands inside a sentence: names keep their capital."""
    first = part.split(" ", 1)[0]
    plain = first.lower() in FUNCTION or first.lower() in MORE.split("|")
    return part[:1].lower() + part[1:] if plain and first != "I" else part


def _uppercase_start(part: str) -> str:
    """The part as it stands at the start of a sentence."""
    return part[:1].upper() + part[1:]
