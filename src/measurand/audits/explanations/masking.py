"""Leakage masks: the words that tell the label, taken out of rationales.

A detector reads the rationale alone; a word's score is what it adds to the detector's
score of a class. A mask that is placed by the gold label carries the label: the words
left standing, and where the blanks are, differ from label to label. By default
it is placed by whatever class a word speaks for the most, and by detectors that never
saw the rationale, so that training and test rationales are masked alike. Scores of
classes are known only up to what all share, so they are centred first.
"""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.explanations.keywords import keywords
from measurand.core.errors import BadOption, UnknownName
from measurand.core.reader import Floats, Reader
from measurand.core.seeds import generator
from measurand.core.words import WORD
from measurand.experiment.answers import Experiment, ask_all, measure_all
from measurand.experiment.asks import WORDS, Ask
from measurand.interventions.fields import Keep
from measurand.interventions.words import BLANK
from measurand.selections.folds import Fold

Bools = NDArray[np.bool_]
Cube = NDArray[np.float32]
STRENGTHS = (0.1, 0.3, 0.5, 0.7, 0.9)  # shares of the words that are tried, weak first
TARGET = 0.05  # accuracy over the majority at which a masked rationale leaks no more
FOLDS = 5  # parts of the training rationales, each masked by detectors of the others
AIMS = ("agnostic", "gold", "random")
TRAIN = "train"  # the test part that holds the training items


@dataclass(frozen=True)
class Masking:
    """How rationales are masked.

    Attributes:
        aim: The class whose score places the mask: whichever is highest ("agnostic"),
            the gold one, or a random one.
        strengths: The shares of the words that are tried, the weakest first.
        most: The most words that are masked; None for no limit.
        collapsed: Whether words masked in a row become one blank.
        keywords: Whether label names and label ids are masked too.
    """

    aim: str = "agnostic"
    strengths: tuple[float, ...] = STRENGTHS
    most: int | None = None
    collapsed: bool = True
    keywords: bool = False

    def __post_init__(self) -> None:
        """Refuse an aim that does not exist."""
        if self.aim not in AIMS:
            raise UnknownName("aim of a mask", self.aim, AIMS)


# The proposal's mask: a tenth of the words, ten at most, placed by the gold label.
MASKINGS = {"default": Masking(), "paper": Masking("gold", (0.1,), 10, False, True)}


def masking(preset: str) -> Masking:
    """The mask of a preset."""
    if preset not in MASKINGS:
        raise UnknownName("preset", preset, tuple(MASKINGS))
    return MASKINGS[preset]


def masked(
    text: str,
    scores: Sequence[float] | Floats | Cube,
    share: float,
    *,
    most: int | None = None,
    collapsed: bool = True,
    also: Collection[int] = (),
) -> str:
    """The text with a blank for the `share` of its words that score the highest.

    The number of words is rounded up. Words masked in a row become one blank, with
    what stands between them, so that neither their number nor their length shows.

    Args:
        text: The text.
        scores: One number a word; what is beyond the last word is not looked at.
        share: How much is masked.
        most: The most words that are masked.
        collapsed: Whether words masked in a row become one blank.
        also: Positions of words that are masked in any case.

    >>> masked("it is, sadly, not so.", [0, 2, 1, 3, 0], 0.6)
    'it _ so.'
    """
    if not 0 < share <= 1:
        raise BadOption(f"a mask of {share} of the words; allowed: over 0, to 1")
    places = [match.span() for match in WORD.finditer(text)]
    if not places:
        return text
    count = math.ceil(round(share * len(places), 9))
    order = np.argsort(-np.asarray(scores[: len(places)]), kind="stable")
    chosen = {*order[: count if most is None else min(count, most)].tolist(), *also}
    done, last = "", 0
    for number, (start, end) in enumerate(places):
        if number not in chosen:
            continue
        if not (collapsed and number - 1 in chosen):
            done += apart(done, text[last:start]) + BLANK
        last = end
    rest = text[last:]
    return done + (f" {rest}" if re.match(r"['’\w]", rest) else rest)


def apart(before: str, between: str) -> str:
    """What stands before a blank, so that neither side of it makes one word with it."""
    if before.endswith(BLANK) and re.match(r"['’\w]", between):
        between = f" {between}"
    ending = between or before
    return f"{between} " if re.search(r"[\w'’]$", ending) else between


