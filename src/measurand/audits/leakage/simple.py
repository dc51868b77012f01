"""What readers that read no word find in each part alone.

They go by its length, its form (spacing, case, punctuation, digits, markup) or a memory
of its texts. What they find, no content gave away. Labels that only form tells apart
are a leak of their own, since no reader of words, and no tokenizer that normalises, can
see them. Where length, form or a rule tells, a few words are asked too: they may be
what makes a text longer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from measurand.audits.leakage.asking import (
    Evaluation,
    Runs,
    ask_alone,
    calibrate_runs,
    is_one_class,
)
from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.memory import recall_parts
from measurand.audits.leakage.rules import RULE, share_choices
from measurand.audits.leakage.scores import (
    LEAKS,
    REMEMBERED,
    LeakageBaselines,
    PartReading,
    part_leakage,
    read_part,
    runs_in_bits,
)
from measurand.audits.leakage.settings import EXPLAINS_PARTLY
from measurand.audits.leakage.verdict import LeakageStage
from measurand.core.arrays import Ints
from measurand.core.finding import Finding
from measurand.core.intervention import Intervention
from measurand.core.names import name_condition
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.experiment.crossfit import asked_reader, is_calibrated_across
from measurand.interventions.fields import Keep
from measurand.readers.baselines import LookupReader, PositionReader, SurfaceReader
from measurand.readers.keywords import KeyWordsReader, KeyWordsRemovedReader
from measurand.stats.scores import share_interval

POSITION, LENGTH, FORM, MEMORY = "position", "length", "surface", "lookup"
KEY_WORDS = "keywords"
GOING_WITH = {LENGTH: True, FORM: False}  # what words may bring; whether length alone


@dataclass(frozen=True, eq=False)
class SimpleReadings:
    """What readers that read no word find in each part.

    Attributes:
        findings: What they reach, and what they decide.
        stages: What the verdict may rest on: form and length, never memory.
        runs: By part and reader, from simple to less so, what was answered; the few
            words last, where anything simpler tells.
        without: By part, what length and form tell without the few words, which are
            taken out or replaced, where these tell a good part as much.
    """

    findings: Sequence[Finding]
    stages: Sequence[LeakageStage]
    runs: Mapping[str, Mapping[str, Runs]]
    without: Mapping[str, Mapping[str, Sequence[Runs]]]


def read_simply(
    evaluation: Evaluation, baselines: LeakageBaselines, told_by_rules: Sequence[str]
) -> SimpleReadings:
    """Ask the readers that read no word about each part alone.

    In the parts that rules tell, too, a few words are asked.
    """
    canonical = evaluation.canonical
    readings: dict[str, dict[str, PartReading]] = {}
    runs: dict[str, dict[str, Runs]] = {field: {} for field in canonical.parts}
    positions: list[Finding] = []
    for field in canonical.parts:
        for name, reader in _simple_readers(canonical, field).items():
            told = _ask_simply(evaluation, Keep(field), baselines.clusters, reader)
            # Who goes by the position says one letter, and has not collapsed by that.
            one_class = name != POSITION and is_one_class(told)
            part = _read_part(told, baselines, len(canonical.parts), one_class)
            readings.setdefault(name, {})[field] = part
            runs[field][name] = told
            if name == POSITION:
                positions.append(_state_position(told, baselines, field, part))
    stages = [
        _mark_remembered(evaluation, name, parts, runs, baselines)
        for name, parts in readings.items()
        if name != MEMORY
    ]
    without: dict[str, dict[str, list[Runs]]] = {field: {} for field in runs}
    for field in canonical.parts:
        leaking = {stage.name for stage in stages if field in stage.leaking_parts}
        if not leaking and field not in told_by_rules:
            continue
        asked = evaluation, Keep(field), baselines.clusters
        words = runs[field][KEY_WORDS] = _ask_simply(*asked, KeyWordsReader())
        part = _read_part(words, baselines, len(canonical.parts), one_class=False)
        for name, length_only in GOING_WITH.items():
            if name not in leaking:
                continue
            # What tells less than that cannot be why length or form tells.
            least = EXPLAINS_PARTLY * readings[name][field].bits.over.value
            if part.bits.over.value >= least:
                without[field][name] = [
                    _ask_simply(*asked, KeyWordsRemovedReader(length_only, replaced))
                    for replaced in (False, True)
                ]
    known = {stage.name: {*stage.remembered} for stage in stages}
    known[MEMORY] = {*canonical.parts}  # no verdict calls a memory of texts a leak
    findings = [
        Finding(
            statistic,
            name,
            name_condition(field),
            told_bits,
            REMEMBERED if field in known[name] and decision == LEAKS else decision,
        )
        for name, parts in readings.items()
        for field, part in parts.items()
        for statistic, told_bits, decision in (
            ("over_majority", part.accuracy.over, part.in_accuracy),
            ("v_information", part.bits.over, part.in_bits),
        )
    ]
    return SimpleReadings([*findings, *positions], stages, runs, without)


def _mark_remembered(
    evaluation: Evaluation,
    name: str,
    parts: Mapping[str, PartReading],
    runs: Mapping[str, Mapping[str, Runs]],
    baselines: LeakageBaselines,
) -> LeakageStage:
    """What a simple reader lets us say: of texts that return it may know the length."""
    stage = LeakageStage(name, Strength.TEXTLESS, True, parts, {})
    remembered: dict[str, tuple[int, int]] = {}
    for field in stage.leaking_parts:
        reader = _simple_readers(evaluation.canonical, field)[name]
        found = recall_parts(
            evaluation, (name, reader), {field: runs[field][name]}, baselines
        )
        remembered |= found.remembered
    return replace(stage, remembered=remembered)


def _ask_simply(
    evaluation: Evaluation, change: Intervention, clusters: Ints, reader: Reader
) -> Runs:
    """What it answers, with probabilities as honest as those of any reader."""
    asked = asked_reader(reader, cut=evaluation.is_cut)
    runs = ask_alone(evaluation, asked, change)
    across = is_calibrated_across(reader, cut=evaluation.is_cut)
    return calibrate_runs(runs, clusters) if across else runs


def _state_position(
    runs: Runs, baselines: LeakageBaselines, field: str, part: PartReading
) -> Finding:
    """How often the position is right that is commonest among as many choices."""
    estimate = share_interval(runs.right.mean(axis=0), baselines.clusters)
    condition = name_condition(field)
    return Finding(POSITION, RULE, condition, estimate, part.in_accuracy)


def _simple_readers(canonical: CanonicalBenchmark, field: str) -> dict[str, Reader]:
    """From simple to less so; where the right choice stands is the simplest.

    Where all items offer the same choices, their length, their form, and in one order
    their place, tell which of them is which, as their words do, and nothing else.
    """
    readers: dict[str, Reader] = {}
    items = canonical.scored_items
    if canonical.has_choices and not share_choices(items, ordered=True):
        readers[POSITION] = PositionReader()
    if not (canonical.has_choices and share_choices(items)):
        readers[LENGTH] = SurfaceReader(length_only=True)
        readers[FORM] = SurfaceReader()
    return readers | {MEMORY: LookupReader(field)}


def _read_part(
    runs: Runs, baselines: LeakageBaselines, parts: int, one_class: bool
) -> PartReading:
    tests = baselines.count_tests(parts)
    return read_part(
        part_leakage(runs, baselines, tests, seeded=False),
        runs_in_bits(runs, baselines, tests),
        baselines,
        one_class=one_class,
    )
