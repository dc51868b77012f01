"""The gallery: pages of real benchmarks, from the figures that the benches keep.

No item of a benchmark is in them: the kept reports hold figures and verdicts alone.
"""

import json
from collections.abc import Iterator

import pandas as pd

from docs import ROOT
from measurand.core.finding import Report
from measurand.report.answer import answer_reports
from measurand.report.figures import draw_all
from measurand.report.html import page, page_of_all
from measurand.report.saved import read_contents

KEPT = ROOT / "bench" / "results" / "gallery"
FOLDER = ROOT / "docs" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
BENCHMARKS = {  # by name: the kept reports
    "SNLI": ("snli-evidence", "snli-leakage"),
    "FEVER": ("fever-evidence", "fever-leakage"),
    "HellaSwag": ("hellaswag-leakage",),
    "OpenBookQA": ("openbookqa-leakage",),
}
COMMAND = "python -m bench gallery"


def kept_reports(name: str) -> list[Report]:
    """The reports on a benchmark, without whatever might quote an item."""
    reports = []
    for path in BENCHMARKS[name]:
        contents = json.loads((KEPT / f"{path}.json").read_text("utf-8"))
        reports.append(read_contents(contents, pd.DataFrame()))
    return reports


def gallery_text() -> str:
    """The generated part of the gallery: each benchmark's answers."""
    lines: list[str] = []
    for name in BENCHMARKS:
        reports = kept_reports(name)
        lines += ["", f"## {name}", ""]
        lines += [
            f"**{answer.tone.word}.** {answer.question} {answer.sentence} "
            f"{answer.cause} {answer.certainty}\n"
            for answer in answer_reports(reports)
        ]
        lines += [f"[The page](gallery/{name.lower()}.html), by `{COMMAND}`."]
    return "\n".join([*lines, "", ""])


def gallery_files() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    for name in BENCHMARKS:
        reports = kept_reports(name)
        drawings = {report.audit: draw_all(report) for report in reports}
        first = reports[0]
        text = (
            page_of_all(reports, drawings, {})
            if len(reports) > 1
            else page(first, drawings[first.audit])
        )
        yield f"{name.lower()}.html", text


if __name__ == "__main__":
    from docs import WORDS

    FOLDER.mkdir(exist_ok=True)
    for file, text in gallery_files():
        (FOLDER / file).write_text(text, "utf-8")
    fresh = gallery_text()
    PAGE.write_text(WORDS.sub(lambda _: fresh, PAGE.read_text("utf-8")), "utf-8")
