"""From figures to words: leaks, none found within the margin, or undecided.

One reader to which one part leaks, in accuracy or in bits, is enough. "None found"
needs every fit reader of the strongest kind to be within both margins, its limit of
detection too where that was measured, and nothing else in the report to be beyond
chance. Choices that are surely below chance tell something too, in reverse: they are no
leak, and nothing rests on them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import FULL
from measurand.audits.leakage.scores import (
    BELOW,
    COLLAPSED,
    FULL_UP,
    LEAKS,
    PUBLISHED_MODEL,
    ROOM_LEFT,
    SATURATION,
    UNDECIDED,
    WITHIN,
    LeakageBaselines,
    PartReading,
)
from measurand.audits.leakage.settings import DISCOVERY, KNOWN, WORST
from measurand.core.control import Control
from measurand.core.finding import Finding, Verdict
from measurand.core.names import is_of_some
from measurand.core.recipe import Strength
from measurand.experiment.controls import HINT
from measurand.experiment.ladder import (
    explain_below_elsewhere,
    explain_below_majority,
    most_telling,
)
from measurand.experiment.statements import TURNED
from measurand.stats.decisions import holm

NONE = "none found within the margin"
LABELS = (NONE, UNDECIDED, LEAKS)  # the better before the worse
# What states how often a part alone is right.
RIGHT_ALONE = ("single_accuracy", "choices_only")


@dataclass(frozen=True)
class Cause:
    """What explains a leak.

    Attributes:
        simple: A clause on something simpler than words; empty where there is none.
        whole: Whether that explains all of it, so that words only go along.
        after_words: A clause on what goes along with the words.
    """

    simple: str = ""
    whole: bool = False
    after_words: str = ""


@dataclass(frozen=True, eq=False)
class LeakageStage:
    """What one reader lets us say.

    Attributes:
        name: The reader's name.
        strength: What it can see.
        collapsed: Whether it is no better than the majority with all fields.
        parts: What each part gives away.
        clusters: The biased clusters of each part, the worst first.
        peco_p: The chance of as much PECO of each part with permuted labels.
        elsewhere: What leaks in another test part, as findings call it.
        controls: What it recovers of a code word in each part, where it was measured.
        faulty: Whether it reads something where training labels were dealt anew.
        below_majority: Whether all fields surely bring it below the majority.
        remembered: The parts that leak only where training has the same text: how many
            items have a new one, and how many there are.
        learns_labels: Whether it learned from the part alone, or was only asked: who
            was not taught sees nothing that is special to these items.
        of_new: Of parts that leak where their text is new, what they tell there, where
            training has the texts of others.
        apart: Of parts that a memory of texts tells too, what they tell once copies of
            a text stay together.
        below_elsewhere: Other test parts in which all fields surely bring it below the
            majority.
    """

    name: str
    strength: Strength
    collapsed: bool
    parts: Mapping[str, PartReading]
    clusters: Mapping[str, Sequence[int]]
    peco_p: Mapping[str, float] = field(default_factory=dict)
    elsewhere: Sequence[str] = ()
    controls: Mapping[str, Control] = field(default_factory=dict)
    faulty: bool = False
    below_majority: bool = False
    remembered: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    learns_labels: bool = True
    of_new: Mapping[str, PartReading] = field(default_factory=dict)
    apart: Mapping[str, PartReading] = field(default_factory=dict)
    below_elsewhere: Sequence[str] = ()

    @property
    def leaking_parts(self) -> list[str]:
        """The parts that surely give something away, the worst first."""
        if self.faulty:
            return []
        sure = [
            name
            for name, part in self.parts.items()
            if part.decision == LEAKS and name not in self.remembered
        ]
        return sorted(sure, key=lambda name: -self.parts[name].bits.over.value)

    @property
    def is_clean(self) -> bool:
        """Whether no part gives anything away, to a reader that reads."""
        return self.is_fit and all(
            part.decision == WITHIN for part in self.parts.values()
        )

    @property
    def is_fit(self) -> bool:
        """Whether that it finds nothing can mean anything."""
        return not (self.collapsed or self.faulty)

    @property
    def below_parts(self) -> list[str]:
        """The parts that tell of the test items in reverse, which is not nothing."""
        return [name for name, part in self.parts.items() if part.decision == BELOW]

    @property
    def blind_parts(self) -> list[str]:
        """The parts in which it does not see a code word that was planted."""
        return [part for part, c in self.controls.items() if not c.is_recovered]


def verdict(
    stages: Sequence[LeakageStage],
    tokens: Mapping[str, pd.DataFrame],
    baselines: LeakageBaselines,
    *,
    planted: bool,
    find_cause: Callable[[str, Sequence[str]], Cause] = lambda part, readers: Cause(),
    elicited: str | None = None,
    cut: bool = False,
) -> Verdict:
    """What the readers let us say, whatever their order and names.

    Args:
        stages: What each reader lets us say.
        tokens: The words of each part that surely stand with a label too often.
        baselines: What the readers were held against.
        planted: Whether the right answer is known because we made the items.
        find_cause: By part and readers that see it, what simple thing explains a leak.
        elicited: The part that was written for the label, where that is known.
        cut: Whether the items are of one file, which was cut into folds.
    """
    leaking = [stage for stage in stages if stage.leaking_parts]
    if leaking:
        told = _leak_verdict(leaking, tokens, find_cause, elicited)
        return _add_below(told, stages)
    told = _verdict_without_leak(stages, tokens, baselines, planted=planted, cut=cut)
    elsewhere = _leaks_elsewhere(stages)
    if elsewhere and elsewhere[0] not in told.reason:
        reason = f"{told.reason}; there is {' and '.join(elsewhere)}, where nobody "
        reason += "asked whether its texts are known to training"
        told = replace(told, reason=reason)
    return _add_below(told, stages)


def _add_below(told: Verdict, stages: Sequence[LeakageStage]) -> Verdict:
    """The verdict, and in which other test parts readers are worse than guessing."""
    clauses = [
        explain_below_elsewhere(stage.name, where)
        for stage in stages
        for where in stage.below_elsewhere
    ]
    return replace(told, reason="; ".join([told.reason, *clauses]))


def _leaks_elsewhere(stages: Sequence[LeakageStage]) -> list[str]:
    """What leaks in another test part, and to whom."""
    return [
        f"a leak of {condition} to {stage.name}"
        for stage in stages
        if not stage.faulty
        for condition in stage.elsewhere
    ]


def _verdict_without_leak(
    stages: Sequence[LeakageStage],
    tokens: Mapping[str, pd.DataFrame],
    baselines: LeakageBaselines,
    *,
    planted: bool,
    cut: bool,
) -> Verdict:
    """What may be said where no part of the test items surely leaks."""
    remembering = [s for s in stages if s.remembered and not s.faulty]
    if remembering:
        return _remembered_verdict(_deciding_stage(remembering), cut=cut)
    fit = [stage for stage in stages if stage.is_fit]
    if not fit:
        return Verdict(UNDECIDED, UNDECIDED, None, _why_none_is_fit(stages))
    taught = [stage for stage in fit if stage.learns_labels] or fit
    strongest = max(stage.strength for stage in taught)
    deciding = [stage for stage in taught if stage.strength == strongest]
    unsure = [s for s in deciding if s.blind_parts or not s.is_clean]
    if unsure:
        return _unsure_verdict(_deciding_stage(unsure), baselines)
    coarse = [s for s in deciding if _coarse_parts(s, baselines)]
    if coarse:
        return _coarse_verdict(_deciding_stage(coarse), baselines)
    return _clean_verdict(
        _deciding_stage(deciding), _beyond_chance(stages, tokens), baselines, planted
    )


def add_saturation(told: Verdict, findings: Sequence[Finding]) -> Verdict:
    """The verdict, and whether the benchmark is saturated by who reaches the most."""
    reached = [f for f in findings if f.statistic == SATURATION and f.condition == FULL]
    best = max(reached, key=lambda f: f.estimate.value, default=None)
    if best is None or best.estimate.low <= 0:
        return told
    by_part = _reached_alone(findings)
    if by_part is not None and by_part.estimate.value > best.estimate.value:
        # "Room left" to a reader of all fields would deny what one part shows.
        clause = f"{by_part.reader} reaches {by_part.estimate} of the way from the "
        clause += f"majority to 1 from {by_part.condition} alone"
        return replace(told, reason=f"{told.reason}; {clause}")
    who = best.reader
    if who == PUBLISHED_MODEL:
        who = "the best published model"
    words = {
        FULL_UP: f"saturated: {who} reaches",
        ROOM_LEFT: f"room left to {who}, which reaches",
        UNDECIDED: f"whether it is saturated is undecided: {who} reaches",
    }
    clause = f"{words[str(best.decision)]} {best.estimate} of the way from the "
    return replace(told, reason=f"{told.reason}; {clause}majority to 1")


def _reached_alone(findings: Sequence[Finding]) -> Finding | None:
    """The part that leaks most, and how far it alone brings a reader to 1."""
    guesses = [f.estimate.value for f in findings if f.statistic == "majority"]
    leaks = [
        f
        for f in findings
        if f.statistic == "over_majority"
        and f.decision == LEAKS
        and not is_of_some(f.condition)
    ]
    if not leaks or not guesses or guesses[0] == 1:
        return None
    most = max(leaks, key=lambda f: f.estimate.value)
    room, reached = 1 - guesses[0], most.estimate
    value, low, high = (
        end / room for end in (reached.value, reached.low, reached.high)
    )
    for f in findings:
        place = f.reader, f.condition
        if f.statistic in RIGHT_ALONE and place == (most.reader, most.condition):
            # What is right has an interval of its own, without the majority's luck.
            low, high = (
                (end - guesses[0]) / room for end in (f.estimate.low, f.estimate.high)
            )
    low, high = min(low, value), min(max(high, value), 1.0)
    return replace(most, estimate=replace(reached, value=value, low=low, high=high))


def _why_none_is_fit(stages: Sequence[LeakageStage]) -> str:
    """Why no reader is fit to speak."""
    # Length and form are never read with all fields.
    readers = [stage for stage in stages if stage.strength > Strength.TEXTLESS]
    collapsed = [stage.name for stage in readers if stage.collapsed]
    clauses = []
    if collapsed:
        be = "are" if len(collapsed) > 1 else "is"
        clauses.append(
            f"{', '.join(collapsed)} {be} not clearly above the majority even with all "
            "fields, so that nothing found in one part says nothing"
        )
    below = [stage.name for stage in stages if stage.below_majority]
    clauses += [explain_below_majority(below)] if below else []
    clauses += [
        _explain_below(stage)
        for stage in readers
        if stage.below_parts and not stage.below_majority
    ]
    clauses += [
        f"{stage.name} reads something where training labels were dealt anew"
        for stage in stages
        if stage.faulty
    ]
    return "; ".join(clauses)


def _deciding_stage(stages: Sequence[LeakageStage]) -> LeakageStage:
    """The strongest; of several as strong, the one to which a part tells the most."""
    return most_telling(
        stages, lambda s: max(part.bits.over.value for part in s.parts.values())
    )


def _remembered_verdict(stage: LeakageStage, *, cut: bool) -> Verdict:
    """A part tells the label, but it need be no more than a memory of its texts."""
    # Of one file, no side is given: a text is new where no other fold has its like.
    new_to = "in no other fold" if cut else "new to training"
    clauses = [
        f"{stage.name} may remember rather than read {name}: only {new:,} of {total:,} "
        f"items have a text of it that is {new_to}, and of these it is not sure"
        for name, (new, total) in stage.remembered.items()
    ]
    named = " and ".join(stage.remembered)
    split = (
        f"split the items anew, so that no text of {named}, and no copy of one with "
        "some words changed, stands on both sides"
    )
    if cut:
        split = (
            "name as `group` a column that has one value for items with like texts of "
            f"{named}"
        )
    parts = _list_parts(stage, list(stage.remembered))
    reason = f"{'; '.join(clauses)}: {parts}; {split}"
    return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)


def _unsure_verdict(stage: LeakageStage, baselines: LeakageBaselines) -> Verdict:
    """A reader of the strongest kind is undecided, or collapsed on one part."""
    if stage.below_parts:
        reason = (
            f"{_explain_below(stage)}: {_list_parts(stage)}"
            f"{_multiplicity_clause(stage)}"
        )
        return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)
    collapsed = [
        name for name, part in stage.parts.items() if part.decision == COLLAPSED
    ]
    if collapsed:
        reason = (
            f"{stage.name} says one class whatever {' or '.join(collapsed)} alone is, "
            f"so that it finds nothing there says nothing: {_list_parts(stage)}"
            f"{_multiplicity_clause(stage)}"
        )
        return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)
    if stage.blind_parts:
        reason = (
            f"{stage.name} does not see {_planted(stage)} planted in "
            f"{' or '.join(stage.blind_parts)}, so that it finds nothing there says "
            f"nothing: {_list_parts(stage)}{_multiplicity_clause(stage)}"
        )
        return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)
    open_parts = [n for n, part in stage.parts.items() if part.decision != WITHIN]
    reason = (
        f"neither surely above nor within the margins, {_name_margins(baselines)}, to "
        f"{stage.name}: {_list_parts(stage, open_parts)}{_multiplicity_clause(stage)}"
        f"{_shift_clause(baselines)}"
    )
    return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)


def _explain_below(stage: LeakageStage) -> str:
    """That parts of choices tell in reverse, and what to look at."""
    return (
        f"{stage.name} is surely below chance from {' and '.join(stage.below_parts)} "
        f"alone, {TURNED}"
    )


def _shift_clause(baselines: LeakageBaselines) -> str:
    """A clause where labels are shared out otherwise in training, and what to do."""
    if baselines.shift_bits < baselines.margin_bits:
        return ""
    return f"; {explain_shift(baselines)}"


def explain_shift(baselines: LeakageBaselines) -> str:
    """Why a part may tell more than a reader shows, and what to do about it."""
    return (
        "labels are shared out otherwise in training, which alone costs a reader "
        f"{baselines.shift_bits:.2g} bits, so that a part may tell more than it shows: "
        "give sides with like shares of labels, or one file"
    )


def _multiplicity_clause(stage: LeakageStage) -> str:
    """A clause on intervals above a margin that are no leak, since others were tried.

    Without it the reason would show an interval beyond the margin and deny it.
    """
    above = [
        f"{name} {told.surely}{unit}"
        for name, part in stage.parts.items()
        for told, margin, unit in (
            (part.accuracy, part.margin, ""),
            (part.bits, part.margin_bits, " bits"),
        )
        if told.over.low > margin >= told.surely.low
    ]
    if not above:
        return ""
    level = next(iter(stage.parts.values())).bits.surely.level
    return (
        f"; one interval of 95 % above a margin may be luck where several are looked "
        f"at: at the {100 * level:.1f} % that all together need, {', '.join(above)}; "
        "more items or `seeds` may decide"
    )


def _coarse_parts(stage: LeakageStage, baselines: LeakageBaselines) -> list[str]:
    """The parts in which it could have missed a leak worth more than the margin."""
    majority = float(baselines.majority.mean())

    def worth(part: str, control: Control) -> float:
        room = 1 - majority - stage.parts[part].accuracy.over.value
        return room * (np.inf if control.limit is None else control.limit.value)

    return [p for p, c in stage.controls.items() if worth(p, c) > baselines.margin]


def _coarse_verdict(stage: LeakageStage, baselines: LeakageBaselines) -> Verdict:
    """A part is within the margins to a reader that need not have seen a leak."""
    parts = " or ".join(_coarse_parts(stage, baselines))
    reason = (
        f"{stage.name} could have missed a leak of {parts} worth more than the margin "
        f"{baselines.margin:g}: {_list_parts(stage)}{_detection_clause(stage)}; give "
        "more items or a wider `margin`"
    )
    return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)


def _clean_verdict(
    stage: LeakageStage,
    contradictions: Sequence[str],
    baselines: LeakageBaselines,
    planted: bool,
) -> Verdict:
    """Every part is within the margins; does anything in the report contradict that?"""
    reason = (
        f"{stage.name} reaches at most {_name_margins(baselines)} from any part alone: "
        f"{_list_parts(stage)}{_detection_clause(stage)}"
    )
    if contradictions:
        reason += f"; but beyond chance are {'; '.join(contradictions)}"
        return Verdict(UNDECIDED, UNDECIDED, stage.name, reason)
    if not stage.learns_labels:
        reason += "; it was asked and not taught: who learns may still find some"
        return Verdict(NONE, NONE, stage.name, reason, provisional=True)
    provisional = stage.strength < Strength.PRETRAINED and not planted
    reason += "; a stronger reader may still find some" if provisional else ""
    return Verdict(NONE, NONE, stage.name, reason, provisional)


def _detection_clause(stage: LeakageStage) -> str:
    """A clause on what the reader could have seen, where that was measured."""
    limits = ", ".join(
        f"{100 * control.limit.value:.2g} % of the items in {part}"
        for part, control in stage.controls.items()
        if control.limit is not None
    )
    if not limits:
        return ""
    what = "a hint" if _planted(stage) == "a hint" else "a word for each label"
    return f"; {what} would be seen with 80 % power from {limits} on"


def _planted(stage: LeakageStage) -> str:
    """What was planted in the parts, for who learns a code or for who does not."""
    hints = any(control.spike == HINT for control in stage.controls.values())
    return "a hint" if hints else "a code word"


def _name_margins(baselines: LeakageBaselines) -> str:
    """Both margins; that in bits is a share of what there is to tell."""
    return (
        f"{baselines.margin:g} over the majority and {baselines.margin_bits:.2g} of "
        f"{baselines.entropy:.2f} bits"
    )


def _list_parts(stage: LeakageStage, names: Sequence[str] | None = None) -> str:
    """What the parts give away; of some alone where they are named."""
    return ", ".join(
        f"{name} {part.accuracy.over} and {part.bits.over} bits"
        for name, part in stage.parts.items()
        if names is None or name in names
    )


def _beyond_chance(
    stages: Sequence[LeakageStage], tokens: Mapping[str, pd.DataFrame]
) -> list[str]:
    """Whatever else is no chance: PECO, clusters, words, leaks in other test parts."""
    scores = [
        (stage.name, part, p) for stage in stages for part, p in stage.peco_p.items()
    ]
    adjusted = holm(np.array([p for _, _, p in scores])) if scores else ()
    clauses = [
        f"PECO of {part} by {name} (p {adjusted_p:.2g}, Holm over {len(scores)})"
        for (name, part, _), adjusted_p in zip(scores, adjusted, strict=True)
        if adjusted_p <= DISCOVERY
    ]
    clauses += [
        f"{_count(len(clusters), 'biased cluster')} of {part} by {stage.name}"
        for stage in stages
        for part, clusters in stage.clusters.items()
        if clusters
    ]
    clauses += _leaks_elsewhere(stages)
    clauses += [
        _explain_below(stage)
        for stage in stages
        if stage.below_parts and not stage.faulty
    ]
    for part, table in tokens.items():
        words = table["token"].drop_duplicates()
        if len(words):
            count = _count(len(words), "word")
            clauses.append(f"{count} of {part} such as {words.iloc[0]!r}")
    return clauses


def _count(number: int, noun: str) -> str:
    """So many of a thing.

    >>> _count(1, "word"), _count(2, "word")
    ('1 word', '2 words')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _leak_verdict(
    leaking: Sequence[LeakageStage],
    tokens: Mapping[str, pd.DataFrame],
    find_cause: Callable[[str, Sequence[str]], Cause],
    elicited: str | None,
) -> Verdict:
    """Which parts leak, how much, where and by what, each by whom it tells the most."""
    seers = {
        part: sorted(
            (stage for stage in leaking if part in stage.leaking_parts),
            key=lambda stage: -stage.parts[part].bits.over.value,
        )
        for part in dict.fromkeys(p for stage in leaking for p in stage.leaking_parts)
    }
    ranked = sorted(seers, key=lambda p: -seers[p][0].parts[p].bits.over.value)
    clauses = [
        _leak_clause(part, seers[part], tokens, find_cause)
        + _origin_clause(part, elicited)
        for part in ranked
    ]
    return Verdict(LEAKS, LEAKS, seers[ranked[0]][0].name, "; ".join(clauses))


