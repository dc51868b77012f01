"""What is chosen before a leakage audit is run, and its constants.

Every report shows both.
"""

from dataclasses import dataclass

from measurand.core.bounds import (
    MOST_CLUSTERS,
    MOST_DRAWS,
    MOST_FOLDS,
    MOST_MARGIN,
    MOST_SEEDS,
    check_number,
)
from measurand.core.control import AMOUNTS, DEALS, DOSE, DOSES
from measurand.core.errors import BadOption, UnknownName
from measurand.experiment.ladder import check_rung

MARGIN = 0.02  # accuracy over the majority that still counts as nothing
LEAST_MARGIN = 0.0001  # a smaller one asks for more items than there are texts
ONE_CLASS = 0.995  # share of one predicted class from which a reader has collapsed
FOLDS = 5  # parts that items without a given split are cut into
DRAWS = 5  # ways of cutting them; their spread is in every interval
CLUSTERINGS = 8  # seeds of k-means over which PECO is averaged
CHANGED_CLUSTERINGS = 3  # seeds of k-means where the part was changed
COMPONENTS = 50  # principal components that are clustered, as in the paper
PUBLISHED_K = 50  # clusters of the presets: the digits of the paper's Table 4 fit it
TABLE_K = (10, 25, 50, 100)  # the paper's Table 5
TABLE_COMPONENTS = (0, 50, 100)  # 0: none, the embedding as it is
DISCOVERY = 0.05  # q under which a cluster or a word is called biased
EFFECT = 0.05  # least squared distance of label shares of a biased cluster
SATURATED = 0.85  # of the way from the majority to 1: little is left to gain
EXPLAINED = 2000  # test items whose tokens are attributed: one pass backwards each
DRAWN = 20_000  # items up to which the map is drawn without being asked for
EXPLAINS = 0.8  # share of a leak's bits from which something simple is its cause
EXPLAINS_PARTLY = 0.3  # and from which it is named beside the words
KNOWN = 0.1  # share of items with known texts from which new ones have their figure
FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
WORST = 5  # clusters and words that the verdict names
FEWEST_OF_SUBJECT = 30  # items that hang apart, of a subject that is stated
MOST_SUBJECTS = 100  # subjects that are stated, the largest first
REMOVALS = 5  # random removals that a repair is held against
INFERENCE_ITEMS = 500  # test items whose question a language model is asked to infer
INFERENCE_MARGIN = 0.02  # word F1 with its own question over others that is nothing
DEALT_QUESTIONS = 20  # other items whose question each inferred one is held against

SHOWN = {
    "margin": MARGIN,
    "collapsed_one_class": ONE_CLASS,
    "folds": FOLDS,
    "fold_draws": DRAWS,
    "clusterings": CLUSTERINGS,
    "clusterings_of_changed_parts": CHANGED_CLUSTERINGS,
    "components": COMPONENTS,
    "discovery_rate": DISCOVERY,
    "least_effect": EFFECT,
    "saturated": SATURATED,
    "attributed_items": EXPLAINED,
    "least_probability": FLOOR,
    "cause_explains": EXPLAINS,
    "cause_explains_partly": EXPLAINS_PARTLY,
    "share_of_known_texts": KNOWN,
    "fewest_items_of_subject": FEWEST_OF_SUBJECT,
    "most_subjects": MOST_SUBJECTS,
    "random_removals": REMOVALS,
    "inference_items": INFERENCE_ITEMS,
    "inference_margin": INFERENCE_MARGIN,
    "dealt_questions": DEALT_QUESTIONS,
    "control_dose": DOSE,
    "control_doses_full": list(DOSES),
    "control_deals": DEALS,
}
BOUNDS: dict[str, tuple[float, float]] = {
    "margin": (LEAST_MARGIN, MOST_MARGIN),
    "seeds": (1, MOST_SEEDS),
    "folds": (2, MOST_FOLDS),
    "draws": (1, MOST_DRAWS),
    "k": (2, MOST_CLUSTERS),
    "components": (0, MOST_CLUSTERS),
}


@dataclass(frozen=True)
class LeakageSettings:
    """What counts as nothing, how items are cut and clustered, how far to climb.

    Attributes:
        margin: Accuracy over the majority that still counts as nothing.
        calibrate: Whether a reader that finds no leak calls a stronger one.
        strongest: The strongest reader that may be called.
        seeds: How often a trained encoder is trained anew; None takes what is usual.
        k: Clusters; None takes them from the number of items.
        components: Principal components that are clustered; 0 takes the embedding.
        folds: Parts into which items without a given split are cut.
        draws: Ways of cutting them.
        reference: The accuracy of the best published model, from 0 to 1.
        tsne: Whether to draw the map; None draws up to 20,000 items.
        controls: How much is spiked and blanked: none; quick, one dose for readers
            that take seconds; or full, several for these and one for encoders.
        brief: Whether to leave out what explains a verdict and does not decide it: the
            clusters of texts, parts with their words changed, the map, the repair.
        check_inference: Whether language models that read choices alone are asked for
            the question, which they may have inferred.
    """

    margin: float = MARGIN
    calibrate: bool = True
    strongest: str = "minilm"
    seeds: int | None = None
    k: int | None = None
    components: int = COMPONENTS
    folds: int = FOLDS
    draws: int = DRAWS
    reference: float | None = None
    tsne: bool | None = None
    controls: str = "quick"
    brief: bool = False
    check_inference: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        for name, bounds in BOUNDS.items():
            value = getattr(self, name)
            if value is not None:
                check_number(name, value, *bounds)
        check_rung(self.strongest)
        if self.controls not in AMOUNTS:
            raise UnknownName("amount of controls", self.controls, AMOUNTS)
        if self.reference is not None and not 0 < self.reference <= 1:
            raise BadOption(
                f"`reference` is {self.reference}; allowed are 0 to 1, not percent"
            )
