"""What stronger readers found in the choices of known benchmarks, elsewhere.

A reader that fits on a laptop may find little where a trained language model finds
nearly everything, so a report of such a benchmark says so.
"""

import re
from dataclasses import dataclass

CHANDAK = "Chandak et al. 2025, arXiv 2507.02856"


@dataclass(frozen=True)
class PublishedFigure:
    """The accuracy of a reader that was trained on the choices alone.

    Attributes:
        accuracy: The share of test items that it got right.
        chance: What guessing reaches.
        reader: Who read.
        source: Where it stands.
    """

    accuracy: float
    chance: float
    reader: str
    source: str = CHANDAK


# Of the code released with the paper: half of the items train where there is no train
# part. By the benchmark's name without case, spaces and marks.
CHOICES_ONLY = {
    "hellaswag": PublishedFigure(0.872, 0.25, "DeBERTa"),
    "goldenswag": PublishedFigure(0.937, 0.25, "DeBERTa"),
    "mmlu": PublishedFigure(0.39, 0.25, "Qwen3-4B"),
    "mmlupro": PublishedFigure(0.41, 0.10, "Qwen3-4B"),
    "supergpqa": PublishedFigure(0.34, 0.10, "Qwen3-4B"),
    "gpqa": PublishedFigure(0.28, 0.25, "Qwen3-4B"),
    "truthfulqa": PublishedFigure(0.835, 0.50, "DeBERTa"),
}


def find_published(name: str) -> PublishedFigure | None:
    """The figure of the benchmark that a name plainly begins with; the longest such.

    >>> find_published("HellaSwag_val").accuracy, find_published("my-questions")
    (0.872, None)
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    known = [key for key in CHOICES_ONLY if plain.startswith(key)]
    return CHOICES_ONLY[max(known, key=len)] if known else None


def published_warnings(name: str) -> list[str]:
    """A line on what a stronger reader found in these choices, where that is known."""
    figure = find_published(name)
    if figure is None:
        return []
    return [
        f"elsewhere {figure.reader}, trained on the choices of this benchmark alone, "
        f"is right in {figure.accuracy:g} of the items (chance {figure.chance:g}; "
        f"{figure.source}): a reader here that finds less clears it of nothing"
    ]
