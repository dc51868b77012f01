"""What stands in nested columns, and what is suggested for it."""

import json

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks import nested
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.files import read_table_file
from measurand.benchmarks.nested import (
    find_nested,
    look_inside,
)
from measurand.benchmarks.proposal import suggest_evidence, suggest_roles
from measurand.core.errors import AmbiguousRoles, BadInput


def texts(i):
    return [f"The boat number {i} left at dawn.", f"It came back {i} hours late."]


# The cells of item i, the path that is suggested, and what stands at its end.
LAYOUTS = {
    "list of objects": (
        lambda i: {"gold_evidence": [{"title": "Log", "text": t} for t in texts(i)]},
        "gold_evidence[].text",
    ),
    "list of lists": (
        lambda i: {"passages": [[text] for text in texts(i)]},
        "passages[][]",
    ),
    "dict of lists": (
        lambda i: {"ctx": {"title": ["Log"], "paragraphs": texts(i)}},
        "ctx.paragraphs[]",
    ),
    "JSON string": (
        lambda i: {"notes": json.dumps([{"n": i, "body": t} for t in texts(i)])},
        "notes[].body",
    ),
    "several columns": (
        lambda i: dict(zip(("title", "body"), texts(i), strict=True)),
        "title+body",
    ),
}
FORMATS = {
    ".jsonl": lambda frame, path: frame.to_json(path, orient="records", lines=True),
    ".parquet": lambda frame, path: frame.to_parquet(path),
}


def rows(cells, n=40):
    return pd.DataFrame(
        {"claim": f"Boat {i} was late.", "label": "yes" if i % 2 else "no", **cells(i)}
        for i in range(n)
    )


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_loads_by_the_path_that_is_suggested(tmp_path, layout, suffix):
    cells, path = LAYOUTS[layout]
    FORMATS[suffix](rows(cells), tmp_path / f"boats{suffix}")
    table = read_table_file(tmp_path / f"boats{suffix}")
    assert suggest_roles(table) == {"evidence": path}
    made = from_frames(table, name="boats", evidence=path)
    assert made.roles["evidence"] == path
    evidence = pd.concat([made.train.column(path), made.test.column(path)])
    assert set(evidence) == {" ".join(texts(i)) for i in range(40)}


def test_query_and_label_are_found_inside_too():
    table = pd.DataFrame(
        {"qa": [{"question": f"Boat {i}?", "answer": "no"} for i in range(40)]}
    )
    assert suggest_roles(table) == {"query": "qa.question", "label": "qa.answer"}
    advice = r"such as `query` 'qa\.question' and `label` 'qa\.answer'$"
    with pytest.raises(AmbiguousRoles, match=advice):
        from_frames(table, name="boats")


def test_what_a_column_plainly_plays_is_not_suggested():
    flat = rows(lambda i: {"evidence": texts(i), "note": "A word or two more."})
    assert suggest_roles(flat) == {}
    bare = rows(lambda i: {"source": "log", "page": i})
    assert suggest_roles(bare) == {}
    choices = rows(lambda i: {"choices": texts(i)}).drop(columns="label")
    assert suggest_roles(choices.assign(answers=[["a", "b"]] * 40)) == {}
    named = rows(lambda i: {"body": texts(i)[0]})
    assert suggest_roles(named, ["body"]) == {}


def test_a_list_of_unlike_values_is_named_by_place():
    column = pd.Series([[["Log", ["One.", "Two."]], ["Map", ["Three."]]]])
    found = look_inside(column, "context").paths
    assert {str(path): values for path, values in found.items()} == {
        "context[][0]": ["Log", "Map"],
        "context[][1][]": ["One.", "Two.", "Three."],
    }


@pytest.mark.parametrize("role", ["query", "evidence", "label", "group", "id"])
def test_a_part_of_objects_is_told_the_paths(role):
    frame = rows(lambda i: {"cell": [{"text": texts(i)[0], "page": i}]})
    told = rf"such as `{role}` 'cell\[\]\.(text|page)'; found are cell\[\]\.text, cell"
    with pytest.raises(
        BadInput, match=rf"^40 of 40 {role} cells .*hold objects.*{told}"
    ):
        from_frames(frame, name="boats", **{role: "cell"})


def test_metadata_fields_and_joined_columns_of_objects_are_told_too():
    frame = rows(lambda i: {"cell": {"a": {"b": "One."}, "c": i}, "note": f"So {i}."})
    with pytest.raises(BadInput, match=r"`metadata` 'cell\.c'; found are cell\.a\.b"):
        from_frames(frame, name="boats", metadata="cell")
    with pytest.raises(BadInput, match=r"`fields` 'cell\.a\.b'"):
        from_frames(frame, name="boats", fields=["note", "cell", "claim"])
    with pytest.raises(BadInput, match=r"column 'cell\.a' hold .* 'cell\.a\.b'"):
        from_frames(frame, name="boats", evidence="label+cell.a", label="claim")


def test_deep_wide_and_long_cells_are_looked_into_within_bounds():
    wide = dict.fromkeys((f"key {i}" for i in range(10_000)), [0] * 10_000)
    circle = [np.array(["x"])]
    circle.append(circle)
    cells = [wide, circle, "[" * 100_000, {"k" * 1000: 1}, {3: 4}, [[[]]]]
    found = find_nested(pd.DataFrame({"cell": cells}))
    assert 0 < len(found["cell"].paths) <= nested.MOST_PATHS


def test_json_past_the_bounds_is_no_nested_column():
    table = pd.DataFrame({"cell": ["[" * 100_000] * 40, "text": ["[sic] a"] * 40})
    assert find_nested(table) == {}


LONG = [f"a boat and its oar number {i}" for i in range(40)]
QUESTION = {"question": [f"What floats on lake {i}?" for i in range(40)]}
TREES = {name: [f"{name} tree {i} by the lake" for i in range(40)] for name in "ABCD"}


@pytest.mark.parametrize(
    "columns",
    [
        {**QUESTION, **TREES, "answer": [*"ABCD"] * 10},
        {**QUESTION, "choices": [[*r] for r in zip(*TREES.values(), strict=True)]}
        | {"answer": [0, 1, 2, 3] * 10},
        {"ctx_a": LONG, "ctx": [f"{text} He" for text in LONG], **TREES}
        | {"label": [*"ABCD"] * 10},
        {**QUESTION, "label": [0, 1] * 20, "passage_id": LONG, "docUrl": LONG},
        {**QUESTION, "label": [0, 1] * 20, "Solution": LONG, "exp": LONG},
        {**QUESTION, "label": [0, 1] * 20, "context": LONG, "notes": LONG},
    ],
)
def test_what_has_a_part_or_can_be_no_evidence_is_not_proposed(columns):
    table = pd.DataFrame(columns)
    benchmark = from_frames(table, name="lakes")
    assert "left out" not in benchmark.roles
    assert suggest_evidence(table, benchmark.columns) is None


def test_evidence_is_proposed_without_the_columns_that_can_be_none():
    columns = {**QUESTION, **TREES, "answer": [*"ABCD"] * 10, "url": LONG}
    table = pd.DataFrame({**columns, "facts": LONG, "description": LONG})
    benchmark = from_frames(table, name="lakes")
    assert benchmark.roles["left out"] == "'facts+description' could be the evidence"
    assert suggest_evidence(table, benchmark.columns) == "facts+description"
