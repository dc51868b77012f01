"""What each word of a text adds to a score, from what features or sub-words add."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats, Ints
from measurand.core.errors import BadInput, join_names
from measurand.core.items import Items
from measurand.readers.ngrams import Grams, count_positions, number_words, weigh_counts
from measurand.text.words import WORD

Spans = Sequence[tuple[int, int]]


def only_field(fields: Sequence[str], items: Items) -> str:
    """The field whose words are scored: items of one field have no other."""
    if len(items.fields) != 1:
        raise BadInput(
            f"words are scored in one field, and these items have "
            f"{join_names(items.fields)}; keep one"
        )
    return fields[0]


def gram_scores(texts: Sequence[str], grams: Grams, weights: Floats) -> list[Floats]:
    """What each word of each text adds: exact, since the score is a sum.

    What a feature adds is shared by the places it stands in, and what a pair adds there
    by its two words.
    """
    tokens = number_words(texts, grams.vocabulary, grow=False)
    rows, ids, size = tokens.rows, tokens.ids.astype(np.int64), len(grams.vocabulary)
    alone = np.flatnonzero(ids >= 0)
    adjacent = (rows[1:] == rows[:-1]) & (ids[1:] >= 0) & (ids[:-1] >= 0)
    pair = np.flatnonzero(adjacent)
    features = np.concatenate([ids[alone], size + ids[pair] * size + ids[pair + 1]])
    first = np.concatenate([alone, pair])
    second = np.concatenate([alone, pair + 1])  # a word is both halves of itself
    if len(grams.feature_keys):
        columns = np.searchsorted(grams.feature_keys, features)
        present = (
            grams.feature_keys[np.minimum(columns, len(grams.feature_keys) - 1)]
            == features
        )
        first, second, columns = first[present], second[present], columns[present]
        share = _feature_shares(rows[first], columns, len(tokens.starts) - 1, grams) / 2
        positions = np.concatenate([first, second]), np.concatenate([columns, columns])
        shape = (len(ids), len(grams.feature_keys))
        added = csr_array((np.concatenate([share, share]), positions), shape) @ weights
    else:
        added = np.zeros((len(ids), weights.shape[1]))
    parts = np.split(np.asarray(added), tokens.starts[1:-1])
    return [
        _realign_scores(text, part) for text, part in zip(texts, parts, strict=True)
    ]


def _feature_shares(rows: Ints, columns: Ints, n: int, grams: Grams) -> Floats:
    """The value of a text's feature, over how often it stands there, for each place."""
    counts = count_positions(rows, columns, (n, len(grams.feature_keys)))
    times = counts.data.copy()
    values = weigh_counts(counts, grams.idf).data / times
    width = len(grams.feature_keys)
    keys = np.repeat(np.arange(n), np.diff(counts.indptr)) * width + counts.indices
    return np.asarray(values[np.searchsorted(keys, rows * width + columns)])


def _realign_scores(text: str, scores: Floats) -> Floats:
    """Scores of the words of `text`, from scores of the words of `text.lower()`.

    Lower case may be longer: a dotted capital I becomes two characters, of which the
    second belongs to no word.
    """
    lower = text.lower()
    if len(lower) == len(text):
        return scores
    starts = np.cumsum([0, *(len(letter.lower()) for letter in text)])
    word_starts = [match.start() for match in WORD.finditer(lower)]
    first = np.searchsorted(starts, word_starts, side="right") - 1
    return sum_subwords(
        [(int(position), int(position) + 1) for position in first], scores, text
    )


def sum_subwords(spans: Spans, scores: Floats, text: str) -> Floats:
    """The scores of sub-words summed over the words of `text` that they stand in.

    Where a sub-word touches two words, the one it begins in has it all; what stands in
    no word (punctuation) is left out.

    Args:
        spans: Where each sub-word begins and ends in `text`.
        scores: Sub-words × classes.
        text: The text.

    >>> sum_subwords([(0, 2), (2, 4), (4, 5)], np.array([[1.0], [2.0], [4.0]]), "cats!")
    array([[3.]])
    """
    matches = list(WORD.finditer(text))
    added = np.zeros((len(matches), scores.shape[1]))
    if not matches or not len(spans):
        return added
    ends = np.array([match.end() for match in matches])
    starts = np.array([match.start() for match in matches])
    begin, end = np.array(spans, np.int64).T
    word = np.minimum(np.searchsorted(ends, begin, side="right"), len(matches) - 1)
    inside = (end > starts[word]) & (begin < ends[word]) & (end > begin)
    np.add.at(added, word[inside], scores[inside])
    return added


def readable_fields(learned: tuple[str, ...], items: Items) -> tuple[str, ...]:
    """The fields of `items` that the reader learned, in the reader's order."""
    present = tuple(field for field in learned if field in items.fields)
    if not present:
        raise BadInput(
            f"this reader learned the fields {join_names(learned)}, and these items "
            "have "
            f"{join_names(items.fields)}; give it one of its own at least"
        )
    return present