def cross_fitted(
    place: Experiment, reader: Reader, field: str, columns: tuple[str, ...] = ()
) -> tuple[Cube, Cube]:
    """What each word of the training and of the test rationales adds to each class.

    Of a training rationale, the detectors fitted on the other folds say it; of a test
    rationale, the one fitted on all training rationales.

    Args:
        place: A benchmark with the rationales, whose training items are also its
            other test part `TRAIN`.
        reader: The recipe of the detectors.
        field: The field of the rationales.
        columns: Items that share a value in any of these stay in one fold.
    """
    keep = Keep(field)
    sides = [
        [Fold(number, FOLDS, side, columns) for side in ("train", "test")]
        for number in range(FOLDS)
    ]
    inside = [
        Ask(reader, seen, keep, about, keep, what=WORDS, part=TRAIN)
        for seen, about in sides
    ]
    whole = Ask(reader, fitted_under=keep, under=keep, what=WORDS)
    *parts, test = measure_all(place, [*inside, whole])
    known = pd.Index(place.benchmark.train.ids)
    width = max(part.values.shape[2] for part in parts)
    train = np.zeros((len(test.values), len(known), width), np.float32)
    for part in parts:
        rows = known.get_indexer(pd.Index(part.ids))
        train[:, rows, : part.values.shape[2]] = part.values
    return train, test.values


def aimed(
    cube: Cube, gold: NDArray[np.int64], aim: str, rng: np.random.Generator
) -> Cube:
    """The score by which each word is masked: items × words.

    Args:
        cube: What each word adds: classes × items × words.
        gold: The number of each item's label.
        aim: One of `AIMS`.
        rng: Where random classes come from.
    """
    centred = cube - cube.mean(axis=0)
    if aim == "agnostic":
        return np.asarray(centred.max(axis=0))
    drawn = rng.integers(len(cube), size=len(gold)) if aim == "random" else gold
    return np.asarray(centred[drawn, np.arange(len(gold))])


def masked_texts(
    texts: Sequence[str],
    scores: Cube,
    share: float,
    how: Masking,
    labels: Sequence[str],
) -> list[str]:
    """The texts of one side, masked at one strength."""
    return [
        masked(
            text,
            row,
            share,
            most=how.most,
            collapsed=how.collapsed,
            also=keywords(text, labels) if how.keywords else (),
        )
        for text, row in zip(texts, scores, strict=True)
    ]


def masked_sides(
    place: Experiment, reader: Reader, field: str, how: Masking
) -> dict[float, tuple[list[str], list[str]]]:
    """The training and the test rationales, masked at every strength."""
    benchmark = place.benchmark
    group = benchmark.train.group
    cubes = cross_fitted(place, reader, field, (group,) if group else ())
    sides = []
    for name, items, cube in zip(
        ("train", "test"), (benchmark.train, benchmark.test), cubes, strict=True
    ):
        rng = generator(place.seed, "mask", name)
        scores = aimed(cube, items.gold(benchmark.classes), how.aim, rng)
        sides.append((items.column(field).tolist(), scores))
    return {
        share: (
            masked_texts(*sides[0], share, how, benchmark.classes),
            masked_texts(*sides[1], share, how, benchmark.classes),
        )
        for share in how.strengths
    }


def residual(
    place: Experiment, reader: Reader, fields: Mapping[float, str]
) -> dict[float, Bools]:
    """Whether detectors retrained on masked rationales are right, at every strength.

    Args:
        place: A benchmark with the masked rationales.
        reader: The recipe of the detectors.
        fields: The field of each strength's rationales.
    """
    keeps = [Keep(field) for field in fields.values()]
    said = ask_all(place, [Ask(reader, fitted_under=k, under=k) for k in keeps])
    return {share: one.correct[0] for share, one in zip(fields, said, strict=True)}


def weakest(right: Mapping[float, Bools], majority: float) -> float | None:
    """The weakest strength at which no more leaks; None where the target is not met.

    >>> weakest({0.1: np.array([True, True]), 0.3: np.array([True, False])}, 0.5)
    0.3
    """
    met = (s for s in sorted(right) if right[s].mean() <= majority + TARGET)
    return next(met, None)
