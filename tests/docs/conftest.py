"""The code in the pages, and a place where it may run."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<code>.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(page: Path, kind: str) -> Iterator[tuple[str, str]]:
    """Where each code block of that kind stands in the page, and the code."""
    text = page.read_text("utf-8")
    for found in BLOCK.finditer(text):
        if found["kind"] == kind:
            line = text.count("\n", 0, found.start()) + 1
            yield f"{page.name}:{line}", found["code"]


def run(where: str, code: str) -> None:
    """Run a block as a script of its own."""
    exec(compile(code, where, "exec"), {"__name__": "__main__"})


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder of its own for code that writes files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEASURAND_STORE", str(tmp_path / "store"))
    return tmp_path
