"""Terms: one plain sentence each, the same wherever people read them.

The sentences stand in `terms.toml`; README, pages, terminal, `explain` and the docs
take them from there.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from measurand.core.errors import UnknownName

UNKNOWN = "unknown"  # the tone of what nobody has words for


@dataclass(frozen=True)
class Tone:
    """What an answer means for whoever asked, told by word, sign and colour.

    Attributes:
        name: What style sheets call it.
        word: The word that stands before the answer.
        sign: One letter that tells it where colours cannot.
        means: What it means.
    """

    name: str
    word: str
    sign: str
    means: str


@dataclass(frozen=True)
class VerdictWords:
    """What a verdict says in plain words.

    Attributes:
        tone: What it means for whoever asked.
        found: What was found.
        means: What it lets you say.
        answer: One sentence; `{…}` stands for what a report fills in. None where the
            clauses of a verdict say it.
        cause: Why, where a report knows no better.
        next: What to do about it, the first thing first.
    """

    tone: Tone
    found: str
    means: str
    answer: str = ""
    cause: str = ""
    next: tuple[str, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """What `explain` says of a term.

    Attributes:
        kind: A verdict, a statistic, a word, a tone or a reader.
        text: One sentence or a few.
    """

    kind: str
    text: str


@cache
def load_terms() -> Mapping[str, Any]:
    """Everything in `terms.toml`."""
    text = files("measurand.wording").joinpath("terms.toml").read_text("utf-8")
    return tomllib.loads(text)


def tone_words() -> dict[str, Tone]:
    """The tones by name, the good one first."""
    return {name: Tone(name, **words) for name, words in load_terms()["tone"].items()}


def audit_title(audit: str) -> str:
    """What a chapter on an audit is called.

    >>> audit_title("evidence"), audit_title("mine")
    ('Evidence', 'Mine')
    """
    return str(_audit_words(audit).get("title", audit.capitalize()))


def plain_question(audit: str) -> str:
    """What an audit asks, in plain words; empty where nobody wrote any.

    >>> plain_question("evidence")
    'Do the labels need the evidence?'
    """
    return str(_audit_words(audit).get("question", ""))


def counted_unit(audit: str) -> str:
    """What an audit counts.

    >>> counted_unit("evidence"), counted_unit("exposure")
    ('items', 'draws')
    """
    return str(_audit_words(audit).get("unit", "items"))


def verdict_words(audit: str, label: str) -> VerdictWords:
    """The words of a verdict; of one that nobody wrote any for, its label.

    >>> verdict_words("leakage", "leaks").tone.word
    'Leaks'
    >>> verdict_words("mine", "odd").answer
    'The verdict is odd.'
    """
    verdicts = _audit_words(audit).get("verdict", {})
    tones = tone_words()
    if label not in verdicts:
        plain = "no words are known for it"
        answer, step = f"The verdict is {label}.", "Read the reason in full."
        return VerdictWords(tones[UNKNOWN], plain, plain, answer, next=(step,))
    words = dict(verdicts[label])
    tone, steps = tones[words.pop("tone")], tuple(words.pop("next"))
    return VerdictWords(tone, next=steps, **words)


def reader_words(name: str) -> str:
    """What a reader goes by; its own name where nobody wrote any words.

    >>> reader_words("tfidf"), reader_words("encoder:bert"), reader_words("mine")
    ('TF-IDF + logistic regression', 'a pretrained language model', 'mine')
    """
    readers: Mapping[str, str] = load_terms()["reader"]
    return readers.get(name) or readers.get(name.partition(":")[0], name)


def explain_term(term: str) -> list[Explanation]:
    """All that a term means; one that is not known is an error with a suggestion.

    >>> explain_term("margin")[0].text
    'The accuracy that counts as nothing, set before the run.'
    """
    wanted, explained = _term_key(term), _all_explanations()
    explanations = [e for name, e in explained if _term_key(name) == wanted]
    # Part of a term is enough where nothing is called so: confidence, of its interval.
    words = {*wanted.split()}
    near = [e for name, e in explained if words and words <= {*_term_key(name).split()}]
    if not explanations and not near:
        raise UnknownName("term", term, list_terms())
    return explanations or near


def _term_key(term: str) -> str:
    """What a term is known by: no case, hyphen or plural tells terms apart.

    >>> _term_key("Partial-Inputs"), _term_key("part=all items"), _term_key("Families")
    ('partial input', 'part=', 'family')
    """
    name, equals, _ = term.casefold().partition("=")
    if equals:
        return name + equals
    plain = re.sub(r"[-_\s]+", " ", name).strip()
    return re.sub(r"(?<=[^\Ws])s\b", "", re.sub(r"ies\b", "y", plain))


def list_terms() -> list[str]:
    """Every term there is, each once."""
    return list(dict.fromkeys(name for name, _ in _all_explanations()))


def _all_explanations() -> list[tuple[str, Explanation]]:
    """Every term and what it means, verdicts first."""
    terms = load_terms()
    entries = []
    for audit in terms:
        for label in _audit_words(audit).get("verdict", ()):
            words = verdict_words(audit, label)
            text = (
                f"{plain_question(audit)} {words.tone.word}: {_capital(words.found)}. "
                f"It means: {words.means}. {' '.join(words.next)}"
            )
            entries.append((label, Explanation(f"verdict of {audit}", text)))
    for kind in ("statistic", "word"):
        entries += [
            (name, Explanation(kind, text)) for name, text in terms[kind].items()
        ]
    entries += [
        (tone.word.lower(), Explanation("tone", f"{_capital(tone.means)}."))
        for tone in tone_words().values()
    ]
    readers: Mapping[str, str] = terms["reader"]
    reads: Mapping[str, str] = terms["reads"]
    entries += [
        (name, Explanation("reader", f"It goes by {text}. {reads[name]}"))
        for name, text in readers.items()
    ]
    named: dict[str, list[str]] = {}
    for name, text in readers.items():
        named.setdefault(text, []).append(name)
    entries += [
        (
            text,
            Explanation("reader", f"{reads[names[0]]} Ask it as {' or '.join(names)}."),
        )
        for text, names in named.items()
        if text not in readers
    ]
    return entries


def _capital(text: str) -> str:
    """The text with its first letter large."""
    return text[:1].upper() + text[1:]


def _audit_words(audit: str) -> Mapping[str, Any]:
    words: Mapping[str, Any] = load_terms().get(audit, {})
    # The table of plain words explains what a verdict is; it has none.
    return words if isinstance(words.get("verdict"), dict) else {}
