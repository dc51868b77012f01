"""Rationales whose worth is planted: they state the label, complete x, or say nothing.

x holds a sum: of the label (-1 or 1) and of noise (-1 or 1). Where the sum is 0, x says
nothing about the label. A rationale that tells the noise alone is independent of the
label, and together with x gives it away.
"""

import numpy as np
import pandas as pd

from measurand.core.benchmark import Benchmark
from measurand.core.items import Items

FILLERS = [f"{a}{b}" for a in ("ba", "ke", "lo", "mi", "nu") for b in "rstvxz"]
SUMS = {-2: "under", 0: "even", 2: "over"}


def side(n, seed, kind):
    """Items, and one rationale each: of the kind `stating`, `completing` or `idle`."""
    rng = np.random.default_rng(seed)
    label, noise = rng.choice([-1, 1], n), rng.choice([-1, 1], n)
    rows, texts = [], []
    for y, e in zip(label, noise, strict=True):
        told = {
            "stating": f"the answer is {'yes' if y > 0 else 'no'} since",
            "completing": f"the drift is {'upward' if e > 0 else 'downward'} since",
            "idle": "the answer is plain since",
        }[kind]
        words = [str(word) for word in rng.choice(FILLERS, 6)]
        claim = f"{' '.join(words[:3])} {SUMS[int(y + e)]}"
        rows.append((claim, "yes" if y > 0 else "no"))
        texts.append(f"{told} {' '.join(words[3:])}")
    ids = [f"{seed}-{number}" for number in range(n)]
    table = pd.DataFrame(rows, ids, ["claim", "label"])
    return Items(table, ("claim",)), texts


def skewed(n=600, share=0.04, seed=0):
    """Rationales that name one rare label in cipher, and items that tell nothing."""
    rng = np.random.default_rng(seed)
    sides = []
    for start in (0, n):
        rare = rng.random(n) < share
        words = rng.choice(FILLERS, (n, 5))
        texts = [
            f"{'vok' if told else 'zib'} for {' '.join(row[:2])} as seen"
            for told, row in zip(rare, words, strict=True)
        ]
        claims = [" ".join(row[2:]) for row in words]
        table = pd.DataFrame(
            {"claim": claims, "label": np.where(rare, "bad", "good")},
            [f"i{number}" for number in range(start, start + n)],
        )
        sides.append((Items(table, ("claim",)), texts))
    (train, seen), (test, asked) = sides
    return Benchmark("skewed", train, test, "claim"), seen, asked


def planted(kind, n=400, seed=0):
    """A benchmark, and the rationales of its training and test items."""
    seeds = 2 * seed, 2 * seed + 1
    (train, seen), (test, asked) = (side(n, one, kind) for one in seeds)
    return Benchmark("planted", train, test, "claim"), seen, asked
