"""The constants of the evidence audit, which every report shows."""

from measurand.arms.split import FEWEST_NEW
from measurand.settings.evidence import FOLDS, EvidenceSettings

DIRECT = 0.9  # mpds from which metadata say nearly all that the full reader says
SKEWED = 0.9  # majority share from which a near zero may be skew, not independence
SHUFFLES = EvidenceSettings.shuffles  # the paper's; fewer are warned about
ONE_CLASS = 0.995  # share of one predicted class from which a reader has collapsed
SHIFT_ITEMS = 20  # test items a metadata value needs before it is held out
SHIFT_VALUES = 8  # values of a metadata column that are held out, the commonest first
SHIFT_DRAWS = 5  # random training sets that each held-out one is compared with
SHIFT_STEP = 0.9  # sizes of training sets fall by this, so that values share them
FILTER_VALUES = 4  # values held out before and after the filter, the commonest first
REACH = 0.5  # share of queries that must say a metadata value before it is flipped
CHANGED_SHUFFLES = 5  # of evidence of the same subject or document
FEWEST_CHANGED = 30  # items whose answer could be changed that a figure needs
SHIFTED = 0.1  # share of labels that are others in training, from which it is warned
POOLED = "pooled"  # the condition of what is cross-fitted over all items
CLUSTERS = 30  # clusters under which an interval is called rough

SHOWN = {
    "margin": EvidenceSettings.margin,
    "direct_coupling_mpds": DIRECT,
    "skewed_majority": SKEWED,
    "collapsed_one_class": ONE_CLASS,
    "shift_least_items": SHIFT_ITEMS,
    "shift_most_values": SHIFT_VALUES,
    "shift_draws": SHIFT_DRAWS,
    "shift_size_step": SHIFT_STEP,
    "filter_most_values": FILTER_VALUES,
    "flip_least_reach": REACH,
    "folds_of_one_file": FOLDS,
    "recommended_shuffles": SHUFFLES,
    "least_new_items": FEWEST_NEW,
    "fewest_changed_answers": FEWEST_CHANGED,
    "rough_under_clusters": CLUSTERS,
    "shifted_labels": SHIFTED,
}
