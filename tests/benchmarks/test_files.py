import csv
import gzip
import json

import pandas as pd
import pytest

from measurand.benchmarks.files import file_stem, read_table_file
from measurand.core.errors import BadInput

ROWS = [
    {"claim": 'Ünï, "quoted"\nand more', "label": "yes"},
    {"claim": "猫吃鱼。", "label": "no"},
]


def separated(path, separator):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["claim", "label"], delimiter=separator)
        writer.writeheader()
        writer.writerows(ROWS)


WRITERS = {
    "rows.jsonl": lambda p: p.write_text("\n".join(map(json.dumps, ROWS))),
    "rows.ndjson": lambda p: p.write_text("\n".join(map(json.dumps, ROWS))),
    "rows.json": lambda p: p.write_text(json.dumps(ROWS, indent=1)),
    "rows.csv": lambda p: separated(p, ","),
    "rows.tsv": lambda p: separated(p, "\t"),
    "rows.parquet": lambda p: pd.DataFrame(ROWS).to_parquet(p),
}


def problem(path):
    with pytest.raises(BadInput) as caught:
        read_table_file(path)
    message = str(caught.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_same_rows(tmp_path, name):
    WRITERS[name](tmp_path / name)
    assert read_table_file(tmp_path / name).to_dict("records") == ROWS


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("suffix", [".gz", ""])
def test_gzip_is_known_by_its_bytes(tmp_path, name, suffix):
    WRITERS[name](tmp_path / name)
    packed = tmp_path / f"packed_{name}{suffix}"
    packed.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert read_table_file(packed).to_dict("records") == ROWS


@pytest.mark.parametrize(
    "value",
    [
        {"data": ROWS, "version": 1},
        {"rows": ROWS},
        {"items": ROWS},
        {"Version": "1.0", "Data": ROWS},
        {"name": "boats", "metrics": ["oars"], "examples": ROWS},
        {"examples": ROWS},
        {"claim": [row["claim"] for row in ROWS], "label": ["yes", "no"]},
        {
            "claim": {"0": ROWS[0]["claim"], "1": ROWS[1]["claim"]},
            "label": {"0": "yes", "1": "no"},
        },
    ],
)
def test_json_may_wrap_its_rows_or_stand_by_column(tmp_path, value):
    (tmp_path / "a.json").write_text(json.dumps(value))
    assert read_table_file(tmp_path / "a.json").to_dict("records") == ROWS


def test_json_lines_may_be_called_json(tmp_path):
    WRITERS["rows.jsonl"](tmp_path / "a.json")
    assert read_table_file(tmp_path / "a.json").to_dict("records") == ROWS


def test_json_values_keep_their_type(tmp_path):
    row = {
        "n": 2**53 + 1,
        "b": True,
        "x": 0.5,
        "when": "2020-01-01T00:00:00",
        "l": ["a"],
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    assert read_table_file(tmp_path / "a.jsonl").to_dict("records") == [row]


def test_rows_may_lack_keys_and_blank_lines_are_skipped(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": "x"}\n\n{"b": 1}\n')
    table = read_table_file(tmp_path / "a.jsonl")
    assert table.isna().to_numpy().tolist() == [[False, True], [True, False]]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "rows.tsv"])
def test_a_byte_order_mark_is_accepted(tmp_path, name):
    WRITERS[name](tmp_path / name)
    marked = tmp_path / f"marked_{name}"
    marked.write_bytes(b"\xef\xbb\xbf" + (tmp_path / name).read_bytes())
    assert list(read_table_file(marked).columns) == ["claim", "label"]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.csv", "rows.tsv"])
def test_a_line_may_hold_a_megabyte(tmp_path, name):
    long = "word " * 250_000
    text = json.dumps({"claim": long}) if "json" in name else f"claim\n{long}\n"
    (tmp_path / name).write_text(f"[{text}]" if name == "rows.json" else text)
    assert read_table_file(tmp_path / name)["claim"][0] == long


def test_words_for_nothing_stay_words_in_csv(tmp_path):
    (tmp_path / "a.csv").write_text("claim,label\nNA,null\nnan,007\n")
    assert read_table_file(tmp_path / "a.csv").to_numpy().tolist() == [
        ["NA", "null"],
        ["nan", "007"],
    ]


def test_quotes_are_letters_in_tabs_that_do_not_balance_them(tmp_path):
    (tmp_path / "a.tsv").write_text('claim\tlabel\n"Go" he said\tyes\n5" long\tno\n')
    assert list(read_table_file(tmp_path / "a.tsv")["claim"]) == [
        '"Go" he said',
        '5" long',
    ]


def test_parquet_under_another_name_is_read_as_parquet(tmp_path):
    pd.DataFrame(ROWS).to_parquet(tmp_path / "a.csv")
    assert read_table_file(tmp_path / "a.csv").to_dict("records") == ROWS


def test_parquet_categories_bytes_and_gaps_are_plain_cells(tmp_path):
    columns = {"c": pd.Categorical(["x", "y"]), "b": [b"x", "é".encode()]}
    table = pd.DataFrame({**columns, "n": pd.array([2**53 + 1, None], "Int64")})
    table.to_parquet(tmp_path / "a.parquet")
    rows = read_table_file(tmp_path / "a.parquet").to_dict("records")
    assert rows[0] == {"c": "x", "b": "x", "n": 2**53 + 1}
    assert rows[1]["b"] == "é"


def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path):
    WRITERS["rows.jsonl"](tmp_path / "snli_train.jsonl")
    assert "no such file; did you mean 'snli_train.jsonl'?" in problem(
        tmp_path / "snl_train.jsonl"
    )
    assert problem(tmp_path / "no" / "folder.csv").endswith("no such file")


