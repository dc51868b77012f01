"""Reports that somebody wrote by hand, to see what happens."""

import json

import pytest

from measurand.core.errors import BadInput
from measurand.report.saved import load_report
from measurand.report.schema import blame_reports


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ("findings 1 statistic", ["x"], r"findings\[1\]\.statistic is a list"),
        ("findings 0 estimate value", "1", "value is text, and has to be a number"),
        ("findings 0 estimate n", None, "n is null"),
        ("findings 0 estimate low", True, "low is true or false"),
        ("findings 0", 3, r"findings\[0\] is a number, and has to be an object"),
        ("exhibits 0 kind", [], r"exhibits\[0\]\.kind is a list"),
        ("exhibits 0 rows", {}, "rows is an object, and has to be a list"),
        ("verdict label", {"a": 1}, r"verdict\.label is an object"),
        ("verdict stage", 1, "stage is a number, and has to be text or null"),
        ("benchmark name", "\ud800", "half a surrogate pair"),
        ("settings", {"\ud800": 1}, "half a surrogate pair"),
        ("warnings", "few", "warnings is text, and has to be a list"),
        ("files", [None], r"files\[0\] is null"),
    ],
)
def test_a_part_of_another_type_is_one_line(lean_copy, place, value, says):
    document = json.loads((lean_copy / "report.json").read_text())
    *above, last = (int(key) if key.isdigit() else key for key in place.split())
    part = document
    for key in above:
        part = part[key]
    part[last] = value
    (lean_copy / "report.json").write_text(json.dumps(document))
    line = rf"report\.json holds what no run writes: [^\n]*{says}[^\n]*$"
    with pytest.raises(BadInput, match=line):
        load_report(lean_copy)


@pytest.mark.parametrize(
    ("part", "value", "says"),
    [
        ("warnings", ["few"] * 1_001, "warnings has more than 1,000 parts"),
        ("files", ["a"] * 10_001, "files has more than 10,000 parts"),
    ],
)
def test_a_part_of_more_than_any_run_writes_is_one_line(lean_copy, part, value, says):
    document = json.loads((lean_copy / "report.json").read_text())
    document[part] = value
    (lean_copy / "report.json").write_text(json.dumps(document))
    with pytest.raises(BadInput, match=says):
        load_report(lean_copy)


def test_rows_with_a_key_each_do_not_become_a_table(lean_copy):
    document = json.loads((lean_copy / "report.json").read_text())
    document["exhibits"][0]["rows"] = [{f"k{i}": 1} for i in range(100_000)]
    (lean_copy / "report.json").write_text(json.dumps(document))
    with pytest.raises(BadInput, match="the rows of an exhibit have other keys each"):
        load_report(lean_copy)


def test_a_number_beyond_all_is_one_line(lean_copy):
    text = (lean_copy / "report.json").read_text()
    text = text.replace('"level": 0.95', '"level": 1e999', 1)
    assert "1e999" in text
    (lean_copy / "report.json").write_text(text)
    with pytest.raises(BadInput, match="a number in it is too large"):
        load_report(lean_copy)


def test_what_fails_on_a_report_is_laid_to_it(tmp_path):
    with (
        pytest.raises(BadInput, match=r"in a or b holds what no run writes: could not"),
        blame_reports("a", "b"),
    ):
        float("x")
    with pytest.raises(OSError, match="full"), blame_reports("a"):
        raise OSError("full")
    with pytest.raises(BadInput, match="holds what no run"), blame_reports("a"):
        raise RecursionError("maximum recursion depth exceeded")
