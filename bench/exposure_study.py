"""One hierarchical fit over the rows of several readers of the exposure study.

    python -m bench.exposure_study NAME ROWS.csv [ROWS.csv ...]

ROWS are what `python -m bench.exposure_gpu rows` wrote, a file a reader; those of the
published page are in bench/results/exposure_rows. The figures go to
bench/results/replications/exposure-NAME.json.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from measurand.audits.exposure.arms import NEEDED
from measurand.audits.exposure.audit import analyse_accuracies
from measurand.core.finding import SCHEMA, Finding
from measurand.wording.render import say_verdict

HERE = Path(__file__).parent / "results" / "replications"
SEED = 0


def analysed(table: pd.DataFrame, name: str) -> dict[str, Any]:
    """The verdict, every finding, and the mean accuracy of each reader and arm."""
    report = analyse_accuracies(table, name=name, seed=SEED)
    verdict = report.verdict
    right = table.filter(like="correct_").div(table["n"], axis="index")
    means = right.groupby(table["lm"]).mean().round(4)
    return {
        "schema": SCHEMA,
        "verdict": {"label": verdict.label, "reason": say_verdict(verdict)},
        "m": int(table["m"].iloc[0]),
        "n": int(table["n"].iloc[0]),
        "repeats": int(table.groupby(["lm", "task"]).size().min()),
        "tasks": sorted(table["task"].unique()),
        "read": table.groupby("lm")["task"].nunique().to_dict(),
        "accuracy": {
            str(lm): {
                arm.removeprefix("correct_"): float(mean)
                for arm, mean in row.dropna().items()
            }
            for lm, row in means.iterrows()
        },
        "by_task": by_task(table),
        "findings": [told(one) for one in report.findings],
    }


def by_task(table: pd.DataFrame) -> dict[str, dict[str, dict[str, float]]]:
    """The mean accuracy of each reader, task and arm."""
    right = table[[f"correct_{arm}" for arm in NEEDED]].div(table["n"], axis="index")
    means = right.groupby([table["lm"], table["task"]]).mean().round(4)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for (lm, task), row in means.iterrows():
        arms = dict(zip(NEEDED, map(float, row), strict=True))
        found.setdefault(str(lm), {})[str(task)] = arms
    return found


def told(finding: Finding) -> dict[str, Any]:
    """A finding as JSON."""
    return {
        "statistic": finding.statistic,
        "reader": finding.reader,
        "condition": finding.condition,
        "estimate": vars(finding.estimate),
    }


def main(name: str, files: Sequence[str]) -> None:
    """Fit, write and say it."""
    table = pd.concat([pd.read_csv(file) for file in files], ignore_index=True)
    result = analysed(table, name)
    path = HERE / f"exposure-{name}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(result["verdict"], result["accuracy"])
    for one in result["findings"]:
        print(" ", *one.values())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
