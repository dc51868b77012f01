"""Mixtures of normal distributions, one or many at once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtr, ndtri

from measurand.core.arrays import Floats

HALVINGS = 60  # bisections: the bracket shrinks below rounding


@dataclass(frozen=True)
class Mixture:
    """What we know of a number, as a weighted sum of normal densities.

    Attributes:
        means: Of the parts; the last axis runs over parts, others over mixtures.
        sds: Of the parts.
        weights: Of the parts, summing to 1.

    >>> wide = Mixture(np.array([-1.0, 1.0]), np.ones(2), np.array([0.5, 0.5]))
    >>> float(wide.mean), round(float(wide.sd), 4)
    (0.0, 1.4142)
    """

    means: Floats
    sds: Floats
    weights: Floats

    @cached_property
    def mean(self) -> Floats:
        """The mean of each mixture."""
        return np.asarray((self.weights * self.means).sum(axis=-1))

    @cached_property
    def sd(self) -> Floats:
        """The standard deviation of each mixture."""
        deviations = self.means - self.mean[..., None]
        return np.asarray(
            np.sqrt((self.weights * (self.sds**2 + deviations**2)).sum(-1))
        )

    def below(self, value: float | Floats) -> Floats:
        """The probability of a number below `value`."""
        standard = (np.asarray(value)[..., None] - self.means) / self.sds
        return np.asarray((self.weights * ndtr(standard)).sum(axis=-1))

    def quantile(self, share: float) -> Floats:
        """The number below which `share` of each mixture lies.

        >>> one = Mixture(np.zeros(1), np.ones(1), np.ones(1))
        >>> round(float(one.quantile(0.975)), 3)
        1.96
        """
        far = ndtri(share) * self.sds + self.means
        low, high = far.min(axis=-1), far.max(axis=-1)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            under = self.below(middle) < share
            low, high = np.where(under, middle, low), np.where(under, high, middle)
        return np.asarray((low + high) / 2)

    def interval(self, level: float) -> tuple[Floats, Floats]:
        """The central interval that holds `level` of each mixture."""
        return self.quantile((1 - level) / 2), self.quantile((1 + level) / 2)
