"""Paths into nested cells: how they are written, and what they lead to."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurand.benchmarks import paths
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.paths import Path, follow_path, parse_paths
from measurand.benchmarks.proposal import suggest_roles
from measurand.core.errors import BadInput, BadOption, MeasurandError, NoField

COLUMNS = ["ctx", "title", "body", "a.b", "c+d"]


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("ctx.title", [Path("ctx", ("title",))]),
        ("ctx[].text", [Path("ctx", (None, "text"))]),
        ("ctx[0][-1]", [Path("ctx", (0, -1))]),
        ("ctx.paragraphs[][]", [Path("ctx", ("paragraphs", None, None))]),
        ('ctx["odd.key"].x', [Path("ctx", ("odd.key", "x"))]),
        ("title+body", [Path("title"), Path("body")]),
        (
            "title + ctx.a b + body",
            [Path("title"), Path("ctx", ("a b",)), Path("body")],
        ),
        ("a.b.c", [Path("a.b", ("c",))]),
        ("c+d+title", [Path("c+d"), Path("title")]),
    ],
)
def test_a_path_is_read_column_first(name, read):
    assert list(parse_paths(name, COLUMNS)) == read


@pytest.mark.parametrize(
    "name",
    [
        *("", "+", "title", " title", "title+", "+title", "ctx[", "ctx[x]", "ctx."),
        *("ctx..a", "none.a", "ctxx.a", 'ctx["\\x"]', "ctx[99999999999]"),
        "ctx.a" * 200,
    ],
)
def test_what_is_no_path_is_none(name):
    assert parse_paths(name, COLUMNS) == ()


@given(st.lists(st.one_of(st.text(), st.none(), st.integers(-999, 999)), min_size=1))
def test_a_path_is_written_as_it_is_read(steps):
    path = Path("ctx", tuple(steps))
    if len(str(path)) <= paths.LONGEST_PATH:
        assert parse_paths(str(path), COLUMNS) == (path,)


@pytest.mark.parametrize(
    ("cell", "steps", "value"),
    [
        ([{"t": "a"}, {"t": "b"}], (None, "t"), ["a", "b"]),
        ([{"t": "a"}, {}, {"t": None}], (None, "t"), ["a"]),
        ([["a", "b"], ["c"]], (None, None), ["a", "b", "c"]),
        (np.array([{"t": "a"}], dtype=object), (0, "t"), "a"),
        ('{"t": "[1, 2]"}', ("t", -1), 2),
        ([], (None, "t"), []),
        ([{"t": "a"}], (None, "u"), None),
        ([{"t": "a"}], (1, "t"), None),
        ("no JSON [", (None,), None),
        (None, ("t",), None),
        (float("nan"), ("t",), None),
        (3, ("t",), None),
        (np.array(3), (None,), None),
    ],
)
def test_a_path_is_followed_in_order(cell, steps, value):
    assert follow_path(cell, steps) == value


def nested(cell):
    """Forty items, the evidence of each made by `cell` of its number."""
    return pd.DataFrame(
        {
            "claim": [f"Boat {i} was late." for i in range(40)],
            "label": ["yes", "no"] * 20,
            "cell": [cell(i) for i in range(40)],
        }
    )


def test_parts_are_joined_and_the_report_states_path_and_join():
    frame = nested(lambda i: [{"t": f"One {i}.", "n": 1}, {"t": "Two.", "n": 2}])
    made = from_frames(frame, name="boats", evidence="cell[].t", metadata=["cell[].n"])
    assert made.roles["evidence"] == made.evidence == "cell[].t"
    assert "join" not in made.roles
    assert set(made.train.column("cell[].n")) == {"1 2"}
    assert made.train.column("cell[].t").str.fullmatch(r"One \d+\. Two\.").all()
    lines = from_frames(frame, name="boats", evidence="cell[].t", join="\n")
    assert lines.train.column("cell[].t").str.endswith(".\nTwo.").all()
    assert lines.roles["join"] == r"'\n'"


def test_every_part_of_a_benchmark_may_be_a_path():
    frame = pd.DataFrame(
        {
            "row": [
                {
                    **{"q": f"Boat {i}?", "e": [f"Harbour {i}."], "y": i % 2 == 0},
                    **{"kind": "ab"[i % 3 == 0], "why": {"text": f"Because {i}."}},
                    **{"from": i // 2, "side": "train" if i < 30 else "test"},
                    **{"id": {"n": i}},
                }
                for i in range(40)
            ]
        }
    )
    parts = {"query": "q", "evidence": "e", "label": "y", "metadata": "kind"}
    parts |= {"rationale": "why.text", "group": "from", "split": "side", "id": "id.n"}
    columns = {part: f"row.{steps}" for part, steps in parts.items()}
    made = from_frames(frame, name="boats", **columns)
    assert made.roles == {**columns, "split": "column row.side"}
    assert (made.test.ids[0], made.classes) == ("30", ("false", "true"))


def test_a_column_comes_before_a_path_of_its_name():
    frame = nested(lambda i: {"t": "inside"}).assign(**{"cell.t": "beside"})
    made = from_frames(frame, name="boats", evidence="cell.t", split_by="query")
    assert set(made.train.column("cell.t")) == {"beside"}


def test_texts_at_a_path_are_the_items_of_a_flat_file():
    texts = {i: [f"One {i}.", "Two."] for i in range(40)}
    inside = nested(lambda i: json.dumps([{"t": text} for text in texts[i]]))
    flat = nested(str).assign(**{"cell[].t": [*map(" ".join, texts.values())]})
    made, plain = (
        from_frames(frame, name="boats", evidence="cell[].t")
        for frame in (inside, flat)
    )
    pd.testing.assert_frame_equal(made.train.table, plain.train.table)
    pd.testing.assert_frame_equal(made.test.table, plain.test.table)
    assert (made.roles, made.notes) == (plain.roles, plain.notes)


def test_a_path_that_leads_nowhere_names_the_nearest():
    frame = nested(lambda i: [{"text": f"One {i}.", "title": "Two"}])
    with pytest.raises(NoField, match=r"did you mean 'cell\[\]\.text'\?$"):
        from_frames(frame, name="boats", evidence="cell[].txt")
    with pytest.raises(NoField, match=r"did you mean 'claim\+cell\[0\]\.text'\?$"):
        from_frames(frame, name="boats", evidence="clam+cell[0].text")
    with pytest.raises(NoField, match=r"did you mean 'claim\+label'\?$"):
        from_frames(frame, name="boats", query="claim,label")
    with pytest.raises(NoField, match=r"the paths cell\[\]\.text, cell\[\]\.title$"):
        from_frames(frame, name="boats", metadata="text,title")


def test_where_a_path_leads_nowhere_in_some_rows_the_cell_is_missing():
    frame = nested(lambda i: {} if i in (3, 5) else {"t": f"One {i}."})
    with pytest.raises(BadInput, match=r"2 of 40 evidence cells in column 'cell\.t' "):
        from_frames(frame, name="boats", evidence="cell.t")
    made = from_frames(frame, name="boats", metadata="cell.t")
    column = pd.concat([made.train.column("cell.t"), made.test.column("cell.t")])
    assert (column == "missing").sum() == 2


def test_a_column_that_is_missing_makes_the_joined_cell_missing():
    frame = nested(lambda i: None if i == 7 else f"One {i}.")
    with pytest.raises(BadInput, match=r"1 of 40 evidence cells .* first in rows 8;"):
        from_frames(frame, name="boats", query="claim", evidence="label+cell")


def test_a_bare_list_of_columns_is_told_how_to_be_written():
    with pytest.raises(BadOption, match=r"with a plus, such as 'title\+body'$"):
        from_frames(nested(str), name="boats", evidence=["claim", "cell"])


@pytest.mark.parametrize("join", [3, None, "\ud800", "x" * 101])
def test_what_cannot_join_is_refused(join):
    with pytest.raises(MeasurandError, match="join"):
        from_frames(nested(str), name="boats", evidence="cell", join=join)


# --- hostile cells ---


def deep(levels):
    cell = "end"
    for _ in range(levels):
        cell = [cell]
    return cell


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        (lambda i: "[" * 70 + "]" * 70, "row 1 of column 'cell': .* too deeply"),
        (lambda i: "[" * 100_000, "row 1 of column 'cell': .* too deeply"),
        (lambda i: '{"a": 1, "a": 2}', "row 1 of column 'cell': more than one"),
        (lambda i: "[" + "9" * 5000 + "]", "row 1 of column 'cell': "),
    ],
)
def test_a_hostile_text_is_one_line(cell, reason):
    with pytest.raises(BadInput, match=rf"^{reason}[^\n]*$"):
        from_frames(nested(cell), name="boats", evidence="cell[]")


def test_bounds_hold(monkeypatch):
    monkeypatch.setattr(paths, "LONGEST_JSON", 50)
    with pytest.raises(BadInput, match="JSON of 61 letters; allowed are 50"):
        from_frames(
            nested(lambda i: json.dumps([0] * 20) + " "), name="b", evidence="cell[]"
        )
    monkeypatch.setattr(paths, "MOST_PARTS", 100)
    laughs = ["ha"]
    for _ in range(30):
        laughs = [laughs] * 10  # ten to the thirtieth, in no memory at all
    with pytest.raises(BadInput, match="more than 100 values"):
        from_frames(nested(lambda i: laughs), name="b", evidence="cell" + "[]" * 31)


def test_a_list_in_itself_is_one_line():
    circle = []
    circle.append(circle)
    for levels in (deep(500), circle):
        with pytest.raises(BadInput, match="more than 64 lists inside each other"):
            from_frames(nested(lambda i, c=levels: c), name="b", evidence="cell")


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.text(max_size=8)
    # Texts that may hold JSON.
    | st.text(alphabet='[]{}":,1a \\', max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(alphabet="ab.[", max_size=2), inner, max_size=3)
        | inner.map(lambda value: json.dumps(value))
    ),
    max_leaves=10,
)
NAMES = st.text(alphabet='cell.ab[]0-1+,"\\ ', max_size=12).map(lambda t: "cell" + t)


PARTS = ("query", "evidence", "label", "metadata", "rationale", "group", "id")


@settings(max_examples=60, deadline=None)
@given(VALUES, NAMES | st.text(max_size=12), st.sampled_from(PARTS))
def test_no_path_and_no_nesting_is_a_traceback(value, name, part):
    frame = nested(lambda i: value if i % 2 else [value])
    suggest_roles(frame)
    line = ""
    try:
        from_frames(frame, name="boats", **{part: name})
    except MeasurandError as error:
        line = str(error)
    assert "\n" not in line
