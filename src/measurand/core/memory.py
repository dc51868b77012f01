"""Memory of texts: what is done to a text again and again is done once."""

from collections.abc import Callable
from functools import wraps

MOST_CHARACTERS = 8_000_000  # of the texts that one function remembers


def remember_texts(
    change: Callable[[str], str], most: int = MOST_CHARACTERS
) -> Callable[[str], str]:
    """The same function, which remembers what it made of a text.

    An audit changes the same texts in each fold of each cut of the items. Texts are
    counted by their characters, since one may be a word or a book; where they are too
    many, all are forgotten.

    >>> shout = remember_texts(str.upper)
    >>> shout("a boat"), shout("a boat") is shout("a boat")
    ('A BOAT', True)
    """
    results: dict[str, str] = {}
    room = most

    @wraps(change)
    def remember(text: str) -> str:
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
