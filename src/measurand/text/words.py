"""What counts as a word, in every script; sentences, synonyms, and form.

Scripts that write no spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan)
are read a character at a time, so that word n-grams become character n-grams
wherever words are counted. The lexicon of synonyms is our own: small enough to be
right.

Words drop punctuation, and the tokenizers of encoders normalise spacing and case, so
that labels distinguished by a space before a comma are invisible to both. By
`surface_words` a text becomes made-up words that name its form and nothing else, which
any reader of words can read.
"""

import math
import re
from collections.abc import Callable, Sized
from functools import cache, lru_cache, partial, wraps
from importlib.resources import files
from typing import TypeVar
from unicodedata import category

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
# Signs that belong to the letter before them, and that no class of letters has.
SIGNS = (
    "\u0300-\u036f\u0483-\u0487"  # accents
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"  # Hebrew
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"  # Arabic
    "\u0900-\u0963\u0971-\u0df3"  # the scripts of India, whose vowels are signs
    "\u1b00-\u1b4b\u1b80-\u1bf3"  # Balinese, Sundanese, Batak
    "\u200c\u200d"  # joiners
)
STEM = rf"[^\W{UNSPACED}]+(?:[{SIGNS}]+[^\W{UNSPACED}]*)*"
WORD = re.compile(rf"[{UNSPACED}]|{STEM}(?:['’]{STEM})?")
# What WORD finds in ASCII, in a third of the time.
ASCII_WORD = re.compile(r"[A-Za-z0-9_]+(?:'[A-Za-z0-9_]+)?")
SENTENCE = re.compile(r"[.!?]+(?=\s|$)|[。！？]+")
Span = tuple[int, int]
# A point after an initial or a title ends no sentence; format noise agrees, so that
# what it reorders is what is distinguished here.
ABBREVIATION = re.compile(r"\b(?:[A-Z]|Mr|Ms|Mrs|Dr|St)\.$")


MOST_CHARACTERS = 8_000_000  # of the texts that one function remembers
FEW_CHARACTERS = 2_000_000  # where a result takes far more room than its characters
MOST_WORDS = 2**17  # of which one function remembers something

Result = TypeVar("Result", bound=Sized)


def remember_texts(
    change: Callable[[str], Result], most: int = MOST_CHARACTERS
) -> Callable[[str], Result]:
    """The same function, which remembers what it made of a text.

    An audit changes the same texts in each fold of each cut of the items. Texts are
    counted by their characters, since one may be a word or a book; where they are too
    many, all are forgotten.

    >>> shout = remember_texts(str.upper)
    >>> shout("a boat"), shout("a boat") is shout("a boat")
    ('A BOAT', True)
    """
    results: dict[str, Result] = {}
    room = most

    @wraps(change)
    def remember(text: str) -> Result:
        nonlocal room
        result = results.get(text)
        if result is None:
            result = change(text)
            room -= len(text) + len(result)
            if room < 0:
                results.clear()
                room = most
            results[text] = result
        return result

    return remember


def words(text: str) -> list[str]:
    """The lower-cased words of `text`, or its characters where no spaces are written.

    >>> words("Don't PANIC, 42!"), words("猫吃鱼 ok"), words("नहीं")
    (["don't", 'panic', '42'], ['猫', '吃', '鱼', 'ok'], ['नहीं'])
    """
    return list(_find_words(text))


@partial(remember_texts, most=FEW_CHARACTERS)
def _find_words(text: str) -> tuple[str, ...]:
    """The words of `words`: audits ask for those of the same texts again and again."""
    lower = text.lower()
    return tuple((ASCII_WORD if lower.isascii() else WORD).findall(lower))


def word_spans(lower: str) -> list[Span]:
    """Where the words of a text in small letters stand in it.

    >>> word_spans("don't panic")
    [(0, 5), (6, 11)]
    """
    pattern = ASCII_WORD if lower.isascii() else WORD
    return [match.span() for match in pattern.finditer(lower)]


