"""The toy in which exposure does inflate: PCA before a linear regression (Appendix G).

Features of a known effective rank; principal components from test features, or from as
many others; a regression on m labelled rows. Few components of many directions fit the
rows they were found on, so that the score on those is too good.

The published figures rest on one table of m + 2n rows for each rank and n, made once
from the seed 123, which every trial splits anew into train, extra and test; the band is
that of the splits. With another table in every trial the bias at n = 25 is another:

    effective rank                       5     10     15     20
    published, 2,000 splits          0.083  0.136  0.266  0.321
    here, 10,000 splits of it        0.085  0.133  0.253  0.308
    here, 2,000 tables, one split    0.084  0.185  0.294  0.352
"""

import numpy as np
from sklearn.datasets import make_regression

from measurand.core.finding import Estimate
from measurand.core.reader import Floats

FEATURES, INFORMATIVE, LABELLED, TRIALS = 20, 10, 100, 2000
RANKS = (5, 10, 15, 20)
SHARE = 0.6  # components for each unit of effective rank
TABLE = 123  # the seed of the published table
PIECE = 100  # trials in memory at once


def pca_bias(
    rank: int,
    n: int,
    *,
    rng: np.random.Generator,
    trials: int = TRIALS,
    table: int | None = TABLE,
) -> Estimate:
    """R² with components of the test features less R² with those of extra ones.

    Args:
        rank: The effective rank of the features.
        n: Test rows, and as many extra ones.
        rng: Splits the rows.
        trials: How often.
        table: The seed of the one table that all trials split; None for another table
            in every trial.
    """
    gained = np.concatenate(
        [
            toy_gains(
                *split_toy_rows(rank, n, rng, min(PIECE, trials - done), table), rank
            )
            for done in range(0, trials, PIECE)
        ]
    )
    half = 1.96 * float(gained.std(ddof=1)) / np.sqrt(trials)
    value = float(gained.mean())
    tables = "a table each" if table is None else "one table"
    method = f"normal, {trials} trials, {tables}"
    return Estimate(value, value - half, value + half, 0.95, trials, method)


def split_toy_rows(
    rank: int, n: int, rng: np.random.Generator, trials: int, table: int | None
) -> tuple[Floats, Floats]:
    """Trials × rows of features and targets: train first, then extra, then test."""
    seeds = rng.integers(2**31, size=trials) if table is None else [table]
    datasets = [
        make_regression(
            LABELLED + 2 * n,
            FEATURES,
            n_informative=INFORMATIVE,
            effective_rank=rank,
            noise=1.0,
            random_state=int(seed),
        )
        for seed in seeds
    ]
    rows, target = (np.stack(part) for part in zip(*datasets, strict=True))
    if table is None:
        return rows, target
    order = rng.permuted(np.tile(np.arange(LABELLED + 2 * n), (trials, 1)), axis=1)
    return rows[0][order], target[0][order]


def toy_gains(rows: Floats, target: Floats, rank: int) -> Floats:
    """What the test's own features are worth in each trial."""
    n = (rows.shape[1] - LABELLED) // 2
    train, extra, test = np.split(rows, [LABELLED, LABELLED + n], axis=1)
    train_target, test_target = target[:, :LABELLED], target[:, LABELLED + n :]

    def score(unlabeled: Floats) -> Floats:
        projection = _toy_components(unlabeled, int(SHARE * rank))
        predictions = _least_squares(
            train @ projection, train_target, test @ projection
        )
        residuals = ((test_target - predictions) ** 2).sum(axis=-1)
        spread = ((test_target - test_target.mean(axis=-1, keepdims=True)) ** 2).sum(
            axis=-1
        )
        return np.asarray(1 - residuals / spread)

    return score(test) - score(extra)


def _toy_components(rows: Floats, count: int) -> Floats:
    """The directions in which rows vary most, as columns."""
    centred = rows - rows.mean(axis=1, keepdims=True)
    _, directions = np.linalg.eigh(np.swapaxes(centred, -1, -2) @ centred)
    return np.asarray(directions[..., -count:])


def _least_squares(rows: Floats, target: Floats, test_rows: Floats) -> Floats:
    """What least squares with an intercept says of the rows asked about."""
    middle, level = rows.mean(axis=1, keepdims=True), target.mean(axis=-1)
    centred = rows - middle
    transposed = np.swapaxes(centred, -1, -2)
    slopes = np.linalg.solve(transposed @ centred, transposed @ target[..., None])
    return np.asarray(((test_rows - middle) @ slopes)[..., 0] + level[:, None])
