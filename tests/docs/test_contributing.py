"""Where a new thing goes is what CONTRIBUTING.md says, and nowhere else.

Toys, one for each row of its table, are put into a copy of the repository, in the
places that the row names; then the copy is held to what the repository is held to.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import docs
from measurand.audits import AUDITS

TOYS = Path(__file__).parent / "toys"
BIN = Path(sys.executable).parent
PAGE = (docs.ROOT / "CONTRIBUTING.md").read_text("utf-8")
ROW = re.compile(r"^\| (?P<thing>an? [\w ]+) \| (?P<places>.*) \|$", re.MULTILINE)
PLACE = re.compile(r"`([\w./]*[/.][\w./]*)`")
NAMES = {  # the toy of each row, and what `x` stands for in its places
    "a reader": "coin",
    "an intervention": "backwards",
    "a selection": "alternate",
    "a file format": "psv",
    "a cue": "doubled",
    "a verdict": "odd",
    "an audit": "balance",
}
NEWS = "# Changes\n\nOne line for each thing a user could notice.\n"
READER = """        "coin": Entry("measurand.readers.coin:CoinReader", "all alike"),
"""
INTERVENTION = """        "backwards": Entry(
            "measurand.interventions.backwards:Backwards", "a text turned round"
        ),
"""
SELECTION = """        "alternate": Entry(
            "measurand.selections.alternate:Alternate", "every so manieth row"
        ),
"""
RECORD = """        "balance": Entry(
            "measurand.audits.balance:AUDIT",
            "is one label much commoner than the others?",
        ),
"""
CUE = """        "doubled": Entry(
            "measurand.cues.doubled:doubled_candidates", "a letter twice in a row"
        ),
