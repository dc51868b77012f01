"""From decisions to words. No label ever says independent.

One fit reader that depends is enough, if it is surely better than all that have no
evidence: another that sees nothing does not undo it. A near zero needs every fit reader
that can join query and evidence, none of which may have been unable to see what it did
not find.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from measurand.audits.evidence.reading import (
    COLLAPSED,
    HELPED,
    EvidenceReading,
    losses_elsewhere,
    moves_elsewhere,
)
from measurand.audits.evidence.rivals import Rival, needs_evidence
from measurand.audits.evidence.settings import CUT, DIRECT, SKEWED
from measurand.audits.evidence.split import SplitCheck
from measurand.core.control import READS_SOMETHING
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict
from measurand.core.recipe import Strength
from measurand.experiment.controls import MATCH
from measurand.experiment.ladder import (
    explain_below_elsewhere,
    explain_below_majority,
    most_telling,
)
from measurand.stats.decisions import (
    ABOVE,
    UNDECIDED,
    WITHIN,
    items_to_decide,
    round_up,
)

SENSITIVE = "evidence-sensitive"
MISLEADING = "wrong evidence helps"
NO_VERDICT = "no verdict"
BY_METADATA = "direct coupling"
LABELS = (
    SENSITIVE,
    UNDECIDED,
    "calibrate",
    NO_VERDICT,
    "warning",
    MISLEADING,
    "latent coupling",
    "coupling",
    BY_METADATA,
)  # every word a verdict can be, the better before the worse
JOINT = "dependence that joins query and evidence"
FORM_ALONE = (
    "it reads no word: how the evidence is written (spacing, case, punctuation, "
    "digits, markup, length) tells the label"
)
PLAIN = "plain"  # the only shuffle whose near zero says that evidence is not needed
OTHER_QUESTIONS = {
    "within-label": "whether evidence of another item with the same label serves as "
    "well, so that what it tells of the label stays",
    "within-length": "whether evidence of the same length serves as well, so that what "
    "its length tells stays",
    "within-subject": "whether evidence of another item of the same subject serves as "
    "well, so that what it tells of the subject stays",
    "within-document": "whether another passage of the same document serves as well, "
    "so that what the document tells stays",
    "nearest": "whether the most similar evidence serves as well, so that what both "
    "tell stays",
}


def verdict(
    readings: Sequence[EvidenceReading],
    majority: Estimate,
    margin: float,
    split: SplitCheck,
    rivals: Mapping[str, Rival],
    *,
    shuffle: str = PLAIN,
    planted: bool = False,
) -> Verdict:
    """What the packets let us say, whatever order and names the readers have."""
    told = _reading_verdict(
        readings, majority, margin, rivals, shuffle, planted=planted
    )
    elsewhere = _elsewhere_clause(told, readings)
    told = replace(told, reason=told.reason + elsewhere)
    taught = _learns_labels(told, readings)
    if split.remembered and taught and told.label != NO_VERDICT:
        why = (
            f"readers may remember rather than read{split.clause()}; split the items "
            f"anew by their evidence; as it is, {told.reason}"
        )
        return Verdict(UNDECIDED, UNDECIDED, told.stage, why, told.provisional)
    seers = [reading for reading in readings if needs_evidence(reading, rivals)]
    if told.label == SENSITIVE and not any(
        not reading.learns_labels
        or split.shows_without_kin(reading.right, reading.shuffled)
        for reading in seers
    ):
        why = (
            f"{split.kin_clause()}; split the items anew, so that such copies stay "
            f"together; as it is, {told.reason}{split.clause()}"
        )
        return Verdict(UNDECIDED, UNDECIDED, told.stage, why, told.provisional)
    if told.label == SENSITIVE:
        told = replace(told, reason=told.reason + _kinless_clause(told, seers, split))
    if clause := _recall_clause(told, readings, margin, split):
        why = (
            f"{clause}; split the items anew by the query, so that its copies stay "
            f"together; as it is, {told.reason}{split.clause()}"
        )
        return Verdict(UNDECIDED, UNDECIDED, told.stage, why, told.provisional)
    return replace(told, reason=told.reason + split.clause())


def _learns_labels(told: Verdict, readings: Sequence[EvidenceReading]) -> bool:
    """Whether who speaks was taught labels: nobody else can remember them."""
    spoke = [r for r in readings if told.stage in (None, r.name)]
    return any(reading.learns_labels for reading in spoke)


def _kinless_clause(
    told: Verdict, seers: Sequence[EvidenceReading], split: SplitCheck
) -> str:
    """A clause on what is lost where evidence has no kin, where families tell more."""
    reading = next((seer for seer in seers if seer.name == told.stage), None)
    if reading is None or not reading.learns_labels:
        return ""
    loss = split.loss_without_kin(reading.right, reading.shuffled)
    if loss is None:
        return ""
    return (
        f"; in the {loss.n:,} items whose evidence has no copy with some words changed "
        f"in training, it loses {loss}"
    )


def _elsewhere_clause(told: Verdict, readings: Sequence[EvidenceReading]) -> str:
    """A clause on other test parts that surely show something else than the first."""
    contrary = {ABOVE: (WITHIN, HELPED), HELPED: (ABOVE,)}
    first = next((r.decision for r in readings if r.name == told.stage), None)
    decisions = contrary.get(str(first), (ABOVE, HELPED))
    heard = [r for r in readings if not _reads_blank(r)]
    below = [
        f"; {explain_below_elsewhere(reading.name, where)}"
        for reading in heard
        for where in reading.below_elsewhere
    ]
    if first == ABOVE:
        # Where one reader depends, another that does not undoes nothing.
        heard = [reading for reading in heard if reading.name == told.stage]
    contrary_losses = [
        f"; in {finding.condition} {reading.name} loses {finding.estimate}: "
        f"{finding.decision}"
        for reading in heard
        for finding in losses_elsewhere(reading.findings)
        if finding.decision in decisions
    ]
    return "".join([*contrary_losses, *below])


def _recall_clause(
    told: Verdict,
    readings: Sequence[EvidenceReading],
    margin: float,
    split: SplitCheck,
) -> str:
    """Why that evidence is not seen to matter may be a memory of queries; or empty.

    Where a reader loses on wrong evidence, no memory of the query explains that; where
    metadata tell as much as it does, nobody needs to remember a text.
    """
    queries = split.queries
    clear = SENSITIVE, MISLEADING, NO_VERDICT, BY_METADATA
    if queries is None or told.label in clear:
        return ""
    if told.label == UNDECIDED and not queries.holds_most:
        return ""
    stage = next(reading for reading in readings if reading.name == told.stage)
    if stage.decision == ABOVE or not stage.learns_labels:
        return ""
    explains = queries.may_explain(stage.right, stage.shuffled, margin)
    return queries.clause() if explains else ""


def _reading_verdict(
    readings: Sequence[EvidenceReading],
    majority: Estimate,
    margin: float,
    rivals: Mapping[str, Rival],
    shuffle: str,
    *,
    planted: bool,
) -> Verdict:
    """What the packets let us say of items that training has not seen."""
    standing = [reading for reading in readings if not _why_unfit(reading)]
    if not standing:
        return _no_verdict(readings, majority)
    if any(needs_evidence(reading, rivals) for reading in standing):
        return _sensitive_verdict(readings, standing, margin, rivals)
    if outdone := [reading for reading in standing if reading.decision == ABOVE]:
        return _outdone_verdict(outdone, rivals, planted=planted)
    helped = [reading for reading in standing if reading.decision == HELPED]
    if helped:
        stage = _deciding_reading(helped)
        why = (
            f"{stage.name} is right more often on wrong evidence: it loses "
            f"{stage.effect.interval(0.95)}; look whether the roles are mixed up or "
            f"the evidence misleads{_unfit_clause(readings)}"
        )
        return Verdict(MISLEADING, MISLEADING, stage.name, why)
    if shuffle != PLAIN:
        stage = _deciding_reading(standing)
        why = (
            f"{stage.name} loses {stage.effect.interval(0.95)} under a {shuffle} "
            f"shuffle, which asks {OTHER_QUESTIONS[shuffle]}; whether the evidence is "
            f"needed, only a plain shuffle can say"
        )
        return Verdict(UNDECIDED, UNDECIDED, stage.name, why, not planted)
    return _near_zero_verdict(readings, standing, majority, margin, planted=planted)


def _why_unfit(reading: EvidenceReading) -> str:
    """Why the word of a reader does not count; empty where it does."""
    if reading.decision == COLLAPSED:
        return "collapsed"
    if _reads_blank(reading):
        return "reads something where training labels were dealt anew"
    return ""


def _reads_blank(reading: EvidenceReading) -> bool:
    """Whether it reads something where there is nothing to read."""
    return any(finding.decision == READS_SOMETHING for finding in reading.findings)


def _no_verdict(readings: Sequence[EvidenceReading], majority: Estimate) -> Verdict:
    """No verdict: no reader is fit to speak."""
    failed = [reading for reading in readings if reading.decision == COLLAPSED]
    if len(failed) < len(readings):
        why = f"no reader is fit to speak{_unfit_clause(readings)}"
        return Verdict(NO_VERDICT, NO_VERDICT, None, why)
    names = ", ".join(reading.name for reading in readings)
    why = f"no reader is clearly above the majority share {majority}: {names} collapsed"
    below = [reading.name for reading in readings if reading.below_majority]
    why += f"; {explain_below_majority(below)}" if below else ""
    query_scores = [
        failure.alone["query_only"].mean() for failure in readings if failure.alone
    ]
    if majority.value >= SKEWED and query_scores:
        alone = max(query_scores)
        why += (
            f"; {majority.value:.3f} of the labels are one class, and the query "
            f"alone reaches {alone:.3f}"
        )
    return Verdict(NO_VERDICT, NO_VERDICT, None, why)


def _sensitive_verdict(
    readings: Sequence[EvidenceReading],
    standing: Sequence[EvidenceReading],
    margin: float,
    rivals: Mapping[str, Rival],
) -> Verdict:
    """At least one reader depends: the verdict names who saw it and who did not."""
    seers = [reading for reading in standing if needs_evidence(reading, rivals)]
    stage = _deciding_reading(seers)
    others = [reading.name for reading in seers if reading is not stage]
    clauses = [f"{stage.name} loses {stage.effect.interval(0.95)} on wrong evidence"]
    if stage.strength == Strength.FORM:
        clauses.append(FORM_ALONE)
    if others:
        clauses.append(f"so does {', '.join(others)}")
    clauses += [
        f"{reading.name} loses {reading.effect.interval(0.95)} too, but "
        f"{rivals[reading.name].clause}"
        for reading in standing
        if reading.decision == ABOVE and not needs_evidence(reading, rivals)
    ]
    form = [r for r in seers if r.strength == Strength.FORM and r is not stage]
    clauses += [
        f"{reading.name} loses {reading.effect.interval(0.95)}, and {FORM_ALONE}"
        for reading in form
        if reading.effect.value >= stage.effect.value - margin
    ]
    weak = [r.name for r in standing if r.decision == WITHIN]
    if weak:
        clauses.append(f"calibration reversal: near zero under {', '.join(weak)}")
    unsure = [r.name for r in standing if r.decision in (UNDECIDED, HELPED)]
    if unsure:
        clauses.append(f"not seen for certain by {', '.join(unsure)}")
    why = "; ".join(clauses) + _ablation_clause(stage, margin) + _unfit_clause(readings)
    return Verdict(SENSITIVE, SENSITIVE, stage.name, why)


def _outdone_verdict(
    readings: Sequence[EvidenceReading], rivals: Mapping[str, Rival], *, planted: bool
) -> Verdict:
    """Who depends is not surely better than who has none: the need is open."""
    stage = _deciding_reading(readings)
    rival = rivals[stage.name]
    more = "" if rival.is_as_good else "more test items, or "
    why = (
        f"{stage.name} loses {stage.effect.interval(0.95)} on wrong evidence, but "
        f"{rival.clause}, so that this does not show that the labels need it; {more}a "
        "reader that does better with the evidence would"
    )
    open_ended = stage.strength < Strength.PRETRAINED and not planted
    return Verdict(UNDECIDED, UNDECIDED, stage.name, why, open_ended)


def _near_zero_verdict(
    readings: Sequence[EvidenceReading],
    standing: Sequence[EvidenceReading],
    majority: Estimate,
    margin: float,
    *,
    planted: bool,
) -> Verdict:
    """No reader depends: is that because the labels do not?"""
    joining = [reading for reading in standing if _can_join(reading)]
    deciding = joining or standing
    unsure = [reading for reading in deciding if reading.decision != WITHIN]
    if unsure:
        stage = _deciding_reading(unsure)
        why = (
            f"the interval {_decided_interval(stage, margin)} of {stage.name} neither "
            f"clears nor fits the margin {margin}{_advice(stage, margin)}"
        )
        open_ended = stage.strength < Strength.PRETRAINED and not planted
        why += _unfit_clause(readings)
        return Verdict(UNDECIDED, UNDECIDED, stage.name, why, open_ended)
    stage = _deciding_reading(deciding)
    delta = stage.effect.interval(0.95)
    region, explanation = _map_region(stage, majority, margin)
    small = "" if delta.low <= 0 <= delta.high else " (small, not zero)"
    why = (
        f"{stage.name} loses {delta} on wrong evidence, within ± {margin}{small}; "
        f"{explanation}{_ablation_clause(stage, margin)}{_detection_clause(stage)}"
        f"{_unfit_clause(readings)}"
    )
    room = _room_left(standing)
    if room is not None and room < margin:
        # Whoever reads the evidence, it can add no more than that.
        why += f"; the query alone leaves at most {room:.3f} to the evidence"
        return Verdict(region, region, stage.name, why)
    doubt = "" if planted and joining else _doubt(stage, margin)
    if not doubt:
        open_ended = stage.strength < Strength.PRETRAINED and not planted
        return Verdict(region, region, stage.name, why, open_ended)
    if stage.strength < Strength.PRETRAINED:
        why += f"; {doubt}, and a stronger reader may differ"
        return Verdict("calibrate", region, stage.name, why, provisional=True)
    return Verdict(UNDECIDED, UNDECIDED, stage.name, f"{why}; {doubt}")


def _room_left(readings: Sequence[EvidenceReading]) -> float | None:
    """The most that the query alone surely leaves to be decided by the evidence."""
    alone = (_estimate_of(reading, "query_only") for reading in readings)
    return min((1 - e.low for e in alone if e is not None), default=None)


def _deciding_reading(readings: Sequence[EvidenceReading]) -> EvidenceReading:
    """The strongest; of several as strong, the one whose loss may be the greatest."""
    return most_telling(readings, lambda r: r.effect.interval(0.95).high)


def _can_join(reading: EvidenceReading) -> bool:
    """Whether the reader sees what only query and evidence tell together.

    By what it recovers, where that was measured; else by what it says of itself.
    """
    match = reading.controls.get(MATCH)
    if match is not None:
        return match.is_recovered
    return reading.strength > Strength.WORDS


def _cut_share(reading: EvidenceReading) -> float:
    return float(reading.remarks.get("truncated", 0.0))


def _doubt(reading: EvidenceReading, margin: float) -> str:
    """Why a near zero of this reader may be its own fault; empty where it may not."""
    name, match = reading.name, reading.controls.get(MATCH)
    if _cut_share(reading) > CUT:
        return (
            f"{name} cut {_percent(_cut_share(reading))} of the items, so what it did "
            "not read may matter"
        )
    still = reading.effect.discordant == 0 and not moves_elsewhere(reading.findings)
    if match is None and still:
        return f"no answer of {name} ever changed, and no control shows that one could"
    if not _can_join(reading):
        if match is None:
            return f"{name} cannot tell whether query and evidence agree"
        response = match.responses[-1]
        return (
            f"{name} recovers {response.recovery} of a match planted in "
            f"{_percent(response.dose)} of the items, so it could not have seen a "
            f"{JOINT}"
        )
    room = 1 - float(reading.right.mean())
    if match is not None and (match.limit is None or match.limit.value * room > margin):
        return f"{name} could have missed a dependence worth more than the margin"
    return ""


def _map_region(
    reading: EvidenceReading, majority: Estimate, margin: float
) -> tuple[str, str]:
    """The place of a near zero on the map, and why it is there."""
    mpds, open_place = reading.mpds, "so the place is underdetermined"
    if majority.value >= SKEWED:
        return (
            "warning",
            f"{majority.value:.3f} of the labels are one class, {open_place}",
        )
    if reading.gain.value < margin:
        gain = f"{reading.gain.value:z.3f}"
        return (
            "warning",
            f"the reader is only {gain} above the majority, {open_place}",
        )
    if mpds is None:
        return "warning", f"mpds has no value, {open_place}"
    if (mpds.low - 1) * float(reading.right.mean()) > margin:
        return (
            "warning",
            f"metadata alone reach {mpds} of its accuracy, more than the reader "
            f"itself, {open_place}",
        )
    beyond = _estimate_of(reading, "mpds_corrected")
    if mpds.high >= DIRECT and beyond is not None and beyond.low <= 0:
        # The commonest label alone may reach so much where labels are skewed.
        return (
            "warning",
            f"metadata alone reach {mpds} of its accuracy, but not clearly more than "
            f"the majority does, {open_place}",
        )
    if mpds.low >= DIRECT:
        return BY_METADATA, f"metadata alone reach {mpds} of its accuracy"
    if mpds.high < DIRECT:
        return "latent coupling", f"metadata alone reach only {mpds} of its accuracy"
    return (
        "coupling",
        f"metadata alone reach {mpds} of its accuracy, so that direct or latent "
        f"(under {DIRECT}) is open",
    )


def _estimate_of(reading: EvidenceReading, statistic: str) -> Estimate | None:
    """What the reader has of a statistic, where it has a value."""
    values = (f.estimate for f in reading.findings if f.statistic == statistic)
    return next(values, None)


def _ablation_clause(reading: EvidenceReading, margin: float) -> str:
    """A clause where one field alone does as well as the full reader."""
    full, clauses = reading.right.mean(), ""
    # Of a field that is no better than the majority, it would say nothing.
    least = max(full - margin, full - reading.gain.value / 2)
    for part, words in (
        ("query_only", "the query alone does as well"),
        ("evidence_only", "the evidence alone does as well, whatever is asked"),
    ):
        if part in reading.alone and reading.alone[part].mean() >= least:
            clauses += (
                f"; {words} ({reading.alone[part].mean():.3f} against {full:.3f})"
            )
    return clauses


def _unfit_clause(readings: Sequence[EvidenceReading]) -> str:
    """A clause that names the readers whose word does not count, and why.

    That labels cannot be told by form is as it should be.
    """
    awaited = [r for r in readings if r.strength > Strength.FORM]
    unfit = {r.name: why for r in awaited if (why := _why_unfit(r))}
    named = ", ".join(f"{name} ({why})" for name, why in unfit.items())
    return f"; not fit to speak: {named}" if unfit else ""


def _detection_clause(reading: EvidenceReading) -> str:
    """A clause on what the reader could have seen, where that was measured."""
    match = reading.controls.get(MATCH)
    if match is None or not match.is_recovered:
        return ""
    if match.limit is None:
        return f"; even in all items, a {JOINT} could have been missed"
    return (
        f"; no {JOINT} in {_percent(match.limit.value)} of the items or more would "
        "have been missed (80 % power)"
    )


def _percent(share: float) -> str:
    """A share in per cent, of two digits.

    >>> _percent(0.1234), _percent(0.00456), _percent(1.0)
    ('12 %', '0.46 %', '100 %')
    """
    return f"{100 * share:.3g} %" if share >= 1 else f"{100 * share:.2g} %"


def _decided_interval(reading: EvidenceReading, margin: float) -> str:
    """The interval at 95 %; where that clears the margin, the one that decides."""
    usual = reading.effect.interval(0.95)
    if usual.low <= margin:
        return str(usual)
    level = 1 - 0.05 / reading.tests
    return (
        f"{reading.effect.interval(level)} (at the {100 * level:.1f} % that "
        f"{reading.tests} readers together need; {usual} at 95 %)"
    )


def _advice(reading: EvidenceReading, margin: float) -> str:
    """How many test items would settle the question, were the effect as seen."""
    effect = reading.effect
    count = items_to_decide(
        effect.value,
        effect.se,
        effect.n,
        margin,
        clusters=effect.clusters,
        tests=reading.tests,
    )
    if count is None:
        return "; the effect lies too near the margin for any number of items to decide"
    groups = round(count * effect.clusters / effect.n)
    shared = f" in {round_up(groups):,} groups that share no text"
    apart = shared if groups < count else ""
    return f"; about {round_up(count):,} test items{apart} would decide (80 % power)"
