"""Cross-fitting: one ask about items in folds is an ask a fold, joined again.

Whoever asks sees one answer about all items, each given by a reader that learned from
the other folds. So answers about the other items give a temperature for free, where
fits within the training items would cost as much again and be of smaller readers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from measurand.benchmarks.split import FOLD
from measurand.core.arrays import Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import split_ways
from measurand.core.intervention import Selection
from measurand.core.reader import Reader, Seeded, TemperatureScaled, skip_temperature
from measurand.core.recipe import traits_of
from measurand.experiment.ask import ANSWERS, TEXTS, Answer, Ask
from measurand.experiment.trial import asked_items
from measurand.readers.contests import calibrate_shares
from measurand.selections.rows import Both, Everything, HoldOut, Only


def fold_asks(ask: Ask, benchmark: Benchmark) -> list[Ask]:
    """The asks that answer it: one a fold, or itself where there is nothing to cut."""
    by_fold = ask.what in (ANSWERS, TEXTS) and _is_cut(ask, benchmark)
    if benchmark.folds == 1 or not by_fold:
        return [ask]
    return [
        replace(
            ask,
            fitted_on=_after(HoldOut(FOLD, fold), ask.fitted_on),
            about=_after(Only(FOLD, fold), ask.about),
        )
        for fold in map(str, range(benchmark.folds))
    ]


def _is_cut(ask: Ask, benchmark: Benchmark) -> bool:
    """Whether the part asked about is cut; one that was given apart is not."""
    part = benchmark.test_parts[ask.part] if ask.part else benchmark.test
    return FOLD in part.table.columns


def _after(first: Selection, second: Selection) -> Selection:
    return first if isinstance(second, Everything) else Both(first, second)


TEMPERATURES = 5  # folds of the answers, each with a temperature of its own


def is_calibrated_across(reader: Reader, *, cut: bool) -> bool:
    """Whether its answers about other items give its temperature, and no further fits.

    So it is where the items were `cut` into folds, and training no matter of chance;
    and with whoever learns no labels, and has none to find a temperature by.
    """
    by_fits = isinstance(reader, TemperatureScaled) and not isinstance(reader, Seeded)
    return (cut and by_fits) or not traits_of(reader).learns_labels


def asked_reader(reader: Reader, *, cut: bool) -> Reader:
    """The reader as it is asked: without further fits that are not needed."""
    return skip_temperature(reader) if is_calibrated_across(reader, cut=cut) else reader


def repeat_reader(reader: Reader, seeds: int | None = None) -> list[Reader]:
    """The reader once a run: with so many seeds of its own, where it has any."""
    if isinstance(reader, Seeded):
        return [*reader.with_seeds(seeds or reader.default_seeds())]
    return [reader]


def calibrate_across(shares: Floats, gold: Ints, clusters: Ints) -> Floats:
    """The shares at the temperature that is best for those of other items.

    Items that are dependent share a fold; no item has a say in its own temperature.
    """
    numbers = np.unique(split_ways(clusters)[0], return_inverse=True)[1]
    return calibrate_shares(shares, gold, numbers % TEMPERATURES)


def join_folds(
    asks: Sequence[Ask], answers: Sequence[Answer], benchmark: Benchmark, seed: int
) -> list[Answer]:
    """The answer to each ask, from those to the asks of its folds in the same order."""
    counts = [len(fold_asks(ask, benchmark)) for ask in asks]
    bounds = pairwise([0, *np.cumsum(counts).tolist()])
    return [
        answers[start]
        if end - start == 1
        else _join_folds(ask, answers[start:end], benchmark, seed)
        for ask, (start, end) in zip(asks, bounds, strict=True)
    ]


def _join_folds(
    ask: Ask, answers: Sequence[Answer], benchmark: Benchmark, seed: int
) -> Answer:
    """What was said fold by fold, in the order of the items."""
    ids = asked_items(ask, benchmark, seed).ids
    places = [
        ids.get_indexer(asked_items(part, benchmark, seed).ids)
        for part in fold_asks(ask, benchmark)
    ]
    repeats, _, width = answers[0].values.shape
    values = np.zeros((repeats, len(ids), width), np.float32)
    donors = None if answers[0].donors is None else np.zeros(values.shape[:2], np.int32)
    for answer, fold in zip(answers, places, strict=True):
        values[:, fold] = answer.values
        if donors is not None and answer.donors is not None:
            donors[:, fold] = fold[answer.donors]
    weights = [len(fold) / len(ids) for fold in places]
    remarks = [answer.remarks for answer in answers]
    texts = _join_texts(answers, places) if ask.what == TEXTS else None
    return Answer(values, donors, _join_remarks(remarks, weights), texts)


def _join_texts(
    answers: Sequence[Answer], places: Sequence[Ints]
) -> tuple[tuple[str, ...], ...]:
    """What was written fold by fold, each text where its item stands."""
    order = np.argsort(np.concatenate(places))
    repeats = zip(*(answer.texts or () for answer in answers), strict=True)
    rows = ([text for fold in repeat for text in fold] for repeat in repeats)
    return tuple(tuple(row[i] for i in order) for row in rows)


def _join_remarks(
    remarks: Sequence[Mapping[str, float | str]], weights: Sequence[float]
) -> dict[str, float | str]:
    """Shares and figures averaged over items; words as the first fold has them."""
    joined: dict[str, float | str] = {}
    for name, first in remarks[0].items():
        figures = [remark.get(name) for remark in remarks]
        pairs = zip(figures, weights, strict=True)
        joined[name] = (
            first
            if isinstance(first, str)
            else sum(float(f or 0.0) * weight for f, weight in pairs)
        )
    return joined
