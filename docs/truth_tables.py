"""The tables of `docs/truth.md`, from the rows that `python -m bench truth` keeps."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from docs import ROOT

RESULTS = ROOT / "bench" / "results"
ROWS = RESULTS / "truth_arms.json"
# The rungs of the ladder that the audits were let climb, by the rows of them.
RUNGS = {
    "truth_audit.json": "up to `cross`",
    "truth_joining.json": "up to `frozen`",
}
SOURCES = {
    "attacks": "planted attacks",
    "known": "public benchmarks",
    "fresh": "forty designs, used in development",
    "fresh2": "forty designs, out of sample",
    "hostile": "two attacks, after their mends",
    "explanations": "planted rationales",
    "odd": "odd tables of rationales",
}
AUDITS = ("evidence", "leakage", "explanations")
OUTCOMES = ("right", "wrong", "silent", "bounded", "justly silent", "refused")
LONGEST = 40  # letters of a cue that are shown
NUMBER = re.compile(r"-?\d+\.\d+")


def truth_tables() -> str:
    """How many rows had which outcome, and what was said of public files."""
    rows = json.loads(ROWS.read_text("utf-8"))
    tables = [*_counts(rows), "", *public_table(rows), "", *rationale_table(rows)]
    return "\n".join(["", *tables, "", ""])


def meaning_tables() -> str:
    """What was said of pairs that meaning joins, without readers that do and with."""
    from bench.truth_meaning import KINDS

    rungs = [
        {
            row["case"]: row
            for row in json.loads((RESULTS / name).read_text("utf-8"))
            if row["source"] == "meaning"
        }
        for name in RUNGS
    ]
    lines = [*_meaning_counts(KINDS, rungs), "", *_meaning_rows(KINDS, rungs)]
    return "\n".join(["", *lines, "", ""])


Rungs = list[dict[str, Mapping[str, Any]]]


def _meaning_counts(kinds: Mapping[str, Any], rungs: Rungs) -> Iterator[str]:
    yield f"| kind | n | {' | '.join(RUNGS.values())} |"
    yield "|---" * (len(RUNGS) + 2) + "|"
    every = [design for designs in kinds.values() for design in designs]
    for kind, designs in (*kinds.items(), ("all", every)):
        cells = []
        for rows in rungs:
            counts = Counter(rows[d.name]["outcome"].split()[-1] for d in designs)
            cells.append(" / ".join(str(counts[outcome]) for outcome in OUTCOMES[:3]))
        yield f"| {kind} | {len(designs)} | {' | '.join(cells)} |"


def _meaning_rows(kinds: Mapping[str, Any], rungs: Rungs) -> Iterator[str]:
    heads = [f"{name} | gain | CPU s" for name in RUNGS.values()]
    yield f"| design | true gain | {' | '.join(heads)} |"
    yield "|---" * (3 * len(RUNGS) + 2) + "|"
    for designs in kinds.values():
        for design in designs:
            cells = [f"`{design.name}`", f"{100 * design.size:.0f}"]
            for rows in rungs:
                cells += _meaning_cells(rows[design.name])
            yield f"| {' | '.join(cells)} |"


def _meaning_cells(row: Mapping[str, Any]) -> list[str]:
    """Label and reader, the gain or what bounds it, and the seconds."""
    facts = {name.rpartition(".")[2]: fact for name, fact in row["facts"].items()}
    wrong = "**wrong:** " if row["outcome"] == "wrong" else ""
    reader = f" (`{facts['reader']}`)" if "reader" in facts else ""
    gain = _percent(facts, "gain")
    if "high" in facts:
        high = _percent(facts, "high")
        gain = f"[{_percent(facts, 'low')}, {high}]" if "low" in facts else f"≤ {high}"
    return [f"{wrong}{row['label']}{reader}", gain, f"{row['seconds']:.0f}"]


def public_rows() -> str:
    """The table of public files, as the README has it."""
    rows = json.loads(ROWS.read_text("utf-8"))
    return "\n".join(["", *public_table(rows), "", ""])


def _counts(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    yield "| rows | n | " + " | ".join(OUTCOMES) + " |"
    yield "|---" * (len(OUTCOMES) + 2) + "|"
    groups: dict[str, list[Mapping[str, Any]]] = {
        f"{title}, {audit}": [
            r for r in rows if (r["source"], r["audit"]) == (source, audit)
        ]
        for source, title in SOURCES.items()
        for audit in AUDITS
    }
    planted = groups.pop(f"{SOURCES['explanations']}, explanations")
    sizes = [int(row["case"].rpartition(", ")[2]) for row in planted]
    for size in sorted({*sizes}):  # the same designs at several sizes
        groups[f"{SOURCES['explanations']}, {size:,} items"] = [
            row for row, each in zip(planted, sizes, strict=True) if each == size
        ]
    for name, some in groups.items():
        counts = Counter(row["outcome"] for row in some)
        cells = [str(counts[outcome]) for outcome in OUTCOMES]
        if some:
            yield f"| {name} | {len(some)} | {' | '.join(cells)} |"


COLUMNS = (
    "benchmark",
    "items",
    "one part alone, over",
    "strongest cue: coverage, productivity",
    "gain",
    "loss if shuffled",
    "verdicts, with their bounds",
    "CPU s",
)


def public_table(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    """What was said of each public benchmark by one audit or both."""
    yield f"| {' | '.join(COLUMNS)} |"
    yield "|---" * len(COLUMNS) + "|"
    grouped: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        if row["source"] == "known" and row["audit"] != "explanations":
            grouped.setdefault(row["case"].rpartition("-")[0], []).append(row)
    for name, some in grouped.items():
        facts: dict[str, str] = {}
        for row in some:  # leakage, where it was asked, stands first
            facts = {**row["facts"], **facts}
        verdicts = [f"{r['label']} ({100 * r['bound']:.1f})" for r in some]
        cells = [
            name,
            f"{some[0]['n']:,}",
            f"{_percent(facts, 'alone')}, {_percent(facts, 'baseline')}",
            _cue(facts),
            _percent(facts, "gain"),
            _percent(facts, "loss"),
            "; ".join(verdicts),
            f"{sum(row['seconds'] for row in some):.0f}",
        ]
        yield f"| {' | '.join(cells)} |"


def rationale_table(rows: list[Mapping[str, Any]]) -> Iterator[str]:
    """What was said of public rationales: alone, gain and bound."""
    some = [r for r in rows if (r["source"], r["audit"]) == ("known", "explanations")]
    if not some:
        return
    heads = ("rationales", "items", "each alone, over", "gain", "verdict, with bound")
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in some:
        facts = row["facts"]
        cells = [
            f"{row['case'].rpartition('-')[0]}: {facts['columns']}",
            f"{row['n']:,}",
            f"{_percent(facts, 'alone')}, {_percent(facts, 'baseline')}",
            _percent(facts, "gain"),
            f"{row['label']} ({100 * row['bound']:.1f})",
        ]
        yield f"| {' | '.join(cells)} |"


def _percent(facts: Mapping[str, str], name: str) -> str:
    """A figure and its interval in percent, as it was spelled; a dash for none."""
    if name not in facts:
        return "–"
    return NUMBER.sub(lambda found: f"{100 * float(found[0]):.1f}", facts[name])


def _cue(facts: Mapping[str, str]) -> str:
    if "cue" not in facts:
        return "–"
    name = facts["cue"][:LONGEST].replace("|", " ").replace("`", " ")
    shares = (_percent(facts, share) for share in ("coverage", "productivity"))
    return f"“{name}”: {', '.join(shares)}"
