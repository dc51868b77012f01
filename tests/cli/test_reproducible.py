"""The same seed gives the same report, byte for byte, whatever else differs."""

import json
import platform
import shutil

import pytest

from measurand.disk.store import Codec, Store
from tests.cli.commands import LEAST, QUICK, in_process, made, process, written

KINDS = ("--metadata", "kind", *LEAST, "--folds", "3")


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """A folder with a file, the report of a run in one process, and its store."""
    folder = tmp_path_factory.mktemp("first")
    file = written(folder / "facts.jsonl", made(120))
    command = ("evidence", file, *KINDS, "--workers", "1", "--out", folder / "r")
    said = in_process(*command, MEASURAND_STORE=folder / "store")
    assert said.code == 0, said.err
    return folder


def report(folder):
    return (folder / "r" / "report.json").read_bytes()


def contents(folder):
    """Every file of a report, but for the log of the run."""
    files = {p.relative_to(folder): p for p in folder.rglob("*") if p.is_file()}
    return {str(n): p.read_bytes() for n, p in files.items() if n.name != "run.json"}


# Level 2 leaves out what level 1 does, and docstrings too.
@pytest.mark.slow
def test_workers_hash_seed_place_and_an_optimizing_python_leave_no_trace(
    first, tmp_path
):
    other = tmp_path / "other"
    other.mkdir()
    shutil.copy(first / "facts.jsonl", other)
    command = ("evidence", "facts.jsonl", *KINDS, "--workers", "2", "--out", "r")
    said = process(*command, cwd=other, PYTHONHASHSEED=2, PYTHONOPTIMIZE=2)
    assert said.code == 0, said.err
    again, once = contents(other / "r"), contents(first / "r")
    assert {name for name in again if again[name] != once.get(name)} == set()
    assert again.keys() == once.keys()
    assert any(name.endswith(".svg") for name in once)


BEHIND = {
    "leakage": ("facts.jsonl", "--no-map"),
    "exposure": ("facts.jsonl", "--text", "claim", "--m", "10", "--n", "20"),
    "explanations": ("synthetic:explained", "--items", "40", "--no-calibrate"),
}


@pytest.mark.slow
@pytest.mark.parametrize("audit", BEHIND)
def test_no_audit_depends_on_the_hash_seed(first, tmp_path, audit):
    shutil.copy(first / "facts.jsonl", tmp_path)
    reports = []
    for seed in (0, 1, 2):  # each with a store of its own: answers are tried, too
        words = ("--workers", "1", "--store", f"store{seed}", "--out", f"r{seed}")
        command = (audit, *BEHIND[audit], *words)
        said = process(*command, cwd=tmp_path, PYTHONHASHSEED=seed)
        assert said.code == 0, said.err
        reports.append(contents(tmp_path / f"r{seed}"))
    assert reports[0] == reports[1] == reports[2]


def test_an_optimizing_python_gives_the_same_help():
    plain, stripped = (process("--help", PYTHONOPTIMIZE=level) for level in ("", 2))
    assert "Do labels depend on the evidence?" in plain.out
    assert stripped == plain


def test_a_second_run_computes_nothing_and_prints_what_it_saves(first, tmp_path, run):
    command = ("evidence", first / "facts.jsonl", *KINDS, "--workers", "1", "--json")
    outcome = run(*command, "--store", first / "store", "--out", tmp_path / "r")
    assert outcome.code == 0
    assert outcome.out.encode() == report(tmp_path) == report(first)
    log = json.loads((tmp_path / "r" / "run.json").read_text())
    assert log["answers"]["computed"] == 0


def test_another_seed_gives_another_report(file, run):
    said = [run("evidence", file, *QUICK, "--json", "--seed", s).out for s in (0, 1)]
    assert said[0] != said[1]


