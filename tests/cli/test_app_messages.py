"""The library speaks of arguments, the command line of options."""

import ast
import re
from functools import partial
from pathlib import Path

import pytest

import measurand
from measurand.audits.exposure.arms import expand_arms
from measurand.benchmarks.load import load_parts
from measurand.benchmarks.roles import PLAIN
from measurand.cli.app import verb_commands
from measurand.cli.usage import name_options, option_names
from measurand.core.errors import BadOption
from measurand.core.setting import declarations
from measurand.settings.evidence import EvidenceSettings
from measurand.settings.explanations import ExplanationsSettings
from measurand.settings.exposure import ExposureSettings
from measurand.settings.leakage import LeakageSettings
from measurand.settings.running import Cluster

LIBRARY = Path(measurand.__file__).parent
# What is no option of ours: a style of the page, and commands to type.
COMMANDS = (  # ours whole, and those of other programs
    *("--heat", "measurand fit --save", "pip install --no-deps", "FILE --budget"),
    *("--log_samples", "inspect log convert --to", "--log-dir", "inspect eval"),
    "measurand export BENCH",
)


def modules():
    """The nodes of every module outside the command line."""
    return {
        path.relative_to(LIBRARY): [*ast.walk(ast.parse(path.read_text("utf-8")))]
        for path in sorted(LIBRARY.rglob("*.py"))
        if path.relative_to(LIBRARY).parts[0] not in ("cli", "settings", "__main__.py")
    }


def texts(nodes):
    """The strings of a module that are no docstrings; `{}` where a value comes in."""
    bare = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    parts = {
        id(part)
        for node in nodes
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    left_out = bare | parts
    for node in nodes:
        if id(node) in left_out:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


GROUPS = (EvidenceSettings, LeakageSettings, ExposureSettings, ExplanationsSettings)
DECLARED = {n for g in GROUPS for n, d in declarations(g).items() if d.setting.bounds}
OPTIONS = option_names(verb_commands())
BOUNDING = ("check_number", "check_memory")  # they are told the name of an argument
WRITING = ("command.py", "setting.py")  # commands that make a report, and options
FOR_PYTHON = ("api", "checks.py")  # no verb calls these, so their words are no options


@pytest.fixture(scope="module")
def trees():
    return modules()


@pytest.fixture(scope="module")
def strings(trees):
    return {path: [*texts(nodes)] for path, nodes in trees.items()}


@pytest.fixture(scope="module")
def named(trees, strings):
    """Every argument that a message of the library names."""
    written = {
        name
        for path, found in strings.items()
        if path.parts[0] not in FOR_PYTHON
        for text in found
        for name in re.findall("`([a-z_]+)`", text)
    }
    checked = {
        node.args[0].value
        for nodes in trees.values()
        for node in nodes
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") in BOUNDING
        and isinstance(node.args[0], ast.Constant)
    }
    # A column's part is named by the argument for it.
    return written | checked | DECLARED | set(PLAIN)


def test_no_message_of_the_library_speaks_of_options(strings):
    spoken = [
        (str(path), text)
        for path, found in strings.items()
        if path.name not in WRITING
        for text in found
        if re.search(r"(?<![\w-])--[a-z{]", text)
        and not any(command in text for command in COMMANDS)
    ]
    assert spoken == []


def test_arguments_that_messages_name_are_options_of_a_verb(named):
    assert {"margin", "seeds", "readers", "others", "split_by"} <= named
    assert named - {*OPTIONS} == set()


def test_arguments_that_messages_name_are_taken_by_the_library(trees, named):
    taken = {
        node.arg
        for nodes in trees.values()
        for node in nodes
        if isinstance(node, ast.arg)
    }
    fields = {
        node.target.id
        for nodes in trees.values()
        for node in nodes
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    declared = {name for group in GROUPS for name in declarations(group)}
    assert named <= taken | fields | declared


MESSAGES = {
    "`margin` is 2; allowed are 0 to 1": "--margin is 2; allowed are 0 to 1",
    "`folds` is 1, `parts` 5 and `k` 3": "--folds is 1, --part 5 and --k 3",
    "`split_by` is 'colour'": "--split-by is 'colour'",
    "give `engine` 'ray' too": "give --engine ray too",
    "no 'base' or 'extra' in `arms`; two": "no --arm base or extra; two",
    "leave out 'overtrained' from `arms`,": "leave out --arm overtrained,",
    "`tokenizer` is missing": "`tokenizer` is missing",
    "the label column '`label`' is empty": "the label column '`label`' is empty",
    "no reader in `a directory`": "no reader in `a directory`",
}


@pytest.mark.parametrize(("message", "shown"), MESSAGES.items())
def test_arguments_become_options(message, shown):
    assert name_options(message, OPTIONS) == shown


CALLS = {
    "cluster": (
        partial(Cluster, gpu_share=0.5),
        "`gpu_share` is for a cluster; give `engine` 'ray' too",
        "--gpu-share is for a cluster; give --engine ray too",
    ),
    "arms": (
        lambda: expand_arms(("test",)),
        "no 'base' or 'extra' in `arms`; boost and bias need base, extra and test, "
        "and overtrained and transfer may be added",
        "no --arm base or extra; boost and bias need base, extra and test, and "
        "overtrained and transfer may be added",
    ),
    "tests and parts": (
        lambda: load_parts("snli", tests=["a"], parts=["b"]),
        "both `tests` and `parts` are given; give one of them",
        "both --test and --part are given; give one of them",
    ),
    "roles": (
        lambda: load_parts("synthetic:nq", fields=["a"], query="b"),
        "synthetic:nq brings its own roles and test items; leave out `query`, `fields`",
        "synthetic:nq brings its own roles and test items; leave out --query, --field",
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_python_is_told_arguments_and_a_shell_options(case):
    call, told, shown = CALLS[case]
    with pytest.raises(BadOption) as error:
        call()
    assert str(error.value) == told
    assert name_options(told, OPTIONS) == shown


def test_an_error_names_options(run, file):
    outcome = run("leakage", file, "--reference-accuracy", "2")
    assert outcome.last.startswith("measurand: --reference-accuracy is 2.0; allowed")
    outcome = run("evidence", file, "--gpu-share", "0.5")
    assert outcome.last == (
        "measurand: --gpu-share is for a cluster; give --engine ray too"
    )


@pytest.mark.slow
def test_reports_name_arguments(made_audits):
    assert "name its column with `rationale`" in made_audits[0].out
