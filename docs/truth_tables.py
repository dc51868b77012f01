"""The tables of `docs/truth.md`, from the rows that `python -m bench truth` keeps."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from docs import ROOT

ROWS = ROOT / "bench" / "results" / "truth_arms.json"
SOURCES = {
    "attacks": "planted attacks",
    "known": "public benchmarks",
    "fresh": "forty designs, used in development",
    "fresh2": "forty designs, out of sample",
}
OUTCOMES = ("right", "wrong", "silent", "bounded", "justly silent", "refused")
LONGEST = 40  # letters of a cue that are shown


def truth_tables() -> str:
    """How many rows had which outcome, and what was said of public files."""
    rows = json.loads(ROWS.read_text("utf-8"))
    known = (row for row in rows if row["source"] == "known")
    return "\n".join(["", *_counts(rows), "", *_public(known), "", ""])


def _counts(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| rows | n | " + " | ".join(OUTCOMES) + " |"
    yield "|---" * (len(OUTCOMES) + 2) + "|"
    for source, title in SOURCES.items():
        for audit in ("evidence", "leakage"):
            some = [r for r in rows if (r["source"], r["audit"]) == (source, audit)]
            counts = Counter(row["outcome"] for row in some)
            cells = [str(counts[outcome]) for outcome in OUTCOMES]
            if some:
                yield f"| {title}, {audit} | {len(some)} | {' | '.join(cells)} |"


def _public(rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    yield (
        "| benchmark | n | verdict | one part alone, and the majority class or chance "
        "| gain, or excess over permuted labels | loss if shuffled | strongest cue: "
        "coverage, productivity | not excluded beyond | CPU s |"
    )
    yield "|---" * 9 + "|"
    for row in rows:
        facts = row["facts"]
        cells = [
            f"`{row['case']}`",
            f"{row['n']:,}",
            row["label"],
            _alone(facts),
            _find(facts, "gain", "over", "bits"),
            _find(facts, "loss"),
            _cue(facts),
            f"{row['bound']:.3f}",
            f"{row['seconds']:.0f}",
        ]
        yield f"| {' | '.join(cells)} |"


def _find(facts: Mapping[str, str], *names: str) -> str:
    """The first fact of such a name, of any clause."""
    stated = (
        facts[key] for name in names for key in facts if key.rpartition(".")[2] == name
    )
    return next(stated, "–")


def _alone(facts: Mapping[str, str]) -> str:
    accuracy = facts.get("leak.part.accuracy")
    if accuracy is None:
        return "–"
    return f"{accuracy}, {float(facts['leak.part.baseline']):.3f}"


def _cue(facts: Mapping[str, str]) -> str:
    if "leak.cue.cue" not in facts:
        return "–"
    coverage, right = (
        float(facts[f"leak.cue.{name}"].split()[0])
        for name in ("coverage", "productivity")
    )
    name = facts["leak.cue.cue"][:LONGEST].replace("|", " ").replace("`", " ")
    return f"“{name}”: {coverage:.2f}, {right:.2f}"
