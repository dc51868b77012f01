"""From figures to words: inflated, not inflated within the margin, or undecided."""

from collections.abc import Sequence

from measurand.audits.exposure.analysis import Size, needed
from measurand.core.finding import Verdict

INFLATED, NOT, UNDECIDED = "inflated", "not inflated within the margin", "undecided"
LABELS = (INFLATED, NOT, UNDECIDED)


def verdict(found: Sequence[Size], margin: float) -> Verdict:
    """What the sizes let us say together; the worst of them decides."""
    each = [single(size, margin) for size in found]
    for label in (INFLATED, UNDECIDED, NOT):
        chosen = [one for one in each if one.label == label]
        if chosen:
            reason = "; ".join(one.reason for one in chosen)
            return Verdict(label, label, chosen[0].stage, reason)
    raise AssertionError("a study has at least one size")


def single(size: Size, margin: float) -> Verdict:
    """What one size lets us say.

    "Not inflated" needs a bias that is equivalent to zero and a boost that is not:
    where adaptation did nothing, nothing could have been inflated.
    """
    bias, boost = size.contrasts["bias"], size.contrasts["boost"]
    stage = bias.posterior.model
    told = f"{size.name}: bias {bias.estimate}, boost {boost.estimate} points"
    if bias.estimate.low > margin:
        return Verdict(INFLATED, INFLATED, stage, told)
    small = bias.interval(0.90).within(margin)
    if small and boost.estimate.low > 0:
        return Verdict(NOT, NOT, stage, told)
    if boost.estimate.low <= 0:
        why = "adaptation did nothing, so nothing could be inflated"
        return Verdict(UNDECIDED, UNDECIDED, stage, f"{told}; {why}")
    more = f"about {needed(bias, margin)} times as many draws could decide"
    return Verdict(UNDECIDED, UNDECIDED, stage, f"{told}; {more}")
