"""From figures to words: leaks, none found within the margin, or undecided."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from measurand.audits.leakage.scores import LEAKS, UNDECIDED, WITHIN, PartLeakage
from measurand.audits.leakage.settings import WORST
from measurand.core.finding import Verdict

NONE = "none found within the margin"
LABELS = (LEAKS, NONE, UNDECIDED)


@dataclass(frozen=True, eq=False)
class LeakageStage:
    """What one reader lets us say.

    Attributes:
        name: The reader's name.
        strong: Whether it is one whose near zero stands.
        collapsed: Whether it is no better than the majority with all fields.
        parts: What each part gives away.
        clusters: The biased clusters of each part, the worst first.
    """

    name: str
    strong: bool
    collapsed: bool
    parts: Mapping[str, PartLeakage]
    clusters: Mapping[str, Sequence[int]]

    def leaking_parts(self, margin: float) -> list[str]:
        """The parts that surely give more away than the margin, the worst first."""
        sure = [n for n, part in self.parts.items() if part.decision(margin) == LEAKS]
        return sorted(sure, key=lambda name: -self.parts[name].over.value)

    def is_clean(self, margin: float) -> bool:
        """Whether no part gives more away than the margin, to a reader that reads."""
        return not self.collapsed and all(
            part.decision(margin) == WITHIN for part in self.parts.values()
        )


def verdict(
    stages: Sequence[LeakageStage],
    tokens: Mapping[str, pd.DataFrame],
    margin: float,
    *,
    planted: bool,
) -> Verdict:
    """What the readers, ordered from weak to strong, let us say."""
    leaking = [stage for stage in stages if stage.leaking_parts(margin)]
    if leaking:
        return _leak_verdict(leaking[-1], tokens, margin)
    last = stages[-1]
    if last.is_clean(margin):
        listing = ", ".join(
            f"{field} {leakage.over}" for field, leakage in last.parts.items()
        )
        provisional = not last.strong and not planted
        weak = "; a stronger reader may still find some" if provisional else ""
        reason = (
            f"{last.name} reaches at most {margin} over the majority from any part "
            f"alone: {listing}{weak}"
        )
        return Verdict(NONE, NONE, last.name, reason, provisional)
    if last.collapsed:
        reason = (
            f"{last.name} is not clearly above the majority even with all fields, so "
            "that it finds nothing in one part says nothing"
        )
        return Verdict(UNDECIDED, UNDECIDED, None, reason)
    listing = ", ".join(
        f"{field} {leakage.over}" for field, leakage in last.parts.items()
    )
    reason = (
        f"accuracy over the majority is neither surely above nor within {margin}: "
        f"{listing}"
    )
    return Verdict(UNDECIDED, UNDECIDED, last.name, reason)


def _leak_verdict(
    stage: LeakageStage, tokens: Mapping[str, pd.DataFrame], margin: float
) -> Verdict:
    """Which part leaks, how much, where and by which words."""
    clauses = []
    for field in stage.leaking_parts(margin):
        clause = f"{field} alone is {stage.parts[field].over} over the majority"
        clusters = stage.clusters.get(field, ())
        if clusters:
            numbers = ", ".join(str(cluster) for cluster in clusters[:WORST])
            clause += f", most in clusters {numbers}"
        token_table = tokens.get(field)
        if token_table is not None and len(token_table):
            surest = [
                repr(word) for word in token_table["token"].drop_duplicates()[:WORST]
            ]
            clause += f", by words such as {', '.join(surest)}"
        clauses.append(clause)
    return Verdict(LEAKS, LEAKS, stage.name, f"{stage.name}: {'; '.join(clauses)}")