NEGATIONS = frozenset(
    words(
        """
        no not never none nobody nothing nowhere neither nor cannot without isn't aren't
        wasn't weren't don't doesn't didn't won't can't couldn't shouldn't wouldn't
        hasn't haven't hadn't n't nt 不 没 無 无 未 非
        """
    )
)
# English words that hold a sentence together; negations stand apart.
FUNCTION = frozenset(
    words(
        """
        a an the this that these those some any each every either all both half several
        such another other others same own much many more most few fewer less least
        enough i me my mine myself we us our ours ourselves you your yours yourself
        yourselves he him his himself she her hers herself it its itself they them their
        theirs themselves oneself somebody someone something somewhere anybody anyone
        anything anywhere everybody everyone everything everywhere
        who whom whose which what when where why how whoever whatever whichever whenever
        wherever whether
        am is are was were be been being have has had having do does did doing done will
        would shall should can could may might must ought
        about above across after against along amid among amongst around as at atop
        before behind below beneath beside besides between beyond by despite down during
        except for from in inside into like near of off on onto out outside over past
        per since than through throughout till to toward towards under underneath until
        unto up upon via with within
        and but or so yet if then else because although though unless while whereas
        here there now just only also too very quite rather even still again once ever
        i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd
        it's it'll we're we've we'll we'd they're they've they'll they'd that's that'll
        there's there're here's what's who's who'll where's when's how's let's
        s re ve ll d m
        """
    )
)


def count_sentences(text: str) -> int:
    """How many sentences `text` holds: at least one, unless it is empty.

    >>> [count_sentences(text) for text in ("One. Two! Three", "猫。狗。", "")]
    [3, 2, 0]
    """
    return sum(1 for part in SENTENCE.split(text) if part.strip())


def has_negation(text: str) -> bool:
    """Whether a negation stands in `text`.

    >>> has_negation("He did not go"), has_negation("He went")
    (True, False)
    """
    return any(word in NEGATIONS for word in words(text))


def synonyms(word: str) -> tuple[str, ...]:
    """What may stand in the place of a word or phrase, in the order of the lexicon.

    >>> synonyms("couch"), synonyms("shop")
    (('sofa',), ())
    """
    return replacements().get(word.lower(), ())


@cache
def lexicon_lines() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    """Of each set, what may be replaced and what is only put in."""
    text = (files("measurand.text") / "synonyms.txt").read_text("utf-8")
    rows = [line for line in text.splitlines() if line and not line.startswith("#")]
    halves = [line.partition(" > ") for line in rows]
    return tuple(
        (_split_phrases(replaceable), _split_phrases(inserted))
        for replaceable, _, inserted in halves
    )


def _split_phrases(half: str) -> tuple[str, ...]:
    """The words and phrases between the commas."""
    return tuple(half.split(", ")) if half else ()


@cache
def replacements() -> dict[str, tuple[str, ...]]:
    """For each word or phrase that may be replaced, what may stand in its place."""
    return {
        word: tuple(synonym for synonym in (*replaceable, *inserted) if synonym != word)
        for replaceable, inserted in lexicon_lines()
        for word in replaceable
    }


@cache
def representatives() -> dict[str, str]:
    """For each word or phrase, the first of its set.

    Where one stands in several lines, these are one set: "plane" in both of its lines.
    """
    firsts: dict[str, str] = {}
    for replaceable, inserted in lexicon_lines():
        earlier = [firsts[word] for word in (*replaceable, *inserted) if word in firsts]
        first = earlier[0] if earlier else replaceable[0]
        merged = {
            word for word, earlier_first in firsts.items() if earlier_first in earlier
        }
        firsts |= dict.fromkeys((*merged, *replaceable, *inserted), first)
    return firsts


def sentence_spans(text: str) -> list[Span]:
    """Where each sentence of `text` starts and ends, without the space around it.

    >>> text = "Dr. No smiled. Bond left!  So"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. No smiled.', 'Bond left!', 'So']
    """
    ends = [
        end.end()
        for end in SENTENCE.finditer(text)
        if not ABBREVIATION.search(text, max(0, end.end() - 6), end.end())
    ]
    bounds = []
    for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
        part = text[start:end]
        if words(part):
            start += len(part) - len(part.lstrip())
            bounds.append((start, start + len(part.strip())))
    return bounds


def split_sentences(text: str) -> list[str]:
    """The sentences of `text`, in order.

    >>> split_sentences("One. Two? 三。四"), split_sentences(" ... ")
    (['One.', 'Two?', '三。', '四'], [])
    """
    return [text[start:end] for start, end in sentence_spans(text)]


def bare_words(text: str) -> str:
    """The words alone: the same for texts that differ in case, space and points.

    >>> bare_words("It  is,  SO.")
    'it is so'
    """
    return " ".join(words(text))


