"""Cross-fitted masks at five strengths on human explanations, with tfidf on two cores.

    python -m bench.masking DATA OUT

DATA holds `esnli_dev.jsonl.gz` and `esnli_test.jsonl.gz`. To OUT goes a table of what a
detector still finds in masked explanations, for masks placed by the gold label, by a
random one and by none; and the seconds that each takes, of a clock and of all CPUs.
"""

import json
import sys
import time
from pathlib import Path

from bench.esnli import spent
from measurand.audits.explanations.fields import restrict_fields
from measurand.audits.explanations.masking import (
    AIMS,
    RationaleMasking,
    mask_rationales,
    retrain_detectors,
    weakest_strength,
)
from measurand.benchmarks import files
from measurand.benchmarks.assemble import from_frames
from measurand.core.benchmark import Benchmark
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader

FIELD = "explanation_1"
MOST = (
    60.0  # seconds for the masks of 10,000 explanations and as many to be asked about
)
DETECTOR = TfidfReader(folds=0)


def explanations(data: Path) -> Benchmark:
    """The explanations of e-SNLI: those of dev to learn from, those of test to ask."""
    sides = [
        files.read_table_file(str(data / f"esnli_{side}.jsonl.gz"))[
            ["premise", "label", FIELD]
        ]
        for side in ("dev", "test")
    ]
    made = from_frames(*sides, name="esnli", query=FIELD, evidence="premise")
    texts = [{FIELD: items.column(FIELD)} for items in (made.train, made.test)]
    return restrict_fields(made, ("premise",), texts, {FIELD: FIELD}, crossed=True)


def masked_and_asked(made: Benchmark, how: RationaleMasking) -> dict[float, float]:
    """The accuracy of a detector retrained at each strength, from an empty store."""
    with open_experiment(made, workers=2) as place:
        masks = mask_rationales(place, DETECTOR, FIELD, how)
    names = {share: f"masked {share:g}" for share in masks}
    hidden = [{names[s]: masks[s][side] for s in masks} for side in (0, 1)]
    other = restrict_fields(
        made, ("premise",), hidden, {name: name for name in names.values()}
    )
    with open_experiment(other, workers=2) as place:
        right = retrain_detectors(place, DETECTOR, names)
    weakest = weakest_strength(right, majority(made))
    print(f"{how.aim}: weakest that meets the target {weakest}")
    return {share: float(one.mean()) for share, one in right.items()}


def majority(made: Benchmark) -> float:
    """The share of the commonest label of the test items."""
    return float(made.test.labels.value_counts(normalize=True).max())


def main(data: Path, out: Path) -> None:
    """Measure, print and write."""
    made = explanations(data)
    with open_experiment(made) as place:
        whole = float(retrain_detectors(place, DETECTOR, {0.0: FIELD})[0.0].mean())
    found: dict[str, object] = {"majority": majority(made), "whole": whole}
    for aim in AIMS:
        start, used = time.perf_counter(), time.process_time() + spent()
        found[aim] = masked_and_asked(made, RationaleMasking(aim))
        found[f"{aim}_seconds"] = round(time.perf_counter() - start, 1)
        cpu = time.process_time() + spent() - used  # of all processes
        found[f"{aim}_cpu_seconds"] = round(cpu, 1)
    found["items"] = [len(made.train), len(made.test)]
    found["target_seconds"] = MOST
    (out / "masking.json").write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
