"""Estimate: a number with its interval, its n and its method."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """A number that never travels alone.

    >>> print(Estimate(0.3, 0.28, 0.32, 0.95, 1000, "bootstrap"))
    0.300 [0.280, 0.320]
    >>> print(Estimate(0.0001, 0.0001, 0.0001, 1.0, 20, "sign flips"))
    <0.001
    >>> print(Estimate(-0.0001, -0.3, 0.3, 0.95, 1000, "bootstrap"))  # no "-0.000"
    0.000 [-0.300, 0.300]
    """

    value: float
    low: float
    high: float
    level: float
    n: int
    method: str

    def __str__(self) -> str:
        """The value and its interval; alone where it is exact or a p-value."""
        if self.level == 1:
            return "<0.001" if 0 < self.value < 0.0005 else f"{self.value:z.3f}"
        return f"{self.value:z.3f} [{self.low:z.3f}, {self.high:z.3f}]"

    def __float__(self) -> float:
        """The value alone, where a plain number is asked for.

        >>> float(Estimate(0.3, 0.28, 0.32, 0.95, 1000, "bootstrap"))
        0.3
        """
        return self.value

    def within(self, margin: float) -> bool:
        """Whether the whole interval lies inside ± `margin`."""
        return -margin < self.low and self.high < margin
