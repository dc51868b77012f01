"""The leakage audit from the command line."""

import json
import random
import re

import pytest

from measurand.core.benchmark import Benchmark
from measurand.experiment.ask import Ask, ask_key
from measurand.interventions.fields import Keep
from measurand.readers.linear import TfidfReader
from tests.audits.leakage.leaky import pairs
from tests.cli.commands import in_process, process, written
from tests.cli.test_bad_input import one_line
from tests.conftest import small_items
from tests.models import tiny_encoder
from tests.models.fake_server import serving

SCREEN = ("--no-calibrate", "--folds", "2", "--fold-seeds", "1", "--workers", "1")
# What no test but those of the whole report is about.
QUICK = (*SCREEN, "--no-map", "--controls", "none")


def rows(n=120, **options):
    return pairs(n, leak=0.6, **options).to_dict("records")


@pytest.fixture
def leaky(tmp_path, small_tables):
    return written(tmp_path / "pairs.jsonl", rows())


@pytest.mark.slow
def test_workers_row_order_and_hash_seed_change_no_byte(tmp_path):
    # With ids of their own: else a page calls items by their place in the file.
    given = [{**row, "id": f"pair {n}"} for n, row in enumerate(rows())]
    mixed = random.Random(1).sample(given, len(given))
    said = []
    for number, (order, workers) in enumerate([(given, 1), (mixed, 3)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        file = written(folder / "pairs.jsonl", order)
        words = ("leakage", file, *SCREEN[:-1], workers, "--out", folder / "r")
        place = {"MEASURAND_STORE": folder / "store"}
        done = (
            process(*words, **place, PYTHONHASHSEED=number)
            if number
            else in_process(*words, **place)
        )
        assert done.code == 0, done.err
        said.append(
            [(folder / "r" / n).read_bytes() for n in ("report.json", "report.html")]
        )
    assert said[0] == said[1]


def test_the_conditions_share_no_entry_of_the_store():
    items = small_items()
    benchmark = Benchmark("b", items, items, "claim", "proof")
    reader = TfidfReader()
    changes = [Keep("claim"), Keep("proof")]
    asks = [Ask(reader, fitted_under=c, under=c) for c in changes]
    asks += [Ask(reader), Ask(reader, under=changes[0], what="embedding")]
    assert len({ask_key(ask, benchmark, 0) for ask in asks}) == len(asks)


def test_json_holds_the_promised_statistics(leaky, run):
    done = run("leakage", leaky, *QUICK, "--json", "--reader", "tfidf")
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["verdict"]["label"] == "leaks"
    found = {(f["statistic"], f["condition"]) for f in report["findings"]}
    for field in ("premise", "hypothesis"):
        for statistic in ("single_accuracy", "recovered", "nba", "tra_full"):
            assert (statistic, field) in found
        # Premises of so few items make one cluster, of which there is nothing to say.
        withheld = f"peco of {field} by tfidf" in report["not_run"]
        assert ("peco", field) in found or withheld
    assert ("accuracy", "full") in found


@pytest.mark.slow
def test_ids_to_keep_and_a_work_list_are_exported(run, tmp_path, small_tables):
    leaky = written(tmp_path / "pairs.jsonl", rows(1500))
    words = ("leakage", leaky, *QUICK, "--reference-accuracy", "0.9")
    assert run(*words, "--out", tmp_path / "r").code == 0
    folder = tmp_path / "r" / "repair"
    sides = [
        (folder / f"{w}_tokens.txt").read_text().split() for w in ("kept", "removed")
    ]
    assert len(sides[0]) + len(sides[1]) == 1500
    assert not set(sides[0]) & set(sides[1])
    header = "id,side,cluster,keep,write,label,aim"
    assert (folder / "work_list.csv").read_text().startswith(header)


@pytest.mark.slow
def test_fail_on_a_leak_is_exit_code_3(leaky, run):
    assert run("leakage", leaky, *QUICK, "--fail-on", "leaks").code == 3


def test_one_field_is_enough(leaky, run):
    done = run("leakage", leaky, *QUICK, "--field", "hypothesis", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["verdict"]["label"] == "leaks"


OPTIONS = {
    "--field hypothesys": ("no field 'hypothesys'", "did you mean 'hypothesis'?"),
    "--k 1": ("--k is 1", "2 to 100,000"),
    "--folds 1": ("--folds is 1",),
    "--reference-accuracy 91": ("--reference-accuracy is 91.0", "not percent"),
    "--budget soon": ("--budget is 'soon'", "90s, 10m or 2h, or none"),
    "--reader majority": ("majority reads no text",),
    "--fail-on leak": ("--fail-on is 'leak'", "leaks"),
    "--fail-on inflated": ("--fail-on is 'inflated'", "leaks"),
}


@pytest.mark.parametrize("options", OPTIONS)
def test_a_bad_option_is_refused_in_one_line(leaky, run, options):
    one_line(run("leakage", leaky, *QUICK, *options.split()), *OPTIONS[options])


@pytest.mark.slow
def test_a_reader_past_the_budget_is_listed_with_its_cost(leaky, run, tmp_path):
    place = tiny_encoder.save(tmp_path / "tiny")
    readers = ("--reader", "tfidf", "--reader", f"encoder:{place}")
    done = run("leakage", leaky, *QUICK, *readers, "--budget", "0s", "--json")
    assert done.code == 0
    why = json.loads(done.out)["not_run"][f"encoder:{place}"]
    assert re.fullmatch(
        r"\d+ trainings and [\d,]+ answers, about .+ on this machine, past the budget "
        r"of 0 s; run it with measurand leakage FILE --budget none",
        why,
    )
    assert f"plan: encoder:{place}: {why.split(', past')[0]}" in done.err
    alone = run("leakage", leaky, *QUICK, *readers[2:], "--budget", "0s")
    assert alone.code == 1
    assert alone.last.endswith("or add 'tfidf' to --reader")


def test_a_label_that_is_a_measurement_is_refused(tmp_path, run):
    odd = [{**row, "label": i / 7 + 0.01} for i, row in enumerate(rows(60))]
    file = written(tmp_path / "odd.jsonl", odd)
    one_line(run("leakage", file, *QUICK), "label")


@pytest.mark.slow
def test_a_field_that_is_always_empty_gives_nothing_away(tmp_path, run, small_tables):
    empty = [{**row, "premise": ""} for row in rows(120)]
    file = written(tmp_path / "empty.jsonl", empty)
    words = ("leakage", file, *QUICK, "--split-by", "query", "--json")
    done = run(*words)
    assert done.code == 0, done.err
    assert "hypothesis alone" in json.loads(done.out)["verdict"]["reason"]


@pytest.mark.slow
def test_hostile_text_lies_inert_in_the_page(tmp_path, run, browser, small_tables):
    evil = "</script><img src=x onerror=document.title='owned'><b>bold</b>"
    hostile = [
        {**row, "hypothesis": f"{row['hypothesis']} {evil}"} for row in rows(120)
    ]
    file = written(tmp_path / "evil.jsonl", hostile)
    assert run("leakage", file, *SCREEN, "--out", tmp_path / "r").code == 0
    browser.get((tmp_path / "r" / "report.html").as_uri())
    assert browser.title != "owned"
    assert not browser.find_elements("css selector", "img[src='x']")
    bold = [one.text for one in browser.find_elements("css selector", "b")]
    assert "bold" not in bold
    severe = [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert not severe, severe


def test_what_a_server_would_cost_is_printed_and_nothing_is_asked(tmp_path, run):
    choices = [
        {"question": f"Where is boat {n}?", "choices": [f"in {n}", "out"], "answer": 0}
        for n in range(40)
    ]
    file = written(tmp_path / "choices.jsonl", choices)
    with serving() as server:
        words = ("--reader", "endpoint:small", "--reader", "tfidf", "--url", server.url)
        outcome = run("leakage", file, *words, "--dry-run", "--out", tmp_path / "r")
        assert server.asked.total() == 0
    assert outcome.code == 0
    lines = outcome.out.splitlines()
    said = "endpoint:small: at most 100 calls (80 answers, and a quarter more, 20, "
    assert lines[-2].startswith(f"{said}for retries)")
    assert lines[-1] == "tfidf: runs here and costs nothing"
    assert not (tmp_path / "r").exists()


def test_a_server_cannot_be_asked_about_numbered_labels_at_no_cost_either(leaky, run):
    words = ("--reader", "endpoint:small", "--url", "http://127.0.0.1:9", "--dry-run")
    one_line(run("leakage", leaky, *words), "endpoint:small learns no labels")
