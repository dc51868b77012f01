"""The replications of exposure, from what was stored."""

import json
import re
from pathlib import Path
from typing import Any

from bench.exposure_study_page import studies

HERE = Path(__file__).parent / "results" / "replications"
LIGHT = HERE / "exposure-light.json"
CLEAR = 0.05  # adjusted p of a task
COMMAND = "python -m bench.exposure_light DATA/topics OUT"


def exposure() -> str:
    """What the readers `pca` and `idf` say of the topic tasks."""
    report = json.loads(LIGHT.read_text())
    chosen, of = report["settings"], report["benchmark"]
    found = {
        (f["statistic"], f["reader"], f["condition"]): f for f in report["findings"]
    }
    size = f"m={chosen['m']},n={chosen['n']}"
    model = chosen["model"]
    lines = [
        "# Exposure",
        "",
        "## Light readers",
        "",
        f"`{COMMAND} {chosen['repeats']}` with {report['run']['workers']} workers on "
        "a CPU beside other work, "
        f"{report['run']['seconds']:,} s: "
        f"{' and '.join(chosen['readers'])} on {len(of['tasks'])} topic tasks, "
        f"m = {chosen['m']}, n = {chosen['n']}, {chosen['repeats']} draws, seed "
        f"{chosen['seed']}.",
        "",
        f"Verdict: **{report['verdict']['label']}**. {report['verdict']['reason']}.",
        "",
        "| contrast | points [95 %] | spread of tasks [90 %] | beta [89 %] | notable | "
        "cover |",
        "|---|---|---|---|---|---|",
    ]
    for name in ("boost", "bias"):
        # Reports of version 0.1.0 filed the mean of all models under the model's name.
        mean = found.get((name, "all models", size)) or found[name, model, size]
        cells = [
            mean,
            found.get(("task_sd", "all models", f"{name}, {size}")),
            found[f"beta_{name}", model, size],
            found["meta_outside", model, f"{name}, {size}"],
            found["meta_coverage", model, f"{name}, {size}"],
        ]
        row = " | ".join(shown(cell["estimate"]) if cell else "" for cell in cells)
        lines.append(f"| {name} | {row} |")
        alone = {
            reader: found[name, reader, size]["estimate"]
            for reader in chosen["readers"]
            if (name, reader, size) in found
        }
        lines += [
            f"| {name} of {reader} alone | {shown(one)} | | | | |"
            for reader, one in alone.items()
        ]
    lines += ["", "| task | classes | p of boost | p of bias |", "|---|---|---|---|"]
    for task, notes in of["tasks"].items():
        ps = [
            found["p_adjusted", "sign flips", f"{task}, {name}, {size}"]["estimate"]
            for name in ("boost", "bias")
        ]
        row = " | ".join(f"{p['value']:.4f}" for p in ps)
        lines.append(f"| {task} | {notes['classes']:.0f} | {row} |")
    clear = [
        task
        for (what, _, where), one in found.items()
        if what == "p_adjusted" and one["estimate"]["value"] < CLEAR
        for task, contrast, _ in [where.split(", ")]
        if contrast == "bias"
    ]
    lines += [
        "",
        "By sign flips, which ask of the mean over models whether it is above 0, not "
        f"above the margin, these tasks have a bias: {', '.join(clear) or 'none'}.",
    ]
    return "\n".join(
        [*lines, "", *compared(found, size), "", *doses(), *simulated(), *studies()]
    )


def doses() -> list[str]:
    """How small a leak of labels each reader's study finds."""
    lines = [
        "## Dose against recovery",
        "",
        "`python -m bench.exposure_doses rows DATA/topics ROWS.csv` and `figures NAME "
        "ROWS.csv`: a share of the test rows is learned with its labels, in place of "
        "as many labelled rows, m = 50, n = 200. Every seed is a study; a study finds "
        "a dose where the 95 % interval of its gain excludes 0. The least dose that "
        "80 % of the studies find, and every larger one, is held against what the "
        "leaked rows alone foretell: the least that a study as noisy would show 80 % "
        "of the time, by what these rows gained (the median over studies).",
        "",
        "| reader | dose | gain, points [95 %] | of | recovery [95 %] | least dose | "
        "found |",
        "|---|---|---|---|---|---|---|",
    ]
    notes = []
    for path in sorted(HERE.parent.glob("exposure_doses_*.json")):
        told = json.loads(path.read_text())
        lines += [
            f"| {told['reader']} | {one['dose']:.3g} | {shown(one['gain'])} | "
            f"{one['expected']:.2f} | {shown(one['recovery'])} | {one['least']:.3f} | "
            f"{one['found']} of {one['studies']} |"
            for one in told["doses"]
        ]
        notes.append(
            f"{told['reader']} on {', '.join(told['tasks'])}, {told['studies']} "
            f"studies of {told['draws']} draws each: of those tried, "
            f"{share(told, 'foretold')} is the least that was foretold, and "
            f"{share(told, 'found')} the least that was found."
        )
    return [*lines, "", *notes, ""]


def simulated() -> list[str]:
    """How often intervals cover and verdicts err in studies whose truth is known."""
    told = json.loads((HERE.parent / "exposure_design.json").read_text())
    figures = {one["what"]: one["value"] for one in told["figures"]}

    def over(settings: str, name: str) -> str:
        values = [
            100 * value
            for what, value in figures.items()
            if re.fullmatch(rf"{settings}, {name}", what)
        ]
        return f"{min(values):.1f} to {max(values):.1f} %"

    return [
        "## Simulated studies",
        "",
        f"`python -m bench exposure_design`: {figures['studies a setting']:,} studies "
        "of six tasks and 20 draws in each of 24 settings: the mean at the margin or "
        "zero, tasks that differ by 0, 0.1 or 0.2 log-odds, pools of 450 and 20,000 "
        "rows, arms that agree little or much.",
        "",
        f"- 89 % intervals cover the mean over the tasks in {over('.*', 'covered')}. "
        "Were draws of one pool of 450 taken as independent, they would cover in "
        f"{over('.*_pool_450_high', 'covered_by_draws_alone')} where arms agree much.",
        f"- With the mean at the margin {over('margin_.*', 'inflated')} are called "
        "inflated, or name a task that is not; with a mean of zero, "
        f"{over('null_.*', 'inflated')}.",
        f'- "Not inflated" is said and false in {over(".*", "false_not_inflated")}.',
        "- Of tasks alike without any effect it is said in "
        f"{over('null_spread_0_.*_high', 'not_inflated')} where arms agree much, and "
        f"in {over('null_spread_0_.*_low', 'not_inflated')} where they agree little.",
        "",
    ]


def share(told: dict[str, Any], name: str) -> str:
    """A dose, or that there is none."""
    return "none" if told[name] is None else f"{told[name]:.3g}"


def compared(found: dict[tuple[str, str, str], Any], size: str) -> list[str]:
    """The evidence for each model of the bias."""
    told = {
        model: found["log_evidence", model, f"bias, {size}"]["estimate"]["value"]
        for model in ("observation", "paper", "released")
    }
    best = told["observation"]
    apart = [f"{value - best:+,.0f} nats for `{m}`" for m, value in told.items()][1:]
    return [
        "p-values are one-sided sign flips, adjusted over the tasks. Log evidence of "
        "the bias, against the model with an observation effect: "
        f"{' and '.join(apart)}."
    ]


def shown(estimate: dict[str, Any]) -> str:
    """A value with its interval."""
    return f"{estimate['value']:.3f} [{estimate['low']:.3f}, {estimate['high']:.3f}]"
