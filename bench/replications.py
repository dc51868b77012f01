"""Writes docs/replications*.md from the reports under bench/results.

    python -m bench.replications

The reports were made by `python -m bench.gpu replicate DATA WEIGHTS OUT`, the speeds by
`python -m bench.gpu speed DATA WEIGHTS OUT`, both on one H200.
"""

import json
from pathlib import Path
from typing import Any

from bench.against_papers import against
from bench.explanations_page import explanations
from bench.exposure_page import exposure
from bench.leakage_page import leakage
from measurand.core.finding import SCHEMA

HERE = Path(__file__).parent / "results"
DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "replications.md"
PUBLISHED = {  # Shao 2026, section 3: readers of the paper, K = 8
    "snli": "LR 0; BERT 0.367, DistilBERT 0.295, ELECTRA-small 0.256, SciBERT 0.264; "
    "hypothesis only 0.598 and premise only 0.337 (SciBERT)",
    "fever": "LR 0.13; BERT 0.681, DistilBERT 0.642, ELECTRA-small 0.643, "
    "SciBERT 0.658",
    "hotpotqa": "BERT, DistilBERT, ELECTRA-small at most 0.002; question only 0.975, "
    "578 of 600 labels in one class",
}
DIFFERENCES = {
    "snli": "18,000 training pairs instead of all; MiniLM saw SNLI pairs in its own "
    "training as a sentence encoder.",
    "fever": "Two classes and gold evidence, split by claim; the paper's LR "
    "found 0.13 on its own data.",
    "hotpotqa": "The paper does not publish its labelling rule: ours is in "
    "[data](data.md); 767 fullwiki and 1,644 distractor questions, 2,000 of them to "
    "learn from.",
    "cad": "Counterfactually edited SNLI; the paper does not read it. MiniLM saw SNLI "
    "pairs in its own training.",
    "sick": "One file with its own split; the paper does not read it.",
    "boolq": "The paper does not read it.",
    "symmetric": "Claims and evidence crossed so that neither tells alone; one file, "
    "in folds. The paper does not read it.",
}
OTHERS = {"leakage": leakage, "exposure": exposure, "explanations": explanations}
BACK = "\nPart of [replications](replications.md), which says how they were made."
SHOWN = ("accuracy", "delta_evi", "query_only", "evidence_only", "mpds")


def shown(estimate: dict[str, Any]) -> str:
    """A value with its interval."""
    ends = [estimate["low"], estimate["high"]]
    low, high = ("∞" if end is None else f"{end:.3f}" for end in ends)
    return f"{estimate['value']:.3f} [{low}, {high}]"


def section(name: str) -> str:
    """One benchmark: its verdict, our figures, the published ones."""
    report = json.loads((HERE / "replications" / f"{name}.json").read_text())
    found = {
        (f["statistic"], f["reader"]): f
        for f in report["findings"]
        if f["condition"] in ("full", "plain")
    }
    of, chosen = report["benchmark"], report["settings"]
    lines = [
        f"## {name}",
        "",
        f"{of['train']:,} train and {of['test']:,} test items, "
        f"K = {chosen['shuffles']}, seed {chosen['seed']}; "
        f"majority {shown(found['majority', 'majority']['estimate'])}.",
        "",
        f"Verdict: **{report['verdict']['label']}**. {report['verdict']['reason']}.",
        "",
        "| reader | " + " | ".join(SHOWN) + " | decision |",
        "|---" * (len(SHOWN) + 2) + "|",
    ]
    for reader in report["settings"]["readers"]:
        cells = [
            shown(found[s, reader]["estimate"]) if (s, reader) in found else "withheld"
            for s in SHOWN
        ]
        decision = found["delta_evi", reader]["decision"]
        lines.append(f"| {reader} | " + " | ".join(cells) + f" | {decision} |")
    lines += controls(report)
    if name in PUBLISHED:
        lines += ["", f"Published ΔEvi: {PUBLISHED[name]}."]
    lines += ["", DIFFERENCES[name], ""]
    return "\n".join(lines)


CONTROLS = {
    "word": ("recovery", "word 0.1"),
    "match": ("recovery", "match 0.1"),
    "limit, word": ("detection_limit", "word"),
    "limit, match": ("detection_limit", "match"),
}


def controls(report: dict[str, Any]) -> list[str]:
    """What each reader recovers of a spike in a tenth of the items, and its limits."""
    found = {
        (f["statistic"], f["condition"], f["reader"]): f for f in report["findings"]
    }
    if not any(statistic == "recovery" for statistic, *_ in found):
        return []
    lines = [
        "",
        "What each reader recovers of a dependence planted in a tenth of the items, "
        "and the least share of items in which it would be told from zero "
        "(80 % power):",
        "",
        "| reader | " + " | ".join(CONTROLS) + " |",
        "|---" * (len(CONTROLS) + 1) + "|",
    ]
    for reader in report["settings"]["readers"]:
        cells = [
            shown(found[*key, reader]["estimate"])
            if (*key, reader) in found
            else "none"
            for key in CONTROLS.values()
        ]
        lines.append(f"| {reader} | " + " | ".join(cells) + " |")
    return lines


