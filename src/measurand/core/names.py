"""Names of ours that no name of a user's can be, and file names made of theirs.

A column that an audit adds to the items begins with `measurand.`; no text field,
label, metadata or group may. Its parts stand between colons, and a colon in any but the
last is escaped: two names never come to one column, and a column is read in one way.
"""

import ast
import re
from collections.abc import Iterable, Sequence

from measurand.core.errors import BadInput, quote

OWN = "measurand."
ROW = OWN + "row"  # what an item is called in its file, where its id is made of texts
LABELS_ALIKE = "labels alike"  # the role under which labels nearly the same are named
PART = "part="  # how the condition of another test part begins
NEW_TEXTS = "texts=new"  # of items whose text the learner has not seen
ALL_ITEMS = "all items"  # the part of those too whose texts training has seen
CONDITIONS = ("full", "mean", "worst")  # what findings state of no single column
QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")  # a column, as below
# One that is named first, or behind a word of ours, as in "given, 'a=b'".
NAMED = re.compile(rf"(?:[^='\"]*, )?(?:{QUOTED.pattern})")
PLAIN = re.compile(r"[\w.-]+")  # a name that cannot be read as anything else
LONGEST_STEM = 80  # letters of a file's name: file systems take 255 bytes at most
# Names that Windows keeps for devices, whatever suffix stands behind them.
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)")


def own_column(kind: str, *names: str) -> str:
    """The column of ours that tells `kind` of whatever is called by `names`.

    >>> own_column("side"), own_column("right", "a:b", "encoder:x")
    ('measurand.side', 'measurand.right:a%3Ab:encoder:x')
    """
    *first, last = [kind, *names]
    escaped = [name.replace("%", "%25").replace(":", "%3A") for name in first]
    return OWN + ":".join([*escaped, last])


FAMILY = own_column("family")  # the number of like texts that an item is of


def split_own_column(column: str, kind: str, count: int) -> list[str] | None:
    """The `count` names in a column of this kind; None where it is of another.

    >>> split_own_column("measurand.right:a%3Ab:encoder:x", "right", 2)
    ['a:b', 'encoder:x']
    """
    *first, last = column.removeprefix(OWN).split(":", count)
    if not column.startswith(OWN) or len(first) != count or first[0] != kind:
        return None
    plain = [name.replace("%3A", ":").replace("%25", "%") for name in first[1:]]
    return [*plain, last]


def name_condition(name: str) -> str:
    """A column as findings call it: in quotes where it would read as a word of ours.

    >>> [name_condition(name) for name in ("genre", "full", "a=b")]
    ['genre', "'full'", "'a=b'"]
    """
    return repr(name) if name in CONDITIONS or "=" in name else name


def condition_column(condition: str) -> str:
    """The column as it is called in its file, of what findings call it.

    >>> [condition_column(c) for c in ("genre", "'full'", "'a=b'")]
    ['genre', 'full', 'a=b']
    """
    if not QUOTED.fullmatch(condition):
        return condition
    try:
        return str(ast.literal_eval(condition))
    except (SyntaxError, ValueError):  # somebody's own name, and no quotes of ours
        return condition


def is_of_some(condition: str) -> bool:
    """Whether a condition is of a test part or a subject, and not of all test items.

    A column whose name holds the sign is in quotes.

    >>> [is_of_some(c) for c in ("premise", "premise, part=mm", "part=mm", "'a=b'")]
    [False, True, True, False]
    >>> is_of_some("given, 'a=b'"), is_of_some("given, 'a=b', part='mm'")
    (False, True)
    """
    return "=" in _after_column(condition)


def whole_condition(condition: str) -> str:
    """The condition of whole items that what is said of a part stands next to.

    >>> [whole_condition(c) for c in ("premise", "premise, part=mm", "part=mm")]
    ['full', 'part=mm', 'part=mm']
    """
    _, sign, name = _after_column(condition).rpartition("part=")
    return f"part={name}" if sign else "full"


def _after_column(condition: str) -> str:
    """What a condition says behind a column in quotes."""
    quoted = NAMED.match(condition)
    return condition[quoted.end() :] if quoted else condition


def check_columns(names: Iterable[str]) -> None:
    """Raise where a column that plays a part is called as only ours may be."""
    for name in names:
        if name.startswith(OWN):
            raise BadInput(
                f"column {quote(name)} begins with {OWN!r}, as the columns that "
                "reports add do; rename it"
            )


def check_text(kind: str, name: str) -> None:
    """Raise where a name holds half a surrogate pair, which no file can hold."""
    try:
        name.encode()
    except UnicodeEncodeError:
        raise BadInput(
            f"the {kind} {name!a} holds half a surrogate pair, which is no "
            "character; rename it"
        ) from None


def file_stems(names: Sequence[str], default: str = "figure") -> list[str]:
    """A plain file name for each name, no two alike; none leads to another folder.

    >>> file_stems(["The map", "the map", "../ΔEvi", "CON"])
    ['the-map', 'the-map-2', 'evi', 'con-']
    """
    stems: list[str] = []
    for position, name in enumerate(names, start=1):
        stem = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        stem = stem[:LONGEST_STEM].rstrip("-") or default
        stem += "-" if RESERVED.fullmatch(stem) else ""
        while stem in stems:
            stem = f"{stem}-{position}"
        stems.append(stem)
    return stems
