"""The constants of the leakage audit, which every report shows."""

from measurand.arms.alone import ERROR, REACH
from measurand.arms.families import FEWEST_FAMILIES
from measurand.settings.leakage import LeakageSettings

ONE_CLASS = 0.995  # share of one predicted class from which a reader has collapsed
FOLDS = 5  # of training items, where each is answered by who learned the others
CLUSTERINGS = 8  # seeds of k-means over which PECO is averaged
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
    "margin": LeakageSettings.margin,
    "margins_of_a_small_leak": REACH,
    "error": ERROR,
    "fewest_families": FEWEST_FAMILIES,
    "one_class": ONE_CLASS,
    "clusterings": CLUSTERINGS,
    "components": LeakageSettings.components,
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
