"""Words and shapes of texts that predict labels, each with items that show it."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.core.arrays import Bools, to_number
from measurand.core.finding import Report
from measurand.report.explorer import name_items
from measurand.text.words import UNSPACED
from measurand.wording.details import label_column
from measurand.wording.phrases import name_part
from measurand.wording.text import plain_text, readable_text

MOST = 10
MOST_SHOWN = 2  # items a pattern
SEARCHED = 5_000  # items among which examples are sought
ALIKE = 0.8  # share of items two patterns may have in common before they are one
AROUND = 160  # letters of an example on either side of what it shows
CUES = "cues"  # the exhibit of what was certified
IN_TEXT = "word"  # the kind of cues that stand in a text as they are
LENGTH = "length"
# The space that stands between two characters of a script that writes none.
BETWEEN_UNSPACED = re.compile(rf"(?<=[{UNSPACED}]) (?=[{UNSPACED}])")


@dataclass(frozen=True)
class Piece:
    """A piece of a text, marked or not; or, as a note, of our words before it."""

    text: str
    marked: bool = False
    is_note: bool = False


@dataclass(frozen=True)
class Example:
    """An item that shows a pattern: its id, its label and its text in pieces."""

    ident: str
    label: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Pattern:
    """What goes with a label.

    Attributes:
        name: The word, or what else it is.
        part: Where it stands.
        sentence: How surely it goes with which label.
        examples: Items that show it, no text twice.
    """

    name: str
    part: str
    sentence: str
    examples: tuple[Example, ...]


def find_patterns(report: Report, most: int = MOST) -> list[Pattern]:
    """The surest patterns, each of other items than those before it."""
    patterns: list[Pattern] = []
    masks: list[Bools] = []
    label = label_column(report)
    items = report.items.head(SEARCHED)
    for part, row in _cue_rows(report):
        if len(patterns) >= most:
            break
        cue, wanted = plain_text(row["cue"], 60), plain_text(row.get("label", ""), 40)
        kind = plain_text(row.get("kind", ""), 40)
        texts = items[part].astype(str) if part in items else pd.Series(dtype=str)
        statement = _say_cue(row, wanted)
        if kind != IN_TEXT:
            examples = _length_examples(report, part) if kind == LENGTH else ()
            patterns.append(
                Pattern(f"{kind}: {cue}", name_part(part), statement, examples)
            )
            continue
        holds = _has_token(texts, cue)
        if any(_overlap(holds, mask) > ALIKE for mask in masks):
            continue
        masks.append(holds)
        examples = _examples(items, texts, holds, cue, label, wanted)
        name = f"“{BETWEEN_UNSPACED.sub('', cue)}”"
        patterns.append(Pattern(name, name_part(part), statement, examples))
    return patterns


def _length_examples(report: Report, part: str) -> tuple[Example, ...]:
    """A typical item of the label with the longest texts, and one of the shortest."""
    label = label_column(report)
    items = report.items.head(SEARCHED)
    # An explanation of several columns, or a part left out, is no column of items.
    if not {label, part} <= {*items.columns} or items.empty:
        return ()
    lengths = items[part].astype(str).str.len()
    means = lengths.groupby(items[label].astype(str)).median().sort_values()
    chosen = []
    for name in dict.fromkeys([means.index[-1], means.index[0]]):
        inside = lengths[(items[label].astype(str) == name).to_numpy()]
        nearest = (inside - inside.median()).abs().to_numpy().argmin()
        position = np.flatnonzero(items.index == inside.index[nearest])[0]
        text = plain_text(items[part].iloc[position], 2 * AROUND)
        count = _say_length(text)
        ident = name_items(items.iloc[[position]])[0]
        pieces = (Piece(count, marked=True, is_note=True), Piece(text))
        chosen.append(Example(ident, plain_text(name, 40), pieces))
    return tuple(chosen)


def _say_length(text: str) -> str:
    """How long a text is, as its script counts.

    >>> _say_length("a red boat"), _say_length("一艘红船")
    ('3 words, 10 characters:', '4 characters:')
    """
    if re.search(rf"[{UNSPACED}]", text):
        return f"{len(''.join(text.split()))} characters:"
    return f"{len(text.split())} words, {len(text)} characters:"


def _cue_rows(report: Report) -> list[tuple[str, dict[str, object]]]:
    """Certified cues, the surest first, each with the column it stands in."""
    return [
        (str(row["part"]), {str(key): cell for key, cell in row.items()})
        for exhibit in report.exhibits
        if exhibit.name == CUES and {"cue", "part"} <= {*exhibit.table.columns}
        for row in exhibit.table.to_dict("records")
    ]


def _say_cue(row: dict[str, object], label: str) -> str:
    """How often it is there, and how surely it goes with a label."""
    shares = (to_number(row.get(n)) for n in ("coverage", "productivity", "base"))
    coverage, productivity, base = (
        "–" if np.isnan(share) else f"{100 * share:.1f} %" for share in shares
    )
    return (
        f"{productivity} of the items with it are {label} (all items {base}); coverage "
        f"{coverage}"
    )


def _has_token(texts: "pd.Series[str]", token: str) -> Bools:
    """Which texts hold the word, whatever its case."""
    pattern = _token_pattern(token)
    first = token.lower().split()[0] if token.isascii() and token.strip() else ""
    return np.array(
        [
            # To look for the mere letters first is many times as fast as the pattern.
            (first in text.lower() if text.isascii() else True)
            and pattern.search(text) is not None
            for text in texts.tolist()
        ],
        bool,
    )


def _token_pattern(token: str) -> "re.Pattern[str]":
    """A word, or words in a row, with anything but letters between them.

    Between characters of a script that writes no spaces there may be nothing.

    >>> texts = {"他从来没有": "从 来", "not, ever": "not ever", "notever": "not ever"}
    >>> [bool(_token_pattern(token).search(text)) for text, token in texts.items()]
    [True, True, False]
    """
    gap = BETWEEN_UNSPACED.sub("\0", " ".join(token.split()))
    parts = [re.escape(part) for part in re.split("[ \0]", gap)]
    gaps = [r"\W*" if sign == "\0" else r"\W+" for sign in re.findall("[ \0]", gap)]
    words = "".join(a + b for a, b in zip(parts, [*gaps, ""], strict=True)) or r"(?!)"
    edge = r"\b" if token.isascii() else ""
    return re.compile(rf"{edge}{words}{edge}", re.IGNORECASE)


def _overlap(first: Bools, second: Bools) -> float:
    """The share of items that hold both, of those that hold either."""
    either = int((first | second).sum())
    return float((first & second).sum() / either) if either else 0.0


def _examples(
    items: pd.DataFrame,
    texts: "pd.Series[str]",
    holds: Bools,
    token: str,
    label: str,
    wanted: str,
) -> tuple[Example, ...]:
    """Items with the word and its label, no text twice."""
    examples: list[Example] = []
    texts_shown: set[str] = set()
    labels = items[label].astype(str) if label in items else pd.Series("", items.index)
    for position in np.flatnonzero(holds).tolist():
        text, name = texts.iloc[position], plain_text(labels.iloc[position], 40)
        pieces = _mark_word(readable_text(text, 4_000), token)
        key = "".join(piece.text for piece in pieces)
        if key in texts_shown or (wanted and name != wanted):
            continue
        texts_shown.add(key)
        ident = name_items(items.iloc[[position]])[0]
        examples.append(Example(ident, name, pieces))
        if len(examples) == MOST_SHOWN:
            break
    return tuple(examples)


def _mark_word(text: str, token: str) -> tuple[Piece, ...]:
    """The text around the word, with the word marked.

    >>> [(p.text, p.marked) for p in _mark_word("A boat, no sail", "no")]
    [('A boat, ', False), ('no', True), (' sail', False)]
    """
    match = _token_pattern(token).search(text)
    if match is None:
        return (Piece(text[: 2 * AROUND]),)
    start, end = max(match.start() - AROUND, 0), match.end() + AROUND
    before = ("…" if start else "") + text[start : match.start()]
    after = text[match.end() : end] + ("…" if end < len(text) else "")
    pieces = (Piece(before), Piece(match[0], marked=True), Piece(after))
    return tuple(piece for piece in pieces if piece.text)
