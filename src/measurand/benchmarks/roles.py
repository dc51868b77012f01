"""Which column plays which part, told or plain from its name."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from difflib import SequenceMatcher
from numbers import Integral
from typing import Any, TypedDict

import pandas as pd

from measurand.core.errors import (
    LONGEST_NAME,
    AmbiguousRoles,
    BadInput,
    BadOption,
    NoField,
    UnknownName,
    join_names,
    quote,
)

LIKE = 0.75  # how like a plain name the name of a column is that may be meant
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
# What else plainly plays a part where the items bring their own choices, by the names
# without case, spaces and lines. The gold comes first where it counts or letters.
PLAIN_BESIDE_CHOICES: dict[str, tuple[frozenset[str], ...]] = {
    "query": (
        frozenset({"ctx", "questionstem", "stem", "goal"}),
        frozenset({"prompt", "input", "problem"}),
    ),
    "evidence": (frozenset({"support", "article", "fact1"}),),
    "label": (
        frozenset(
            {"answerkey", "answeridx", "answerindex", "answerid", "answerletter"}
            | {"goldidx", "goldindex", "correctidx", "correctindex", "correctoption"}
            | {"cop"}
        ),
        frozenset({"label", "goldlabel", "target", "gold"}),
        frozenset({"answer", "correctanswer", "correctchoice", "correct", "class"}),
    ),
}
# Names of texts that need not ask.
ANY_TEXT = frozenset({"text", "sentence", "sentence2"})
# What items are about, and the document that their evidence is from: the first of
# these names that a column bears, without case, spaces and lines.
PLAIN_SUBJECTS = ("subject", "category", "topic", "domain", "task", "activitylabel")
PLAIN_DOCUMENTS = ("documentid", "docid", "articleid", "paperid", "storyid", "title")
NEEDED = ("query", "label")
# The parts that several columns may play.
SEVERAL = ("metadata", "rationale", "fields", "choices")


def bare_name(name: str) -> str:
    """A column's name without case, spaces and lines.

    >>> bare_name("answerKey"), bare_name("Incorrect Answer 1")
    ('answerkey', 'incorrectanswer1')
    """
    return re.sub(r"[\s_-]", "", name.lower())


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
    choices: tuple[str, ...] = ()
    answers: str | None = None
    subject: str | None = None
    document: str | None = None

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
    the query and the evidence; choices is the column of lists of choices, or one column
    a choice, and the label then says which is right; answers are free ones, the first
    of them the gold; subject is what each item is about; document is what its evidence
    is from. Each may be a path into the cells of a column, such as
    gold_evidence[].text, or several with a plus, such as title+body.
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
    choices: str | Sequence[str] | None
    answers: str | None
    subject: str | None
    document: str | None


def name_columns(columns: Columns) -> NamedColumns:
    """The columns as they were named.

    A part that there is none of is refused, and so is a column of two parts.
    """
    parts = list(Columns.__annotations__)
    for part in columns:
        if part not in parts:
            raise UnknownName("part of a benchmark", part, parts)
    texts: dict[str, Any] = {part: columns.get(part) for part in parts}
    several = {part: _list_names(part, texts.pop(part)) for part in SEVERAL}
    if texts["answers"] and (texts["label"] or several["choices"]):
        raise BadOption(
            "both `answers` and `label` or `choices` are given; free answers have "
            "neither: give `answers` alone, or the other two"
        )
    for part, name in texts.items():
        if name is not None and not isinstance(name, str):
            raise BadOption(
                f"`{part}` is {name!r}; give the name of a column, or of several "
                "with a plus, such as 'title+body'"
            )
    named = NamedColumns(
        **texts,
        metadata=several["metadata"],
        fields=several["fields"],
        rationales=several["rationale"],
        choices=several["choices"],
    )
    _check_once(_assign_named(named)[1])
    return named


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
        choices: What the field of each item's choices is called.
        choice_columns: The columns that hold the choices: lists, or one a choice.
        answers: The column of free answers, which are screened into choices.
        subject: What each item is about; it may have another part too.
        document: The document that its evidence is from; it may have another part.
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
    choices: str | None = None
    choice_columns: tuple[str, ...] = ()
    answers: str | None = None
    subject: str | None = None
    document: str | None = None

    @property
    def explanations(self) -> tuple[str, ...]:
        """Every column of explanations; the first is the rationale."""
        return self.rationales or ((self.rationale,) if self.rationale else ())

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns of each part that has any, as they are named to load them.

        >>> ColumnRoles("claim", None, "label", ("genre", "source")).columns
        {'query': ('claim',), 'label': ('label',), 'metadata': ('genre', 'source')}
        """
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        del parts["choice_columns"], parts["rationales"]
        parts |= {"choices": self.choice_columns, "rationale": self.explanations}
        if self.answers is not None:
            parts["label"] = None  # the same column, which holds no label of its own
        return {
            part: (names,) if isinstance(names, str) else tuple(names)
            for part, names in parts.items()
            if names
        }

    def describe(self) -> dict[str, str]:
        """Part and column, for printing and storing.

        >>> ColumnRoles("claim", None, "label", ("genre", "source")).describe()
        {'query': 'claim', 'label': 'label', 'metadata': 'genre, source'}
        """
        columns = {"query": self.query, "evidence": self.evidence}
        columns["choices"] = ", ".join(self.choice_columns)
        columns["answers"] = self.answers
        columns |= {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("choices", "choice_columns")
        }
        columns["metadata"] = ", ".join(self.metadata)
        columns["fields"] = ", ".join(self.fields)
        columns.pop("rationales")
        columns["rationale"] = ", ".join(self.explanations)
        return {part: column for part, column in columns.items() if column}


