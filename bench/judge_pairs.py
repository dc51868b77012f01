"""Which minimal pairs judges take for paraphrases.

    python -m bench.judge_pairs OUT [--judge NLI]

By `lexical`, and by an entailment classifier where one is named, each with the default
filter and alone, as in the proposal.
"""

import argparse
import json
from pathlib import Path

from measurand.audits.explanations.instrument import judge_record, minimal_pair_findings
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.experiment.experiment import open_experiment
from measurand.judges import load_judge


def main() -> None:
    """Measure, and write the shares."""
    words = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    words.add_argument("out", type=Path)
    words.add_argument("--judge", action="append", default=[])
    given = words.parse_args()
    items = plant_rationales("none", leaky=False, seed=0, sizes={"train": 4, "test": 4})
    found = {}
    with open_experiment(items) as running:
        for judge in ("lexical", *given.judge):
            record = judge_record(judge, None)
            shares = {
                preset: {
                    f.condition: {
                        "value": f.estimate.value,
                        "low": f.estimate.low,
                        "high": f.estimate.high,
                        "n": f.estimate.n,
                    }
                    for f in minimal_pair_findings(
                        running, load_judge(judge), str(record["name"]), preset
                    )
                }
                for preset in ("default", "paper")
            }
            found[str(record["name"])] = {"digest": record["digest"], **shares}
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "judge_pairs.json"
    path.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
