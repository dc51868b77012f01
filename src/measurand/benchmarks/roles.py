"""Which column plays which part, told or plain from its name."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

from measurand.core.errors import (
    AmbiguousRoles,
    BadInput,
    BadOption,
    NoField,
    UnknownName,
    join_names,
    quote,
)

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
SEVERAL = ("metadata", "rationale", "fields")  # parts that several columns may play


def plain_names(part: str) -> frozenset[str]:
    """All the names, in lower case, that a column of this part plainly bears.

    >>> sorted(plain_names("rationale"))
    ['explanation', 'rationale']
    """
    return frozenset().union(*PLAIN[part])


@dataclass(frozen=True)
class NamedColumns:
    """The columns that were named; `infer_roles` looks for the rest."""

    query: str | None = None
    evidence: str | None = None
    label: str | None = None
    metadata: tuple[str, ...] = ()
    rationale: str | None = None
    group: str | None = None
    split: str | None = None
    id: str | None = None
    fields: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()

    def names(self) -> dict[str, str]:
        """Every name that was given, with the argument that it was given for.

        >>> NamedColumns(query="claim", metadata=("genre",)).names()
        {'claim': 'query', 'genre': 'metadata'}
        """
        arguments = {"rationales": "rationale"}
        named: dict[str, str] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            names = (value,) if isinstance(value, str) else value or ()
            for name in names:
                named.setdefault(name, arguments.get(field.name, field.name))
        return named


class Columns(TypedDict, total=False):
    """The columns that a caller names, each by the part it plays.

    query asks or claims, evidence should decide, label is the gold label; metadata say
    what kind of item each is; rationale is the column of explanations, or several where
    an item has several; group is the cluster each item belongs to; split says train,
    test or dev; id is the item's; fields are the text columns, where they are not just
    the query and the evidence. Each may be a path into the cells of a
    column, such as gold_evidence[].text, or several with a plus, such as title+body.
    """

    query: str | None
    evidence: str | None
    label: str | None
    metadata: Sequence[str]
    rationale: str | Sequence[str] | None
    group: str | None
    split: str | None
    id: str | None
    fields: Sequence[str]


def name_columns(columns: Columns) -> NamedColumns:
    """The columns as they were named; a part that there is none of is refused."""
    parts = list(Columns.__annotations__)
    for part in columns:
        if part not in parts:
            raise UnknownName("part of a benchmark", part, parts)
    texts: dict[str, Any] = {part: columns.get(part) for part in parts}
    several = {part: _list_names(part, texts.pop(part)) for part in SEVERAL}
    for part, name in texts.items():
        if name is not None and not isinstance(name, str):
            raise BadOption(
                f"`{part}` is {name!r}; give the name of a column, or of several "
                "with a plus, such as 'title+body'"
            )
    return NamedColumns(
        **texts,
        metadata=several["metadata"],
        fields=several["fields"],
        rationales=several["rationale"],
    )


def _list_names(part: str, names: Any) -> tuple[str, ...]:
    """The names of columns that play one part; a single one may stand alone."""
    if isinstance(names, str):
        return (names,)
    listed = tuple(names) if isinstance(names, list | tuple | set) else names or ()
    if isinstance(listed, tuple) and all(isinstance(name, str) for name in listed):
        return listed
    raise BadOption(f"`{part}` is {names!r}; give the names of columns")


@dataclass(frozen=True)
class ColumnRoles:
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
        fields: The text fields in the order in which they are read, where they were
            named; else the query and the evidence.
        rationales: All columns of explanations, where an item has several.
    """

    query: str
    evidence: str | None
    label: str
    metadata: tuple[str, ...] = ()
    rationale: str | None = None
    group: str | None = None
    split: str | None = None
    id: str | None = None
    fields: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()

    @property
    def explanations(self) -> tuple[str, ...]:
        """Every column of explanations; the first is the rationale."""
        return self.rationales or ((self.rationale,) if self.rationale else ())

    def describe(self) -> dict[str, str]:
        """Part and column, for printing and storing.

        >>> ColumnRoles("claim", None, "label", ("genre", "source")).describe()
        {'query': 'claim', 'label': 'label', 'metadata': 'genre, source'}
        """
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        columns["metadata"] = ", ".join(self.metadata)
        columns["fields"] = ", ".join(self.fields)
        columns.pop("rationales")
        columns["rationale"] = ", ".join(self.explanations)
        return {part: column for part, column in columns.items() if column}


