"""From decisions to words. No label ever says independent."""

from collections.abc import Sequence

from measurand.audits.evidence.packet import COLLAPSED, Packet
from measurand.audits.evidence.thresholds import DIRECT, SKEWED
from measurand.core.finding import Estimate, Verdict
from measurand.core.recipe import Strength
from measurand.stats.equivalence import ABOVE, WITHIN

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
    packets: Sequence[Packet], majority: Estimate, margin: float, *, planted: bool
) -> Verdict:
    """What the packets, ordered from weak to strong, let us say."""
    standing = [packet for packet in packets if packet.decision != COLLAPSED]
    if not standing:
        names = ", ".join(packet.name for packet in packets)
        why = (
            f"no reader is clearly above the majority share {majority}: {names} "
            "collapsed"
        )
        asked = [one.alone["query_only"].mean() for one in packets if one.alone]
        if majority.value >= SKEWED and asked:
            alone = max(asked)
            why += (
                f"; {majority.value:.3f} of the labels are one class, and the query "
                f"alone reaches {alone:.3f}"
            )
        return Verdict("no verdict", "no verdict", None, why)
    last = standing[-1]
    delta = last.effect.interval(0.95)
    beside = ablation(last, margin)
    if last.decision == ABOVE:
        turned = reversal(standing)
        why = f"{last.name} loses {delta} on wrong evidence{turned}{beside}"
        return Verdict("evidence-sensitive", "evidence-sensitive", last.name, why)
    open_ended = last.strength < Strength.PRETRAINED and not planted
    if last.decision != WITHIN:
        why = (
            f"the interval {delta} of {last.name} neither clears nor fits the margin "
            f"{margin}"
        )
        needed = f"; about {deciding(last, margin):,} test items would decide"
        return Verdict("undecided", "undecided", last.name, why + needed, open_ended)
    region, place = placed(last, majority, margin)
    small = "" if delta.low <= 0 <= delta.high else " (small, not zero)"
    why = (
        f"{last.name} loses {delta} on wrong evidence, within ± {margin}{small}; "
        f"{place}{beside}"
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


def placed(packet: Packet, majority: Estimate, margin: float) -> tuple[str, str]:
    """The place of a near zero on the map, and why it is there."""
    if majority.value >= SKEWED:
        return (
            "warning",
            f"{majority.value:.3f} of the labels are one class, so the place is "
            "underdetermined",
        )
    if packet.gain.value < margin:
        gain = f"{packet.gain.value:z.3f}"
        return (
            "warning",
            f"the reader is only {gain} above the majority, so the place is "
            "underdetermined",
        )
    if packet.mpds is None:
        return "warning", "mpds has no value, so the place is underdetermined"
    if packet.mpds.value >= DIRECT:
        return "direct coupling", f"metadata alone reach {packet.mpds} of its accuracy"
    return "latent coupling", f"metadata alone reach only {packet.mpds} of its accuracy"


def ablation(packet: Packet, margin: float) -> str:
    """A clause where the query alone does as well as the full reader."""
    if not packet.alone:
        return ""
    alone, full = packet.alone["query_only"].mean(), packet.right.mean()
    if alone < full - margin:
        return ""
    return f"; the query alone does as well ({alone:.3f} against {full:.3f})"


def reversal(standing: Sequence[Packet]) -> str:
    """A clause where a weaker reader's near zero was overturned."""
    weak = [packet.name for packet in standing[:-1] if packet.decision == WITHIN]
    return f"; calibration reversal: near zero under {', '.join(weak)}" if weak else ""


def deciding(packet: Packet, margin: float) -> int:
    """About how many test items would settle the question, were the effect as seen."""
    value, se, n = packet.effect.value, packet.effect.se, packet.effect.n
    room, z = (value - margin, 1.96) if value > margin else (margin - abs(value), 1.645)
    return int(n * (z * se / max(abs(room), 1e-4)) ** 2) + 1
