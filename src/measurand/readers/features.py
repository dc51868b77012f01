"""Features of items: sparse counts, and with them numbers that all items have."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from measurand.core.arrays import Floats


@dataclass(frozen=True, eq=False)
class Features:
    """One row per item; the columns of the dense part stand behind the sparse ones."""

    sparse: csr_array
    dense: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, int]:
        """Items and columns."""
        rows, columns = self.sparse.shape
        return rows, columns + self.dense.shape[1]

    def __getitem__(self, rows: Any) -> "Features":
        """Some of the items."""
        return Features(csr_array(self.sparse[rows]), self.dense[rows])

    def __matmul__(self, weights: Floats) -> Floats:
        """The scores of items."""
        cut = self.sparse.shape[1]
        dense = self.dense @ weights[cut:].astype(np.float32)
        return np.asarray(self.sparse @ weights[:cut] + dense)

    @property
    def T(self) -> "Transposed":  # noqa: N802 as of any matrix
        """The same with one column per item."""
        return Transposed(csr_array(self.sparse.T), self.dense.T)


@dataclass(frozen=True, eq=False)
class Transposed:
    """Features with one column per item."""

    sparse: csr_array
    dense: NDArray[np.float32]

    @property
    def shape(self) -> tuple[int, int]:
        """Columns and items."""
        columns, rows = self.sparse.shape
        return columns + len(self.dense), rows

    def __matmul__(self, pull: Floats) -> Floats:
        """Where a pull on the scores leads the weights."""
        dense = self.dense @ pull.astype(np.float32)
        return np.concatenate([self.sparse @ pull, dense])


def transpose(features: "csr_array | Features") -> Any:
    """The features with one column per item, as products with it are fast."""
    return features.T if isinstance(features, Features) else csr_array(features.T)
