"""Nothing but `wording` reads a reason, and `report` knows no audit by its name."""

import ast
from pathlib import Path

from measurand.audits import AUDITS
from measurand.core.finding import Report, Verdict
from measurand.wording.details import Details
from measurand.wording.reasons import fill_reason, provisional_step
from measurand.wording.terms import verdict_words

SOURCE = Path(__file__).parents[2] / "src" / "measurand"
# What the edges read by patterns: names, texts and figures of users, never our prose.
PATTERNS = {
    "report/figures.py": "lengths of a figure",
    "report/html.py": "names that a line may be broken in",
    "report/markdown.py": "marks in names",
    "report/patterns.py": "texts of items",
    "report/saved.py": "names of columns",
    "report/grid.py": "figures in cells",
    "cli/usage.py": "arguments of a library's message",
    "wording/command.py": "the test part in a condition",
    "wording/phrases.py": "codes of readers and fields",
    "wording/terms.py": "codes of figures",
    "wording/text.py": "texts of users",
}


def modules(*folders):
    """The modules in some folders of the package, parsed, by their paths."""
    for folder in folders:
        for path in sorted((SOURCE / folder).rglob("*.py")):
            name = path.relative_to(SOURCE).as_posix()
            yield name, ast.parse(path.read_text("utf-8"))


def test_no_reason_is_read_outside_wording():
    reading = [
        name
        for name, tree in modules("")
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "reason"
        if not name.startswith("wording/")
    ]
    assert reading == []


def test_no_pattern_is_held_against_our_own_prose():
    using = {
        name
        for name, tree in modules("report", "compare", "cli", "api", "wording")
        for node in ast.walk(tree)
        if isinstance(node, ast.Import) and "re" in [a.name for a in node.names]
    }
    assert using == {*PATTERNS}


def test_no_page_knows_an_audit_by_its_name():
    names = {*AUDITS} - {"evidence"}  # that is a role, too
    knowing = {
        name
        for name, tree in modules("report")
        for node in ast.walk(tree)
        if (isinstance(node, ast.Constant) and node.value in names)
        or (isinstance(node, ast.Compare) and "evidence" in _constants(node))
        or (isinstance(node, ast.ImportFrom) and {*AUDITS} & {*_steps(node)})
    }
    assert knowing == set()


def _steps(node):
    """The steps of the path of a module, and the names that are taken from it."""
    return [*(node.module or "").split("."), *(alias.name for alias in node.names)]


def _constants(node):
    """The texts that something is compared with."""
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant)]


def test_an_audit_without_words_has_those_of_its_label():
    report = Report(
        "mine", {}, Verdict("odd", "", None, "so", provisional=True), (), {}
    )
    words = verdict_words("mine", "odd")
    assert fill_reason(report, words) == Details("The verdict is odd.")
    assert provisional_step(report) == ("A stronger reader could still overturn this.",)
