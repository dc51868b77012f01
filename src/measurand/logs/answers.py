"""What a log of a harness holds: one model's answers to one task."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from measurand.benchmarks.cells import mend_surrogates
from measurand.core.arrays import Floats
from measurand.core.errors import BadInput

TABLE = "a table"  # written by no harness


@dataclass(frozen=True)
class Answer:
    """One answer to one item, as a log has it.

    Attributes:
        id: What the log calls the item.
        score: How right the answer is; None where it was not scored.
        text: The answer that was scored; empty where it is not kept.
        gold: The right answer, as the log has it.
        fields: What else stands there of the item.
    """

    id: str
    score: float | None
    text: str = ""
    gold: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Answers:
    """One model's answers to the items of one task.

    Attributes:
        harness: Which harness wrote them.
        model: What it calls the model.
        task: What it calls the task.
        metric: By what answers are scored.
        table: One row an item, by id: `score` (the mean over its epochs), `answer` and
            `gold` of the first, and how many `epochs` were scored.
        items: What the log holds of each item, by id.
        condition: Which copy of the benchmark was asked; empty where nobody says.
        benchmark: What was copied; empty where nobody says.
        version: When it was run, or what else tells two runs apart.
        notes: What was left out or joined, each with a count.
    """

    harness: str
    model: str
    task: str
    metric: str
    table: pd.DataFrame
    items: pd.DataFrame
    condition: str = ""
    benchmark: str = ""
    version: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.table)

    @property
    def scores(self) -> Floats:
        """How right each item was answered."""
        return self.table["score"].to_numpy(float)

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What no two logs of one folder share, but for when they were run."""
        return self.task, self.condition, self.model, self.metric

    @property
    def series(self) -> tuple[str, str, str, str]:
        """What the logs of one model under several conditions share."""
        return self.harness, self.benchmark, self.model, self.metric


def as_number(value: object) -> float | None:
    """A finite number of a log; none for what is no number, or too large for one.

    >>> [as_number(value) for value in (True, 0.25, 10**400, float("nan"), "1")]
    [1.0, 0.25, None, None, None]
    """
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def gather_answers(
    answers: Sequence[Answer], notes: Sequence[str] = (), **named: str
) -> Answers:
    """The answers of one log; epochs of an item are averaged, none of it is a row.

    >>> said = [Answer("q1", 1.0), Answer("q1", 0.0), Answer("q2", None)]
    >>> made = gather_answers(
    ...     said, harness="Inspect", model="m", task="t", metric="choice"
    ... )
    >>> made.scores.tolist(), made.notes
    ([0.5], ('1 item without a score left out', '1 item answered 2 times: averaged'))
    """
    scored = [answer for answer in answers if answer.score is not None]
    if not scored:
        raise BadInput(
            f"none of the {len(answers)} answers has a score; run the task with its "
            "scorer, and with samples logged"
        )
    ids = [mend_surrogates(answer.id) for answer in scored]
    table = pd.DataFrame(
        {
            "score": [answer.score for answer in scored],
            "answer": [mend_surrogates(answer.text) for answer in scored],
            "gold": [mend_surrogates(answer.gold) for answer in scored],
        }
    ).groupby(pd.Index(ids, name="id"), sort=False)
    kept = table.first().assign(score=table["score"].mean(), epochs=table.size())
    fields = dict(zip(reversed(ids), (a.fields for a in reversed(scored)), strict=True))
    items = pd.DataFrame([fields[name] for name in kept.index], index=kept.index)
    lost = len({mend_surrogates(answer.id) for answer in answers} - {*ids})
    counted = [*notes, *_count(lost, "without a score left out")]
    for epochs, count in kept["epochs"].value_counts().sort_index().items():
        if int(str(epochs)) > 1:
            counted += _count(int(count), f"answered {epochs} times: averaged")
    return Answers(
        table=kept,
        items=items,
        notes=tuple(map(mend_surrogates, counted)),
        **{what: mend_surrogates(name) for what, name in named.items()},
    )


def _count(number: int, what: str) -> list[str]:
    """One note on so many items; none where there are none."""
    return [f"{number:,} item{'s' * (number > 1)} {what}"] if number else []
