"""From figures to words: inflated, not inflated within the margin, or undecided."""

from collections.abc import Sequence

from measurand.audits.exposure.analysis import Contrast, Size, needed
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
    where adaptation gained nothing, nothing could have been inflated.
    """
    bias, boost = size.contrasts["bias"], size.contrasts["boost"]
    stage = bias.posterior.model
    told = f"{size.name}: bias {bias.estimate}, boost {boost.estimate} points"
    if bias.estimate.low > margin:
        return Verdict(INFLATED, INFLATED, stage, told)
    small = bias.interval(0.90).within(margin)
    if small and boost.estimate.low > 0:
        return Verdict(NOT, NOT, stage, told)
    why = f"about {needed(bias, margin)} times as many draws could decide"
    if boost.estimate.low <= 0:
        why = without(boost, margin)
    return Verdict(UNDECIDED, UNDECIDED, stage, f"{told}; {why}")


def without(boost: Contrast, margin: float) -> str:
    """What a study without a clear boost leaves to say."""
    if boost.estimate.high < 0:
        return "adaptation made answers worse, so there was no gain to inflate"
    if boost.interval(0.90).within(margin):
        return "adaptation did nothing, so nothing could be inflated"
    more = f"about {needed(boost, 0.0)} times as many draws could show such a boost"
    return f"adaptation did nothing that shows; {more}"
