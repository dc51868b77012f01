"""Which column plays which part, told or plain from its name."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.resources import files
from typing import Any, TypedDict

from measurand.core.errors import (
    AmbiguousRoles,
    BadInput,
    BadOption,
    NoField,
    Proposal,
    UnknownName,
    join_names,
    quote,
)

_Groups = tuple[frozenset[str], ...]
Advice = tuple[str, Proposal]  # on missing parts, and the columns that may be all


def _read_groups(groups: Mapping[str, Sequence[str]]) -> dict[str, _Groups]:
    """The groups of names of each part."""
    return {
        part: tuple(frozenset(names.split()) for names in several)
        for part, several in groups.items()
    }


# `names.toml` says what each of these is.
_NAMES = tomllib.loads((files(__package__) / "names.toml").read_text("utf-8"))
PLAIN, PLAIN_BESIDE_CHOICES = (
    _read_groups(_NAMES[table]) for table in ("plain", "beside_choices")
)
WORDS, HINTS = (
    {kind: frozenset(text.split()) for kind, text in _NAMES[table].items()}
    for table in ("words", "hints")
)
PLAIN_SUBJECTS, PLAIN_DOCUMENTS = (
    tuple(_NAMES["first"][part].split()) for part in ("subject", "document")
)
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
    """All the names, in lower case, that a column of this part clearly bears.

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
    rationale: tuple[str, ...] = ()
    group: str | None = None
    split: str | None = None
    id: str | None = None
    fields: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    answers: str | None = None
    subject: str | None = None
    document: str | None = None

    def names(self) -> dict[str, str]:
        """Every name that was given, with the argument that it was given for.

        >>> NamedColumns(query="claim", metadata=("genre",)).names()
        {'claim': 'query', 'genre': 'metadata'}
        """
        named: dict[str, str] = {}
        for field in fields(self):
            for name in list_columns(field.name, getattr(self, field.name)):
                named.setdefault(name, field.name)
        return named