def test_a_folder_is_no_file(tmp_path):
    assert "it is a folder; name a file in it" in problem(tmp_path)


def test_an_impossible_name_is_one_line(tmp_path):
    assert "name too long" in problem(tmp_path / ("a" * 400 + ".csv"))
    assert "no such file" in problem(tmp_path / "new\nline.csv")


@pytest.mark.parametrize("name", WRITERS)
def test_an_empty_file_is_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    assert "the file is empty" in problem(tmp_path / name)
    (tmp_path / name).write_bytes(gzip.compress(b""))
    assert "the file is empty" in problem(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "claim,label\n"),
        ("a.json", "[]"),
        ("a.jsonl", "\n\n"),
        ("a.tsv", "\n"),
        ("a.json", "{}"),
    ],
)
def test_a_file_without_rows_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert "there are no rows" in problem(tmp_path / name)


BROKEN = {
    "comma.jsonl": (
        b'{"a": 1}\n{"a": 1 "b": 2}\n',
        "line 2, column 9: expecting ',' delimiter",
    ),
    "cut.jsonl": (
        b'{"a": 1}\n\n{"a": "x\n',
        "line 3, column 7: unterminated string, near",
    ),
    "list.jsonl": (b'{"a": 1}\n[1]\n', "line 2 holds a list, not an object"),
    "text.jsonl": (b'"a"\n', "line 1 holds text"),
    "null.jsonl": (b"null\n", "line 1 holds null"),
    "number.jsonl": (b"7\n", "line 1 holds a number"),
    "twice.jsonl": (
        b'{"a": 1}\n{"a": 1, "a": 2}\n',
        "line 2: more than one column is called 'a'",
    ),
    "deep.jsonl": (b"[" * 100_000, "line 1: its json is nested too deeply"),
    "digits.jsonl": (b'{"a": ' + b"1" * 5000 + b"}", "line 1: 'exceeds the limit"),
    "latin.jsonl": ('{"a": 1}\n{"a": "é"}'.encode("latin-1"), "byte 16 is not utf-8"),
    "latin.csv": ("a,b\né,1".encode("latin-1"), "byte 4 is not utf-8"),
    "wide.csv": ("a,b\n1,2".encode("utf-16"), "byte 3 is nul"),
    "wide.tsv": ("a\tb\n1\t2".encode("utf-16-le"), "byte 1 is nul"),
    "binary.jsonl": (b"\x01\x00\x02", "byte 1 is nul, so this is no text"),
    "comma.json": (b'[\n{"a": 1},\n]', "line 3, column 1"),
    "number.json": (b"[1, 2]", "element 1 of the list is a number"),
    "scalar.json": (b'"a"', "neither a list of objects"),
    "object.json": (b'{"version": 1}', "it holds no rows"),
    "lists.json": (
        b'{"v": 1, "east": [{"a": 1}], "west": [{"a": 2}]}',
        "it holds 2 lists of objects, east, west; put the one that is meant at the top",
    ),
    "objects.json": (
        b'{"claim": ["a", "b"], "log": [{"page": 1}]}',
        "its columns do not hold the same rows",
    ),
    "uneven.json": (
        b'{"a": [1, 2], "b": [1]}',
        "do not hold the same rows ('a' 2, 'b' 1)",
    ),
    "keyed.json": (
        b'{"p1": {"qas": 1, "text": 1}, "p2": {"qas": 1, "text": 1}, "p3": '
        b'{"qas": 1, "text": 1}}',
        "it is an object of 3 objects, such as 'p1', that hold qas, text; give a list",
    ),
    "more.csv": (
        b'a,b\n"x\ny",1\n1,2,3\n',
        "line 4 has 3 fields where the header has 2",
    ),
    "fewer.tsv": (b"a\tb\n\n1\n", "line 3 has 1 fields where the header has 2"),
    "open.csv": (b'a,b\n1,2\n"x,1\n', "line 3: unexpected end of data"),
    "mac.csv": (b"a,b\r1,2\r", "line 1: new-line character"),
    "names.csv": (b"a,b,a\n1,2,3\n", "more than one column is called 'a'"),
    "cut.parquet": (b"PAR1xxxx", "not a whole parquet file"),
    "hostile.jsonl": (b'{"\x1b[31m\r\x07": ', "line 1"),
    "notes.txt": (
        b"hello",
        "the suffix '.txt' says nothing of the format; allowed are .jsonl",
    ),
    "README": (b"hello", "a name without a suffix"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_input_is_one_line_that_says_where(tmp_path, name):
    content, expected = BROKEN[name]
    (tmp_path / name).write_bytes(content)
    assert expected in problem(tmp_path / name).lower()
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(content))
    assert expected in problem(tmp_path / f"{name}.gz").lower()


def test_damaged_gzip_is_refused(tmp_path):
    whole = gzip.compress(json.dumps(ROWS).encode())
    (tmp_path / "cut.json.gz").write_bytes(whole[:-12])
    assert "the gzip data end too early" in problem(tmp_path / "cut.json.gz")
    (tmp_path / "bad.json.gz").write_bytes(whole[:-8] + b"12345678")
    assert "the gzip data are broken" in problem(tmp_path / "bad.json.gz")
    (tmp_path / "odd.json.gz").write_bytes(whole[:12] + b"\xff" * 30)
    assert "the gzip data are broken" in problem(tmp_path / "odd.json.gz")


def test_parquet_with_two_columns_of_one_name_is_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table([["x"], ["y"]], names=["a", "a"]), tmp_path / "a.parquet")
    assert "more than one column is called 'a'" in problem(tmp_path / "a.parquet")


