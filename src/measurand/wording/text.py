"""Text that shows itself: one line, no escape codes, ours or anybody else's."""

import json
import re
from collections.abc import Sequence
from contextlib import suppress

ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # OSC: window titles, links
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[ -/]*[0-~]"
)
BREAK = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0, DEL, C1
    "\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"  # bidi, invisible
    "\ud800-\udfff\ufffe\uffff]"  # no character at all: a file could not hold them
)


def plain_text(text: object, most: int = 60) -> str:
    r"""`text` on one line of at most `most` characters that all show themselves.

    >>> plain_text("a\x1b[31mb\n\u202ec" + "d" * 99, most=8)
    'ab cddd…'
    """
    full_text = str(text)
    # What lies far behind the cut cannot show; a megabyte would only cost time.
    start = full_text[: 20 * most + 200]
    if start.isprintable() and "  " not in start:  # most are, and are soon done
        line = start.strip()
    else:
        line = HIDDEN.sub("", BREAK.sub(" ", ESCAPE.sub("", start))).strip()
    if len(line) <= most and len(start) == len(full_text):
        return line
    return line[: most - 1] + "…"


def readable_text(cell: object, most: int) -> str:
    """A text on one line; of a list in JSON, such as choices, what stands in it.

    >>> readable_text('["a boat", "a mast"]', 60), readable_text("[sic]", 60)
    ('a boat | a mast', '[sic]')
    """
    text = str(cell)
    if text.startswith('["'):
        with suppress(ValueError, RecursionError):
            text = " | ".join(map(str, json.loads(text)))
    return plain_text(text, most)


def join_sentences(*parts: str) -> str:
    """The parts that are not empty, a full stop between them.

    >>> join_sentences("a caption", ""), join_sentences("a caption", "A note.")
    ('a caption', 'a caption. A note.')
    """
    first, *rest = [part for part in parts if part] or [""]
    return "".join(
        [first.rstrip(".") + "." if rest else first, *(f" {p}" for p in rest)]
    )


def lay_out_columns(rows: Sequence[Sequence[object]]) -> list[str]:
    """The rows as lines whose cells stand under each other.

    >>> lay_out_columns([("a", "b"), ("long", "c")])
    ['  a     b', '  long  c']
    """
    cells = [[plain_text(cell, 200) for cell in row] for row in rows]
    widths = [min(max(map(len, column)), 48) for column in zip(*cells, strict=True)]
    return ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
