"""The source as a whole: no circles, small pieces, names that say something."""

import ast
import graphlib
import re
from collections import Counter
from pathlib import Path

import pytest

import measurand

SOURCE = Path(measurand.__file__).parent
MOST_POSITIONAL = 6
# Today's maxima: they may fall, and never rise.
MOST_LINES, MOST_CODE_LINES = 400, 60
MOST_SHARED, MOST_PARTICIPLES, MOST_EMPTY = 30, 0.03, 0.003
PARTICIPLE = re.compile(
    "(ed|en|told|said|kept|made|held|cut|read|drawn|known|shown|meant|given|found|"
    "built|left|put|lost|sent|set)$"
)
EMPTY = re.compile(
    "found|one|said|made|place|known|whole|told|kept|held|own|some|more|each|given|"
    "asked|there|seen|here|other|both"
)
Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def module_name(path):
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {
    module_name(path): ast.parse(path.read_text("utf-8"))
    for path in sorted(SOURCE.rglob("*.py"))
}
CLASSES = {
    node.name
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef)
}


def imports(node, *, lazy, inside=False):
    """The names that a tree imports when it is loaded or, lazy, when it is called."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.ImportFrom) and lazy in (inside, None):
            yield from (f"{child.module}.{name.name}" for name in child.names)
        deeper = inside or isinstance(child, Scope)
        yield from imports(child, lazy=lazy, inside=deeper)


def module_graph(*, lazy):
    """Of each module, which modules of ours it imports."""
    graph = {}
    for name, tree in TREES.items():
        targets = imports(tree, lazy=lazy)
        modules = {t if t in TREES else t.rpartition(".")[0] for t in targets}
        graph[name] = (modules & TREES.keys()) - {name}
    return graph


@pytest.mark.parametrize("lazy", [False, None], ids=["at once", "lazy ones too"])
def test_no_module_imports_one_that_imports_it(lazy):
    try:
        graphlib.TopologicalSorter(module_graph(lazy=lazy)).prepare()
    except graphlib.CycleError as failure:
        pytest.fail(" -> ".join(failure.args[1]))


def names_of(tree):
    """The names that a module of ours binds, those of its submodules left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield node.asname or node.name


def test_benchmarks_and_pages_import_what_there_is():
    known = {f"{name}.{inner}" for name in TREES for inner in names_of(TREES[name])}
    root = SOURCE.parents[1]
    for folder in ("bench", "docs", "tests"):
        for path in sorted((root / folder).rglob("*.py")):
            wanted = imports(ast.parse(path.read_text("utf-8")), lazy=None)
            ours = {name for name in wanted if name.startswith("measurand.")}
            assert ours <= known | {*TREES}, path


def constructions(tree):
    """The calls in a tree that make an object of a class of ours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in CLASSES or name == "cls":
                yield node


@pytest.mark.parametrize("name", TREES)
def test_an_object_is_made_of_few_positional_arguments(name):
    for call in constructions(TREES[name]):
        assert len(call.args) <= MOST_POSITIONAL, f"{name}:{call.lineno}"


def tuple_names(function):
    """The names that a function gives to tuples it writes down."""
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
            yield from (t.id for t in node.targets if isinstance(t, ast.Name))


@pytest.mark.parametrize("name", TREES)
def test_no_object_is_made_of_a_tuple_without_names(name):
    for function in ast.walk(TREES[name]):
        if isinstance(function, ast.FunctionDef):
            tuples = set(tuple_names(function))
            for call in constructions(function):
                for star in (a for a in call.args if isinstance(a, ast.Starred)):
                    assert ast.unparse(star.value) not in tuples, (
                        f"{name}:{call.lineno}"
                    )


def functions(tree):
    """All functions of a tree, those of classes and functions too."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return [node for node in ast.walk(tree) if isinstance(node, kinds)]


def code_lines(function, lines):
    """How many lines of a function are neither blank, comments nor its docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    inside = lines[body[0].lineno - 1 : function.end_lineno] if body else []
    return sum(not re.match(r"\s*(#|$)", line) for line in inside)


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=module_name)
def test_files_and_functions_are_small(path):
    lines = path.read_text("utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    for function in functions(TREES[module_name(path)]):
        assert code_lines(function, lines) <= MOST_CODE_LINES, function.name


def test_names_are_of_one_thing_and_no_participles():
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    tops = [n for tree in TREES.values() for n in tree.body if isinstance(n, kinds)]
    names = [n.name for n in tops if not isinstance(n, ast.ClassDef)]
    participles = [n for n in names if PARTICIPLE.search(n.split("_")[-1])]
    assert len(participles) <= MOST_PARTICIPLES * len(names), participles
    shared = [n for n, count in Counter(n.name for n in tops).items() if count > 1]
    assert len(shared) <= MOST_SHARED, shared


def test_variables_say_what_they_hold():
    names = [
        getattr(node, "id", getattr(node, "arg", ""))
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.arg)
        or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    empty = Counter(name for name in names if EMPTY.fullmatch(name))
    assert empty.total() <= MOST_EMPTY * len(names), empty
