"""Which column plays which part, told or plain from its name."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from measurand.core.errors import AmbiguousRoles, BadInput, NoField, listed, shown

# The plain names of each part, in lower case. A name of a later group counts only
# where no column bears one of an earlier group.
PLAIN: dict[str, tuple[frozenset[str], ...]] = {
    "query": (
        frozenset(
            {"hypothesis", "claim", "question", "query", "sentence2", "text"}
            | {"sentence"}
        ),
    ),
    "evidence": (
        frozenset(
            {"premise", "evidence", "context", "passage", "paragraph", "document"}
            | {"documents", "sentence1"}
        ),
    ),
    "label": (
        frozenset({"label", "gold_label", "target", "class"}),
        frozenset({"answer"}),
    ),
    "rationale": (frozenset({"explanation", "rationale"}),),
    "group": (frozenset({"group"}),),
    "split": (frozenset({"split"}),),
    "id": (frozenset({"id", "idx", "uid", "pairid", "guid"}),),
}
NEEDED = ("query", "label")


@dataclass(frozen=True)
class Given:
    """The columns that were named; `infer` looks for the rest."""

    query: str | None = None
    evidence: str | None = None
    label: str | None = None
    metadata: tuple[str, ...] = ()
    rationale: str | None = None
    group: str | None = None
    split: str | None = None
    id: str | None = None


@dataclass(frozen=True)
class Roles:
    """The column that plays each part; None where there is none.

    Attributes:
        query: The text that asks or claims.
        evidence: The text that should decide.
        label: The gold label.
        metadata: What kind of item each is; derived from the text where empty.
        rationale: The explanation of the label.
        group: The cluster each item belongs to.
        split: Which rows are for training and which for testing.
        id: The name of each item.
    """

    query: str
    evidence: str | None
    label: str
    metadata: tuple[str, ...] = ()
    rationale: str | None = None
    group: str | None = None
    split: str | None = None
    id: str | None = None

    def described(self) -> dict[str, str]:
        """Part and column, for printing and storing.

        >>> Roles("claim", None, "label", ("genre", "source")).described()
        {'query': 'claim', 'label': 'label', 'metadata': 'genre, source'}
        """
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        columns["metadata"] = ", ".join(self.metadata)
        return {part: column for part, column in columns.items() if column}


def infer(columns: Sequence[str], given: Given | None = None) -> Roles:
    """The part of each column: as given, and by its name where that is plain.

    >>> infer(["premise", "hypothesis", "gold_label"]).described()
    {'query': 'hypothesis', 'evidence': 'premise', 'label': 'gold_label'}
    """
    given = given or Given()
    told = {part: getattr(given, part) for part in PLAIN}
    taken = [*(name for name in told.values() if name is not None), *given.metadata]
    for name in taken:
        if name not in columns:
            raise NoField(name, list(columns))
        if taken.count(name) > 1:
            raise BadInput(
                f"column {shown(name)} is given more than one part; "
                "name a column for one part only"
            )
    free = [name for name in columns if name not in taken]
    found = {part: name or plain(part, free) for part, name in told.items()}
    missing = [part for part in NEEDED if found[part] is None]
    if missing:
        options = " and ".join(f"--{part}" for part in missing)
        raise AmbiguousRoles(
            f"no column is plainly the {' or the '.join(missing)}; "
            f"the columns are {listed(columns)}; name them with {options}"
        )
    return Roles(metadata=given.metadata, **found)  # type: ignore[arg-type]


def plain(part: str, columns: Sequence[str]) -> str | None:
    """The one column whose name plainly says `part`; None where no name does."""
    for names in PLAIN[part]:
        found = [column for column in columns if column.lower() in names]
        if len(found) > 1:
            raise AmbiguousRoles(
                f"{len(found)} columns could be the {part}: {listed(found)}; "
                f"the columns are {listed(columns)}; name one with --{part}"
            )
        if found:
            return found[0]
    return None
