"""Which items hang together because they share something."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components


def linked_clusters(columns: Sequence["pd.Series[str]"]) -> NDArray[np.int64]:
    """A cluster number for each item: items that share a value anywhere share one.

    Sharing is followed through: if a and b share a premise and b and c a hypothesis,
    all three are one cluster.

    >>> first, second = pd.Series(["p", "p", "q", "r"]), pd.Series(["x", "y", "y", "z"])
    >>> linked_clusters([first, second]).tolist()
    [0, 0, 0, 1]
    """
    codes = [pd.factorize(column)[0].astype(np.int64) for column in columns]
    if len(codes) == 1:
        return codes[0]
    n = len(codes[0])
    starts = np.cumsum([n, *(code.max(initial=-1) + 1 for code in codes)])
    values = np.concatenate(
        [code + start for code, start in zip(codes, starts, strict=False)]
    )
    rows = np.tile(np.arange(n), len(codes))
    links = coo_array((np.ones(len(rows), np.int8), (rows, values)), (starts[-1],) * 2)
    _, numbers = connected_components(links, directed=False)
    return pd.factorize(numbers[:n])[0].astype(np.int64)
