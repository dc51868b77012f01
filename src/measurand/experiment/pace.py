"""The pace of a reader: the seconds that it takes, by timing it on some items.

What is read once, and then only joined again, is timed by itself.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from measurand.core.arrays import Ints
from measurand.core.choices import fit_to, fit_writer_to, pair_choices
from measurand.core.items import Items
from measurand.core.reader import Reader, ReadsOnce, Timeable, skip_temperature
from measurand.core.recipe import identity

Clock = Callable[[], float]
LEAST = 4  # rows that are timed first
LEAST_TEXTS = 16  # texts that are timed first: a step's worth
GROWTH = 4  # how many times more are timed next
ENOUGH = 0.5  # seconds after which no more are timed
# Where the timed rows stand among all by their length. Rather long than short: a batch
# takes as long as its longest row.
LONGISH = 0.8


@dataclass(frozen=True)
class Pace:
    """The seconds that a reader takes.

    Attributes:
        fit: For a fit, besides what it reads.
        row: For one training item, read once.
        text: For one unlabeled text that it adapts to.
        answer: For one item that it is asked about.
    """

    fit: float
    row: float
    text: float
    answer: float


def measure_pace(
    reader: Reader,
    items: Items,
    texts: Sequence[str],
    clock: Clock,
    *,
    writes: bool = False,
) -> Pace:
    """The reader's pace on items like these, and on texts like these.

    It takes some seconds: what is read, or written, grows until it takes `ENOUGH`.
    """
    fitted: list[Any] = []

    def fit(count: int, texts: Sequence[str] = ()) -> None:
        recipe = reader.pilot(count, texts) if isinstance(reader, Timeable) else reader
        rows = rows_of_like_length(items, count)
        fit_rows = fit_writer_to if writes else fit_to
        fitted[:] = [fit_rows(recipe, rows, np.random.default_rng(0))]

    def answer(count: int) -> None:
        ask = fitted[0].write if writes else fitted[0].predict
        ask(rows_of_like_length(items, count))

    # One thread, as in a trial.
    with threadpool_limits(1):
        fixed, row = time_growing(fit, LEAST, len(items), clock)
        _, answered = time_growing(answer, LEAST, len(items), clock)
        text = 0.0
        if texts:
            _, text = time_growing(
                lambda count: fit(LEAST, texts[:count]), LEAST_TEXTS, len(texts), clock
            )
    return Pace(fixed, row, text, answered)


def time_growing(
    run: Callable[[int], None], least: int, most: int, clock: Clock
) -> tuple[float, float]:
    """The seconds that `run` takes whatever it is given, and those for each one.

    It is given more and more, until it takes long enough to be timed, or all.

    >>> now = [0.0]
    >>> def run(count: int) -> None:
    ...     now[0] += 0.25 + count / 8
    >>> time_growing(run, 4, 100, lambda: now[0])
    (0.25, 0.125)
    """
    count = min(least, most)
    run(count)  # what is loaded and allocated once is not timed
    timings: list[tuple[int, float]] = []
    while True:
        start = clock()
        run(count)
        timings.append((count, clock() - start))
        is_long = timings[-1][1] >= ENOUGH
        if count >= most or (is_long and len(timings) > 1):
            break
        # Of what is slow from the start, twice as many will do.
        count = min(most, count * (2 if is_long else GROWTH))
    (fewest, shortest), (count, longest) = timings[0], timings[-1]
    if longest <= shortest:
        return 0.0, longest / count
    slope = (longest - shortest) / (count - fewest)
    return max(0.0, longest - slope * count), slope


def rows_of_like_length(items: Items, count: int) -> Items:
    """So many rows, rather long ones, with every label among them.

    A reader may refuse items of fewer labels than it knows.
    """
    order = np.argsort(text_lengths(items), kind="stable")
    distances = np.abs(np.arange(len(order)) - LONGISH * len(order))
    nearest = order[np.argsort(distances, kind="stable")]
    _, firsts = np.unique(items.numbers[nearest], return_index=True)
    # Those of each label come first, so that none is cut off.
    places = np.concatenate([firsts, np.setdiff1d(np.arange(len(order)), firsts)])
    return items.rows(np.sort(nearest[places[: max(count, len(firsts))]]))


def text_lengths(items: Items) -> Ints:
    """The letters of each item, all fields together."""
    lengths = [items.column(field).str.len().to_numpy() for field in items.fields]
    return np.asarray(np.sum(lengths, axis=0), np.int64)


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
    start, done, count, letters = clock(), 1, LEAST_TEXTS, 0
    while done < len(order) and (letters == 0 or clock() - start < ENOUGH):
        part = [texts[number] for number in order[done : done + count]]
        reader.read_texts(part)
        letters += max(1, sum(map(len, part)))
        done, count = done + count, GROWTH * count
    return (clock() - start) / letters if letters else 0.0
