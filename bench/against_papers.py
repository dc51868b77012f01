"""What the replications found against the papers, each sentence made from figures."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "replications"
EVIDENCE = ("snli", "fever", "hotpotqa", "cad", "sick", "boolq", "symmetric")
LEAKAGE = ("snli", "sick", "cad", "mnli", "fever", "boolq")


def _findings(name: str, statistic: str) -> list[dict[str, Any]]:
    """Those of a report; none where it was not made."""
    path = RESULTS / f"{name}.json"
    report = json.loads(path.read_text()) if path.exists() else {"findings": ()}
    return [f for f in report["findings"] if f["statistic"] == statistic]


def _evidence_findings(
    statistic: str, condition: str
) -> list[tuple[str, dict[str, Any]]]:
    """The benchmark and the finding, of every report of the evidence audit."""
    return [
        (name, finding)
        for name in EVIDENCE
        for finding in _findings(name, statistic)
        if finding["condition"] == condition
    ]


def _shown(estimate: dict[str, Any]) -> str:
    low, high = estimate["low"], estimate["high"]
    return f"{estimate['value']:.3f} [{low:.3f}, {high:.3f}]"


def _without_zero(estimate: dict[str, Any]) -> bool:
    return bool(estimate["low"] > 0 or estimate["high"] < 0)


def confidence() -> str:
    """Biased clusters against cartography (Fig. 8 of the leakage paper)."""
    rows = [
        (name, f["condition"], f["estimate"])
        for name in LEAKAGE
        for f in _findings(f"leakage-{name}", "confidence_of_biased")
    ]
    told = "; ".join(f"{name} {part} {_shown(e)}" for name, part, e in rows)
    sure = sum(_without_zero(e) for *_, e in rows)
    return (
        f"- **Bias and confidence go together in {sure} of {len(rows)} parts.** The "
        "leakage paper finds its biased clusters spread evenly over how confident "
        "training is (its Fig. 8). Here MiniLM's confidence in items of biased "
        f"clusters less that in others is: {told}."
    )


def removal() -> str:
    """Taking out biased clusters against taking out as many items at random."""
    told, helped, compared = [], 0, 0
    for name in LEAKAGE:
        left = {
            f["condition"]: f["estimate"]
            for f in _findings(f"leakage-{name}-tfidf", "repair_over_majority")
        }
        if "clusters, removed" not in left:
            continue
        removed, at_random = left["clusters, removed"], left["clusters, random"]
        told.append(f"{name} {_shown(removed)}, at random {_shown(at_random)}")
        helped += removed["high"] < at_random["low"]
        compared += 1
    return (
        f"- **Removing what PECO points at surely helps in {helped} of {compared}.** "
        "Accuracy over the majority "
        "that `tfidf` still has from the leaking part after the items of biased "
        f"clusters are removed: {'; '.join(told)}."
    )


def filtering() -> str:
    """The gap after filtering, against dropping as many items at random."""
    rows = _evidence_findings("filter_gain", "filtered")
    worse = sum(finding["estimate"]["high"] < 0 for _, finding in rows)
    told = "; ".join(f"{name} {_shown(f['estimate'])}" for name, f in rows)
    return (
        f"- **Filtering is surely worse than chance in {worse} of {len(rows)}.** The "
        "evidence paper finds that dropping the dominant metadata group makes the gap "
        "under a shift worse. Against as many items dropped at random, the gap closes "
        f"by {told}."
    )


def shifts() -> str:
    """What a metadata value costs that training never showed."""
    told = [
        f"{name} {_shown(f['estimate'])}"
        for name, f in _evidence_findings("ood_gap", "mean")
        if _without_zero(f["estimate"])
    ]
    return (
        "- **A shift, with training sets of one size.** Against training on as many "
        "items at random, a metadata value that training never showed costs on "
        f"average {'; '.join(told)}; the paper compares with all training items, so "
        "that its gap holds what fewer items cost."
    )


def truncation() -> str:
    """Encoders that could not read what they were asked about."""
    told = [
        f"{f['reader']} cuts {100 * f['estimate']['value']:.0f} % of {name}"
        for name, f in _evidence_findings("truncated", "full")
        if f["estimate"]["value"] > 0.01
    ]
    return (
        f"- **Some encoders did not read the evidence whole:** {'; '.join(told)}. "
        "What they miss may lie in what was cut."
    )


def reversals() -> str:
    """Weaker readers that see what a stronger one does not."""
    told = []
    for name in EVIDENCE:
        decided = {
            f["reader"]: f
            for f in _findings(name, "delta_evi")
            if f["condition"] == "plain"
        }
        order = list(decided)
        for weak, strong in pairwise(order):
            pair = decided[weak], decided[strong]
            if [f["decision"] for f in pair] == ["depends", "near zero"]:
                lost = [_shown(f["estimate"]) for f in pair]
                told.append(f"on {name} {weak} loses {lost[0]} and {strong} {lost[1]}")
    return (
        "- **A stronger reader may see less:** " + "; ".join(told) + ". The paper's "
        "ladder would have stopped at its near zero; here one that depends stands."
        if told
        else ""
    )


def against() -> str:
    """The section."""
    points = (confidence, removal, filtering, shifts, truncation, reversals)
    return "\n".join(
        [
            "## What speaks against the papers",
            "",
            "Each sentence is made from the reports below it.",
            "",
            *(point for make in points if (point := make())),
            "",
        ]
    )
