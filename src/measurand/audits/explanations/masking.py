"""Leakage masks: the words that predict the label, taken out of rationales.

A tenth of the words, ten at most and label names first, never the whole text: that is
the proposal's mask, and no choice of the data. What other shares would leave is a
curve, on which nothing rests.

A detector reads the rationale alone; a word's score is what it adds to the detector's
score of a class. A mask that is placed by the gold label carries the label: the words
left standing, and where the blanks are, differ from label to label. By default
it is placed by whatever class a word speaks for the most, and by detectors that never
saw the rationale, so that training and test rationales are masked alike. Scores of
classes are known only up to what all share, so they are centred first.
"""

import math
import re
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.explanations.leaks import Detection, label_logs, read_detector
from measurand.core.arrays import Floats
from measurand.core.errors import BadOption, UnknownName
from measurand.core.reader import Reader
from measurand.experiment.ask import WORDS, Ask
from measurand.experiment.experiment import Experiment, ask_all, measure_all
from measurand.interventions.fields import Keep
from measurand.interventions.words import BLANK
from measurand.selections.rows import Fold
from measurand.text.words import ASCII_WORD, WORD, words

# What may follow the stem of a label name: entail-s, contradict-ory, refut-ed.
ENDINGS = re.compile(r"(?:e?s|e|ed|er|ing|ments?|ions?|ory|ly|ity|al|rmation)?")
NAME_ENDING = re.compile(r"(?:ments?|ions?|ing|es|ed|s|e)$")
SHORTEST = 4  # letters of a stem: a shorter label name has no inflections
LABEL_ID = re.compile(r"final answer\W*([a-z])\b", re.IGNORECASE)
# Where a letter would go on a blank, or a blank a letter.
LETTER_FIRST, LETTER_LAST = re.compile(r"['’\w]"), re.compile(r"[\w'’]$")


def label_word_positions(text: str, labels: Sequence[str]) -> set[int]:
    """The positions of label names, their inflections and label ids among the words.

    >>> text = "A dog entails this. Final answer: A"
    >>> sorted(label_word_positions(text, ["entailment", "no"]))
    [2, 6]
    """
    text_words = words(text)
    positions: set[int] = set()
    for label in labels:
        parts = words(label.replace("_", " "))
        for start in range(len(text_words) - len(parts) + 1 if parts else 0):
            span = range(start, start + len(parts))
            if all(
                map(_is_inflection, (text_words[position] for position in span), parts)
            ):
                positions.update(span)
    ids = {match.start(1) for match in LABEL_ID.finditer(text)}
    starts = [match.start() for match in WORD.finditer(text)]
    return positions | {
        position for position, start in enumerate(starts) if start in ids
    }


def _is_inflection(word: str, name: str) -> bool:
    """Whether a word is a form of a label name.

    >>> _is_inflection("contradicts", "contradiction"), _is_inflection("note", "no")
    (True, False)
    """
    stem = NAME_ENDING.sub("", name)
    if len(stem) < SHORTEST:
        return word == name
    return word.startswith(stem) and bool(ENDINGS.fullmatch(word, len(stem)))


Cube = NDArray[np.float32]
SHARE, MOST = 0.1, 10  # of the words of a rationale that are masked, and at most
CURVE = (0.1, 0.3, 0.5, 0.7, 0.9)  # shares of the words that the curve shows
FOLDS = 5  # parts of the training rationales, each masked by detectors of the others
TRAIN = "train"  # the test part that holds the training items
PLACED = {"default": False, "paper": True}  # whether the gold label places the mask


def check_preset(preset: str) -> None:
    """Raise where there is no such preset."""
    if preset not in PLACED:
        raise UnknownName("preset", preset, tuple(PLACED))


def rank_words(
    text: str, scores: Sequence[float] | Floats | Cube
) -> tuple[list[tuple[int, int]], list[int]]:
    """Where each word of a text stands, and their numbers, the highest score first."""
    word = ASCII_WORD if text.isascii() else WORD
    spans = [match.span() for match in word.finditer(text)]
    order = np.argsort(-np.asarray(scores[: len(spans)]), kind="stable")
    return spans, order.tolist()


