"""Strong readers from the command line: fitted, kept, tuned, on several test parts."""

import json

import pytest

from measurand.readers import KINDS, READERS
from tests.cli.commands import QUICK, made, process, written
from tests.conftest import small_items
from tests.models import tiny_encoder

HEAVY = {name: entry.extra for name, entry in READERS.entries.items() if entry.extra}
HEAVY |= {
    f"{name}:somewhere": entry.extra
    for name, entry in KINDS.entries.items()
    if entry.extra
}
# What Python would find where no extra was ever installed.
BARE = """
import contextlib, io, json, sys
ABSENT = {"httpx", "peft", "safetensors", "tokenizers", "torch", "transformers"}
class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in ABSENT | {"wordllama"}:
            return self.finder.find_spec(name, path, target)
sys.meta_path[:] = map(Without, sys.meta_path)
from measurand.cli import main
file, *names = sys.argv[1:]
for name in names:
    sys.argv = ["measurand", "evidence", file, "--reader", name]
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as left:
            print(json.dumps([left.code, said.getvalue()]))
"""


@pytest.fixture
def sides(tmp_path):
    """Train and two test files that a tiny encoder can read."""
    table = small_items(90).table.reset_index(drop=True)
    rows = table.to_dict("records")
    cuts = {"train": rows[:60], "near": rows[60:75], "far": rows[75:]}
    return {
        name: written(tmp_path / f"{name}.jsonl", cut) for name, cut in cuts.items()
    }


@pytest.fixture
def weights(tmp_path):
    return f"encoder:{tiny_encoder.save(tmp_path / 'tiny')}"


def roles(sides, *more):
    tests = [word for name in more for word in ("--test", sides[name])]
    return [sides["train"], *tests, "--query", "claim", "--evidence", "proof"]


def test_a_place_that_leads_in_a_circle_is_named_before_training(
    run, sides, weights, tmp_path
):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    done = run("fit", weights, *roles(sides, "near"), "--save", tmp_path / "a")
    assert done.code == 1
    assert len(done.err.splitlines()) == 1
    assert f"cannot write to {tmp_path / 'a'}: too many levels" in done.last


def test_a_reader_is_fitted_kept_and_audited(run, sides, weights, tmp_path):
    kept = tmp_path / "kept"
    done = run("fit", weights, *roles(sides, "near", "far"), "--save", kept)
    assert done.code == 0, done.err
    assert [line.split(":")[0] for line in done.out.splitlines()] == ["test", "far"]
    words = ["--reader", kept, *QUICK, "--json"]
    again = run("evidence", *roles(sides, "near", "far"), *words)
    assert again.code == 0, again.err
    report = json.loads(again.out)
    assert any("query_only" in what for what in report["not_run"])
    assert "ood_gap" in report["not_run"]
    found = {(f["statistic"], f["condition"]) for f in report["findings"]}
    assert {
        ("accuracy", "full"),
        ("accuracy", "part=far"),
        ("truncated", "full"),
    } <= found
    told = done.out.splitlines()[0].split()[2]
    value = next(
        f
        for f in report["findings"]
        if f["statistic"] == "accuracy" and f["reader"] == str(kept)
    )
    assert float(told) == pytest.approx(value["estimate"]["value"], abs=5e-4)


@pytest.mark.slow
def test_a_rate_is_tuned_once_and_stated(run, sides, weights):
    words = ("--reader", weights, *QUICK, "--tune", "--json")
    report = json.loads(run("evidence", *roles(sides, "near"), *words).out)
    (recipe,) = report["settings"]["readers"].values()
    assert recipe["rate"] in (5e-7, 1e-6, 5e-6, 1e-5, 5e-5)


def test_a_reader_without_weights_is_not_kept(run, file, tmp_path):
    done = run("fit", "tfidf", file, "--save", tmp_path / "kept")
    assert done.code == 1
    assert "give minilm or encoder:DIRECTORY" in done.last


def test_a_test_part_is_named_once(run, sides):
    done = run("evidence", *roles(sides, "near", "near"))
    assert done.code == 1
    assert "name each only once" in done.last


def test_a_test_part_has_no_name_that_reports_give(run, sides):
    named = sides["near"].with_name("all items.jsonl")
    sides["near"].rename(named)
    done = run("evidence", *roles({**sides, "near": named}, "far", "near"))
    assert done.code == 1
    assert "'all items'" in done.last
    assert done.last.endswith("rename it")


@pytest.fixture(scope="module")
def bare_outcomes(tmp_path_factory):
    """What is said of each reader by one process: its imports take the most."""
    folder = tmp_path_factory.mktemp("bare")
    file = written(folder / "facts.jsonl", made())
    store = {"MEASURAND_STORE": folder / "store"}
    done = process(file, *HEAVY, prefix=("-c", BARE), **store)
    lines = [json.loads(line) for line in done.out.splitlines()]
    return dict(zip(HEAVY, lines, strict=True))


@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.slow
def test_without_extras_every_message_names_the_one_to_install(name, bare_outcomes):
    code, said = bare_outcomes[name]
    assert code == 1
    assert f"pip install 'measurand[{HEAVY[name]}]'" in said.splitlines()[-1]
    assert "Traceback" not in said