def test_keys_that_change_from_row_to_row_are_refused(tmp_path):
    (tmp_path / "a.jsonl").write_text("\n".join(f'{{"k{i}": 1}}' for i in range(1001)))
    assert "more than 1000 columns" in problem(tmp_path / "a.jsonl")


def test_half_a_surrogate_pair_does_not_stop_the_reading(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"a": "x\\ud800"}\n{"a": "y"}')
    assert list(read_table_file(tmp_path / "a.jsonl")["a"]) == ["x\ud800", "y"]


def test_batches_join_into_one_table(tmp_path, monkeypatch):
    monkeypatch.setattr("measurand.benchmarks.formats.BATCH", 2)
    rows = [{"a": "x"}, {"a": None}, {"b": 1}, {"a": "y"}, {"a": 2, "b": None}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table = read_table_file(tmp_path / "a.jsonl").astype(object)
    assert table.where(table.notna(), None).to_numpy().tolist() == [
        ["x", None],
        [None, None],
        [None, 1],
        ["y", None],
        [2, None],
    ]


def test_a_name_is_a_stem_and_never_a_path():
    assert file_stem("/secret/snli_1.0_train.JSONL.GZ") == "snli_1.0_train"
    assert file_stem("a.b\n.csv") == "a.b_"
    assert file_stem("notes.v2") == "notes.v2"


def test_parquet_text_that_is_not_utf8_is_refused(tmp_path):
    pd.DataFrame({"a": ["plain"] * 3}).to_parquet(
        tmp_path / "a.parquet", compression=None
    )
    broken = (tmp_path / "a.parquet").read_bytes().replace(b"plain", b"pl\xff\xfen")
    (tmp_path / "a.parquet").write_bytes(broken)
    assert "not a whole Parquet file" in problem(tmp_path / "a.parquet")


@pytest.mark.parametrize(
    ("name", "header", "row"),
    [
        ("excel.csv", "\ufeffclaim;label", "Old, it sinks;no"),
        ("quoted.csv", '"claim";"label"', '"Old, it sinks";"no"'),
        ("bars.tsv", "\nclaim|label", "Old, it sinks|no"),
        ("tabs.csv", "claim\tlabel", "Old, it sinks\tno"),
        ("commas.tsv", "claim,label", '"Old, it sinks",no'),
    ],
)
def test_a_header_says_what_stands_between_fields(tmp_path, name, header, row):
    path = tmp_path / name
    path.write_text(f"{header}\n{row}\n", "utf-8")
    table = read_table_file(path)
    assert table.to_dict("records") == [{"claim": "Old, it sinks", "label": "no"}]


def test_numbers_and_letters_may_name_columns(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("0,1\nIt floats,0\nIt sinks,1\n")
    assert [*read_table_file(path)] == ["0", "1"]
    path.write_text("question,A,B,answer\nWhich figure floats?,A,B,B\n")
    assert [*read_table_file(path)["A"]] == ["A"]


def test_columns_of_a_file_without_a_header_are_numbered(tmp_path):
    path = tmp_path / "headless.tsv"
    path.write_bytes(b"n\tThe boat cannot row. It\t2\nn\tIt\t1\no\tShe\t2\n")
    table = read_table_file(path)
    assert [*table.columns] == ["column1", "column2", "column3"]
    assert table["column3"].tolist() == ["2", "1", "2"]
