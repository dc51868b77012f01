"""Sentences of a text, with their places, and what makes two of them the same."""

import re

from measurand.core.words import SENTENCE, words

Span = tuple[int, int]
# A point after an initial or a title ends no sentence; format noise agrees, so that
# what it reorders is what is told apart here.
SHORT = re.compile(r"\b(?:[A-Z]|Mr|Ms|Mrs|Dr|St)\.$")


def sentence_spans(text: str) -> list[Span]:
    """Where each sentence of `text` starts and ends, without the space around it.

    >>> text = "Dr. No smiled. Bond left!  So"
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. No smiled.', 'Bond left!', 'So']
    """
    ends = [
        end.end()
        for end in SENTENCE.finditer(text)
        if not SHORT.search(text, max(0, end.end() - 6), end.end())
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
