"""Which column plays which part, told or plain from its name."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from measurand.core.errors import AmbiguousRoles, BadInput, NoField, join_names, quote

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
    fields: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()


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

    def described(self) -> dict[str, str]:
        """Part and column, for printing and storing.

        >>> Roles("claim", None, "label", ("genre", "source")).described()
        {'query': 'claim', 'label': 'label', 'metadata': 'genre, source'}
        """
        columns = {field.name: getattr(self, field.name) for field in fields(self)}
        columns["metadata"] = ", ".join(self.metadata)
        columns["fields"] = ", ".join(self.fields)
        columns.pop("rationales")
        columns["rationale"] = ", ".join(self.explanations)
        return {part: column for part, column in columns.items() if column}


def infer(columns: Sequence[str], given: Given | None = None) -> Roles:
    """The part of each column: as given, and by its name where that is plain.

    >>> infer(["premise", "hypothesis", "gold_label"]).described()
    {'query': 'hypothesis', 'evidence': 'premise', 'label': 'gold_label'}
    """
    given = given or Given()
    told = {part: getattr(given, part) for part in PLAIN}
    more: tuple[str, ...] = ()
    if given.fields:
        # The last one asks and the first should decide, as in premise and hypothesis.
        told["query"] = told["query"] or given.fields[-1]
        if told["evidence"] is None and len(given.fields) > 1:
            told["evidence"] = given.fields[0]
        more = tuple(f for f in given.fields if f not in told.values())
    # Evidence may be its own explanation: it is the one column with two parts.
    told["rationale"] = next(iter(given.rationales), told["rationale"])
    parts = {part: name for part, name in told.items() if name is not None}
    if parts.get("rationale") == parts.get("evidence"):
        parts.pop("rationale", None)
    taken = [*parts.values(), *given.metadata, *more, *given.rationales[1:]]
    for name in taken:
        if name not in columns:
            raise NoField(name, list(columns))
        if taken.count(name) > 1:
            raise BadInput(
                f"column {quote(name)} is given more than one part; "
                "name a column for one part only"
            )
    free = [name for name in columns if name not in taken]
    own = [name for name in columns if name in (*free, told["rationale"])]
    looked_for = set(PLAIN) - ({"query", "evidence"} if given.fields else set())
    found = {
        part: name
        or (
            plain(part, own if part == "evidence" else free)
            if part in looked_for
            else None
        )
        for part, name in told.items()
    }
    rationales = given.rationales
    if not rationales and found["rationale"] is None:
        rationales = numbered(free)
        found["rationale"] = next(iter(rationales), None)
    missing = [part for part in NEEDED if found[part] is None]
    if missing:
        options = " and ".join(f"--{part}" for part in missing)
        raise AmbiguousRoles(
            f"no column is plainly the {' or the '.join(missing)}; "
            f"the columns are {join_names(columns)}; name them with {options}"
        )
    several = {"metadata": given.metadata, "fields": given.fields}
    return Roles(rationales=rationales, **several, **found)  # type: ignore[arg-type]


def numbered(columns: Sequence[str]) -> tuple[str, ...]:
    """The columns of several explanations an item, which bear a number each.

    >>> numbered(["label", "explanation_2", "Explanation_1"])
    ('Explanation_1', 'explanation_2')
    """
    found = {}
    for column in columns:
        name, _, number = column.lower().rpartition("_")
        if name in PLAIN["rationale"][0] and number.isdigit():
            found[column] = int(number)
    return tuple(sorted(found, key=lambda column: found[column]))


def plain(part: str, columns: Sequence[str]) -> str | None:
    """The one column whose name plainly says `part`; None where no name does."""
    for names in PLAIN[part]:
        found = [column for column in columns if column.lower() in names]
        if len(found) > 1:
            raise AmbiguousRoles(
                f"{len(found)} columns could be the {part}: {join_names(found)}; "
                f"the columns are {join_names(columns)}; name one with --{part}"
            )
        if found:
            return found[0]
    return None