class Columns(TypedDict, total=False):
    """The columns that a caller names, each by the part it plays.

    `measurand.settings.source` says what each part is. Each may be a path into the
    cells of a column, such as gold_evidence[].text, or several with a plus, such as
    title+body.
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
    several: dict[str, Any]
    several = {part: list_columns(part, texts.pop(part)) for part in SEVERAL}
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
    named = NamedColumns(**texts, **several)
    _check_once(_assign_named(named)[1])
    return named


def list_columns(part: str, names: Any) -> tuple[str, ...]:
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
        query: As all that is not named here, it is what `Columns` says.
        rationales: The columns of explanations; the first is the rationale.
        choices: What the field of each item's choices is called.
        choice_columns: The columns that hold the choices: lists, or one a choice.
        answers: The column of free answers, which are screened into choices.
    """

    query: str
    evidence: str | None
    label: str
    metadata: tuple[str, ...] = ()
    rationales: tuple[str, ...] = ()
    group: str | None = None
    split: str | None = None
    id: str | None = None
    fields: tuple[str, ...] = ()
    choices: str | None = None
    choice_columns: tuple[str, ...] = ()
    answers: str | None = None
    subject: str | None = None
    document: str | None = None

    @property
    def rationale(self) -> str | None:
        """The first column of explanations."""
        return next(iter(self.rationales), None)

    @property
    def accepted(self) -> str | None:
        """The column of the answers that each item accepts, where answers are free.

        >>> ColumnRoles("question", "text", "answers", answers="answers").accepted
        'answers (accepted)'
        """
        return None if self.answers is None else f"{self.answers} (accepted)"

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns of each part that has any, as they are named to load them.

        >>> ColumnRoles("claim", None, "label", ("genre", "source")).columns
        {'query': ('claim',), 'label': ('label',), 'metadata': ('genre', 'source')}
        """
        parts = {field.name: getattr(self, field.name) for field in fields(self)}
        parts["choices"] = parts.pop("choice_columns")
        if self.answers is not None:
            parts["label"] = None  # the same column, which holds no label of its own
        return {
            part.replace("rationales", "rationale"): list_columns(part, names)
            for part, names in parts.items()
            if names
        }

    def describe(self) -> dict[str, str]:
        """Part and column, for printing and storing.

        >>> ColumnRoles("claim", None, "label", ("genre", "source")).describe()
        {'query': 'claim', 'label': 'label', 'metadata': 'genre, source'}
        """
        first = dict.fromkeys(("query", "evidence", "choices", "answers", "label"), "")
        columns = first | {
            part: ", ".join(names) for part, names in self.columns.items()
        }
        columns["label"] = self.label
        return {part: column for part, column in columns.items() if column}


def plain_golds(columns: Sequence[str]) -> list[str]:
    """The columns that clearly may say which choice is right, the plainest first.

    >>> plain_golds(["answer", "question", "answer_idx", "Label"])
    ['answer_idx', 'Label', 'answer']
    """
    return [c for matches in _plain_matches("label", columns, True) for c in matches]


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
    role_columns["rationale"] = next(iter(named.rationale), None)
    parts = {part: name for part, name in role_columns.items() if name is not None}
    if parts.get("rationale") == parts.get("evidence"):
        parts.pop("rationale", None)
    texts = (parts.get("query"), parts.get("evidence"), *named.fields)
    if parts.get("group") in texts:
        parts.pop("group", None)
    if parts.get("label") in named.choices:  # of these columns one is always right
        parts.pop("label", None)
    taken = [*parts.values(), *named.metadata, *extra_fields, *named.rationale[1:]]
    taken += named.choices
    return role_columns, taken


def infer_roles(
    columns: Sequence[str],
    named: NamedColumns | None = None,
    advise: Callable[[Sequence[str], Sequence[str]], Advice] = lambda *_: ("", {}),
) -> ColumnRoles:
    """The part of each column: as given, and by its name where that is plain.

    Args:
        columns: The columns that may play a part.
        named: The parts that were named.
        advise: What is said of parts that are missing and of free columns, and the
            columns that may be all that is missing.

    >>> infer_roles(["premise", "hypothesis", "gold_label"]).describe()
    {'query': 'hypothesis', 'evidence': 'premise', 'label': 'gold_label'}
    """
    named = named or NamedColumns()
    role_columns, taken = _assign_named(named)
    for name in (*taken, named.subject, named.document):
        if name is not None and name not in columns:
            raise NoField(name, list(columns))
    _check_once(taken)
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
    plain_rationale = inferred.pop("rationale")
    rationales = named.rationale or _numbered_rationales(free)
    if plain_rationale is not None and not named.rationale:
        rationales = (plain_rationale,)
    missing = [part for part in NEEDED if inferred[part] is None]
    if missing:
        arguments = " and ".join(f"`{part}`" for part in missing)
        advice, proposal = advise(missing, free)
        raise AmbiguousRoles(
            f"no column is plainly the {' or the '.join(missing)}; "
            f"the columns are {join_names(columns)}; name them with {arguments}"
            + advice,
            [proposal] if proposal else (),
        )
    several = {"metadata": named.metadata, "fields": named.fields}
    several |= {"rationales": rationales, "choice_columns": named.choices}
    field = _choice_field(named, [*taken, *rationales, *inferred.values()])
    inferred |= {"choices": field, "answers": named.answers}
    inferred |= {"subject": named.subject, "document": named.document}
    return ColumnRoles(**several, **inferred)  # type: ignore[arg-type]


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
    """The one column whose name clearly says `part`; None where no name does."""
    for matches in _plain_matches(part, columns, by_choices):
        if len(matches) > 1:
            raise AmbiguousRoles(
                f"{len(matches)} columns could be the {part}: {join_names(matches)}; "
                f"the columns are {join_names(columns)}; name one with `{part}`",
                [{part: column} for column in matches],
            )
        if matches:
            return matches[0]
    return None


def _plain_matches(
    part: str, columns: Sequence[str], by_choices: bool
) -> Iterator[list[str]]:
    """The columns that clearly say `part`, by each group of its names."""
    beside = PLAIN_BESIDE_CHOICES.get(part, ()) if by_choices else ()
    if part != "label" or not beside:
        for names in PLAIN[part]:
            matches = [column for column in columns if column.lower() in names]
            are_texts = {c.lower() for c in matches} <= WORDS["any_text"]
            if by_choices and matches and are_texts:
                # It may be the passage as well, where another column asks.
                asking = frozenset().union(*beside)
                matches += [column for column in columns if bare_name(column) in asking]
            yield matches
    for names in beside:
        yield [column for column in columns if bare_name(column) in names]