def test_a_report_tells_nothing_of_when_where_and_how_long(first):
    text = report(first).decode()
    log = json.loads((first / "r" / "run.json").read_text())
    words = ("seconds", "workers", "store", "started", "host", log["started"][:10])
    for word in (str(first), first.name, platform.node(), *words):
        assert word not in text
    assert {"seconds", "workers", "store", "started", "host"} <= {*log}


def cut(numbers, mark):
    numbers.write_bytes(numbers.read_bytes()[:100])
    return numbers


def flipped(numbers, mark):
    content = bytearray(numbers.read_bytes())
    content[len(content) // 2] ^= 1
    numbers.write_bytes(content)
    return numbers


def lost(numbers, mark):
    numbers.unlink()
    return numbers


def emptied(numbers, mark):
    mark.write_bytes(b"")
    return mark


def reshaped(numbers, mark):
    record = json.loads(mark.read_text())
    repeats, items, classes = record["stated"]["shape"]
    record["stated"]["shape"] = [items, repeats, classes]
    mark.write_text(json.dumps(record))
    return mark


DAMAGES = (cut, flipped, lost, emptied, reshaped)


def test_damaged_answers_are_noticed_and_computed_again(file, store, run):
    command = ("evidence", file, *QUICK, "--json")
    whole = run(*command)
    stored = sorted(store.glob("*/*.parquet"))
    pairs = zip(DAMAGES, stored[: len(DAMAGES)], strict=True)
    damaged = [damage(path, path.with_suffix(".json")) for damage, path in pairs]
    again = run(*command)
    assert again.out == whole.out
    noticed = [line for line in again.err.split("\n") if "computing it again" in line]
    assert len(noticed) == len(DAMAGES)
    assert all(path.stem in again.err for path in damaged)
    assert "computing it again" not in run(*command).err


RAW = Codec(
    "", lambda entry: entry, lambda stated, content: (stated, content), ".parquet"
)


def test_forged_and_swapped_answers_give_the_same_bytes(file, store, run):
    command = ("evidence", file, *QUICK, "--json")
    whole = run(*command)
    kept = Store(store)
    keys = sorted(path.stem for path in store.glob("*/*.json") if len(path.stem) == 64)
    entries = {key: kept.read(key, RAW, print) for key in keys}
    for key, remarks in zip(keys, (["x"], {"truncated": "<b>x</b>"}), strict=False):
        stated, content = entries[key]
        kept.write(key, RAW, ({**stated, "remarks": remarks}, content))
    one, two = alike(entries, keys[2:])
    for source, target in zip(kept.paths(one, RAW), kept.paths(two, RAW), strict=True):
        shutil.copy(source, target)  # both files of one under the key of the other
    again = run(*command)
    assert again.out == whole.out
    noticed = [line for line in again.err.split("\n") if "computing it again" in line]
    assert len(noticed) == 3
    assert all(any(key in line for line in noticed) for key in (*keys[:2], two))


def alike(entries, keys):
    """The keys of two answers of one shape that differ."""
    return next(
        (one, two)
        for one in keys
        for two in keys
        if one != two
        and entries[one][0]["shape"] == entries[two][0]["shape"]
        and entries[one][1] != entries[two][1]
    )


def test_foreign_files_in_the_store_are_no_problem(file, store, run):
    for name in ("README", "00/.abc.part", "ab/notes.json", "ab/x.parquet"):
        (store / name).parent.mkdir(parents=True, exist_ok=True)
        (store / name).write_text("foreign")
    command = ("evidence", file, *QUICK, "--json")
    assert (run(*command).code, run(*command).code) == (0, 0)
    assert (store / "ab" / "notes.json").read_text() == "foreign"


def test_a_folder_in_the_place_of_an_answer_is_one_line(file, store, run):
    command = ("evidence", file, *QUICK, "--json")
    assert run(*command).code == 0
    mark = next(store.glob("*/*.json"))
    mark.unlink()
    mark.mkdir()
    outcome = run(*command)
    assert outcome.code == 1
    assert outcome.last.startswith(f"measurand: cannot write {mark.name}")
