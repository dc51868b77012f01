"""A small benchmark in plain English with three faults, for the first minute.

Claims about a harbour, an entry of its log next to each, whether the claim is said to
be supported, and why. Planted: refuted claims name more cargo (98 in 100 are long, and
98 in 100 of the others short), so that their length is a cue; the log decides nothing,
since it speaks of other things; and the explanations speak of agreement or of its lack,
so that they give the label away.
"""

from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.benchmarks.english import english_lines
from measurand.benchmarks.metadata import derive_metadata, metadata_schema
from measurand.benchmarks.synthetic_choices import NAMES
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.seeds import generator

SIZES = {"train": 600, "test": 600}
TOLD = 0.98  # share of items whose length is that of their label
LABELS = ("refuted", "supported")
VESSELS = ("barge", "ferry", "schooner", "trawler", "tug", "yawl")
PORTS = ("Bergen", "Cadiz", "Dover", "Genoa", "Hull", "Lisbon", "Porto", "Riga")
WINDS = ("northerly", "southerly", "easterly", "westerly", "gusty", "veering")
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
WHY = {
    "refuted": (
        "The log disagrees: {} is not entered so.",
        "This differs from what was written about {}.",
    ),
    "supported": (
        "The log agrees with this about {}.",
        "This matches what was written of {}.",
    ),
}


def plant_harbour(*, seed: int = 0, sizes: Mapping[str, int] = SIZES) -> Benchmark:
    """Length predicts the label, the evidence does not, and explanations leak it."""
    name = "synthetic:harbour"
    train, test = (
        _plant_logbook(size, side, generator(seed, name, side))
        for side, size in sizes.items()
    )
    train, test = derive_metadata(train, test, "claim", "evidence")
    schema = metadata_schema("evidence")
    fields, metadata = ("claim", "evidence"), tuple(schema)
    return Benchmark(
        name,
        Items(train, fields, metadata=metadata),
        Items(test, fields, metadata=metadata),
        query="claim",
        evidence="evidence",
        rationale="explanation",
        rationales=("explanation",),
        schema=schema,
        roles={
            "query": "claim",
            "evidence": "evidence",
            "label": "label",
            "rationale": "explanation",
        },
        planted=True,
    )


def _plant_logbook(size: int, side: str, rng: np.random.Generator) -> pd.DataFrame:
    """`size` claims with what the log and somebody else say of them."""
    refuted = rng.permutation(np.arange(size) % 2 == 0)
    long = refuted ^ (rng.random(size) > TOLD)
    rows = [
        _write_row(bool(r), bool(n), rng) for r, n in zip(refuted, long, strict=True)
    ]
    table = pd.DataFrame(rows, columns=["claim", "evidence", "label", "explanation"])
    table.index = pd.Index([f"{side}-{number}" for number in range(size)])
    return table


@cache
def _cargoes() -> NDArray[np.str_]:
    """What a vessel may carry: an array, since a list would be made one each time."""
    return np.array(english_lines()["nouns"])


def _write_row(
    refuted: bool, long: bool, rng: np.random.Generator
) -> tuple[str, str, str, str]:
    """A claim, an entry of the log, the label, and the explanation."""
    label = LABELS[0 if refuted else 1]
    count = int(rng.integers(5, 8) if long else rng.integers(1, 3))
    # What `rng.choice` would draw, in a tenth of its time.
    cargo = _cargoes()[rng.integers(0, len(_cargoes()), count)]
    vessel, port, day, wind = (
        words[int(rng.integers(len(words)))] for words in (VESSELS, PORTS, DAYS, WINDS)
    )
    claim = f"On {day} the {vessel} left for {port} carrying {', '.join(cargo)} below."
    master, mate = rng.choice(NAMES, 2, replace=False)
    berth, hour, minute, crates = rng.integers([1, 5, 0, 2], [60, 24, 60, 300])
    evidence = (
        f"Logbook, berth {berth}, {hour:02}:{minute:02}: {crates} crates counted, "
        f"{wind} wind, signed by {master}, master, and {mate}, mate."
    )
    why = WHY[label][int(rng.integers(len(WHY[label])))]
    return claim, evidence, label, why.format(f"the {vessel}")