def speeds() -> str:
    """What the GPU run measured against plain loops."""
    found = json.loads((HERE / "gpu_speed.json").read_text())
    train = found["training"]
    rows = [
        f"| {what} | {f['seconds']:.1f} s | {f['plain_seconds_scaled']:.1f} s | "
        f"{f['ratio']:.1f} | {f['useful_tokens_a_second']:,.0f} | "
        f"{100 * f['share_of_matrix_rate']:.1f} % |"
        for what, f in (
            ("MiniLM", found["inference_minilm"]),
            ("BERT-base size, random weights", found["inference_bert_base"]),
        )
    ]
    return "\n".join(
        [
            "## Speed",
            "",
            f"One {found['device']}, torch {found['torch']}; its bf16 matrix rate was "
            f"{found['matrix_rate_tflops']:.0f} TFLOP/s in the same run. Plain loop: "
            "transformers' model, batches of 32, padded to the longest, fp32, timed on "
            "3 of the shuffles and scaled.",
            "",
            "20 shuffles of SNLI test (9,824 pairs):",
            "",
            "| encoder | ours | plain loop | ratio | tokens/s | of matrix rate |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            f"Training MiniLM on {train['pairs']:,} pairs, one epoch, batch "
            f"{train['batch']}: {train['seconds']:.1f} s against "
            f"{train['trainer_seconds']:.1f} s of transformers' `Trainer` in bf16 "
            f"({train['ratio']:.1f} times), accuracy {train['accuracy']:.3f} against "
            f"{train['trainer_accuracy']:.3f}.",
            "",
        ]
    )


def ages() -> str:
    """Which reports are of this version and which are not, told by their format."""
    schemas = {
        path.stem: json.loads(path.read_text()).get("schema")
        for path in sorted((HERE / "replications").glob("*.json"))
    }
    older = [f"`{name}`" for name, schema in schemas.items() if schema != SCHEMA]
    if not older:
        return f"All {len(schemas)} reports were computed by the code of this version."
    return (
        f"Of {len(schemas)} reports {len(schemas) - len(older)} were computed by the "
        "code of this version. These are of an earlier one, whose verdicts followed "
        "other rules ([how a verdict is reached](verdicts.md) has those of today), so "
        f"that a run of today may say otherwise: {', '.join(older)}."
    )


def asked_again() -> str:
    """What the light readers of today say of the same files."""
    kept = json.loads((HERE / "replicated.json").read_text())
    rows = [
        f"| {name} | {found['verdict']} | {found['same']} | {found['within']} | "
        f"{len(found['moved'])} |"
        for name, found in kept.items()
    ]
    return "\n".join(
        [
            "## Asked again",
            "",
            "`python -m bench.replicated DATA` asks `tfidf` and `cross` by the code of "
            "this version and holds each figure against the stored one: the same to "
            "nine digits, within the intervals of both, or moved beyond one of them. "
            "Files that bring no test items are read out of fold today, all of them, "
            "where the stored figures are of 4,000 that were drawn: so FEVER's figures "
            "are of more and other items, and symmetric's of the same.",
            "",
            "| audit and file | verdict today | the same | within | moved |",
            "|---|---|---|---|---|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Write the page."""
    head = (
        "# Replications\n\n"
        "Written by `python -m bench.replications` from the reports in "
        "`bench/results/replications`, which "
        "`python -m bench.gpu replicate DATA WEIGHTS OUT` made on one H200 with MiniLM "
        "(three seeds), `tfidf` and `cross`. Brackets are 95 % intervals. "
        "The data are not part of the project.\n\n"
        f"{ages()}\n\n"
    )
    evidence = "\n".join(section(n) for n in DIFFERENCES)
    others = ", ".join(f"[{name}](replications-{name}.md)" for name in OTHERS)
    head += f"This page is about evidence; others are about {others}.\n\n"
    PAGE.write_text(
        "\n".join([f"{head}{against()}\n{evidence}", asked_again(), speeds()])
    )
    for name, write in OTHERS.items():
        title, _, rest = write().partition("\n")
        text = f"# Replications of {name}\n{BACK}\n{rest}"
        assert title == f"# {name.capitalize()}", title
        (DOCS / f"replications-{name}.md").write_text(text)


if __name__ == "__main__":
    main()
