"""The time it takes to read what is read once, and then only put together anew."""

import time
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from measurand.core.choices import pair_choices
from measurand.core.items import Items
from measurand.core.reader import ReadsOnce, skip_temperature
from measurand.core.recipe import identity

Clock = Callable[[], float]
FIRST = 16  # texts that are timed first
GROWTH = 4  # how many times more are timed next
ENOUGH = 0.5  # seconds after which no more are timed


def texts_of(items: Items) -> list[str]:
    """All texts of the items, choices each by itself."""
    if items.choices is not None:
        items = pair_choices(items).items
    return [text for field in items.fields for text in items.column(field)]


def reading_seconds(
    reader: object,
    groups: Iterable[Items],
    clock: Clock = time.perf_counter,
    paces: dict[str, float] | None = None,
) -> float:
    """What reading takes that was not done yet; 0 where texts are not read once.

    Whoever reads has the cores to itself, however many trials are under way.

    Args:
        reader: Whoever reads.
        groups: The items.
        clock: What it is timed by.
        paces: The seconds that a letter takes, by reader, where that is known.
    """
    if not isinstance(reader, ReadsOnce):
        return 0.0
    paces = {} if paces is None else paces
    texts = dict.fromkeys(text for items in groups for text in texts_of(items))
    unread = reader.list_unread([*texts])
    name = identity(skip_temperature(reader))
    if unread and name not in paces:
        paces[name] = _time_letters(reader, unread, clock)
        unread = reader.list_unread(unread)
    return sum(map(len, unread)) * paces.get(name, 0.0)


def _time_letters(reader: ReadsOnce, texts: Sequence[str], clock: Clock) -> float:
    """The seconds of a letter, by texts from all over; what is read is kept."""
    order = np.random.default_rng(0).permutation(len(texts))
    reader.read_texts([texts[order[0]]])  # what is loaded once is not timed
    start, done, count, letters = clock(), 1, FIRST, 0
    while done < len(order) and (letters == 0 or clock() - start < ENOUGH):
        part = [texts[number] for number in order[done : done + count]]
        reader.read_texts(part)
        letters += max(1, sum(map(len, part)))
        done, count = done + count, GROWTH * count
    return (clock() - start) / letters if letters else 0.0
