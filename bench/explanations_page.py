"""The replications of explanations, from what was stored."""

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "results"
REPORTS = {
    "light": "`python -m bench.explanations light DATA OUT`: readers that need no GPU, "
    "the judge counts words; linear readers train by no chance, so rationales are "
    "dealt anew five times instead",
    "minilm": "`python -m bench.explanations encoders DATA OUT --judge NLI "
    "--judge-data TEXT --weights MINILM` on one H200, three seeds",
    "prompted": "`python -m bench.explanations prompted DATA OUT --judge NLI --weights "
    "MINILM --model LLM` on one H200",
}
NAMES = ("esnli", "fever", "boolq")
COLUMNS = (
    *("robustness", "agreement", "rationale_only", "residual_leakage", "lcig"),
    *("lcig_within_label", "informativeness", "specificity", "copied", "varif"),
)
SHARED = ("robustness", "agreement", "specificity", "copied", "drift_likeness")
AIMS = {
    "gold": "by the gold label (the proposal)",
    "random": "by a random label",
    "agnostic": "by no label (the default)",
}


def explanations() -> str:
    """The section, as far as there is something to say."""
    lines = ["# Explanations", "", *nulls(), *pairs(), *masks(), *judging()]
    for kind, made_by in REPORTS.items():
        paths = [HERE / "replications" / f"explanations-{n}-{kind}.json" for n in NAMES]
        found = [json.loads(path.read_text()) for path in paths if path.exists()]
        if found:
            lines += [f"## {kind}", "", f"By {made_by}.", ""]
        for report in found:
            lines += [*section(report), *statements(report), ""]
    return "\n".join([*lines, ""])


def nulls() -> list[str]:
    """How often rationales that tell nothing are told from nothing."""
    path = HERE / "nulls.json"
    if not path.exists():
        return []
    found = json.loads(path.read_text())
    shares = [f"{share(one)} of {kind}" for kind, one in found["holds_zero"].items()]
    return [
        "## Null rationales",
        "",
        f"By `python -m bench.nulls OUT`: {found['runs']} simulated benchmarks of "
        f"{found['train']} training and {found['test']} test items. The 95 % interval "
        f"of LC-IG holds 0 in {', '.join(shares)} rationales (words by lot, one of six "
        "phrases by lot, and the evidence read a second time).",
        "",
    ]


def pairs() -> list[str]:
    """Which minimal pairs judges take for paraphrases."""
    path = HERE / "judge_pairs.json"
    if not path.exists():
        return []
    rows, kinds = [], ("changed meaning", "same meaning")
    parts = [kind + held for kind in kinds for held in ("", ", held out")]
    parts += ["roles", "order", "number", "word"]
    for judge_name, found in json.loads(path.read_text()).items():
        for preset in ("default", "paper"):
            cells = " | ".join(share(found[preset][part]) for part in parts)
            rows.append(f"| {judge_name} | {preset} | {cells} |")
    return [
        "## Minimal pairs",
        "",
        "By `python -m bench.judge_pairs OUT --judge NLI`: the share of packaged pairs "
        "that the filter of each preset takes for paraphrases.",
        "",
        "| judge | preset | " + " | ".join(parts) + " |",
        "|---" * (len(parts) + 2) + "|",
        *rows,
        "",
    ]


def share(one: dict[str, float]) -> str:
    """A share with its interval."""
    return f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"


def masks() -> list[str]:
    """What a detector still finds in masked explanations."""
    found = json.loads((HERE / "masking.json").read_text())
    shares = list(found["agnostic"])
    train, test = found["items"]
    rows = [
        f"| {said} | " + " | ".join(f"{found[aim][s]:.3f}" for s in shares) + " |"
        for aim, said in AIMS.items()
    ]
    return [
        "## Masks",
        "",
        f"By `python -m bench.masking DATA OUT` of version 0.2.0, the last that placed "
        "masks by a random label: `tfidf` detectors of the first explanation of "
        f"e-SNLI, {train:,} to learn from and {test:,} to ask about, "
        "runs of blanks collapsed. Accuracy of a detector trained anew on what the "
        f"mask leaves; {found['whole']:.3f} before any mask, majority "
        f"{found['majority']:.3f}.",
        "",
        "| mask placed | " + " | ".join(f"{float(s):.0%}" for s in shares) + " |",
        "|---" * (len(shares) + 1) + "|",
        *rows,
        "",
        f"Within 0.05 of the majority at some strength: {hiding_aims(found)}. "
        "Five strengths without a label, with the detectors trained anew, take "
        f"{found['agnostic_cpu_seconds']:.0f} CPU seconds "
        f"({found['agnostic_seconds']:.0f} s by the clock on two shared cores).",
        "",
    ]


def hiding_aims(found: dict[str, Any]) -> str:
    """The masks that hide the label at some strength."""
    limit = found["majority"] + 0.05
    hiding = [said for aim, said in AIMS.items() if min(found[aim].values()) <= limit]
    return ", ".join(hiding) or "none"


