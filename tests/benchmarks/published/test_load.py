"""Where published benchmarks are found, what is said where they are not, real ones."""

import gzip
import json

import datasets
import pytest

from measurand.benchmarks import BENCHMARKS
from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published.layouts import read_published_file
from measurand.benchmarks.published.table import PUBLISHED
from measurand.core.errors import BadInput, BadOption, UnknownName
from tests.benchmarks.lookalikes import CLAIMS, invented, lines, simple, sizes
from tests.shared_data import DATA, needs_data


@pytest.fixture(autouse=True)
def _no_folder_is_named(monkeypatch):
    monkeypatch.delenv("MEASURAND_DATA", raising=False)


def test_the_variable_names_a_folder_too(tmp_path, monkeypatch):
    lines(tmp_path / "below" / "snli.jsonl", simple(30))
    monkeypatch.setenv("MEASURAND_DATA", str(tmp_path))
    assert sum(sizes(load_benchmark("snli"))) == 30


def test_simple_files_may_be_packed_and_several(tmp_path):
    for name in ("fever_nli_train_a", "fever_nli_train_b"):
        rows = invented(20, name, CLAIMS, ("evidence", "claim", "label"))
        text = "\n".join(map(json.dumps, rows)).encode()
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(text))
    made = load_benchmark("fever-nli", data=tmp_path)
    assert sum(sizes(made)) == 40
    assert (
        made.roles["read from"]
        == "fever_nli_train_a.jsonl.gz, fever_nli_train_b.jsonl.gz"
    )


def test_without_train_dev_is_learned_from(tmp_path):
    lines(tmp_path / "snli_dev.jsonl", simple(30))
    lines(tmp_path / "snli_test.jsonl", simple(9))
    assert sizes(load_benchmark("snli", data=tmp_path)) == (30, 9)
    assert sum(sizes(load_benchmark("snli", data=tmp_path, part="dev"))) == 30


def test_the_authors_files_come_before_simple_ones(tmp_path):
    lines(tmp_path / "snli_train.jsonl", simple(30))
    lines(tmp_path / "snli_1.0_train.jsonl", invented(24, "train"))
    lines(tmp_path / "snli_1.0_test.jsonl", invented(12, "test"))
    assert sizes(load_benchmark("snli", data=tmp_path)) == (24, 12)


def problem(*args, **options):
    with pytest.raises(BadInput) as caught:
        load_benchmark(*args, **options)
    message = str(caught.value)
    assert message.isprintable()
    return message


def test_a_folder_without_the_benchmark_is_one_line(tmp_path):
    said = problem("mnli", data=tmp_path, part="mismatched")
    assert "holds no mnli for its part mismatched" in said
    assert "multinli_1.0_train.jsonl and multinli_1.0_dev_mismatched.jsonl" in said
    assert "or mnli_train.jsonl and mnli_mismatched.jsonl" in said
    assert "points into Wikipedia" in problem("fever", data=tmp_path)
    assert "is no folder" in problem("mnli", data=tmp_path / "absent")


def test_another_benchmarks_files_are_one_line(tmp_path):
    lines(tmp_path / "train.jsonl", simple(30))
    lines(tmp_path / "dev.jsonl", simple(30))
    assert "no table of boolq: the columns are premise, hypothesis" in problem(
        "boolq", data=tmp_path
    )
    lines(tmp_path / "snli.jsonl", [*simple(30), {**simple(1)[0], "label": "perhaps"}])
    assert "1 labels of snli are unknown, such as 'perhaps'" in problem(
        "snli", data=tmp_path
    )


def test_damaged_tabs_are_one_line(tmp_path):
    path = tmp_path / "SICK.txt"
    path.write_text("sentence_A\tsentence_B\n1\n")
    assert "line 2 has 1 fields" in problem("sick", data=tmp_path)
    path.write_text("sentence_A\n")
    assert "there are no rows" in problem("sick", data=tmp_path)
    path.with_name("SICK.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(BadInput, match="cannot read"):
        read_published_file(path.with_name("SICK.txt.gz"), quoted=False)


def test_the_hub_is_asked_where_no_folder_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "stanfordnlp" / "snli" / "train.jsonl", simple(30))
    lines(tmp_path / "stanfordnlp" / "snli" / "test.jsonl", simple(9))
    made = load_benchmark("snli")
    assert sizes(made) == (30, 9)
    assert made.roles["read from"] == "stanfordnlp/snli@train, stanfordnlp/snli@test"


def test_where_neither_folder_nor_hub_answers_it_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "google" / "boolq").mkdir(parents=True)  # a hub without the dataset
    said = problem("boolq")
    assert said.startswith("boolq is not at hand: no folder is given, and cannot load")
    assert "put train.jsonl and dev.jsonl, or boolq_train.jsonl" in said
    assert "is on no hub in a form that runs no code" in problem("sick")


def test_options_that_do_not_belong_are_refused(tmp_path):
    with pytest.raises(UnknownName, match="no test part called 'matchd'; did you mean"):
        load_benchmark("mnli", data=tmp_path, part="matchd")
    with pytest.raises(BadOption, match="snli brings its own roles and test items"):
        load_benchmark("snli", query="hypothesis")
    with pytest.raises(BadOption, match="`data` is for benchmarks known by name"):
        load_benchmark("some.jsonl", data=tmp_path)
    with pytest.raises(BadOption, match="leave out `part`"):
        load_benchmark("synthetic:nq", part="test")


def test_every_published_name_is_a_benchmark_with_one_line():
    for name, row in PUBLISHED.items():
        assert BENCHMARKS.entries[name].about == row.about
        assert row.about.isprintable()


@needs_data
@pytest.mark.parametrize(
    ("name", "part", "expected"),
    [
        ("boolq", None, (9427, 3270)),
        ("sick", "test", (4439, 4906)),
        ("cad", "test", (8330, 2000)),
        ("cad", "dev", (8330, 1000)),
        ("esnli", "test", (9842, 9824)),
        ("fever", "symmetric", (13332, 956)),
        ("fever", None, 13332),
        ("snli", None, 18000 + 75453),
        ("mnli", "matched", 9815),
        ("hotpotqa", "fullwiki", 767),
        ("hotpotqa", "distractor", 1644),
        ("hotpotqa-answers", None, 1644),
        ("openbookqa", None, (4957, 500)),
        ("arc-challenge", None, (1119, 1172)),
        ("commonsenseqa", "dev", (9741, 1221)),
    ],
)
def test_the_real_files_beside_us_are_counted_right(name, part, expected):
    found = sizes(load_benchmark(name, data=DATA, part=part))
    assert found == expected if isinstance(expected, tuple) else sum(found) == expected


@needs_data
@pytest.mark.parametrize(
    ("part", "full"), [("fullwiki", 740 / 767), ("distractor", 1594 / 1644)]
)
def test_the_weak_label_is_as_skewed_as_the_papers(part, full):
    made = load_benchmark("hotpotqa", data=DATA, part=part)
    labels = [*made.train.labels, *made.test.labels]
    assert labels.count("full") / len(labels) == pytest.approx(full)
    assert full == pytest.approx(578 / 600, abs=0.01)