def has_plain_label(columns: Sequence[str]) -> bool:
    """Whether a column plainly says which choice is right."""
    return any(_plain_matches("label", columns, True))


def plain_golds(columns: Sequence[str]) -> list[str]:
    """The columns that plainly may say which choice is right, the plainest first.

    >>> plain_golds(["answer", "question", "answer_idx", "Label"])
    ['answer_idx', 'Label', 'answer']
    """
    return [c for matches in _plain_matches("label", columns, True) for c in matches]


def asking_columns(columns: Sequence[str]) -> list[str]:
    """The columns that would be the query beside choices, where none plainly is.

    >>> asking_columns(["goal", "log"]), asking_columns(["claim", "prompt"])
    (['goal'], [])
    """
    if any(column.lower() in plain_names("query") for column in columns):
        return []
    names = frozenset().union(*PLAIN_BESIDE_CHOICES["query"])
    return [column for column in columns if bare_name(column) in names]


def _assign_named(named: NamedColumns) -> tuple[dict[str, str | None], list[str]]:
    """The column of each part that was named, and the columns that must differ."""
    role_columns = {part: getattr(named, part) for part in PLAIN}
    role_columns["label"] = named.label or named.answers
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
    if parts.get("label") in named.choices:  # of these columns one is always right
        parts.pop("label", None)
    taken = [*parts.values(), *named.metadata, *extra_fields, *named.rationales[1:]]
    taken += named.choices
    return role_columns, taken