"""
RULE = """    Rule("odd", lambda f: False, lambda f: _one("odd.seen", {})),
"""
SENTENCE = """
["odd.seen"]
say = ["The number of items is odd."]
"""
NEXT = (
    'next = ["Report the partial-input baseline beside every score, or rewrite the '
    'items on the work list."]\n'
)
MEANING = """
[leakage.verdict.odd]
tone = "unknown"
found = "the number of items is odd"
means = "nothing"
next = ["Add an item."]
"""
FORMAT = '''def parse_pipe_values(stream: IO[bytes]) -> pd.DataFrame:
    """A table of values between upright strokes, with a header line."""
    return parse_separated_values(stream, "|")


'''
TABLE = "| --- | --- |\n"
# What is put into files that are there: the line it comes after, and the text.
EDITS = {
    "a reader": {
        "src/measurand/readers/__init__.py": [('    "reader",\n    {\n', READER)],
        "docs/readers.md": [
            ("| name | reads | needs |\n|---|---|---|\n", "| `coin` | nothing | |\n")
        ],
    },
    "an intervention": {
        "src/measurand/interventions/__init__.py": [
            ('    "intervention",\n    {\n', INTERVENTION)
        ],
        "docs/concepts.md": [
            (f"| intervention | what it does |\n{TABLE}", "| `backwards` | a turn |\n")
        ],
    },
    "a selection": {
        "src/measurand/selections/__init__.py": [
            ('    "selection",\n    {\n', SELECTION)
        ],
        "docs/concepts.md": [
            (f"| selection | what it takes |\n{TABLE}", "| `alternate` | some |\n")
        ],
    },
    "a file format": {
        "src/measurand/benchmarks/formats.py": [
            (
                "    return all(isinstance(row, dict) for row in cells)\n\n\n",
                FORMAT,
            )
        ],
        "src/measurand/benchmarks/files.py": [
            ("    parse_json_table,\n", "    parse_pipe_values,\n"),
            ('    ".parquet": _parse_parquet,\n', '    ".psv": parse_pipe_values,\n'),
        ],
        "docs/data.md": [("| `.parquet` | a table |\n", "| `.psv` | strokes |\n")],
    },
    "a cue": {
        "src/measurand/cues/__init__.py": [('    "cue",\n    {\n', CUE)],
        "src/measurand/wording/clauses.toml": [
            ("[kinds]\n", '"doubled" = "the doubled letter"\n')
        ],
        "docs/verdicts.md": [
            (
                "| cue | what may predict the label |\n| --- | --- |\n",
                "| `doubled` | a letter twice in a row |\n",
            )
        ],
    },
    "a verdict": {
        "src/measurand/audits/leakage/conclude.py": [
            ("LABELS = (NONE, BOUNDED, OPEN, SMALL, LEAKS", ', "odd"'),
            ("RULES: tuple[Rule[LeakFacts], ...] = (\n", RULE),
        ],
        "src/measurand/wording/clauses.toml": [
            ('say = ["The test file by itself shows it for {part}."]\n', SENTENCE)
        ],
        "src/measurand/wording/terms.toml": [(NEXT, MEANING)],
        "tests/wording/test_render.py": [("FACTS = {\n", '    "odd.seen": "",\n')],
        "docs/leakage.md": [
            (
                "one names the one thing that failed and what would settle it.\n",
                "`odd` says that the number of items is odd.\n",
            )
        ],
        "docs/reading.md": [
            ("| you see | then |\n| --- | --- |\n", "| `odd` | add an item |\n")
        ],
        "docs/versions.md": [("`inconclusive`, `small leak`, `leaks`", ", `odd`")],
    },
    "an audit": {
        "src/measurand/audits/__init__.py": [('    "audit",\n    {\n', RECORD)],
        "mkdocs.yml": [
            (
                "      - Explanations: explanations.md\n",
                "      - Balance: balance.md\n",
            )
        ],
    },
}
TESTS = (  # those that read the catalogues, the records or the pages
    "tests/test_contracts.py",
    "tests/core/test_recipe.py",
    "tests/docs/test_coverage_of_docs.py",
    "tests/docs/test_cli_docs.py",
    "tests/docs/test_words.py::test_the_page_of_words_is_of_today",
    "tests/docs/test_tutorial.py",
    "tests/cues/test_contracts.py",
    "tests/wording/test_render.py",
)
GENERATED = {"docs/cli.md", "docs/api.md", "docs/words.md"}  # by `python -m docs`
PROMISES = "tests/test_contracts.py::test_an_audit_keeps_its_promises"


def places():
    """For each row of the table, the files and folders that it names."""
    return {
        row["thing"]: [
            re.sub(r"\bx\b", NAMES[row["thing"]], place)
            for place in PLACE.findall(row["places"])
        ]
        for row in ROW.finditer(PAGE)
    }


def copy_repository(folder):
    """A copy of what git knows or would add, and of what mypy remembers."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(listed, cwd=docs.ROOT, encoding="utf-8")
    for name in filter(lambda n: (docs.ROOT / n).is_file(), names.splitlines()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(docs.ROOT / name, folder / name)
    if (docs.ROOT / ".mypy_cache").exists():
        shutil.copytree(docs.ROOT / ".mypy_cache", folder / ".mypy_cache")


def contents(folder):
    """Every file but what tools remember, with its bytes."""
    files = (file for file in folder.rglob("*") if file.is_file())
    names = ((file.relative_to(folder).as_posix(), file) for file in files)
    return {
        name: file.read_bytes()
        for name, file in names
        if not re.search(r"(^|/)(\.\w+_cache|__pycache__)/", name)
    }


def add_toy(thing, folder, named):
    """Put the toy of a row into the copy."""
    for toy in TOYS.rglob("*.txt"):
        name = toy.relative_to(TOYS).as_posix().removesuffix(".txt")
        if any(covers(place, name) for place in named):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(toy, folder / name)
    line = f"\n- `{NAMES[thing]}` is {thing}.\n"
    for name, edits in {**EDITS[thing], "CHANGELOG.md": [(NEWS, line)]}.items():
        text = (folder / name).read_text("utf-8")
        for before, added in edits:
            assert text.count(before) == 1, (name, before)
            text = text.replace(before, before + added)
        (folder / name).write_text(text, "utf-8")


def covers(place, name):
    """Whether a place of the table is this file, or a folder that holds it."""
    return name == place or (place.endswith("/") and name.startswith(place))


def work(folder, *words):
    """What a command of the development install prints in the copy; it must succeed."""
    foreign = ("PYTEST", "COV_")
    plain = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
    source = os.pathsep.join([str(folder / "src"), str(folder)])
    run = subprocess.run(
        [BIN / words[0], *words[1:]],
        env=plain | {"PYTHONPATH": source, "NO_MKDOCS_2_WARNING": "1"},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert run.returncode == 0, f"{' '.join(words)}\n{run.stdout[-4000:]}"
    return run.stdout


def commands(target):
    """The words of each command by which the Makefile makes a target."""
    makefile = (docs.ROOT / "Makefile").read_text("utf-8")
    recipe = re.search(rf"^{target}:.*\n((?:\t.*\n)+)", makefile, re.MULTILINE)[1]
    return [line.split("$(BIN)/")[1].split() for line in recipe.splitlines()]


def test_the_table_has_a_row_for_each_toy():
    assert places().keys() == NAMES.keys()


@pytest.mark.slow
def test_a_new_thing_touches_only_what_the_table_names(tmp_path):
    copy_repository(tmp_path)
    for thing, named in places().items():
        before = contents(tmp_path)
        add_toy(thing, tmp_path, named)
        for page in GENERATED & {*named}:
            work(tmp_path, "python", "-m", "docs", page.removeprefix("docs/"))
        after = contents(tmp_path)
        changed = [name for name in after if after[name] != before.get(name)]
        strays = [n for n in changed if not any(covers(p, n) for p in named)]
        idle = [p for p in named if not any(covers(p, name) for name in changed)]
        assert (strays, idle) == ([], []), thing
    for words in (*commands("lint"), *commands("site")):
        work(tmp_path, *words)
    quick = ("-m", "not slow", "-p", "no:cacheprovider")
    # The audits that were there before are as they were, and slow to try.
    old = [f"--deselect={PROMISES}[{name}]" for name in AUDITS]
    work(tmp_path, "python", "-m", "pytest", *quick, *old, *TESTS)
    check_command_line(tmp_path)


def check_command_line(folder):
    """Hold the command line of the copy to knowing the toys by their names."""
    names = work(folder, "python", "-m", "measurand", "list")
    for thing in ("a reader", "an intervention", "a selection", "an audit"):
        assert NAMES[thing] in names
    rows = [f"is thing {i} big?|thing {i} is.|{i % 2}" for i in range(60)]
    lines = ["query|evidence|label", *rows]
    (folder / "things.psv").write_text("\n".join(lines), "utf-8")
    words = ("balance", "things.psv", "--reader", "coin", "--fail-on", "skewed")
    assert "balanced" in work(folder, "python", "-m", "measurand", *words)
    said = work(folder, "python", "-m", "measurand", "explain", "odd")
    assert "The number of items is odd" in said
