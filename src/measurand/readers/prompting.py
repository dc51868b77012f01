"""Prompting: what a language model is shown, and how its answer is read.

Every label is offered behind a mark: a letter, or a number where letters run out or
where one label reads like the mark of another. An answer is read, in this order, as

1. a mark at its start, or after its last "answer:" ("B", "(b)", "B. because");
2. the one label that its text names; a longer label hides a shorter one inside it, and
   a label after "not" names nothing;
3. otherwise it would not parse.

Log-probabilities are read where the answer was found. A likely token counts for a
label if, without quotes, brackets and blanks, it is that label's mark, or two or more
letters with which that label begins and no other does.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp
from string import ascii_uppercase

import numpy as np

from measurand.core.arrays import Ints
from measurand.core.errors import BadOption, UnknownName
from measurand.core.items import Items
from measurand.models.server.calls import Reply, Token

SMOOTH = 0.02  # share spread over all labels when only one label was named
LEAST = 0.01  # share of all labels together under which tokens say nothing of them
FLOOR = 1e-6  # share of a label that stands among no likely tokens
AROUND = " \t\r\n\"'`()[]*.:▁Ġ"
CUE = re.compile(r"\banswer\b(?:\s+is)?\W*[:：]", re.IGNORECASE)
NOT = re.compile(r"(?:\b(?:not|no|never|neither|nor)|n['’]t)\b(\W*)", re.IGNORECASE)


@dataclass(frozen=True)
class Choices:
    """The labels and the mark before each."""

    classes: tuple[str, ...]
    marks: tuple[str, ...]

    @property
    def options(self) -> str:
        """One line per label."""
        lines = zip(self.marks, self.classes, strict=True)
        return "\n".join(f"{mark}. {' '.join(label.split())}" for mark, label in lines)

    @property
    def marks_in_words(self) -> str:
        """The marks, in words.

        >>> mark_labels(("no", "yes")).marks_in_words
        'A or B'
        """
        if len(self.marks) > 5:
            return f"one of {self.marks[0]} to {self.marks[-1]}"
        return " or ".join([", ".join(self.marks[:-1]), self.marks[-1]])


def mark_labels(classes: tuple[str, ...]) -> Choices:
    """The labels with marks that cannot be taken for another label.

    >>> mark_labels(("no", "yes")).marks, mark_labels(("B", "C")).marks
    (('A', 'B'), ('1', '2'))
    """
    numbers = tuple(str(n + 1) for n in range(len(classes)))
    for marks in (tuple(ascii_uppercase[: len(classes)]), numbers):
        pairs = list(zip(marks, classes, strict=False))
        distinct = all(
            label == mark or label.upper() not in marks for mark, label in pairs
        )
        if len(marks) == len(classes) and distinct:
            return Choices(classes, marks)
    return Choices(classes, numbers)


def find_label(text: str, choices: Choices) -> tuple[int, int] | None:
    """Which label an answer names, and at which letter; None where it does not parse.

    >>> two = mark_labels(("entailment", "not entailment"))
    >>> replies = ("B", "It is not entailment.", "A man")
    >>> [find_label(reply, two) for reply in replies]
    [(1, 0), (1, 6), None]
    """
    last = len(text.rstrip(AROUND))
    cues = [cue.end() for cue in CUE.finditer(text) if cue.end() < last]
    start = cues[-1] if cues else 0
    every = sorted(choices.marks, key=len, reverse=True)
    # A bare "A" or "I" before a word is that word's, not an answer.
    mark = re.compile(
        rf"[\W_]*({'|'.join(every)})(?![\w'’])(?!(?<=[AI])[^\S\n]+\w)", re.IGNORECASE
    )
    match = mark.match(text, start)
    rest = text[match.end() :].strip(AROUND) if match else ""
    if match and (match[1] in choices.marks or not rest):
        return choices.marks.index(match[1].upper()), match.start(1)
    return _find_by_text(text, start, choices)


def _find_by_text(text: str, start: int, choices: Choices) -> tuple[int, int] | None:
    """The one label that stands in the text from `start` on."""
    numbers: dict[tuple[int, int], set[int]] = {}  # of labels, by where they stand
    for number, label in enumerate(choices.classes):
        words = r"\s+".join(map(re.escape, label.split()))
        if words:
            pattern = re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
            for match in pattern.finditer(text, start):
                numbers.setdefault(match.span(), set()).add(number)
    visible, reach = [], 0
    for first, end in sorted(numbers, key=lambda span: (span[0], -span[1])):
        if end > reach:
            visible.append((first, end))
            reach = end
    named = set().union(*(numbers[span] for span in visible))
    positions = [first for first, _ in visible]
    if len(named) != 1 or _is_negated(text, positions):
        return None
    return named.pop(), positions[0]


def _is_negated(text: str, positions: Sequence[int]) -> bool:
    """Whether "not", and no word after it, stands before any of the positions."""
    gaps = [match.span(1) for match in NOT.finditer(text)]
    ends = [end for _, end in gaps]
    places = [bisect_left(ends, position) for position in positions]
    return any(
        clause < len(gaps) and gaps[clause][0] <= position
        for clause, position in zip(places, positions, strict=True)
    )


def reply_shares(
    reply: Reply, choices: Choices, *, at_once: bool
) -> list[float] | None:
    """The share of each label in a reply; None where it would not parse.

    With `at_once` the answer is the first thing said, so that its likely tokens show
    of the labels even where the text does not.
    """
    answer = find_label(reply.text, choices)
    if answer is None:
        token = next((t for t in reply.tokens if t.text.strip(AROUND)), None)
        return _shares_by_tokens(token, choices) if token and at_once else None
    number, position = answer
    spread = [SMOOTH / len(choices.classes)] * len(choices.classes)
    spread[number] += 1 - SMOOTH
    token = _token_at(reply, position)
    return (_shares_by_tokens(token, choices) if token else None) or spread


def _token_at(reply: Reply, position: int) -> Token | None:
    """The token in which the letter at `position` stands."""
    end = -"".join(token.text for token in reply.tokens).find(reply.text)
    if end > 0 or not reply.tokens:
        return None
    for token in reply.tokens:
        end += len(token.text)
        if end > position:
            return token
    return None


def _shares_by_tokens(token: Token, choices: Choices) -> list[float] | None:
    """The shares of the labels among the likely tokens at one place."""
    if any(len(mark) > 1 for mark in choices.marks):
        return None  # such marks are written in several tokens
    likely = [
        (_token_label(text, choices), exp(min(s, 0.0))) for text, s in token.others
    ]
    mass = [0.0] * len(choices.classes)
    for number, share in likely:
        if number is not None:
            mass[number] += share
    if sum(mass) < LEAST:
        return None
    # What is not listed is no likelier than the last that is.
    unseen = min(min(s for _, s in likely), 1 - sum(s for _, s in likely))
    mass = [share or max(unseen, FLOOR) for share in mass]
    return [share / sum(mass) for share in mass]


def _token_label(token: str, choices: Choices) -> int | None:
    """The label that a token means, if it means one."""
    text = token.strip(AROUND)
    if text.upper() in choices.marks:
        return choices.marks.index(text.upper())
    matches = [
        number
        for number, label in enumerate(choices.classes)
        if len(text) > 1 and label.casefold().startswith(text.casefold())
    ]
    return matches[0] if len(matches) == 1 else None


LABELS = "Which of these labels is right for it?"
CHOICES = "Which of these answers is the right one?"
FORM_NAMES = ("fields", "asked", "options", "marks")  # what a question may name
FORM_NEEDS = ("fields", "options")


def chat_turn(role: str, content: str) -> dict[str, str]:
    """One turn of a conversation."""
    return {"role": role, "content": content}


@cache
def chat_template(name: str) -> tuple[str, str]:
    """The question and the form of the answer, from the file of that name."""
    return split_form(read_template("chat", "prompt", name))


def split_form(form: str) -> tuple[str, str]:
    """The question in a form, and the form of the answer; the mark where it has none.

    >>> split_form("Read {fields}. Choose: {options}")
    ('Read {fields}. Choose: {options}', '{mark}')
    """
    question, _, answer = form.replace("\r\n", "\n").partition("\n---\n")
    return question, answer.strip() or "{mark}"


def check_form(form: str) -> None:
    """Raise where a form could not ask, or nobody could read what it is answered."""
    question, answer = split_form(form)
    for part, text, needed, allowed in (
        ("question", question, FORM_NEEDS, FORM_NAMES),
        ("answer", answer, ("mark",), ("mark",)),
    ):
        names = re.findall(r"\{(\w+)\}", text)
        missing = [f"{{{name}}}" for name in needed if name not in names]
        unknown = [f"{{{name}}}" for name in names if name not in allowed]
        if missing or unknown:
            fault = f"lacks {missing[0]}" if missing else f"holds {unknown[0][:60]}"
            braced = ", ".join(f"{{{name}}}" for name in allowed)
            raise BadOption(
                f"`prompt` {fault} in its {part}; allowed are {braced}, and "
                f"{', '.join(f'{{{name}}}' for name in needed)} must be there"
            )


def read_template(family: str, noun: str, name: str) -> str:
    """The text of a packaged template; `noun` is what an error calls it."""
    folder = files("measurand.readers") / "prompts"
    templates = {
        file.name.removeprefix(f"{family}-").removesuffix(".txt"): file
        for file in folder.iterdir()
        if file.name.startswith(f"{family}-")
    }
    if name not in templates:
        raise UnknownName(noun, name, sorted(templates))
    return templates[name].read_text("utf-8")


def fill_chat(form: str, values: Mapping[str, str]) -> str:
    """The form with its names replaced, once: braces in a value stay braces.

    >>> fill_chat("{a} and {b}", {"a": "{b}", "b": "c"})
    '{b} and c'
    """
    return re.sub(r"\{(\w+)\}", lambda name: values[name[1]], form)


def item_question(
    question: str, text: str, choices: Choices, task: str = LABELS
) -> str:
    """The question about one item."""
    values = {"options": choices.options, "marks": choices.marks_in_words}
    return fill_chat(question, {"fields": text, "asked": task, **values})


def render_items(items: Items) -> list[str]:
    """The fields of each item, each between tags; a field that is absent is absent.

    Choices are no part of it.
    """
    names = [name for name in items.fields if name != items.choices]
    columns = [items.column(name).tolist() for name in names]
    rows = zip(*columns, strict=True) if columns else ((),) * len(items)
    return ["\n".join(map(_tag_text, names, row)) for row in rows]


def _tag_text(name: str, text: str) -> str:
    """The text between tags that it cannot close.

    >>> print(_tag_text("claim", "a</claim>b"))
    <claim_>
    a</claim>b
    </claim_>
    """
    tag = re.sub(r"\W+", "_", name).strip("_") or "text"
    while f"</{tag}>" in text:
        tag += "_"
    return f"<{tag}>\n{text}\n</{tag}>"


ANSWERS, QUESTIONS = "answers", "questions"  # what a language model may write


@cache
def writing_template(what: str) -> str:
    """The question for an answer, or a question, in own words."""
    file = files("measurand.readers") / "prompts" / f"{what}-chat.txt"
    return file.read_text("utf-8").strip("\n")


def check_writing(what: str) -> None:
    """Raise where nobody writes such a thing."""
    if what not in (ANSWERS, QUESTIONS):
        raise UnknownName("thing to write", what, (ANSWERS, QUESTIONS))


def check_shots(shots: int) -> None:
    """Raise where fewer than no examples are asked for."""
    if shots < 0:
        raise BadOption(f"shots is {shots}; allowed are 0 or more")


def draw_shots(items: Items, shots: int, rng: np.random.Generator) -> Ints:
    """Positions of so many items, one label after the other, in a drawn order."""
    gold = items.gold(items.classes)
    order = rng.permutation(len(items))
    turn = np.empty(len(items), np.int64)  # the how-manieth of its label each item is
    for label in range(len(items.classes)):
        same_label = order[gold[order] == label]
        turn[same_label] = np.arange(len(same_label))
    first = rng.permutation(len(items.classes))[gold]
    positions = np.lexsort((first, turn))[:shots]
    return np.asarray(rng.permutation(positions), np.int64)


LINE_CUE = re.compile(
    r"^(?:the\s+)?(?:answer|question)(?:\s+is)?\s*[:：]\s*", re.IGNORECASE
)


def gold_answers(items: Items) -> list[str]:
    """The answer of each item, on one line: the choice that is right."""
    gold = items.gold(items.classes)
    texts = zip(items.choice_texts, gold, strict=True)
    return [" ".join(row[number].split()) for row, number in texts]


def first_line(text: str) -> str:
    """What was written, without the cue before it and what was added after it.

    >>> first_line(" Answer: Oslo"), first_line(" ")
    ('Oslo', '')
    """
    lines = (line.strip() for line in text.splitlines())
    return LINE_CUE.sub("", next((line for line in lines if line), ""))
