"""Many p-values at once."""

import numpy as np
from statsmodels.stats.multitest import multipletests

from measurand.core.reader import Floats


def holm(p: Floats) -> Floats:
    """P-values adjusted so that any false alarm is as rare as one test's.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    return np.asarray(multipletests(p, method="holm")[1])


def benjamini_hochberg(p: Floats) -> Floats:
    """Q-values: the share of false alarms among all that are at least so small.

    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03])).round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    return np.asarray(multipletests(p, method="fdr_bh")[1])