def judging() -> list[str]:
    """How fast pairs are judged."""
    f = json.loads((HERE / "judging.json").read_text())
    return [
        "## Judging",
        "",
        f"By `python -m bench.judging NLI OUT` on one {f['device']}, torch "
        f"{f['torch']}: {f['pairs']:,} pairs both ways with an entailment classifier "
        f"of MiniLM's size take {f['seconds']:.2f} s, tokenising included; a plain "
        f"fp32 loop at batch 32 takes {f['plain_seconds']:.2f} s in the same run: "
        f"**{f['ratio']:.1f} times**. Scores differ by {f['mean_difference']:.4f} on "
        f"average and {f['largest_difference']:.4f} at most.",
        "",
    ]


def section(report: dict[str, Any]) -> list[str]:
    """One data set: the axes of every explainer, and the hypotheses."""
    of, by = report["benchmark"], {}
    for f in report["findings"]:
        by.setdefault((f["statistic"], f["condition"]), f)
    rows = []
    for reader in report["settings"]["masked"]:
        own = {
            (f["statistic"], f["condition"]): f
            for f in report["findings"]
            if f["reader"] == reader
        }
        for name in report["settings"]["explainers"]:
            found = [(own | missing(by, own)).get((c, name)) for c in COLUMNS]
            row = " | ".join(map(cell, found))
            rows.append(f"| {reader} | {name} | {row} |")
    answers = [
        f"| {h} | {by[h, c]['condition']} | {cell(by[h, c])} | {by[h, c]['decision']} |"
        for h, c in by
        if h in ("h1", "h2", "h3", "h4", "h5")
    ]
    judge = report["settings"]["judge"]
    return [
        f"### {of['name']}",
        "",
        f"{of['train']:,} train and {of['test']:,} test items; x is {of['input']}; "
        f"judge {judge['name']}"
        + (f" (sha256 {judge['digest'][:12]})" if judge["digest"] else "")
        + f", trained on: {judge['trained on']}; majority "
        f"{cell(by['majority', 'all'])}.",
        "",
        f"Verdict: **{report['verdict']['label']}**"
        f"{' (provisional)' if report['verdict']['provisional'] else ''}. "
        f"{report['verdict']['reason']}.",
        "",
        "| reader | explainer | " + " | ".join(COLUMNS) + " |",
        "|---" * (len(COLUMNS) + 2) + "|",
        *rows,
        "",
        "| hypothesis | of | estimate | decision |",
        "|---|---|---|---|",
        *answers,
        "",
    ]


def statements(report: dict[str, Any]) -> list[str]:
    """What the figures say, one line each, every word of it decided by them."""
    reader = [*report["settings"]["masked"]][-1]
    found: dict[str, dict[str, Any]] = {}
    for f in report["findings"]:
        if f["reader"] == reader or f["statistic"] in SHARED:
            found.setdefault(f["statistic"], {})[f["condition"]] = f
    lines = [
        f"- By {reader}, LC-IG is surely above 0 for {names_above(found, 'lcig')}; "
        f"within the label, for {names_above(found, 'lcig_within_label')}.",
        f"- Leakage that the mask left: {decided(found, 'residual_leakage')}.",
        f"- A fixed reader asked about attacks: {decided(found, 'attack_fall')}.",
        f"- Near-copies of the input: {named(found, 'copied', 0.33)} "
        "(share wholly above 0.33).",
    ]
    if "drift_likeness" in found:
        near = [
            f"{f['reader']} {cell(f)}"
            for f in report["findings"]
            if f["statistic"] == "drift_likeness"
        ]
        lines.append(f"- A drift is as like what it was made of as {', '.join(near)}.")
    spans = [
        f"{name} {cell(f)} and {cell(found['sufficiency'][name])}"
        for name, f in found.get("comprehensiveness", {}).items()
    ]
    if spans:
        lines.append(f"- Comprehensiveness and sufficiency: {'; '.join(spans)}.")
    aucs = [
        f"{f['condition']} {cell(f)}"
        for f in report["findings"]
        if f["statistic"].startswith("auc_") and f["reader"] == "varif"
    ]
    if aucs:
        lines.append(f"- AUC of VARIF against the suite: {', '.join(aucs)}.")
    return [*lines, *(f"- Warning: {line}." for line in report["warnings"])]


def names_above(found: dict[str, dict[str, Any]], statistic: str) -> str:
    """The explainers of which a figure is surely above 0."""
    return named(found, statistic, 0.0)


def named(found: dict[str, dict[str, Any]], statistic: str, least: float) -> str:
    """The explainers of which a figure is wholly above this, with the figure."""
    above = [
        f"{name} ({cell(f)})"
        for name, f in found.get(statistic, {}).items()
        if f["estimate"]["low"] > least
    ]
    return ", ".join(above) or "none"


def decided(found: dict[str, dict[str, Any]], statistic: str) -> str:
    """What was decided of each condition."""
    words: dict[str, list[str]] = {}
    for name, f in found.get(statistic, {}).items():
        words.setdefault(str(f["decision"]), []).append(name)
    return "; ".join(f"{what}: {', '.join(who)}" for what, who in words.items())


def missing(
    by: dict[tuple[str, str], Any], own: dict[tuple[str, str], Any]
) -> dict[tuple[str, str], Any]:
    """The figures that no reader has a part in: robustness, specificity and copies."""
    return {k: f for k, f in by.items() if k[0] in SHARED and k not in own}


def cell(found: dict[str, Any] | None) -> str:
    """A value with its interval; empty where it was not run."""
    if found is None:
        return ""
    e = found["estimate"]
    return f"{e['value']:z.3f} [{e['low']:z.3f}, {e['high']:z.3f}]"
