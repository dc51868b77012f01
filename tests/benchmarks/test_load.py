import json
import subprocess
import sys

import datasets
import pandas as pd
import pytest

from measurand.benchmarks import SYNTHETIC
from measurand.benchmarks.load import load_benchmark
from measurand.core.errors import BadInput, BadOption, MissingExtra, UnknownName

ROWS = [
    {"claim": f"claim {i}", "evidence": f"evidence {i}.", "verdict": i % 2}
    for i in range(40)
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder in the hub's layout; the library's cache is kept out of the home."""
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    made = tmp_path / "facts"
    made.mkdir()
    (made / "train.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (made / "test.jsonl").write_text("\n".join(map(json.dumps, ROWS[:20])))
    return made


def test_a_file_is_a_benchmark_named_by_its_stem(folder):
    made = load_benchmark(str(folder / "train.jsonl"), label="verdict", seed=3)
    assert made.name == "train"
    assert made.roles["label"] == "verdict"


def test_a_test_file_stands_apart(folder):
    made = load_benchmark(
        str(folder / "train.jsonl"), test=str(folder / "test.jsonl"), label="verdict"
    )
    assert (len(made.train), len(made.test)) == (40, 20)


def test_a_folder_is_read_in_the_manner_of_the_hub(folder):
    made = load_benchmark(f"hf:{folder}", label="verdict")
    assert (made.name, len(made.train), len(made.test)) == ("facts", 40, 20)
    assert made.roles["split"] == "column split"


def test_one_split_of_a_folder_can_be_named(folder, monkeypatch):
    monkeypatch.chdir(folder.parent)
    made = load_benchmark("hf:./facts@train", test="hf:./facts@test", label="verdict")
    assert (made.name, made.test.ids[0]) == ("facts", "test-0")


def test_a_folder_of_parquet_keeps_the_names_of_classes(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for name in ("train", "test"):
        features = datasets.Features(
            {
                "text": datasets.Value("string"),
                "label": datasets.ClassLabel(names=["no", "yes"]),
            }
        )
        rows = {"text": [f"{name} {i}" for i in range(20)], "label": [0, 1] * 10}
        datasets.Dataset.from_dict(rows, features).to_parquet(
            folder / f"{name}.parquet"
        )
        (folder / f"{name}.jsonl").unlink()
    assert load_benchmark("hf:.").classes == ("no", "yes")


def test_code_in_a_folder_is_never_run(folder):
    for file in folder.iterdir():
        file.unlink()
    (folder / "facts.py").write_text("raise SystemExit('ran')")
    with pytest.raises(BadInput, match="cannot load 'hf:"):
        load_benchmark(f"hf:{folder}")


@pytest.mark.parametrize("source", ["hf:./absent", "hf:{}:config", "hf:{}@nosplit"])
def test_a_dataset_that_is_not_there_is_one_line(folder, source):
    with pytest.raises(BadInput, match="cannot load") as caught:
        load_benchmark(source.format(folder))
    assert str(caught.value).isprintable()


def test_an_empty_hub_name_is_refused():
    with pytest.raises(BadInput, match="names no dataset"):
        load_benchmark("hf:")


def test_without_the_library_its_pip_line_is_given(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    monkeypatch.delitem(sys.modules, "measurand.benchmarks.hub", raising=False)
    with pytest.raises(MissingExtra, match=r"pip install 'measurand\[hub\]'"):
        load_benchmark("hf:snli")


@pytest.mark.parametrize("name", list(SYNTHETIC))
def test_known_names_are_made_at_a_seed(name):
    assert (
        load_benchmark(name, seed=1).train.digest
        == load_benchmark(name, seed=1).train.digest
    )
    assert (
        load_benchmark(name, seed=1).train.digest
        != load_benchmark(name, seed=2).train.digest
    )


def test_known_names_take_no_roles():
    with pytest.raises(BadOption, match="leave out `test`, `metadata`"):
        load_benchmark("synthetic:nq", test="a.csv", metadata=("genre",))


@pytest.mark.parametrize("name", ["synthetic:nqq", "synthetic-nq"])
def test_an_unknown_name_is_answered_with_the_nearest(name):
    with pytest.raises(UnknownName, match="did you mean 'synthetic:nq'"):
        load_benchmark(name)


def test_importing_the_folder_loads_nothing_heavy():
    code = (
        "import sys, measurand.benchmarks; "
        "print({'pandas', 'numpy', 'datasets'} & {*sys.modules})"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "set()"


def test_the_same_rows_in_any_format_are_the_same_items(tmp_path):
    frame = pd.DataFrame(ROWS)
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_json(tmp_path / "a.json")
    frame.to_json(tmp_path / "a.jsonl.gz", orient="records", lines=True)
    made = [
        load_benchmark(str(file), label="verdict")
        for file in sorted(tmp_path.iterdir())
    ]
    assert len({one.train.digest for one in made}) == 1
