"""A notebook of the first lines a newcomer types shows a report and a figure."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

CELLS = [
    "import measurand as ms\nfrom tests.boats import boats\nrows = boats(300)",
    'report = ms.evidence(rows, strongest="cross", shuffles=5)\nreport',
    'report.figures["decision-map"]',
    "report.frame",
    "print(report)",
]


@pytest.fixture(scope="module")
def outputs():
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(code) for code in CELLS]
    root = {"metadata": {"path": str(Path(__file__).parents[1])}}
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources=root
    ).execute()
    return [cell.outputs for cell in notebook.cells]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_notebook_shows_the_report_and_its_figures(outputs):
    nothing, page, figure, frame, text = outputs
    assert not nothing
    assert "evidence-sensitive" in page[0].data["text/html"]
    assert page[0].data["text/html"].startswith("<iframe")
    kinds = {*figure[0].data}
    assert any("vega" in kind for kind in kinds) or {"text/html", "image/png"} & kinds
    # Of a long table a notebook shows the first rows and the last.
    assert "<td>seen</td>" in frame[0].data["text/html"]
    assert "\n✓ NEEDED  " in text[0].text