def infer_roles(
    columns: Sequence[str],
    named: NamedColumns | None = None,
    advise: Callable[[Sequence[str]], str] = lambda missing: "",
) -> ColumnRoles:
    """The part of each column: as given, and by its name where that is plain.

    Args:
        columns: The columns that may play a part.
        named: The parts that were named.
        advise: What to name for parts that are missing; empty where only the names of
            the columns tell.

    >>> infer_roles(["premise", "hypothesis", "gold_label"]).describe()
    {'query': 'hypothesis', 'evidence': 'premise', 'label': 'gold_label'}
    """
    named = named or NamedColumns()
    role_columns, taken = _assign_named(named)
    _check_taken(taken, columns)
    for name in (named.subject, named.document):
        if name is not None and name not in columns:
            raise NoField(name, list(columns))
    free = [name for name in columns if name not in taken]
    candidates = {
        "evidence": [c for c in columns if c in (*free, role_columns["rationale"])],
        "label": [*free, *named.choices],
    }
    grouping = [named.group] if named.group else []
    looked_for = set(PLAIN) - ({"query", "evidence"} if named.fields else set())
    by_choices = bool(named.choices or named.answers)
    inferred = {
        part: name
        or (
            _plain_column(part, candidates.get(part, free), by_choices)
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
        example = advise(missing)
        raise AmbiguousRoles(
            f"no column is plainly the {' or the '.join(missing)}; "
            f"the columns are {join_names(columns)}; name them with {arguments}"
            + (f", such as {example}" if example else _nearest_columns(missing, free))
        )
    several = {"metadata": named.metadata, "fields": named.fields}
    several |= {"rationales": rationales, "choice_columns": named.choices}
    field = _choice_field(named, [*taken, *inferred.values()])
    inferred |= {"choices": field, "answers": named.answers}
    inferred |= {"subject": named.subject, "document": named.document}
    return ColumnRoles(**several, **inferred)  # type: ignore[arg-type]


def _nearest_columns(parts: Sequence[str], columns: Sequence[str]) -> str:
    """The columns whose names nearly say the parts that no name says, as a question.

    >>> _nearest_columns(["query", "label"], ["text1", "lable"])
    "; did you mean `query` 'text1' and `label` 'lable'?"
    """
    nearest = {part: nearest_column(part, columns) for part in parts}
    meant = [f"`{part}` {quote(column)}" for part, column in nearest.items() if column]
    return f"; did you mean {' and '.join(meant)}?" if meant else ""


def nearest_column(part: str, columns: Sequence[str], spare: int = LONGEST_NAME) -> str:
    """The column whose name nearly says the part; empty where none does.

    Args:
        part: A part with plain names.
        columns: The columns that may be meant.
        spare: The most letters that a name may have more or fewer than a plain one.
    """
    likeness = {
        column: max(
            (
                SequenceMatcher(None, name, column[:LONGEST_NAME].lower()).ratio()
                for name in plain_names(part)
                if abs(len(name) - len(column)) <= spare
            ),
            default=0.0,
        )
        for column in columns
    }
    nearest = max(columns, key=likeness.__getitem__, default="")
    return nearest if likeness.get(nearest, 0.0) >= LIKE else ""


def misspelt_parts(columns: Sequence[str], roles: ColumnRoles) -> list[str]:
    """Which columns without a part may be the evidence or the rationale, misspelt.

    Who misspells the query or the label is told so: nothing is read without these. A
    name that is longer, such as `context_id`, says something else.

    >>> misspelt_parts(["text", "evidense"], ColumnRoles("text", None, "label"))
    ["'evidense' could be the evidence"]
    """
    taken = {*roles.describe().values(), *roles.metadata, *roles.choice_columns}
    taken |= {*roles.explanations}
    missing = [] if roles.fields or roles.evidence else ["evidence"]
    missing += [] if roles.explanations else ["rationale"]
    plain = {name for part in missing for name in plain_names(part)}
    free = [c for c in columns if c not in taken and c.lower() not in plain]
    nearest = {part: nearest_column(part, free, spare=1) for part in missing}
    return [f"{quote(c)} could be the {part}" for part, c in nearest.items() if c]


def _check_taken(taken: Sequence[str], columns: Sequence[str]) -> None:
    """Raise where a column that plays a part is not there, or plays two."""
    for name in taken:
        if name not in columns:
            raise NoField(name, list(columns))
    _check_once(taken)


def _check_once(taken: Sequence[str]) -> None:
    """Raise where a column plays two parts."""
    for name in taken:
        if taken.count(name) > 1:
            raise BadInput(
                f"column {quote(name)} is given more than one part; "
                "name a column for one part only"
            )


def _choice_field(named: NamedColumns, taken: Sequence[str | None]) -> str | None:
    """What the field of the choices is called: as their column, if it is one.

    >>> _choice_field(NamedColumns(choices=("A", "B")), ["question", "choices"])
    'choices (all)'
    """
    if len(named.choices) == 1 or not (named.choices or named.answers):
        return next(iter(named.choices), None)
    name = "choices"
    while name in taken:
        name = f"{name} (all)"
    return name


def find_named(
    table: pd.DataFrame, columns: Sequence[str], names: Sequence[str]
) -> str | None:
    """The column of the first of these names that says one short thing of many items.

    >>> rows = pd.DataFrame({"Topic": ["sea", "sea", "sky"], "task": ["a", "b", "c"]})
    >>> find_named(rows, ["Topic", "task"], ("task", "topic"))
    'Topic'
    """
    for name in names:
        for column in columns:
            if bare_name(column) != name:
                continue
            cells = [cell for cell in table[column] if isinstance(cell, str | Integral)]
            if len(cells) == len(table) and 1 < len({*cells}) < len(cells):
                return column
    return None


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


def _plain_column(
    part: str, columns: Sequence[str], by_choices: bool = False
) -> str | None:
    """The one column whose name plainly says `part`; None where no name does."""
    for matches in _plain_matches(part, columns, by_choices):
        if len(matches) > 1:
            raise AmbiguousRoles(
                f"{len(matches)} columns could be the {part}: {join_names(matches)}; "
                f"the columns are {join_names(columns)}; name one with `{part}`"
            )
        if matches:
            return matches[0]
    return None


def _plain_matches(
    part: str, columns: Sequence[str], by_choices: bool
) -> Iterator[list[str]]:
    """The columns that plainly say `part`, by each group of its names."""
    beside = PLAIN_BESIDE_CHOICES.get(part, ()) if by_choices else ()
    if part != "label" or not beside:
        for names in PLAIN[part]:
            found = [column for column in columns if column.lower() in names]
            if by_choices and found and {c.lower() for c in found} <= ANY_TEXT:
                # It may be the passage as well, where another column asks.
                asking = frozenset().union(*beside)
                found += [column for column in columns if bare_name(column) in asking]
            yield found
    for names in beside:
        yield [column for column in columns if bare_name(column) in names]
