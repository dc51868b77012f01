"""Audit: a question about a benchmark, and by what its reports compare.

One record says it all: the verbs, `measurand.audit`, `--fail-on`, `compare`, `demo`,
`list` and the tests of the pages read it, so that a new audit is a folder, a line in
the catalogue and a page.

A `Comparison` is all that `compare` knows of any audit. One that says nothing is
compared by its verdicts, its decisions and the answers its reports share.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd

from measurand.core.arrays import Floats
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, NotApplicable
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


# What each item adds to a statistic, so that its mean over items is the statistic; None
# where a report does not keep that.
ItemScores = Callable[[Report, Finding], "pd.Series[float] | None"]


@dataclass(frozen=True)
class Comparison:
    """How reports of one audit are shown side by side.

    Attributes:
        headlines: What the table of decisions quotes for each reader.
        preferred: The condition under which it is quoted, where there are several.
        whole_item: Statistics of the whole item, stated under the condition `full`.
        parts: Statistics of each condition; the first one names the conditions.
        settings: Numbers a report may hold among its settings.
        effects: Statistics drawn with their intervals, one row per condition.
        against: Pairs of statistics to plot.
        caption: What the table of all these shows.
        changes: Statistics whose differences from the first report are stated, those
            that matter most first; `*` matches any letters.
        claims: Statistics among these that answer a question of their own, once a
            report; the answers are shown side by side.
        scores: What some of these are made of, so that items can be paired.
        item_scores: The same where each item has a part of its own in the statistic.
        axes: The words by which a verdict says what fails, and the statistic of each.
        conditions_setting: The setting that lists the conditions, the one judged first.
        outcomes: Settings that were not chosen but found.
        worse: The statistics that verdicts rest on, which may make a later report
            worse, and which way that is: higher or lower. The first is the headline.
        judged_readers: The readers that a verdict rests on.
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
    item_scores: Mapping[str, ItemScores] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    conditions_setting: str = ""
    outcomes: tuple[str, ...] = ()
    worse: Mapping[str, str] = field(default_factory=dict)
    judged_readers: Callable[[Report], Collection[str | None]] = lambda report: (
        report.verdict.stage,
    )
    alike: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    exhibits: Callable[[Sequence[str], Sequence[Report]], Iterable[Exhibit]] = (
        lambda names, reports: ()
    )

    @property
    def leading(self) -> tuple[str, ...]:
        """The statistics that are read first: the effects, then the axes."""
        return (*self.effects, *self.axes.values())


def score_column(report: Report, column: str) -> "pd.Series[float] | None":
    """A column of the items as numbers; None where the report does not keep it."""
    if column not in report.items:
        return None
    return pd.to_numeric(report.items[column], errors="coerce").astype(float)


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


@dataclass(frozen=True)
class Audit:
    """What an audit is.

    Attributes:
        name: What it is called everywhere.
        question: What it asks, in one line.
        needs: The parts of a benchmark it cannot do without: evidence, rationale.
        labels: Every word that its verdict can be, the better before the worse.
        readers: The readers it asks where nobody names others.
        settings: The frozen dataclass of its `Settings`, every one with a default.
        run: `run(experiment, readers, settings)`; readers are named.
        comparison: What reports of it are compared by.
        usual: Whether `measurand audit` runs it unasked.
        pooled: Whether several benchmarks are the tasks of one study.
        adjustable: Settings to choose otherwise where there are too few rows for it.
        demo: The planted benchmarks that show it, with settings for each; None takes
            all that have evidence.
        logged: Whether `run` takes `answers`, logs of models that were asked already.
        ask: All that `run` asks of the named readers, and nothing else, called alike:
            by it, what they would cost is counted; None where that is all of `run`.
    """

    name: str
    question: str
    labels: tuple[str, ...]
    readers: tuple[str, ...]
    settings: type[Any]
    run: Callable[..., Report]
    needs: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    usual: bool = True
    pooled: bool = False
    demo: Mapping[str, Mapping[str, Any]] | None = None
    adjustable: tuple[str, ...] = ()
    logged: bool = False
    ask: Callable[..., object] | None = None

    def choose(self, **chosen: Any) -> Any:
        """The settings with these chosen; a wrong name is an error that lists all."""
        names = [setting.name for setting in fields(self.settings)]
        for name in chosen:
            if name not in names:
                raise BadOption(
                    f"{self.name} has no setting {name!r}; it has {', '.join(names)}"
                )
        return self.settings(**chosen)

    def choose_known(self, chosen: Mapping[str, Any]) -> Any:
        """The settings with those of these chosen that there are."""
        return self.choose(**{n: v for n, v in chosen.items() if self.takes(n)})

    def takes(self, name: str) -> bool:
        """Whether there is a setting of this name."""
        return name in {setting.name for setting in fields(self.settings)}

    def check_applies(self, benchmark: Benchmark) -> None:
        """Raise where the benchmark lacks a part that the audit is about."""
        for part in self.needs:
            if getattr(benchmark, part) is None:
                left_out = benchmark.roles.get("left out")
                raise NotApplicable(
                    f"{benchmark.name} names no {part} field; name its column with "
                    f"`{part}`" + (f": {left_out}" if left_out else "")
                )
