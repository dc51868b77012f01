"""What a report adds to the words of its verdict, and the figures that it goes by."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from measurand.core.estimate import Estimate
from measurand.core.finding import Report
from measurand.core.names import LABELS_ALIKE
from measurand.report.phrases import say_count, say_share
from measurand.report.terminal import plain_text

DECIDING = re.compile(r"about ([\d,]+) (test items|draws)")
# That readers are worse than guessing in the first test part.
BELOW = re.compile(r"surely below (the majority|chance)(?! with all fields in part=)")
# The answer, its cause and what to do, by what readers are below.
INVERTED: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "the majority": (
        "Not yet: labels of the test items look inverted or mixed up.",
        "Who learned from training is surely worse than guessing there, as where "
        "labels mean something else.",
        ("Look at the labels of the test items: are they inverted or mixed up?",),
    ),
    "chance": (
        "Not yet: choices that are right in training look wrong in the test items.",
        "Who learned from training is surely worse than guessing there.",
        ("Look which choices training and test share, and which are right.",),
    ),
}
SHIFTED = "labels are shared out otherwise in training"  # what a warning says
SHIFTED_LABELS = (
    f"Not yet: {SHIFTED} than in the test items.",
    "What readers learned of how common labels are does not hold there, so that they "
    "are surely worse than guessing.",
    ("Give sides with like shares of labels, or one file.",),
)
SCREENED = "screened:"  # how the role of free answers begins to say so


@dataclass(frozen=True)
class Details:
    """What a report fills in.

    Attributes:
        sentence: The answer.
        cause: Why; empty where the words of the verdict do.
        certainty: How sure.
        steps: What to do, where the report knows better than the verdict's words.
        tone: The name of another tone than the verdict's, where it has one.
    """

    sentence: str
    cause: str = ""
    certainty: str = ""
    steps: tuple[str, ...] = ()
    tone: str = ""


def find_estimate(
    report: Report, statistic: str, reader: str | None = None, condition: str = ""
) -> Estimate | None:
    """The first finite estimate that matches; None where there is none."""
    return report.first_estimates.get((statistic, reader, condition))


def guessing(report: Report) -> Estimate | None:
    """What guessing gets right: the commonest label, or any choice."""
    return find_estimate(report, "majority") or find_estimate(report, "chance")


def list_warnings(report: Report) -> list[str]:
    """What a report warns of, and which labels may have been meant for one another."""
    alike = named_roles(report).get(LABELS_ALIKE)
    first = [f"labels {alike}; mend them where they are one"] if alike else []
    return [*first, *map(str, report.warnings)]


def named_margin(report: Report) -> float:
    """What counts as nothing."""
    margin = report.settings.get("margin", 0.02)
    return float(margin) if isinstance(margin, int | float) else 0.02


def is_screened(report: Report) -> bool:
    """Whether the wrong answers to choose from were drawn from other items."""
    return SCREENED in plain_text(named_roles(report).get("answers", ""), 200)


def is_drawn(report: Report) -> bool:
    """Whether we drew the split ourselves, so that nobody else can draw it anew."""
    split = str(named_roles(report).get("split", ""))
    return split.startswith(("all items", "seeded"))


def named_roles(report: Report) -> Mapping[str, object]:
    """The column of each part."""
    roles = report.benchmark.get("roles")
    return roles if isinstance(roles, Mapping) else {}


def best_reader(report: Report) -> str:
    """How right the best reader is, beside guessing."""
    base = guessing(report)
    scores = [
        f.estimate
        for f in report.findings
        if f.statistic == "accuracy"
        and f.condition == "full"
        and f.reader not in ("metadata", "lookup", "majority")
        and math.isfinite(f.estimate.value)
    ]
    if base is None or not scores:
        return ""
    best = max(scores, key=lambda estimate: estimate.value)
    guessed = say_count(base.value)
    return f"The best reader gets {say_share(best)} right; guessing, {guessed}."


def tell_inverted(report: Report) -> tuple[str, str, tuple[str, ...]] | None:
    """The answer, its cause and steps where readers are surely worse than guessing."""
    below = BELOW.search(report.verdict.reason)
    if below and any(SHIFTED in str(warning) for warning in report.warnings):
        return SHIFTED_LABELS
    return INVERTED[below[1]] if below else None


def ask_for_items(report: Report, unit: str) -> tuple[str, ...]:
    """How many items or draws would decide, where the reason says so."""
    needed = DECIDING.search(report.verdict.reason)
    if needed is None or needed[2] != unit or report.verdict.label != "undecided":
        return ()
    return (f"Give about {needed[1]} {unit}: so many would decide.",)
