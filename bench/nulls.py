"""How often the information of rationales that tell nothing is told from 0.

    python -m bench.nulls OUT [--runs 400]

Every run draws its own benchmark: a claim and evidence whose words bear on the label,
and rationales that cannot add anything. `idle` ones are words by lot, `templates` one
of six phrases by lot, and `again` is the evidence, read a second time beside claim and
evidence. Of each, the share of runs whose interval of LC-IG holds 0.
"""

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd

from measurand.audits.explanations.dealing import (
    DEALS,
    NullGain,
    dealt_rationales,
    repeated_fields,
)
from measurand.audits.explanations.estimates import null_gain_estimate
from measurand.audits.explanations.leaks import FLOOR
from measurand.core.arrays import Floats
from measurand.core.items import Items
from measurand.explainers.adversarial import VACUOUS
from measurand.readers.linear import TfidfReader
from measurand.stats.scores import wilson_share

TRAIN, TEST = 150, 150
VOCABULARY = [f"{a}{b}{c}" for a in "bdfg" for b in "aeiou" for c in "lmnr"]
CUES = {"no": ("dark", "cold"), "yes": ("warm", "bright")}


def make_side(rng: np.random.Generator, n: int, name: str) -> Items:
    """Items whose evidence holds a cue of the label in two of three."""
    labels = rng.choice(["no", "yes"], n)
    rows = []
    for label in labels:
        claim, evidence, idle = (
            [str(word) for word in rng.choice(VOCABULARY, size)] for size in (4, 6, 6)
        )
        if rng.random() < 2 / 3:
            evidence[0] = str(rng.choice(CUES[str(label)]))
        rows.append((" ".join(claim), " ".join(evidence), " ".join(idle), str(label)))
    table = pd.DataFrame(rows, columns=["claim", "evidence", "idle", "label"])
    table["templates"] = rng.choice(VACUOUS, n)
    table["again"] = table["evidence"]
    table.index = pd.Index([f"{name}-{row}" for row in range(n)])
    return Items(table, ("claim", "evidence"))


KINDS = ("idle", "templates", "again")
FIELDS = ("claim", "evidence")


def run_once(number: int) -> dict[str, bool]:
    """Whether the interval of each kind holds 0 in one run."""
    rng = np.random.default_rng([number, 18])
    sides = make_side(rng, TRAIN, "train"), make_side(rng, TEST, "test")
    held = {}
    for kind in KINDS:
        texts = tuple(side.column(kind).tolist() for side in sides)
        pairs = zip(texts, sides, strict=True)
        fixed = tuple(repeated_fields(t, side, FIELDS) for t, side in pairs)
        nulls = dealt_rationales(number, texts, fixed, DEALS)
        own = gold_logs(sides, texts)
        # Texts that stay where they are, as all of `again` do, are read as before.
        dealt = [own if pair == texts else gold_logs(sides, pair) for pair in nulls]
        null = NullGain(np.array(dealt))
        estimate = null_gain_estimate(null.gain_of(own), null)
        held[kind] = estimate.low <= 0 <= estimate.high
    return held


def gold_logs(sides: tuple[Items, Items], texts: tuple[list[str], list[str]]) -> Floats:
    """What a reader of claim, evidence and these texts says of the test labels."""
    train, test = (
        side.keep_fields(*FIELDS).with_field("why", column)
        for side, column in zip(sides, texts, strict=True)
    )
    fitted = TfidfReader().fit(train, np.random.default_rng(0))
    shares = fitted.predict(test)
    rows = np.arange(len(test)), test.gold(("no", "yes"))
    return np.log(np.maximum(shares[rows].astype(float), FLOOR))


def main() -> None:
    """Run, and write the shares."""
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("out", type=Path)
    words.add_argument("--runs", type=int, default=400)
    given = words.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor() as workers:
        held = pd.DataFrame(workers.map(run_once, range(given.runs)))
    shares = {
        kind: {"value": e.value, "low": e.low, "high": e.high, "n": e.n}
        for kind in KINDS
        for e in [wilson_share(int(held[kind].sum()), len(held))]
    }
    sizes = {"train": TRAIN, "test": TEST, "runs": given.runs}
    took = {"seconds": round(time.perf_counter() - start)}
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "nulls.json"
    path.write_text(
        json.dumps({**sizes, "holds_zero": shares, **took}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()
