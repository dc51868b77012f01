"""The source as a whole: no circles, no calls that hide which value goes where."""

import ast
import graphlib
from pathlib import Path

import pytest

import measurand

SOURCE = Path(measurand.__file__).parent
MOST_POSITIONAL = 6
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
