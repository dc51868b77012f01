"""The thresholds of the explanations audit, each with what crossing it means."""

from measurand.audits.explanations.masking import TARGET

# Below it, a changed input more likely than not changes the rationale; where R is
# between annotators of one input, two of them more likely than not say otherwise.
UNSTABLE = 0.5
LITTLE = 0.05  # of what the input leaves open: a rationale that gives less says nothing
SPECIFIC = 0.5  # below it, over a quarter of other inputs fit the rationale as well
COLLAPSED = 0.99  # of all answers in one class: such a reader gets no verdict
OTHERS = 5  # other items' rationales with which each is compared for the baseline
BROWSED = 200  # items that a page shows with their masks
SHOWN = {
    "unstable": UNSTABLE,
    "uninformative": LITTLE,
    "unspecific": SPECIFIC,
    "leaky": TARGET,
    "collapsed": COLLAPSED,
}