def _of_new_clause(stage: LeakageStage, name: str) -> str:
    """A clause on the items with new texts, where training has those of many."""
    if apart := stage.apart.get(name):
        return f" (split so that its copies stay together, {apart.accuracy.over})"
    new = stage.of_new.get(name)
    if new is None:
        return ""
    count, total = new.accuracy.over.n, stage.parts[name].accuracy.over.n
    if total - count < KNOWN * total:
        return ""
    return f" (of the {count:,} items whose text of it is new, {new.accuracy.over})"


def _origin_clause(part: str, elicited: str | None) -> str:
    """A clause on how the part came about, where that is known."""
    if elicited is None:
        return ""
    if part == elicited:
        return f"; {part} was written for the label, which is how it came to tell it"
    return f"; {part} is not what was written for the label, which is {elicited}"


def _leak_clause(
    name: str,
    seers: Sequence[LeakageStage],
    tokens: Mapping[str, pd.DataFrame],
    find_cause: Callable[[str, Sequence[str]], Cause],
) -> str:
    """How much one part gives away, where and by what."""
    stage, *others = seers
    part = stage.parts[name]
    clause = (
        f"{stage.name}: {name} alone is {part.accuracy.over} over the majority and "
        f"tells {part.bits.over} bits"
    )
    clause += _of_new_clause(stage, name)
    clusters = next((s.clusters[name] for s in seers if s.clusters.get(name)), ())
    if clusters:
        numbers = ", ".join(str(cluster) for cluster in clusters[:WORST])
        clause += f", most in clusters {numbers}"
    cause = find_cause(name, [seer.name for seer in seers])
    clause += f", {cause.simple}" if cause.simple else ""
    token_table = tokens.get(name)
    # Where something simpler explains the leak, words only go along with it.
    if not cause.whole and token_table is not None and len(token_table):
        words = token_table["token"].drop_duplicates()[:WORST]
        clause += f", by words such as {', '.join(repr(word) for word in words)}"
        clause += f", {cause.after_words}" if cause.after_words else ""
    if others:
        clause += f" (seen also by {', '.join(other.name for other in others)})"
    return clause
