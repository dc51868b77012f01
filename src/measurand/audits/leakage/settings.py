"""What is chosen before a leakage audit is run, and its constants.

Every report shows both.
"""

from dataclasses import dataclass

from measurand.arms.alone import ERROR, MARGIN, REACH
from measurand.arms.families import FEWEST_FAMILIES
from measurand.core.bounds import MOST_CLUSTERS, MOST_MARGIN, MOST_SEEDS, check_number
from measurand.core.errors import BadOption

LEAST_MARGIN = 0.0001  # a smaller one asks for more items than there are texts
ONE_CLASS = 0.995  # share of one predicted class from which a reader has collapsed
FOLDS = 5  # of training items, where each is answered by who learned the others
CLUSTERINGS = 8  # seeds of k-means over which PECO is averaged
COMPONENTS = 50  # principal components that are clustered, as in the paper
PUBLISHED_K = 50  # clusters of the presets: the digits of the paper's Table 4 fit it
TABLE_K = (10, 25, 50, 100)  # the paper's Table 5
TABLE_COMPONENTS = (0, 50, 100)  # 0: none, the embedding as it is
DISCOVERY = 0.05  # q under which a cluster is called biased
EFFECT = 0.05  # least squared distance of label shares of a biased cluster
SATURATED = 0.85  # of the way from the majority to 1: little is left to gain
EXPLAINED = 2000  # test items whose tokens are attributed: one pass backwards each
DRAWN = 20_000  # items up to which the map is drawn without being asked for
FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
REMOVALS = 5  # random removals that a repair is held against
INFERENCE_ITEMS = 500  # test items whose question a language model is asked to infer
INFERENCE_MARGIN = 0.02  # word F1 with its own question over others that is nothing
DEALT_QUESTIONS = 20  # other items whose question each inferred one is held against

SHOWN = {
    "margin": MARGIN,
    "margins_of_a_small_leak": REACH,
    "error": ERROR,
    "fewest_families": FEWEST_FAMILIES,
    "one_class": ONE_CLASS,
    "clusterings": CLUSTERINGS,
    "components": COMPONENTS,
    "discovery_rate": DISCOVERY,
    "least_effect": EFFECT,
    "saturated": SATURATED,
    "attributed_items": EXPLAINED,
    "least_probability": FLOOR,
    "random_removals": REMOVALS,
    "inference_items": INFERENCE_ITEMS,
    "inference_margin": INFERENCE_MARGIN,
    "dealt_questions": DEALT_QUESTIONS,
}
BOUNDS: dict[str, tuple[float, float]] = {
    "margin": (LEAST_MARGIN, MOST_MARGIN),
    "seeds": (1, MOST_SEEDS),
    "k": (2, MOST_CLUSTERS),
    "components": (0, MOST_CLUSTERS),
}


@dataclass(frozen=True)
class LeakageSettings:
    """What counts as nothing, and how items are clustered.

    Attributes:
        margin: Accuracy over permuted labels that still counts as nothing.
        seeds: How often a trained encoder is trained anew; None takes what is usual.
        k: Clusters; None takes them from the number of items.
        components: Principal components that are clustered; 0 takes the embedding.
        reference: The accuracy of the best published model, from 0 to 1.
        tsne: Whether to draw the map; None draws up to 20,000 items.
        brief: Whether to leave out what explains a verdict and does not decide it: the
            clusters of texts, the map, the repair.
        check_inference: Whether language models that read choices alone are asked for
            the question, which they may have inferred.
    """

    margin: float = MARGIN
    seeds: int | None = None
    k: int | None = None
    components: int = COMPONENTS
    reference: float | None = None
    tsne: bool | None = None
    brief: bool = False
    check_inference: bool = False

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        for name, bounds in BOUNDS.items():
            value = getattr(self, name)
            if value is not None:
                check_number(name, value, *bounds)
        if self.reference is not None and not 0 < self.reference <= 1:
            raise BadOption(
                f"`reference` is {self.reference}; allowed are 0 to 1, not percent"
            )
