"""Comparison: what reports of one audit are compared by.

This is all that `compare` knows of any audit. One that says nothing is compared by its
verdicts, its decisions and the answers its reports share.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from measurand.core.arrays import Floats
from measurand.core.finding import Exhibit, Finding, Report


@dataclass(frozen=True)
class Against:
    """One statistic against another, a point for each benchmark and condition.

    Attributes:
        y: The statistic that goes up.
        x: The statistic that goes across.
        caption: What the figure shows.
        joined: Whether the conditions of one benchmark are joined by a line.
        diagonal: Whether the line y = x means something.
    """

    y: str
    x: str
    caption: str
    joined: bool = False
    diagonal: bool = False


@dataclass(frozen=True)
class Score:
    """What a statistic is made of, where a report keeps it item by item.

    Attributes:
        columns: Columns of the items, `{}` standing for the condition.
        of: From their means, of any shape, to the statistic.
    """

    columns: tuple[str, ...]
    of: Callable[..., Floats] = np.asarray


@dataclass(frozen=True)
class Comparison:
    """How reports of one audit stand beside each other.

    Attributes:
        headlines: What the table of decisions quotes for each reader.
        preferred: The condition under which it is quoted, where there are several.
        whole_item: Statistics of the whole item, stated under the condition `full`.
        parts: Statistics of each condition; the first one names the conditions.
        settings: Numbers a report may hold among its settings.
        effects: Statistics drawn with their intervals, one row a condition.
        against: Pairs of statistics to plot.
        caption: What the table of all these shows.
        changes: Statistics whose differences from the first report are stated, those
            that matter most first; `*` stands for any letters.
        claims: Statistics among these that answer a question of their own, once a
            report; the answers stand beside each other.
        scores: What some of these are made of, so that items can be paired.
        axes: The words by which a verdict says what fails, and the statistic of each.
        conditions_setting: The setting that lists the conditions, the one judged first.
        outcomes: Settings that were not chosen but found.
        alike: Settings by which statistics are compared only where they are the same.
        titles: What the axes of figures call a statistic.
        exhibits: Figures of the audit's own, from the names of the reports and these.
    """

    headlines: tuple[str, ...] = ()
    preferred: str = ""
    whole_item: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    against: tuple[Against, ...] = ()
    caption: str = ""
    changes: tuple[str, ...] = ()
    claims: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    conditions_setting: str = ""
    outcomes: tuple[str, ...] = ()
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    exhibits: Callable[[Sequence[str], Sequence[Report]], Iterable[Exhibit]] = (
        lambda names, reports: ()
    )

    @property
    def leading(self) -> tuple[str, ...]:
        """The statistics that are read first: the effects, then the axes."""
        return (*self.effects, *self.axes.values())


def findings_by_reader(
    report: Report, statistic: str, preferred: str = ""
) -> dict[str, Finding]:
    """Each reader's first finding of a statistic, that of one condition before all."""
    stated: dict[str, Finding] = {}
    for finding in report.findings:
        if finding.statistic == statistic:
            first = stated.setdefault(finding.reader, finding)
            if finding.condition == preferred != first.condition:
                stated[finding.reader] = finding
    return stated
