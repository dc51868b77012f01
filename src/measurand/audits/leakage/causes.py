"""Why a part leaks: the simplest thing that gives as much away.

Readers that read no word are asked about each part alone: its length, its form
(spacing, case, punctuation, digits, markup) and a memory of its texts. What they find,
no content gave away. Labels that only form tells apart are a leak of their own, since
no reader of words, and no tokenizer that normalises, can see them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.audits.leakage.asking import (
    Evaluation,
    Runs,
    ask_alone,
    calibrate_runs,
    is_one_class,
)
from measurand.audits.leakage.canonical import CanonicalBenchmark
from measurand.audits.leakage.choices import RULE
from measurand.audits.leakage.scores import (
    LEAKS,
    LeakageBaselines,
    PartReading,
    part_leakage,
    read_part,
    runs_in_bits,
)
from measurand.audits.leakage.settings import EXPLAINS, EXPLAINS_PARTLY
from measurand.audits.leakage.verdict import LeakageStage
from measurand.core.arrays import Ints
from measurand.core.finding import Finding
from measurand.core.intervention import Intervention
from measurand.core.names import name_condition
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.experiment.crossfit import asked_reader, is_calibrated_across
from measurand.interventions.fields import Keep
from measurand.readers.baselines import LookupReader, MajorityReader, SurfaceReader
from measurand.stats.scores import share_interval

POSITION, LENGTH, FORM, MEMORY = "position", "length", "surface", "lookup"
REMEMBERED = "remembered"  # texts that training has too, with their labels
WORDS = {
    POSITION: "the position of the right choice alone",
    LENGTH: "its length alone",
    FORM: "its form alone (spacing, case, punctuation, digits, markup, length)",
    MEMORY: "a memory of its texts alone",
}


@dataclass(frozen=True, eq=False)
class SimpleReadings:
    """What readers that read no word find in each part.

    Attributes:
        findings: What they reach, and what they decide.
        stages: What the verdict may rest on: form and length, never memory.
        bits: By part and reader, from simple to less so, what is told in bits.
    """

    findings: Sequence[Finding]
    stages: Sequence[LeakageStage]
    bits: Mapping[str, Mapping[str, float]]

    def cause(self, part: str, bits: float) -> str:
        """What explains a leak of so many bits of this part; empty where words do."""
        shares = {
            name: told / bits for name, told in self.bits[part].items() if bits > 0
        }
        for name, share in shares.items():
            if share >= EXPLAINS:
                return f"by {WORDS[name]} ({100 * min(share, 1):.0f} % of these bits)"
        best = max(shares, key=lambda name: shares[name], default="")
        if best and shares[best] >= EXPLAINS_PARTLY:
            return f"{100 * shares[best]:.0f} % of these bits by {WORDS[best]}"
        return ""


def read_simply(evaluation: Evaluation, baselines: LeakageBaselines) -> SimpleReadings:
    """Ask the readers that read no word about each part alone."""
    fields = evaluation.canonical.parts
    readings: dict[str, dict[str, PartReading]] = {}
    positions: list[Finding] = []
    for field in fields:
        for name, reader in _simple_readers(evaluation.canonical, field).items():
            runs = _ask_simply(evaluation, reader, Keep(field), baselines.clusters)
            # Who goes by the position says one letter, and has not collapsed by that.
            one_class = name != POSITION and is_one_class(runs)
            part = _read_part(runs, baselines, len(fields), one_class)
            readings.setdefault(name, {})[field] = part
            if name == POSITION:
                positions.append(_state_position(runs, baselines, field, part))
    findings = [
        Finding(statistic, name, name_condition(field), told, _decide(name, decision))
        for name, parts in readings.items()
        for field, part in parts.items()
        for statistic, told, decision in (
            ("over_majority", part.accuracy.over, part.in_accuracy),
            ("v_information", part.bits.over, part.in_bits),
        )
    ]
    stages = [
        LeakageStage(name, Strength.TEXTLESS, True, readings[name], {})
        for name in readings
        if name != MEMORY
    ]
    bits = {
        field: {name: parts[field].bits.over.value for name, parts in readings.items()}
        for field in fields
    }
    return SimpleReadings([*findings, *positions], stages, bits)


def _ask_simply(
    evaluation: Evaluation, reader: Reader, change: Intervention, clusters: Ints
) -> Runs:
    """What it answers, with probabilities as honest as those of any reader."""
    asked = asked_reader(reader, cut=evaluation.is_cut)
    runs = ask_alone(evaluation, asked, change)
    across = is_calibrated_across(reader, cut=evaluation.is_cut)
    return calibrate_runs(runs, clusters) if across else runs


def _state_position(
    runs: Runs, baselines: LeakageBaselines, field: str, part: PartReading
) -> Finding:
    """How often the commonest position of training holds the right choice."""
    estimate = share_interval(runs.right.mean(axis=0), baselines.clusters)
    condition = name_condition(field)
    decision = part.accuracy.decision(baselines.margin)
    return Finding(POSITION, RULE, condition, estimate, decision)


def _decide(name: str, decision: str) -> str:
    """What a simple reader decides: no verdict calls a memory of texts a leak."""
    return REMEMBERED if (name, decision) == (MEMORY, LEAKS) else decision


def _simple_readers(canonical: CanonicalBenchmark, field: str) -> dict[str, Reader]:
    """From simple to less so; where the right choice stands is the simplest."""
    position: dict[str, Reader] = {POSITION: MajorityReader()}
    return (position if canonical.has_choices else {}) | {
        LENGTH: SurfaceReader(length_only=True),
        FORM: SurfaceReader(),
        MEMORY: LookupReader(field),
    }


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
