"""HotpotQA with a weak label, rebuilt from its own annotations.

HotpotQA asks for an answer, not a class. The paper behind the evidence audit gives each
question a weak label, `full` or `conflict`, by "a heuristic over question type, answer
type, and supporting-fact count", and does not publish that heuristic. This is ours:

    conflict  the question compares two things (type `comparison`), its answer is "no",
              and at least two supporting facts are given: what the facts say of the one
              thing does not hold of the other, so the evidence disagrees;
    full      every other question: the facts support one answer together.

The fact count never decides on HotpotQA as published, where no question has fewer than
two; it is there because one fact cannot disagree with itself. Of 767 fullwiki questions
0.965 are `full`, of 1,644 distractor questions 0.970, of all 7,405 dev questions 0.969;
the paper reports 0.963 (578 of 600). The figures are close; the rules need not be.

The evidence is every retrieved paragraph, title first, in the order given. The label is
a function of the three annotations, never of the paragraphs: they are the metadata, and
the rule is the benchmark's protocol.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from measurand.core.errors import BadInput, quote
from measurand.core.items import Items

FULL, CONFLICT = "full", "conflict"
METADATA = {
    "question_type": "bridge or comparison, as annotated",
    "answer_type": "yes, no, number (holds a digit) or text",
    "supporting_facts": "how many sentences are annotated as support",
}
NEEDED = ("question", "answer", "type", "supporting_facts", "context")


def _weak_label(question_type: str, answer_type: str, facts: int) -> str:
    """The label that the rule gives.

    >>> _weak_label("comparison", "no", 2), _weak_label("comparison", "yes", 2)
    ('conflict', 'full')
    """
    disagree = question_type == "comparison" and answer_type == "no" and facts >= 2
    return CONFLICT if disagree else FULL


def _answer_type(answer: str) -> str:
    """What kind of answer it is.

    >>> [_answer_type(answer) for answer in ("No", "in 1922", "Ed Wood")]
    ['no', 'number', 'text']
    """
    plain = answer.strip().lower()
    if plain in ("yes", "no"):
        return plain
    return "number" if any(letter.isdigit() for letter in plain) else "text"


def label_questions(table: pd.DataFrame) -> pd.DataFrame:
    """Question, context, weak label and metadata of each question."""
    lacking = [name for name in NEEDED if name not in table.columns]
    if lacking:
        raise BadInput(
            f"hotpotqa needs the columns {', '.join(NEEDED)}; {lacking[0]} is not there"
        )
    facts = [len(_title_pairs(cell, "sent_id")) for cell in table["supporting_facts"]]
    answer_types = [_answer_type(str(answer)) for answer in table["answer"]]
    question_types = [str(kind) for kind in table["type"]]
    labels = [
        _weak_label(*row)
        for row in zip(question_types, answer_types, facts, strict=True)
    ]
    return pd.DataFrame(
        {
            "question": table["question"],
            "context": [_join_paragraphs(cell) for cell in table["context"]],
            "label": labels,
            "question_type": question_types,
            "answer_type": answer_types,
            "supporting_facts": [str(count) for count in facts],
        },
        index=table.index,
    )


def _join_paragraphs(context: object) -> str:
    """All paragraphs in one text, each after its title.

    >>> films = ["Ed Wood", ["He made films.", " He wrote."]]
    >>> _join_paragraphs([films, ["Plan 9", ["Film."]]])
    'Ed Wood: He made films. He wrote. Plan 9: Film.'
    """
    return " ".join(
        f"{title}: {''.join(sentences).strip()}"
        for title, sentences in _title_pairs(context, "sentences")
    )


def _title_pairs(cell: Any, second: str) -> list[tuple[str, Any]]:
    """Titles with what belongs to each: pairs in the authors' files, two columns else.

    >>> _title_pairs({"title": ["a"], "sent_id": [0]}, "sent_id")
    [('a', 0)]
    >>> _title_pairs([["a", 0]], "sent_id")
    [('a', 0)]
    """
    if isinstance(cell, Mapping) and {"title", second} <= set(cell):
        return list(zip(cell["title"], cell[second], strict=True))
    if isinstance(cell, Iterable) and not isinstance(cell, str | Mapping):
        rows = [tuple(row) for row in cell]
        if all(len(row) == 2 for row in rows):
            return rows
    raise BadInput(f"{quote(str(cell))} is no list of titles and {second}")


def weak_label_protocol(items: Items) -> Sequence[str]:
    """The rule, called on the metadata of items."""
    columns = [items.column(name) for name in METADATA]
    return [
        _weak_label(kind, answer, int(facts))
        for kind, answer, facts in zip(*columns, strict=True)
    ]
