"""What is chosen before an evidence audit is run, and its constants.

Every report shows both.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from measurand.core.bounds import (
    MOST_FOLDS,
    MOST_MARGIN,
    MOST_SEEDS,
    MOST_SHUFFLES,
    check_number,
)
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.experiment.ladder import check_rung
from measurand.interventions.shuffle import Shuffle
from measurand.judges import check_judge

MARGIN = 0.02  # accuracy lost that still counts as nothing, declared before the run
LEAST_MARGIN = 0.0001  # a smaller one asks for more items than there are texts
DIRECT = 0.9  # mpds from which metadata say nearly all that the full reader says
SKEWED = 0.9  # majority share from which a near zero may be skew, not independence
FOLDS = 3  # folds of a single file: each item is tested by who learned from two
SHUFFLES = 20  # the paper's recommendation; fewer are allowed and warned about
ONE_CLASS = 0.995  # share of one predicted class from which a reader has collapsed
SHIFT_ITEMS = 20  # test items a metadata value needs before it is held out
SHIFT_VALUES = 8  # values of a metadata column that are held out, the commonest first
SHIFT_DRAWS = 5  # random training sets that each held-out one is compared with
SHIFT_STEP = 0.9  # sizes of training sets fall by this, so that values share them
FILTER_VALUES = 4  # values held out before and after the filter, the commonest first
REACH = 0.5  # share of queries that must say a metadata value before it is flipped
CHANGED_SHUFFLES = 5  # of evidence of the same subject or document
FEWEST_CHANGED = 30  # items whose answer could be changed that a figure needs
FEWEST_NEW = 100  # test items of new texts that the gain of a dear reader needs
SHIFTED = 0.1  # share of labels that are others in training, from which it is warned
POOLED = "pooled"  # the condition of what is cross-fitted over all items
CLUSTERS = 30  # clusters under which an interval is called rough

SHOWN = {
    "margin": MARGIN,
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


@dataclass(frozen=True)
class EvidenceSettings:
    """How the evidence is shuffled, what counts as nothing, how far to climb.

    Attributes:
        shuffles: How many shuffles of the evidence.
        shuffle: Their kind: plain, within-label, within-length, within-subject,
            within-document or nearest.
        margin: Accuracy lost that still counts as nothing.
        calibrate: Whether an open verdict calls the next rung of the ladder.
        strongest: The highest rung that may be called.
        seeds: How often a trained encoder is trained anew; None takes what is usual.
        brief: Whether to leave out the consequences: shift, flips, filter.
        folds: In how many folds the items of a single file are tested; 1 tests the
            share that was set apart. None takes 3, and 1 where a server's model is
            shown examples of train: it is paid by the prompt. A reader that learned
            before is asked about the share set apart, whatever is chosen.
        judge: Who also judges written answers: lexical, or an entailment classifier by
            directory or hub id; None for nobody. The verdict does not rest on it.
    """

    shuffles: int = SHUFFLES
    shuffle: str = "plain"
    margin: float = MARGIN
    calibrate: bool = True
    strongest: str = "minilm"
    seeds: int | None = None
    brief: bool = False
    folds: int | None = None
    judge: str | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        check_number("shuffles", self.shuffles, 1, MOST_SHUFFLES)
        check_number("margin", self.margin, LEAST_MARGIN, MOST_MARGIN)
        if self.seeds is not None:
            check_number("seeds", self.seeds, 1, MOST_SEEDS)
        if self.folds is not None:
            check_number("folds", self.folds, 1, MOST_FOLDS)
        Shuffle("evidence", self.shuffle)  # refuses a kind that does not exist
        check_rung(self.strongest)
        if self.judge is not None:
            check_judge(self.judge)

    def folds_for(self, readers: Iterable[Reader]) -> int:
        """The folds of a single file that these readers are asked about."""
        traits = {reader: traits_of(reader) for reader in readers}
        if any(trait.learned for trait in traits.values()):
            return 1  # what it learned from may well be what was set apart as train
        # A server's model that is shown examples is paid for those of every fold; one
        # that is shown none needs no training part, and can be asked about all items.
        shots = [getattr(r, "shots", None) for r in traits if traits[r].remote]
        usual = FOLDS if all(shot == 0 for shot in shots) else 1
        return usual if self.folds is None else self.folds
