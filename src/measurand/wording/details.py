"""What a report adds to the words of its verdict, and the figures that it goes by."""

from collections.abc import Mapping
from dataclasses import dataclass

from measurand.core.estimate import Estimate
from measurand.core.finding import Report
from measurand.core.names import LABELS_ALIKE
from measurand.wording.text import plain_text

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


def heading(report: Report) -> tuple[str, str]:
    """What kind of report it is, and of what."""
    name = plain_text(report.benchmark.get("name", "a benchmark"), 120)
    kind = f"{report.audit} audit"
    if report.audit == "compare":
        kind = f"{report.settings.get('audit', '')} comparison".lstrip()
    return plain_text(kind), name


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


def label_column(report: Report) -> str:
    """The column of the labels."""
    return str(named_roles(report).get("label", "label"))


def named_roles(report: Report) -> Mapping[str, object]:
    """The column of each part."""
    roles = report.benchmark.get("roles")
    return roles if isinstance(roles, Mapping) else {}
