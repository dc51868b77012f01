"""How often simulations are run here, and what of so many runs is let pass."""

import os

# `python -m bench simulations` runs them 2,000 times.
RUNS = int(os.environ.get("MEASURAND_RUNS", "400"))
# 400 runs: a true 0.90 would fall below 0.925 nineteen times out of twenty, a true 0.95
# once in ninety; 2,000 runs: so would a true 0.92 below 0.93, and a true 0.95 never.
SLACK = 0.02 if RUNS >= 2000 else 0.025


def covers(covered, most=0.95 + SLACK):
    """Whether 95 % intervals held the truth in as many runs as they should."""
    return 0.95 - SLACK <= covered / RUNS <= most


def rare(count, rate):
    """Whether something was not commoner than its rate by three standard errors.

    400 runs: of 5 % at most 8.3 %, which a true 11 % exceeds nineteen times out of
    twenty; of 2.5 % at most 4.8 %, which a true 7 % does. 2,000 runs: 6.5 and 3.6 %.
    """
    return count / RUNS <= rate + 3 * (rate * (1 - rate) / RUNS) ** 0.5
