"""Which column may be meant for a part that none plainly plays: a guess, never taken.

The label says one of a few short things, the query and the evidence are texts, and the
evidence is the longer. Where names tell more than that, they come first.
"""

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from numbers import Integral
from statistics import fmean

import pandas as pd

from measurand.benchmarks.choices import called_choices
from measurand.benchmarks.nested import (
    FEWEST_WORDS,
    WORD,
    find_nested,
    is_evidence_name,
    says_few_things,
)
from measurand.benchmarks.roles import (
    PLAIN,
    asking_columns,
    nearest_column,
    plain_names,
)

ROWS = 200  # that are looked into, from the first on
MOST_CLASSES = 20
FEWEST_EACH = 3  # rows a class on average, or it may as well be an id
LONGEST_LABEL = 4  # words on average
# Words in names that tell a part without being plain, such as `stmt_txt`; of other
# languages too, as a claim may be longer than its source.
HINTS = {
    "query": frozenset(
        {"claim", "claims", "statement", "stmt", "question", "query", "hypothesis"}
        | {"hyp", "sentence", "assertion", "utterance", "headline", "prompt", "tweet"}
        | {"behauptung", "aussage", "frage", "affirmation", "pregunta", "domanda"}
    ),
    "evidence": frozenset(
        {"evidence", "premise", "context", "ctx", "passage", "paragraph", "document"}
        | {"doc", "article", "abstract", "snippet", "snip", "source", "background"}
        | {"support", "reference", "body", "facts", "quelle", "beleg", "kontext"}
        | {"preuve", "fuente", "contexto", "fonte", "contesto"}
    ),
    "label": frozenset(
        {"label", "labels", "lbl", "gold", "target", "class", "verdict", "stance"}
        | {"veracity", "truth", "rating", "judgement", "judgment", "relation"}
        | {"answer", "decision", "sentiment", "result", "urteil", "veredicto"}
    ),
}


def propose_columns(
    table: pd.DataFrame, named: Mapping[str, str], missing: Sequence[str]
) -> dict[str, str]:
    """The column that each missing part may be; the evidence too, where it has none."""
    columns = [str(name) for name in table.columns]
    head = table.head(ROWS)
    other_names = {name for part in PLAIN for name in plain_names(part)}
    choices = {*called_choices(columns), *find_nested(head)}
    taken = {*named, *choices}
    taken |= {c for c in columns if c.lower() in other_names}
    free = [c for c in columns if c not in taken and is_evidence_name(c)]
    said = [c for c in free if says_few_things([*head[c]]) and _hint("evidence", c) < 1]
    labels = [c for c in free if _is_label([*head[c]])] or said
    texts = {c: length for c in free if (length := _mean_length([*head[c]]))}
    guesses: dict[str, str] = {}
    if "label" in missing and labels:  # the last one, as labels stand behind texts
        guesses["label"] = max(reversed(labels), key=lambda c: _hint("label", c))
    for column in {*labels, *said}:
        texts.pop(column, None)
    if "query" in missing:
        # Without choices, such a column may as well be the evidence: `ctx`.
        asking = [
            c for c in asking_columns(columns) if choices or _hint("query", c) >= 0
        ]
        # The shortest: what is to be decided is seldom longer than what decides it.
        query = min(texts, key=lambda c: (-_hint("query", c), texts[c]), default=None)
        if query is not None or asking:
            guesses["query"] = asking[0] if asking else str(query)
        texts.pop(guesses.get("query", ""), None)
    has_evidence = {"evidence", "fields"} & {*named.values()} or any(
        c.lower() in plain_names("evidence") for c in columns
    )
    if texts and not has_evidence:
        guesses["evidence"] = max(texts, key=lambda c: (_hint("evidence", c), texts[c]))
    return {part: guesses[part] for part in HINTS if part in guesses}


@lru_cache(4_096)
def _hint(part: str, column: str) -> int:
    """How much the name of a column tells: for the part, nothing, or for another.

    >>> [_hint("query", name) for name in ("stmt_txt", "notes", "abstract_snip")]
    [1, 0, -1]
    """
    words = {word.lower() for word in WORD.findall(column)}
    if words & HINTS[part] or nearest_column(part, [column]):
        return 1
    others = (hints for other, hints in HINTS.items() if other != part)
    return -1 if any(words & hints for hints in others) else 0


def _is_label(cells: Sequence[object]) -> bool:
    """Whether a column says one of a few short things of each item."""
    values = [cell for cell in cells if isinstance(cell, str | Integral)]
    distinct = {*map(str, values)}
    return (
        2 * len(values) > len(cells)
        and 2 <= len(distinct) <= MOST_CLASSES
        and FEWEST_EACH * len(distinct) <= len(values)
        and fmean(len(str(value).split()) for value in distinct) <= LONGEST_LABEL
    )


def _mean_length(cells: Collection[object]) -> float:
    """How long the texts of a column are in words on average; 0 where it holds none."""
    lengths = [cell.count(" ") + 1 for cell in cells if isinstance(cell, str)]
    mean = fmean(lengths) if 2 * len(lengths) > len(cells) else 0.0
    return mean if mean >= FEWEST_WORDS else 0.0
