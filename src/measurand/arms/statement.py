"""What is stated of a part alone, alike by every audit: clauses, findings, tables."""

from collections.abc import Iterable, Iterator, Mapping

import pandas as pd

from measurand.arms.alone import PartAlone
from measurand.arms.table import PartRow, exact_estimate
from measurand.core.clause import Clause, Fact, Name
from measurand.core.finding import Exhibit, Finding
from measurand.cues.certify import Cue
from measurand.experiment.statements import estimate_cells


def deciding_channel(part: PartAlone) -> str:
    """The channel by which a part is known: in bits where accuracy shows nothing."""
    by_bits = part.best[1].low <= 0 and part.has_bits
    return (part.best_bits if by_bits else part.best)[0]


def leak_clause(part: PartAlone, name: Name, baseline: float) -> Clause | None:
    """What shows that a part alone predicts the label; none where only cues do."""
    channel = deciding_channel(part)
    facts: dict[str, Fact] = {"part": name, "reader": channel}
    if part.best[1].low > 0:
        facts |= {
            "accuracy": part.right(channel),
            "baseline": baseline,
            "over": part.accuracy[channel].interval(0.95),
        }
        return Clause("leak.part", facts)
    if part.has_bits:
        facts["bits"] = part.bits[channel].interval(0.95)
        return Clause("leak.bits", facts)
    return None


def cue_facts(cue: Cue, part: Name, labels: Mapping[str, str]) -> dict[str, Fact]:
    """A cue as clauses and tables state it; labels by the number that they have."""
    return {
        "part": part,
        "kind": cue.kind,
        "cue": Name("token", cue.name),
        "label": Name("label", labels[cue.label]) if cue.label in labels else cue.label,
        "coverage": cue.coverage,
        "productivity": cue.productivity,
        "base": cue.base,
    }


def alone_row(part: PartAlone, name: Name, baseline: float, size: int) -> PartRow:
    """A part as a row of the table of parts."""
    channel = deciding_channel(part)
    return PartRow(
        (name,),
        channel,
        baseline,
        accuracy=part.right(channel),
        over=part.accuracy[channel].interval(0.95),
        bits=part.bits[channel].interval(0.95),
        bound=exact_estimate(part.bound, size),
        families=part.family.effective,
    )


def alone_findings(
    part: PartAlone, condition: str, baseline: float, size: int
) -> Iterator[Finding]:
    """What each channel finds in a part, its exact bound, and planted controls."""
    for statistic, effects in (
        ("over_blank", part.accuracy),
        ("over_blank_bits", part.bits),
    ):
        for channel, effect in effects.items():
            yield Finding(statistic, channel, condition, effect.interval(0.95))
    bound = exact_estimate(baseline + part.room, size, "exact bound")
    yield Finding("exact_bound", "", condition, bound)
    for control in part.controls:
        outcome = "found" if control.found else "missed"
        what = f"{condition}, {control.spread}"
        yield Finding("recovery", "", what, control.recovered, outcome)


def cue_exhibit(
    cues: Iterable[tuple[Cue, Name]], labels: Mapping[str, str]
) -> list[Exhibit]:
    """The table of certified cues; none where there are none."""
    rows = [_cue_row(cue, part, labels) for cue, part in cues]
    caption = (
        "Cues that predict the label: certified on families they were not chosen on; "
        "lift is productivity over the share of the label"
    )
    return [Exhibit("cues", "table", pd.DataFrame(rows), caption)] if rows else []


def _cue_row(cue: Cue, part: Name, labels: Mapping[str, str]) -> dict[str, str | float]:
    """One cue as a row: names of the file as they are."""
    words = {
        column: fact.text if isinstance(fact, Name) else str(fact)
        for column, fact in cue_facts(cue, part, labels).items()
        if column in ("part", "kind", "cue", "label")
    }
    return {
        **words,
        "coverage": cue.coverage,
        **estimate_cells(cue.productivity, "productivity"),
        "base": cue.base,
        "lift": cue.productivity.value / cue.base,
        "p": cue.p,
    }
