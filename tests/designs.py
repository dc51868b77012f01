"""What the tests of the planted designs share: draws, and counts of words."""

import math
from collections import Counter
from functools import cache

import numpy as np
from bench.truth_fresh import DESIGNS as FRESH
from bench.truth_fresh import EVIDENCE_LABELS, LEAKAGE_LABELS
from bench.truth_fresh2 import DESIGNS as FRESH2
from bench.truth_meaning import DESIGNS as MEANING

LABELS = {"evidence": EVIDENCE_LABELS, "leakage": LEAKAGE_LABELS}
SEEDS = {
    d.name: seed
    for seed, each in ((3, FRESH), (5, FRESH2), (11, MEANING))
    for d in each
}
BY_NAME = {design.name: design for design in (*FRESH, *FRESH2, *MEANING)}


def make(design):
    """The table of a design, drawn anew."""
    return design.make(np.random.default_rng(SEEDS[design.name]))


@cache
def draw_once(name):
    return make(BY_NAME[name])


def draw(design):
    """The same, drawn once."""
    return draw_once(design.name)


def is_clean(design):
    return design.audit == "leakage" and design.size == 0


def columns(roles):
    for names in roles.values():
        yield from (names,) if isinstance(names, str) else names


def word_counts(texts, labels):
    """For each word, the items that hold it: how many of each label."""
    counts = {}
    for text, label in zip(texts, labels, strict=True):
        for word in set(str(text).split()):
            counts.setdefault(word, Counter())[label] += 1
    return counts


def largest_z(counts, shares):
    """The largest standardised excess of a label among the items of one word."""
    scores = [0.0]
    for count in counts.values():
        n = count.total()
        if n >= 20:
            scores += [
                (count[label] - n * share) / math.sqrt(n * share * (1 - share))
                for label, share in shares.items()
            ]
    return max(scores)
