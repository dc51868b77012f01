"""The thresholds of the explanations audit, each with what crossing it means."""

from measurand.audits.explanations.leaks import RARE, TARGET

UNSTABLE = 0.5  # below it, a changed input more likely than not changes the rationale
LITTLE = 0.05  # of what the input leaves open: a rationale that gives less says nothing
SPECIFIC = 0.5  # below it, over a quarter of other inputs fit the rationale as well
COLLAPSED = 0.99  # of all answers in one class: such a reader gets no verdict
NEAR_COPY = 0.6  # of the words of a rationale and of a field of its input, both ways
PADDING = 0.5  # share of rationales from which a word that they have is mere padding
WHOLE_FIELD = 0.8  # share of a field's words in a rationale that holds it all
COPYING = 0.33  # share of near-copies over which rationales are the input over again
CONTAINED = 0.5  # share of rationales that stand in a field, which S then leaves out
SEPARATED = 0.7  # AUC by which VARIF must tell each type of the suite from given ones
FEWEST = 20  # items that must have a figure: of fewer, the axis is undecided
OTHERS = 5  # other items' rationales with which each is compared for the baseline
BROWSED = 200  # items that a page shows with their masks
SHOWN = {
    "unstable": UNSTABLE,
    "uninformative": LITTLE,
    "unspecific": SPECIFIC,
    "leaky": TARGET,
    "rare label": RARE,
    "near copy": NEAR_COPY,
    "padding": PADDING,
    "whole field": WHOLE_FIELD,
    "copying": COPYING,
    "contained": CONTAINED,
    "separated": SEPARATED,
    "collapsed": COLLAPSED,
    "fewest items": FEWEST,
}
