"""Everything measurand raises on purpose.

    MeasurandError            one line for the user; the command line exits with 1
    ├── UnknownName           no reader, benchmark, audit or file is called that
    ├── MissingExtra          the thing exists, but its optional dependency is absent
    ├── MissingWeights        the weights of a model are not there or not readable
    ├── BadInput              the benchmark cannot be read, or not as asked
    │   ├── NoField           a column that is not there
    │   ├── OneSidedColumn    a column that train has and test lacks, or the other way
    │   ├── RepeatedIds       an id that stands on more than one row
    │   ├── NotApplicable     the audit needs a part that no column plays
    │   └── AmbiguousRoles    more than one column could play a part, or none
    ├── CannotIntervene       the change asked for is impossible on these items
    ├── Undefined             a statistic without a value: no items, zero denominator
    ├── BadOption             a setting outside what is allowed
    ├── ReaderFailed          a reader could not learn or answer
    ├── EndpointFailed        a model's server is not set, refuses or never answers
    ├── SpendCapReached       the next call to a server could pass the cap
    ├── PastBudget            what a reader would compute takes longer than it may
    ├── StoreFailed           the store or the report cannot be written
    └── WorkerLost            a worker process died; what it finished is kept

A message says what was given, what is allowed and what to do, in lower case. It names
arguments in backticks, which the command line turns into options.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

LONGEST_NAME = 200  # letters of a name in a message
# Arguments that were not given and may be meant: the columns of parts, for example.
Proposal = Mapping[str, str | tuple[str, ...]]


class MeasurandError(Exception):
    """The root of the tree: one clear line, never a traceback, for the user."""

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Rebuilt from its line alone, so that a worker process can raise it."""
        return _rebuild_error, (type(self), str(self))


def _rebuild_error(kind: type[MeasurandError], line: str) -> MeasurandError:
    error = kind.__new__(kind)
    error.args = (line,)
    return error


class UnknownName(MeasurandError):
    """No reader, benchmark or audit is called that."""

    def __init__(self, kind: str, name: str, names: Sequence[str]) -> None:
        close = get_close_matches(str(name), names, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"try {_some(names)}"
        super().__init__(f"no {kind} called {name!r}; {hint}")


MOST_NAMES = 30  # that a message lists


def _some(names: Sequence[str]) -> str:
    """The names, or the first of very many and how many there are."""
    text = ", ".join(names[:MOST_NAMES])
    return text if len(names) <= MOST_NAMES else f"{text} or others of {len(names)}"


class MissingExtra(MeasurandError):
    """A known thing whose optional dependency is not installed."""

    def __init__(self, name: str, extra: str) -> None:
        super().__init__(f"{name} is not installed; pip install 'measurand[{extra}]'")


class MissingWeights(MeasurandError):
    """Pretrained weights that are not installed, or cannot be read."""


class BadInput(MeasurandError):
    """A benchmark that cannot be read, or not in the way that was asked.

    Attributes:
        proposals: Arguments with which it may be read, each set by itself.
    """

    proposals: Sequence[Proposal] = ()


class NoField(BadInput):
    """A column that the items do not have, or a path that leads nowhere in them.

    Args:
        field: The name that was given.
        columns: The columns there are.
        paths: The paths there are into nested cells.
        nearest: What was meant; else a name that is close to the given one.
    """

    def __init__(
        self,
        field: str,
        columns: Sequence[str],
        paths: Sequence[str] = (),
        nearest: str | None = None,
    ) -> None:
        lower = {name.lower(): name for name in (*paths, *columns)}
        close = get_close_matches(field[:LONGEST_NAME].lower(), lower, n=1)
        meant = nearest or next((lower[name] for name in close), None)
        hint = f"; did you mean {quote(meant, LONGEST_NAME)}?" if meant else ""
        inside = f" and the paths {join_names(paths)}" if paths else ""
        super().__init__(
            f"no field {quote(field, LONGEST_NAME)}; these items have "
            f"{join_names(columns)}{inside}{hint}"
        )


class OneSidedColumn(BadInput):
    """A column that one of two tables has and the other lacks."""


class RepeatedIds(BadInput):
    """A column of ids that names more than one row alike."""


class AmbiguousRoles(BadInput):
    """A part that no column, or more than one, could clearly play."""

    def __init__(self, line: str, proposals: Sequence[Proposal] = ()) -> None:
        super().__init__(line)
        self.proposals = proposals


class NotApplicable(BadInput):
    """A benchmark that lacks the part an audit is about."""


class CannotIntervene(MeasurandError):
    """A change that is impossible on these items."""


class Undefined(MeasurandError):
    """A statistic that has no value here: it is never reported as 0."""


class BadOption(MeasurandError):
    """A setting outside what is allowed."""


class ReaderFailed(MeasurandError):
    """A reader that could not learn: a loss that is not a number, too little memory."""


class EndpointFailed(MeasurandError):
    """A model's server that is not set, refuses, or never answers."""


class SpendCapReached(MeasurandError):
    """A call that could cost more than is left; what was answered is kept."""


class PastBudget(MeasurandError):
    """A reader that would compute for longer than it may; nothing of it was begun."""


class StoreFailed(MeasurandError):
    """The store or a report cannot be written."""


class WorkerLost(MeasurandError):
    """A worker process died before it could answer."""


def join_names(names: Sequence[str], limit: int = 20) -> str:
    """The names in one safe line, cut where the line would be too long to help.

    >>> join_names(["a", "b"]), join_names([])
    ('a, b', 'none')
    """
    words = [name if name.isprintable() else repr(name) for name in names[:limit]]
    words = [name if len(name) <= 60 else name[:59] + "…" for name in words]
    rest = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(words) or "none") + rest


def quote(text: str, limit: int = 40) -> str:
    r"""The text in quotes, cut, and without anything that could upset a terminal.

    >>> print(quote("a" + chr(10) + "b"), quote("too long to show", 8))
    'a\nb' 'too lon…'
    """
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")
