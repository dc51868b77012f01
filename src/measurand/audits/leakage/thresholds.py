"""The constants of the leakage audit; every report shows them."""

MARGIN = 0.02  # accuracy over the majority that still counts as nothing
LEAST_MARGIN = 0.0001  # a smaller one asks for more items than there are texts
ONE_CLASS = 0.995  # share of one predicted class from which a reader has collapsed
FOLDS = 5  # parts that items without a given split are cut into
DRAWS = 5  # ways of cutting them; their spread is in every interval
CLUSTERINGS = 8  # seeds of k-means over which PECO is averaged
COMPONENTS = 50  # principal components that are clustered, as in the paper
PUBLISHED_K = 50  # clusters of the presets: the digits of the paper's Table 4 fit it
TABLE_K = (10, 25, 50, 100)  # the paper's Table 5
TABLE_COMPONENTS = (0, 50, 100)  # 0: none, the embedding as it is
DISCOVERY = 0.05  # q under which a cluster or a word is called biased
EFFECT = 0.05  # least squared distance of label shares of a biased cluster
EXPLAINED = 2000  # test items whose tokens are attributed: one pass backwards each
DRAWN = 20_000  # items up to which the map is drawn without being asked for
FLOOR = 1e-6  # least probability before a logarithm: float32 may say 0
WORST = 5  # clusters and words that the verdict names

SHOWN = {
    "margin": MARGIN,
    "collapsed_one_class": ONE_CLASS,
    "folds": FOLDS,
    "fold_draws": DRAWS,
    "clusterings": CLUSTERINGS,
    "components": COMPONENTS,
    "discovery_rate": DISCOVERY,
    "least_effect": EFFECT,
    "attributed_items": EXPLAINED,
    "least_probability": FLOOR,
}