def sentence_key(text: str) -> tuple[str, ...]:
    """The sentences as bare words, sorted: the same in whatever order they stand.

    >>> sentence_key("B is. A is.") == sentence_key("A is.  b is!")
    True
    """
    return tuple(sorted(map(bare_words, split_sentences(text))))


LETTERS = rf"[^\W\d_]+(?:[{SIGNS}]+[^\W\d_]*)*"
TAG, ENTITY = r"</?[A-Za-z][^<>]*>", r"&#?\w+;"
MARKUP = re.compile(f"{TAG}|{ENTITY}")
NAME = re.compile(r"[A-Za-z]\w*")
TOKEN = re.compile(
    r"(?P<link>https?://\S+)"
    rf"|(?P<tag>{TAG})"
    rf"|(?P<entity>{ENTITY})"
    r"|(?P<number>\d+)"
    rf"|(?P<word>{LETTERS}(?:['’]{LETTERS})*)"
    # Nothing is said of a single space: not even found, since half of a text are those.
    r"|(?P<space>\s{2,}|[^\S ])"
    r"|(?P<mark>[^ ])"
)


def content_words(text: str) -> list[str]:
    """The words of a text without those of its markup, which is form.

    >>> content_words("<p>A red<br>boat &amp; oar</p>")
    ['a', 'red', 'boat', 'oar']
    """
    return words(_replace_markup(text, " "))


def _replace_markup(text: str, by: str) -> str:
    """The text with something else for each tag and entity; most texts have none."""
    return MARKUP.sub(by, text) if "<" in text or "&" in text else text


LONGEST = 9  # digits from which numbers count alike
STEPS = 8  # classes of length in each doubling


@remember_texts
def surface_words(text: str) -> str:
    """The form of a text as made-up words.

    >>> surface_words("A dog , barks!").split()[:5]
    ['title', 'lower', 'mark2cba', 'lower', 'mark21']
    >>> surface_words("Hi 12") == surface_words("Yo 34")
    True
    """
    names = [_token_name(match, text) for match in TOKEN.finditer(text)]
    ends = [f"first{_edge(text[:1])}", f"last{_edge(text[-1:])}"]
    return " ".join([*names, *ends, length_words(text)])


@remember_texts
def length_words(text: str) -> str:
    """How long a text is, in words and in letters, as two made-up words.

    Spaces, marks and markup are no part of it: they are form.

    >>> length_words("A dog , barks!") == length_words("A dog,<br> barks")
    True
    """
    letters = sum(map(str.isalnum, _replace_markup(text, "")))
    count = len(content_words(text))
    return f"words{_length_class(count)} letters{_length_class(letters)}"


def _token_name(match: "re.Match[str]", text: str) -> str:
    """What is said of one token.

    Of a word its case alone: by its length or its apostrophe "true" is distinguished
    from "false" and "is" from "isn't", and what they say would be called form.
    """
    kind, piece = match.lastgroup, match.group()
    if kind == "word":
        return _case(piece)
    if kind == "number":
        return f"number{min(len(piece), LONGEST)}"
    if kind == "space":
        return f"space{_edge(piece[0])}{min(len(piece), 3)}"
    if kind == "mark":
        before = "b" if text[match.start() - 1 : match.start()].isspace() else ""
        after = "a" if text[match.end() : match.end() + 1].isspace() else ""
        return f"mark{ord(piece):x}{before}{after}"
    if kind == "tag":  # <b> differs from <i>, whatever stands in them
        return f"tag{NAME.findall(piece)[0].lower()}"
    return str(kind)


@lru_cache(maxsize=MOST_WORDS)
def _case(word: str) -> str:
    """How a word is written; a single capital begins it as in any title."""
    if word.lower() == word.upper():
        return "uncased"
    if word.islower():
        return "lower"
    if word[0].isupper() and (len(word) == 1 or word[1:].islower()):
        return "title"
    return "upper" if word.isupper() else "mixed"


def _edge(letter: str) -> str:
    """What a text begins or ends with."""
    if not letter:
        return "nothing"
    if letter.isalnum() or category(letter).startswith("M"):
        return "letter"
    return f"{ord(letter):x}"


def _length_class(count: int) -> int:
    """A class of length: each count up to eleven, then an eighth of a doubling.

    >>> [_length_class(count) for count in (0, 1, 2, 10, 11, 12, 100, 105)]
    [0, 8, 12, 27, 28, 29, 53, 53]
    """
    return int(STEPS * math.log2(count + 1))
