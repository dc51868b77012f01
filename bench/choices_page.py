"""The page of choices and answers: its table is made of the reports.

    python -m bench.choices_page

Reads bench/results/choices, which `python -m bench.choices` made, and writes the part
of docs/choices.md under its last heading.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE, RESULTS = ROOT / "docs" / "choices.md", ROOT / "bench" / "results" / "choices"
HEADING = "## Real benchmarks\n"
REPAIRED = "repair_over_majority"
HEADS = ("benchmark", "reader", "n", "chance", "choices alone", "all")
EVIDENCE = ("benchmark", "reader", "n", "all", "closed book", "lost by wrong evidence")
VERDICTS = ("benchmark", "readers", "audit", "verdict", "what it rests on")
REPAIR = ("benchmark", "reader", "left", "choices alone", "at random", "what is left")
TAKEN_OUT = (
    "What is left where the items are taken out that tfidf answers from the choices "
    "alone, of the half of the test items that is read anew: accuracy over chance from "
    "the choices, beside as many items taken out at random. A set is exported where "
    "all readers find it mended:"
)
RESTS_ON = (
    "A verdict belongs to a whole report. It rests on the reader that finds most, or "
    "on form or length alone, and a weaker reader beside it may find nothing. What it "
    "rests on is the first clause of its reason:"
)
MADE = (
    "Made by `python -m bench.choices_page` from reports of "
    "`python -m bench.choices DATA OUT light|WEIGHTS`; MiniLM was trained listwise "
    "with three seeds on one H200. Brackets are 95 % intervals. MiniLM's own training "
    "held pairs of questions and answers, SQuAD's among them. Reports and verdicts are "
    "of version 0.2.0; [how often it is right](truth.md) has those of today."
)


def read_figures(report: Mapping[str, Any]) -> dict[tuple[str, str], Mapping[str, Any]]:
    """The estimates of all readers, by statistic and reader, of whole items first."""
    figures: dict[tuple[str, str], Mapping[str, Any]] = {}
    for finding in report["findings"]:
        key = finding["statistic"], finding["reader"]
        figures.setdefault(key, finding["estimate"])
        apart = f"{finding['statistic']} in {finding['condition']}", finding["reader"]
        figures.setdefault(apart, finding["estimate"])
    return figures


def say(figure: Mapping[str, Any] | None) -> str:
    """An estimate with its interval; nothing where there is none."""
    if figure is None:
        return ""
    value, low, high = (figure[key] for key in ("value", "low", "high"))
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def rows_of(audit: str) -> list[list[str]]:
    """A row a benchmark and reader."""
    rows = []
    for path in sorted(RESULTS.glob(f"choices-*-{audit}-*.json")):
        report = json.loads(path.read_text("utf-8"))
        figures = read_figures(report)
        name = report["benchmark"]["name"]
        readers = report["settings"]["readers"]
        for reader in readers:
            told = (
                _leakage_row(figures, reader)
                if audit == "leakage"
                else _evidence_row(figures, reader)
            )
            if told is not None:
                rows.append([name, reader, *told])
    return rows


def verdict_rows() -> list[list[str]]:
    """A row a report: its verdict, and the first clause of the reason."""
    rows = []
    for path in sorted(RESULTS.glob("choices-*.json")):
        report = json.loads(path.read_text("utf-8"))
        name, readers = report["benchmark"]["name"], report["settings"]["readers"]
        label, reason = (report["verdict"][key] for key in ("label", "reason"))
        rests_on = reason.partition(";")[0].replace("|", r"\|")
        rows.append([name, ", ".join(readers), report["audit"], label, rests_on])
    return rows


def _leakage_row(figures: Mapping[Any, Any], reader: str) -> list[str] | None:
    """What choices alone and all fields reach; None where items have no choices."""
    alone = figures.get(("choices_only", reader))
    if alone is None:
        return None
    chance = figures["chance", "chance"]["value"]
    full = say(figures.get(("accuracy", reader)))
    return [f"{alone['n']:,}", f"{chance:.3f}", say(alone), full]


def repair_rows() -> list[list[str]]:
    """A row a benchmark with choices and reader of what a repair leaves."""
    rows = []
    for path in sorted(RESULTS.glob("choices-*-leakage-*.json")):
        report = json.loads(path.read_text("utf-8"))
        stated = [f for f in report["findings"] if f["statistic"] == REPAIRED]
        at_random = {
            (f["reader"], f["condition"].removesuffix("random")): f["estimate"]
            for f in stated
        }
        has_choices = ("chance", "chance") in read_figures(report)
        for finding in stated if has_choices else ():
            reader, rule = finding["reader"], finding["condition"]
            if rule.endswith("removed"):
                left = finding["estimate"]
                beside = at_random[reader, rule.removesuffix("removed")]
                told = [f"{left['n']:,}", say(left), say(beside)]
                name = report["benchmark"]["name"]
                rows.append([name, reader, *told, finding["decision"]])
    return rows


def _evidence_row(figures: Mapping[Any, Any], reader: str) -> list[str]:
    """What all fields and the closed book reach, and what wrong evidence costs."""
    if ("exact_match", reader) in figures:
        full = figures["exact_match", reader]
        closed = figures["exact_match in closed_book", reader]
        said = [f"{say(figure)} exact" for figure in (full, closed)]
        return [f"{full['n']:,}", *said, say(figures.get(("delta_evi", reader)))]
    full = figures["accuracy", reader]
    closed = figures.get(("closed_book", reader)) or figures.get(("query_only", reader))
    lost = figures.get(("delta_evi", reader))
    return [f"{full['n']:,}", say(full), say(closed), say(lost)]


def write_table(heads: tuple[str, ...], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main() -> None:
    """Write what follows the last heading anew."""
    text = PAGE.read_text("utf-8").partition(HEADING)[0]
    parts = [
        text + HEADING,
        MADE,
        "Leakage:",
        write_table(HEADS, rows_of("leakage")),
        TAKEN_OUT,
        write_table(REPAIR, repair_rows()),
        "Evidence; free answers are screened, so that choices were drawn here, or "
        "written, and then matched exactly:",
        write_table(EVIDENCE, rows_of("evidence")),
        RESTS_ON,
        write_table(VERDICTS, verdict_rows()),
    ]
    PAGE.write_text("\n\n".join(part.rstrip("\n") for part in parts) + "\n", "utf-8")


if __name__ == "__main__":
    main()
