"""The toy in which exposure does inflate: PCA before a linear regression (Appendix G).

Features of a known effective rank; principal components from test features, or from as
many others; a regression on m labelled rows. Few components of many directions fit the
rows they were found on, so that the score on those is too good.
"""

import numpy as np
from sklearn.datasets import make_regression
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression

from measurand.core.finding import Estimate
from measurand.core.reader import Floats

FEATURES, INFORMATIVE, LABELLED, TRIALS = 20, 10, 100, 2000
SHARE = 0.6  # components for each unit of effective rank


def pca_bias(
    rank: int, n: int, *, rng: np.random.Generator, trials: int = TRIALS
) -> Estimate:
    """R² with components of the test features less R² with those of extra ones."""
    gained = np.array([one_trial(rank, n, rng) for _ in range(trials)])
    half = 1.96 * float(gained.std(ddof=1)) / np.sqrt(trials)
    value = float(gained.mean())
    method = f"normal, {trials} trials"
    return Estimate(value, value - half, value + half, 0.95, trials, method)


def one_trial(rank: int, n: int, rng: np.random.Generator) -> float:
    """What the test's own features are worth, once."""
    seed = int(rng.integers(2**31))
    rows, target = make_regression(
        LABELLED + 2 * n,
        FEATURES,
        n_informative=INFORMATIVE,
        effective_rank=rank,
        noise=1.0,
        random_state=seed,
    )
    cuts = np.split(np.arange(len(rows)), [LABELLED, LABELLED + n])
    train, extra, test = cuts

    def score(unlabeled: Floats) -> float:
        turn = PCA(int(SHARE * rank), svd_solver="full").fit(unlabeled)
        line = LinearRegression().fit(turn.transform(rows[train]), target[train])
        return float(line.score(turn.transform(rows[test]), target[test]))

    return score(rows[test]) - score(rows[extra])
