"""From decisions to words. No label ever says independent."""

from collections.abc import Sequence

from measurand.audits.evidence.reading import COLLAPSED, EvidenceReading
from measurand.audits.evidence.settings import DIRECT, SKEWED
from measurand.core.finding import Estimate, Verdict
from measurand.core.recipe import Strength
from measurand.stats.decisions import ABOVE, WITHIN

LABELS = (
    "evidence-sensitive",
    "direct coupling",
    "latent coupling",
    "calibrate",
    "warning",
    "undecided",
    "no verdict",
)  # every word a verdict can be
SCREENING = Strength.WORDS  # a near zero of these alone asks for a stronger reader


def verdict(
    readings: Sequence[EvidenceReading],
    majority: Estimate,
    margin: float,
    *,
    planted: bool,
) -> Verdict:
    """What the packets, ordered from weak to strong, let us say."""
    standing = [reading for reading in readings if reading.decision != COLLAPSED]
    if not standing:
        names = ", ".join(reading.name for reading in readings)
        why = (
            f"no reader is clearly above the majority share {majority}: {names} "
            "collapsed"
        )
        query_scores = [
            failure.alone["query_only"].mean() for failure in readings if failure.alone
        ]
        if majority.value >= SKEWED and query_scores:
            alone = max(query_scores)
            why += (
                f"; {majority.value:.3f} of the labels are one class, and the query "
                f"alone reaches {alone:.3f}"
            )
        return Verdict("no verdict", "no verdict", None, why)
    last = standing[-1]
    delta = last.effect.interval(0.95)
    query_clause = _ablation_clause(last, margin)
    if last.decision == ABOVE:
        reversed_clause = _reversal_clause(standing)
        why = (
            f"{last.name} loses {delta} on wrong evidence"
            f"{reversed_clause}{query_clause}"
        )
        return Verdict("evidence-sensitive", "evidence-sensitive", last.name, why)
    open_ended = last.strength < Strength.PRETRAINED and not planted
    if last.decision != WITHIN:
        why = (
            f"the interval {delta} of {last.name} neither clears nor fits the margin "
            f"{margin}"
        )
        needed = f"; about {_deciding_items(last, margin):,} test items would decide"
        return Verdict("undecided", "undecided", last.name, why + needed, open_ended)
    region, explanation = _map_region(last, majority, margin)
    small = "" if delta.low <= 0 <= delta.high else " (small, not zero)"
    why = (
        f"{last.name} loses {delta} on wrong evidence, within ± {margin}{small}; "
        f"{explanation}{query_clause}"
    )
    if last.strength <= SCREENING:
        return Verdict(
            "calibrate",
            region,
            last.name,
            why + "; a stronger reader may still differ",
            True,
        )
    return Verdict(region, region, last.name, why, open_ended)


def _map_region(
    reading: EvidenceReading, majority: Estimate, margin: float
) -> tuple[str, str]:
    """The place of a near zero on the map, and why it is there."""
    if majority.value >= SKEWED:
        return (
            "warning",
            f"{majority.value:.3f} of the labels are one class, so the place is "
            "underdetermined",
        )
    if reading.gain.value < margin:
        gain = f"{reading.gain.value:z.3f}"
        return (
            "warning",
            f"the reader is only {gain} above the majority, so the place is "
            "underdetermined",
        )
    if reading.mpds is None:
        return "warning", "mpds has no value, so the place is underdetermined"
    if reading.mpds.value >= DIRECT:
        return "direct coupling", f"metadata alone reach {reading.mpds} of its accuracy"
    return (
        "latent coupling",
        f"metadata alone reach only {reading.mpds} of its accuracy",
    )


def _ablation_clause(reading: EvidenceReading, margin: float) -> str:
    """A clause where the query alone does as well as the full reader."""
    if not reading.alone:
        return ""
    alone, full = reading.alone["query_only"].mean(), reading.right.mean()
    if alone < full - margin:
        return ""
    return f"; the query alone does as well ({alone:.3f} against {full:.3f})"


def _reversal_clause(standing: Sequence[EvidenceReading]) -> str:
    """A clause where a weaker reader's near zero was overturned."""
    weak = [reading.name for reading in standing[:-1] if reading.decision == WITHIN]
    return f"; calibration reversal: near zero under {', '.join(weak)}" if weak else ""


def _deciding_items(reading: EvidenceReading, margin: float) -> int:
    """About how many test items would settle the question, were the effect as seen."""
    value, se, n = reading.effect.value, reading.effect.se, reading.effect.n
    room, z = (value - margin, 1.96) if value > margin else (margin - abs(value), 1.645)
    return int(n * (z * se / max(abs(room), 1e-4)) ** 2) + 1
