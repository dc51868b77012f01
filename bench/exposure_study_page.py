"""The replications of exposure with language models, from what was stored."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "results"
STUDIES = {
    "lms": (
        "Encoder and decoder",
        "`python -m bench.exposure_gpu rows OUT --name minilm --arm base --arm extra "
        "--arm test --arm overtrained` and `rows OUT --name smollm2 --stacked 4` (a "
        "classifier by the last token) on one H200, each with --weights, --data and "
        "--workers 1; then `python -m bench.exposure_study lms "
        "bench/results/exposure_rows/minilm.csv "
        "bench/results/exposure_rows/smollm2.csv`: one fit of both. MiniLM comes "
        "without a language-model head, so adaptation starts one from nothing, and "
        "costs accuracy; it is fine-tuned at a rate of 1e-4, SmolLM2 at 5e-5. It alone "
        "has the overtrained arm. The rows of SmolLM2 are older than the rule that the "
        "short batch of an epoch comes last",
    ),
    "zero": (
        "Zero-shot decoder",
        "`python -m bench.exposure_gpu rows OUT --name smollm2-zero --n 100 --repeats "
        "10` with `--task` for each task below, --weights and --data, on one H200, "
        "trained on the prompts without answers: by adapters where peft was installed, "
        "all weights elsewhere, which these rows, older than the column `trained`, do "
        "not say; then `python -m "
        "bench.exposure_study zero bench/results/exposure_rows/smollm2-zero.csv`. A "
        "model of 135 million weights answers some of these tasks at or below chance, "
        "and a gain there is no sign of having learned the task",
    ),
}
MODEL, ALL = "observation", "all models"  # what findings of all are filed under
EFFECTS = ("boost", "bias", "beta_boost", "beta_bias")
P_VALUES = ("p of boost", "p of bias")
ARMS = ("base", "extra", "test", "overtrained_extra", "overtrained_test")


def studies() -> list[str]:
    """The studies, the speed and what the two ways answer, as far as there are any."""
    lines: list[str] = []
    for name, (title, made_by) in STUDIES.items():
        path = HERE / "replications" / f"exposure-{name}.json"
        if path.exists():
            lines += study(json.loads(path.read_text()), title, made_by)
    return [*lines, *speed(), *accuracy()]


def study(found: dict[str, Any], title: str, made_by: str) -> list[str]:
    """One study."""
    size = f"m={found['m']},n={found['n']}"
    by = {
        (f["statistic"], f["condition"], f["reader"]): f["estimate"]
        for f in found["findings"]
    }
    lines = [
        f"## {title}",
        "",
        f"{made_by}. {len(found['tasks'])} tasks, m = {found['m']}, "
        f"n = {found['n']}, {found['repeats']} draws a task and model.",
        "",
        f"Verdict: **{found['verdict']['label']}**. {found['verdict']['reason']}.",
        "",
        "| arms | boost, points [95 %] | bias, points [95 %] | beta of boost [89 %] | "
        "beta of bias [89 %] |",
        "|---|---|---|---|---|",
    ]
    rows = [("ordinary", size, ALL), ("overtrained", f"{size},overtrained", ALL)]
    rows += [(f"ordinary, {lm} alone", size, lm) for lm in found["accuracy"]]
    for said, where, reader in rows:
        model = MODEL if reader == ALL else reader
        told = [
            by.get((name, where, model if name.startswith("beta") else reader))
            for name in EFFECTS
        ]
        cells = " | ".join(shown(one) if one else "" for one in told)
        lines += [f"| {said} | {cells} |"] if any(told) else []
    lines += ["", *accuracies(found), *losses(by), *tasks(found, by, size)]
    return lines


def accuracies(found: dict[str, Any]) -> list[str]:
    """The mean accuracy of each reader and arm."""
    arms = [
        arm for arm in ARMS if any(arm in own for own in found["accuracy"].values())
    ]
    rows = [
        f"| {lm} | {found['read'][lm]} | "
        + " | ".join(f"{own[a]:.4f}" if a in own else "" for a in arms)
        + " |"
        for lm, own in found["accuracy"].items()
    ]
    head = " | ".join(arm.replace("_", ", ") for arm in arms)
    return [
        f"| accuracy of | tasks | {head} |",
        "|---" * (len(arms) + 2) + "|",
        *rows,
        "",
    ]


def losses(by: dict[tuple[str, str, str], Any]) -> list[str]:
    """What reading the texts twice as often does to the loss on them."""
    lines = []
    for (what, at, reader), estimate in by.items():
        if what == "lm_loss_lower":
            change = by["lm_loss_change", at, reader]
            lines += [
                f"Overtrained {reader}: language-model loss lower in "
                f"{estimate['value'] * estimate['n']:.0f} of {estimate['n']} pairs, by "
                f"{-change['value']:.1f} % [{-change['high']:.1f}, "
                f"{-change['low']:.1f}] on average.",
                "",
            ]
    return lines


def tasks(
    found: dict[str, Any], by: dict[tuple[str, str, str], Any], size: str
) -> list[str]:
    """The accuracies of each task, and its adjusted p-values."""
    rows = []
    for task in found["tasks"]:
        ps = [
            by["p_adjusted", f"{task}, {name}, {size}", "sign flips"]["value"]
            for name in ("boost", "bias")
        ]
        right = [
            " → ".join(f"{share:.3f}" for share in each[task].values())
            for each in found["by_task"].values()
        ]
        cells = [task, *right, *(f"{p:.4f}" for p in ps)]
        rows.append("| " + " | ".join(cells) + " |")
    heads = [*(f"{lm}: base → extra → test" for lm in found["by_task"]), *P_VALUES]
    return [
        "P-values are of one-sided sign flips"
        + (" of the mean over models" if len(found["by_task"]) > 1 else "")
        + ", Benjamini-Hochberg over tasks.",
        "",
        "| task | " + " | ".join(heads) + " |",
        "|---" * (len(heads) + 1) + "|",
        *rows,
        "",
    ]


def speed() -> list[str]:
    """How fast triples are trained, against the published procedure."""
    path = HERE / "exposure_speed.json"
    if not path.exists():
        return []
    f = json.loads(path.read_text())
    return [
        "## Speed of the experiment",
        "",
        f"`python -m bench.exposure_gpu speed` on one {f['device']}, torch "
        f"{f['torch']}: BERT-base size from random weights, m = 100, n = 200, "
        f"{f['mean_tokens']:.0f} tokens a text, base, extra and test arms. The "
        "published procedure (Trainer, fp32, a model loaded a run, weights saved and "
        f"loaded between stages) takes {f['published_seconds']:.2f} s a triple over "
        f"{f['published_triples']} triples; the audit, {f['stack']} models stacked and "
        f"their steps captured, {f['ours_seconds']:.3f} s over {f['ours_triples']}, "
        f"after {f['first_groups_seconds']:.0f} s for the first two groups: **"
        f"{f['ratio']:.1f} times** more triples an hour. That is "
        f"{f['over_arithmetic_floor']:.1f} times the arithmetic floor "
        f"({f['arithmetic_floor_seconds']:.3f} s at {f['matrix_rate_tflops']:.0f} "
        f"TFLOP/s) and {f['over_traffic_floor']:.1f} times the floor of the "
        f"optimizer's memory traffic ({f['traffic_floor_seconds']:.3f} s at "
        f"{f['copy_rate_tbs']:.1f} TB/s), both measured in the same run. The paper's "
        f"27,000 triples would take {f['study_hours_ours']:.1f} hours, and "
        f"{f['study_hours_published']:.0f} as published.",
        "",
    ]


def accuracy() -> list[str]:
    """Whether both ways answer equally well."""
    path = HERE / "exposure_accuracy.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    rows = []
    for name, f in found["differences"].items():
        value, low, high = f["difference"]
        rows.append(
            f"| {name} | {f['n']} | {f['ours']:.3f} | {f['published']:.3f} | "
            f"{value:.3f} [{low:.3f}, {high:.3f}] | "
            f"{'yes' if f['equivalent'] else 'not shown'} |"
        )
    return [
        f"`python -m bench.exposure_gpu accuracy OUT --m {found['m']} --n {found['n']} "
        "--repeats 96 --workers 16` with `--task` for each task below, --weights and "
        "--data: the same draws both ways with pretrained MiniLM at the paper's rates, "
        f"on {found['device'].replace('cpu', 'a CPU')}, ours stacked and in "
        f"{found['ours_in']} precision; equivalent within {found['margin']} where the "
        "95 % interval of the mean difference lies inside. With the same head, order "
        "and masks and without dropout the two differ in rounding alone "
        "(`tests/readers/test_encoder_trainer.py`).",
        "",
        "| of | draws | ours | published | difference | equivalent |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
    ]


def shown(estimate: dict[str, Any]) -> str:
    """A value with its interval."""
    low, high = estimate["low"], estimate["high"]
    return f"{estimate['value']:z.3f} [{low:z.3f}, {high:z.3f}]"