def infer_roles(
    columns: Sequence[str], named: NamedColumns | None = None
) -> ColumnRoles:
    """The part of each column: as given, and by its name where that is plain.

    >>> infer_roles(["premise", "hypothesis", "gold_label"]).describe()
    {'query': 'hypothesis', 'evidence': 'premise', 'label': 'gold_label'}
    """
    named = named or NamedColumns()
    role_columns = {part: getattr(named, part) for part in PLAIN}
    extra_fields: tuple[str, ...] = ()
    if named.fields:
        # The last one asks and the first should decide, as in premise and hypothesis.
        role_columns["query"] = role_columns["query"] or named.fields[-1]
        if role_columns["evidence"] is None and len(named.fields) > 1:
            role_columns["evidence"] = named.fields[0]
        extra_fields = tuple(f for f in named.fields if f not in role_columns.values())
    # Evidence may be its own explanation, and items with one text may be a group: only
    # these columns have two parts.
    role_columns["rationale"] = next(iter(named.rationales), role_columns["rationale"])
    parts = {part: name for part, name in role_columns.items() if name is not None}
    if parts.get("rationale") == parts.get("evidence"):
        parts.pop("rationale", None)
    texts = (parts.get("query"), parts.get("evidence"), *named.fields)
    if parts.get("group") in texts:
        parts.pop("group", None)
    taken = [*parts.values(), *named.metadata, *extra_fields, *named.rationales[1:]]
    for name in taken:
        if name not in columns:
            raise NoField(name, list(columns))
        if taken.count(name) > 1:
            raise BadInput(
                f"column {quote(name)} is given more than one part; "
                "name a column for one part only"
            )
    free = [name for name in columns if name not in taken]
    evidence_candidates = [
        name for name in columns if name in (*free, role_columns["rationale"])
    ]
    grouping = [named.group] if named.group else []
    looked_for = set(PLAIN) - ({"query", "evidence"} if named.fields else set())
    inferred = {
        part: name
        or (
            _plain_column(part, evidence_candidates if part == "evidence" else free)
            or (_plain_column(part, grouping) if part == "query" else None)
            if part in looked_for
            else None
        )
        for part, name in role_columns.items()
    }
    rationales = named.rationales
    if not rationales and inferred["rationale"] is None:
        rationales = _numbered_rationales(free)
        inferred["rationale"] = next(iter(rationales), None)
    missing = [part for part in NEEDED if inferred[part] is None]
    if missing:
        arguments = " and ".join(f"`{part}`" for part in missing)
        raise AmbiguousRoles(
            f"no column is plainly the {' or the '.join(missing)}; "
            f"the columns are {join_names(columns)}; name them with {arguments}"
        )
    several = {"metadata": named.metadata, "fields": named.fields}
    return ColumnRoles(rationales=rationales, **several, **inferred)  # type: ignore[arg-type]


def _numbered_rationales(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of several explanations an item, which bear a number each.

    >>> _numbered_rationales(["label", "explanation_2", "Explanation_1"])
    ('Explanation_1', 'explanation_2')
    """
    numbers = {}
    for column in columns:
        name, _, number = column.lower().rpartition("_")
        if name in PLAIN["rationale"][0] and number.isdigit():
            numbers[column] = int(number)
    return tuple(sorted(numbers, key=lambda column: numbers[column]))


def _plain_column(part: str, columns: Sequence[str]) -> str | None:
    """The one column whose name plainly says `part`; None where no name does."""
    for names in PLAIN[part]:
        matches = [column for column in columns if column.lower() in names]
        if len(matches) > 1:
            raise AmbiguousRoles(
                f"{len(matches)} columns could be the {part}: {join_names(matches)}; "
                f"the columns are {join_names(columns)}; name one with `{part}`"
            )
        if matches:
            return matches[0]
    return None
