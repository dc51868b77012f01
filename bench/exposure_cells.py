"""What the audit says of published accuracies, size by size, beside the paper.

    python -m bench.exposure_cells ACCURACIES.csv    store the figures of every size
    python -m bench.exposure_cells                   print the table of what is stored

A file of several experiments is analysed an experiment at a time, each of its sizes by
itself; the last row of an experiment is its grid, whose sizes share the false alarms.

Of m = 100 only the means are published. Their rows have the paper's mean over its two
models and the interval that the accuracies of m = 50 give at the same n, where there
are as many draws, and say so: draws may vary less or more with other training sets.
"""

import json
import sys
from typing import Any

import pandas as pd

from bench.figures import RESULTS
from measurand.audits.exposure.analysis import pair_sizes
from measurand.audits.exposure.columns import ALL
from measurand.audits.exposure.conclude import conclude
from measurand.audits.exposure.facts import NO_ROWS, SizeFacts, StudyFacts
from measurand.audits.exposure.statistics.counts import (
    name_size,
    rows_by_size,
    study_counts,
)
from measurand.core.estimate import Estimate
from measurand.core.finding import Verdict

STORED = RESULTS / "exposure_cells.json"
MARGIN = 1.0
NOT_STORED = "accuracies not at hand"
BORROWED = "not inflated, were draws as varied as at m=50"
MEANS = {  # Table 1: the mean bias of BERT and of GPT-2 in points, where that is all
    "m=100,n=50": (-0.08, -0.05),
    "m=100,n=100": (-0.37, 0.03),
    "m=100,n=200": (0.33, -0.01),
    "m=100,n=500": (-0.16, -0.21),
}
# What the paper says: Table 1, the mean bias of BERT and of GPT-2 in points; section 9.
PAPER = {
    "m=50,n=50": "0.19 and 0.18",
    "m=50,n=100": "0.18 and 0.11",
    "m=50,n=200": "-0.39 and -0.05",
    "m=50,n=500": "0.48 and -0.08",
    **{size: f"{bert} and {gpt2}" for size, (bert, gpt2) in MEANS.items()},
    "zero-shot, m=100,n=100": "12 of 25 tasks above 0; no adjusted p below 0.5",
    "overtraining": "near 0 at every size; the boost is negative",
}
HEAD = (
    "| size | bias, points [95 %] | by model | paper, BERT and GPT-2 | bound | tasks "
    "named | verdict |",
    "|---|---|---|---|---|---|---|",
)


def cells(table: pd.DataFrame) -> list[dict[str, Any]]:
    """One row a size of each experiment, and one for all of them."""
    counts = study_counts(table)
    rows = []
    for experiment, part in counts.groupby("experiment", sort=True):
        sizes = [each for _, each in rows_by_size(part)]
        alone = [size_facts(each, 1) for each in sizes]
        rows += [row(facts.name, [facts]) for facts in alone]
        grid = [size_facts(each, len(sizes)) for each in sizes]
        if len(grid) > 1:
            rows.append(row(f"{experiment or 'all'} sizes", grid))
    return rows


def size_facts(counts: pd.DataFrame, sizes: int) -> SizeFacts:
    """What one size is judged by."""
    paired = pair_sizes(counts)
    boost = paired["boost"].together if "boost" in paired else None
    name, bias = name_size(counts), paired["bias"]
    return SizeFacts(name, bias, MARGIN, sizes, boost, uncontrolled=NO_ROWS)


def row(name: str, sizes: list[SizeFacts]) -> dict[str, Any]:
    """The verdict on some sizes with the figures that it rests on."""
    verdict = conclude(StudyFacts(sizes))
    bias = sizes[0].bias if len(sizes) == 1 else None
    effects = {ALL: bias.together, **bias.alone} if bias else {}
    return {
        "size": name,
        "label": verdict.label,
        "bound": round(100 * bound_of(verdict), 4),
        "bias": {lm: ends(effect.estimate) for lm, effect in effects.items()},
        "tasks": sorted(named_tasks(verdict)),
    }


def bound_of(verdict: Verdict) -> float:
    """The bound as a number; every verdict has one."""
    assert verdict.bound is not None, "every verdict of exposure has one"
    return verdict.bound.value


def named_tasks(verdict: Verdict) -> set[str]:
    """The tasks that some clause names."""
    names = [clause.facts.get("task") for clause in verdict.clauses]
    return {name.text for name in names if hasattr(name, "text")}


def ends(estimate: Estimate) -> list[float]:
    """An estimate as value, low end and high end."""
    return [round(end, 4) for end in (estimate.value, estimate.low, estimate.high)]


def table_of(rows: list[dict[str, Any]]) -> str:
    """The rows in Markdown, beside the paper's."""
    lines = [*HEAD]
    for each in rows:
        bias = dict(each["bias"])
        together = bias.pop(ALL, None)
        paper = PAPER.get(each["size"].removeprefix("main, "), "")
        shown = (
            f"{together[0]:.2f} [{together[1]:.2f}, {together[2]:.2f}]"
            if together
            else ""
        )
        models = ", ".join(f"{lm} {value[0]:.2f}" for lm, value in bias.items())
        tasks = ", ".join(each["tasks"]) or "none"
        lines.append(
            f"| {each['size']} | {shown} | {models} | {paper} | "
            f"{each['bound']:.2f} | {tasks} | {each['label']} |"
        )
    stored = {each["size"].removeprefix("main, "): each for each in rows}
    for size, paper in PAPER.items():
        if size not in stored:
            like = stored.get(size.replace("m=100", "m=50"))
            interval, bound, label = borrow(size, like) if like else ("", "", "")
            label = label or NOT_STORED
            lines.append(f"| {size} | {interval} | | {paper} | {bound} | | {label} |")
    return "\n".join(lines)


def borrow(size: str, like: dict[str, Any]) -> tuple[str, str, str]:
    """The published mean with the interval and bound of a size with as many draws."""
    if size not in MEANS:
        return "", "", ""
    value, low, high = like["bias"][ALL]
    mean = sum(MEANS[size]) / len(MEANS[size])
    bound = max(0.0, mean + like["bound"] - value)
    interval = f"{mean:.2f} [{mean + low - value:.2f}, {mean + high - value:.2f}]"
    is_small = mean + low - value <= 0 and bound <= MARGIN
    return interval, f"{bound:.2f}", BORROWED if is_small else ""


def main(arguments: list[str]) -> None:
    """Store the figures of a file, and print the table of what is stored."""
    if arguments:
        rows = cells(pd.read_csv(arguments[0]))
        STORED.write_text(json.dumps({"rows": rows}, indent=1) + "\n")
    print(table_of(json.loads(STORED.read_text())["rows"]))


if __name__ == "__main__":
    main(sys.argv[1:])
