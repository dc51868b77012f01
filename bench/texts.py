"""Pairs of texts with the statistics of language: a long tail and shared evidence."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from measurand.core.seeds import generator

VOCABULARY = 50_000
LABELS = ("entailment", "neutral", "contradiction")
GENRES = ("fiction", "letters", "travel")
SHARED = 3  # items that share one evidence text, as in SNLI
QUERY, EVIDENCE = 10, 15  # words on average
CHUNK = 30_000  # items made at a time; a multiple of SHARED
CHOICES = 4  # endings of a question, as in HellaSwag
ONSETS = (*"bdfgklmnprstvz", "br", "dr", "kr", "tr")
VOWELS, CODAS = "aeiou", "lmnrstx"


def vocabulary() -> np.ndarray:
    """Invented words, the commonest first and shortest."""
    rng = generator(0, "bench", "words")
    common, usual = invent_words(300, rng, 1), invent_words(5_000, rng, 2)
    rare = invent_words(VOCABULARY - len(common) - len(usual), rng, 3)
    return np.array([*common, *usual, *rare], dtype=object)


def invent_words(n: int, rng: np.random.Generator, syllables: int) -> tuple[str, ...]:
    """`n` different pronounceable words of so many syllables."""
    words: dict[str, None] = {}
    while len(words) < n:
        parts = [
            ONSETS[rng.integers(len(ONSETS))] + VOWELS[rng.integers(5)]
            for _ in range(syllables)
        ]
        words["".join(parts) + CODAS[rng.integers(len(CODAS))]] = None
    return tuple(words)


def pairs(n: int, *, seed: int = 0) -> Iterator[dict[str, str]]:
    """`n` items: a hypothesis whose last word half tells the label, and a premise."""
    known, rng = vocabulary(), generator(seed, "bench", "pairs")
    shares = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))  # Zipf and Mandelbrot
    shares /= shares[-1]
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        premises, _ = sentences(-(-size // SHARED), EVIDENCE, known, shares, rng)
        queries, last = sentences(size, QUERY, known, shares, rng)
        told = rng.random(size) < 0.5
        labels = np.where(told, last % 3, rng.integers(3, size=size))
        genres = rng.integers(3, size=size)
        for i in range(size):
            yield {
                "premise": premises[i // SHARED],
                "hypothesis": queries[i],
                "label": LABELS[labels[i]],
                "genre": GENRES[genres[i]],
            }


def sentences(
    n: int, length: int, known: np.ndarray, shares: np.ndarray, rng: np.random.Generator
) -> tuple[list[str], np.ndarray]:
    """`n` sentences of about `length` words, and the number of each one's last word."""
    ends = np.cumsum(np.maximum(3, rng.poisson(length, n)))
    drawn = np.searchsorted(shares, rng.random(ends[-1]))
    texts = [" ".join(part) + "." for part in np.split(known[drawn], ends[:-1])]
    return texts, drawn[ends - 1]


def write(path: Path, n: int) -> int:
    """Write `n` items as JSON lines; how many bytes that are."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(item) + "\n" for item in pairs(n))
    return path.stat().st_size


def choice_items(n: int, *, seed: int = 0) -> Iterator[dict[str, object]]:
    """`n` questions with four endings each; a third are told by the last word."""
    known, rng = vocabulary(), generator(seed, "bench", "choices")
    shares = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))
    shares /= shares[-1]
    for start in range(0, n, CHUNK):
        size = min(CHUNK, n - start)
        questions, _ = sentences(size, 2 * EVIDENCE, known, shares, rng)
        endings, last = sentences(CHOICES * size, 2 * QUERY, known, shares, rng)
        even = last.reshape(size, CHOICES) % 2 == 0
        told = rng.random(size) < 1 / 3
        lots = rng.random((size, CHOICES)) + (even & told[:, None])
        for i in range(size):
            yield {
                "question": questions[i],
                "choices": endings[CHOICES * i : CHOICES * (i + 1)],
                "answer": int(lots[i].argmax()),
            }
