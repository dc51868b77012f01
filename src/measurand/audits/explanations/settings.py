"""The thresholds of the explanations audit, each with what crossing it means."""

from measurand.arms.alone import MARGIN, REACH

UNSTABLE = 0.5  # below it, a changed input more likely than not changes the rationale
LITTLE = 0.05  # of what the input leaves open: with less, a stronger reader is called
SPECIFIC = 0.5  # below it, over a quarter of other inputs fit the rationale as well
COLLAPSED = 0.99  # of all answers in one class: such a reader is warned of
NEAR_COPY = 0.6  # of the words of a rationale and of a field of its input, both ways
PADDING = 0.5  # share of rationales from which a word that they have is mere padding
WHOLE_FIELD = 0.8  # share of a field's words in a rationale that holds it all
CONTAINED = 0.5  # share of rationales that stand in a field, which S then leaves out
SEPARATED = 0.7  # AUC by which VARIF must tell each type of the suite from given ones
FEWEST = 20  # items that must have a figure: of fewer, the axis is undecided
OTHERS = 5  # other items' rationales with which each is compared for the baseline
BROWSED = 200  # items that a page shows with their masks
SHOWN = {
    "unstable": UNSTABLE,
    "called under": LITTLE,
    "unspecific": SPECIFIC,
    "margin": MARGIN,
    "reach in margins": REACH,
    "near copy": NEAR_COPY,
    "padding": PADDING,
    "whole field": WHOLE_FIELD,
    "contained": CONTAINED,
    "separated": SEPARATED,
    "collapsed": COLLAPSED,
    "fewest items": FEWEST,
}