def mask_ranked(
    text: str,
    spans: Sequence[tuple[int, int]],
    order: Sequence[int],
    share: float = SHARE,
    most: int | None = None,
    collapsed: bool = True,
    first: Collection[int] = (),
) -> str:
    """The text with a blank for this share of its words, but never for all of them.

    The number of words is rounded up. Words masked in a row become one blank, with
    what stands between them, so that neither their number nor their length shows.

    Args:
        text: The text.
        spans: Where its words stand.
        order: The numbers of the words, the highest score first.
        share: How much is masked.
        most: The most words that are masked.
        collapsed: Whether words masked in a row become one blank.
        first: Positions of words that are masked before any other.

    >>> text = "it is, sadly, not so."
    >>> mask_ranked(text, *rank_words(text, [0, 2, 1, 3, 0]), 0.6)
    'it _ so.'
    >>> mask_ranked("dentist", *rank_words("dentist", [1.0]))
    'dentist'
    """
    if not 0 < share <= 1:
        raise BadOption(f"a mask of {share} of the words; allowed: over 0, to 1")
    count = max(math.ceil(round(share * len(spans), 9)), len(first))
    # A text that is masked whole has nothing left that could predict anything.
    count = min(count, len(spans) - 1, len(spans) if most is None else most)
    ranked = [*sorted(first), *(n for n in order if n not in first)]
    chosen, output, last = {*ranked[: max(count, 0)]}, "", 0
    for number in sorted(chosen):
        start, end = spans[number]
        if not (collapsed and number - 1 in chosen):
            output += _text_before_blank(output, text[last:start]) + BLANK
        last = end
    rest = text[last:]
    blank = bool(chosen) and LETTER_FIRST.match(rest)
    return output + (f" {rest}" if blank else rest)


def _text_before_blank(before: str, between: str) -> str:
    """What stands before a blank, so that neither side of it makes one word with it."""
    if before.endswith(BLANK) and LETTER_FIRST.match(between):
        between = f" {between}"
    ending = between or before
    return f"{between} " if LETTER_LAST.search(ending) else between


def cross_fit_word_scores(
    experiment: Experiment, reader: Reader, field: str, columns: tuple[str, ...] = ()
) -> tuple[Cube, Cube]:
    """What each word of the training and of the test rationales adds to each class.

    Of a training rationale, the detectors fitted on the other folds say it; of a test
    rationale, the one fitted on all training rationales.

    Args:
        experiment: A benchmark with the rationales, whose training items are also its
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
    fold_asks = [
        Ask(reader, fold_train, keep, fold_test, keep, what=WORDS, part=TRAIN)
        for fold_train, fold_test in sides
    ]
    test_ask = Ask(reader, fitted_under=keep, under=keep, what=WORDS)
    *parts, test = measure_all(experiment, [*fold_asks, test_ask])
    train_ids = pd.Index(experiment.benchmark.train.ids)
    width = max(part.values.shape[2] for part in parts)
    train = np.zeros((len(test.values), len(train_ids), width), np.float32)
    for part in parts:
        rows = train_ids.get_indexer(pd.Index(part.ids))
        train[:, rows, : part.values.shape[2]] = part.values
    return train, test.values


def aim_scores(cube: Cube, gold: NDArray[np.int64] | None) -> Cube:
    """The score by which each word is masked: items × words.

    Args:
        cube: What each word adds: classes × items × words.
        gold: The label whose score counts; None takes whichever is highest.
    """
    centred = cube - cube.mean(axis=0)
    if gold is None:
        return np.asarray(centred.max(axis=0))
    return np.asarray(centred[gold, np.arange(len(gold))])


def _mask_texts(
    texts: Sequence[str], scores: Cube, labels: Sequence[str], *, collapsed: bool
) -> dict[float, list[str]]:
    """The texts of one side, masked at every share; at the usual one, MOST at most."""
    masked: dict[float, list[str]] = {share: [] for share in CURVE}
    for text, row in zip(texts, scores, strict=True):
        spans, order = rank_words(text, row)
        first = label_word_positions(text, labels)
        for share, kept in masked.items():
            most = MOST if share == SHARE else None
            kept.append(mask_ranked(text, spans, order, share, most, collapsed, first))
    return masked


def mask_rationales(
    experiment: Experiment, reader: Reader, field: str, preset: str = "default"
) -> dict[float, tuple[list[str], list[str]]]:
    """The training and the test rationales, masked at every share of the curve."""
    benchmark, by_gold = experiment.benchmark, PLACED[preset]
    group = benchmark.train.group
    cubes = cross_fit_word_scores(experiment, reader, field, (group,) if group else ())
    sides = []
    for items, cube in zip((benchmark.train, benchmark.test), cubes, strict=True):
        gold = items.gold(benchmark.classes) if by_gold else None
        scores, texts = aim_scores(cube, gold), items.column(field).tolist()
        collapsed = not by_gold  # the proposal keeps a blank a word
        sides.append(_mask_texts(texts, scores, benchmark.classes, collapsed=collapsed))
    train, test = sides
    return {share: (train[share], test[share]) for share in CURVE}


def detect_labels(experiment: Experiment, reader: Reader, field: str) -> Detection:
    """What a detector of this field alone says of each test item."""
    keep = Keep(field)
    (prediction,) = ask_all(experiment, [Ask(reader, fitted_under=keep, under=keep)])
    shares, gold = prediction.probabilities[0], prediction.gold
    return read_detector(shares, gold, _training_logs(experiment))


def _training_logs(experiment: Experiment) -> Floats:
    """The log of each label's share among the training items."""
    benchmark = experiment.benchmark
    gold = benchmark.train.gold(benchmark.classes)
    return label_logs(gold, len(benchmark.classes))
