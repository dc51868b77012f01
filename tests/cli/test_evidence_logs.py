"""Logs of a user's own model at the command line: what a newcomer tries first."""

import json

import pytest

import measurand as ms
from measurand.benchmarks.assemble import from_frames
from measurand.logs.export import export
from tests.arms.test_logged import answers, guess, read
from tests.boats import boats
from tests.logs.test_export import run_lm_eval
from tests.logs.test_read import write_all
from tests.logs.written import lm_eval_line, write_lines, write_lm_eval

ROLES = ("--query", "doc.hypothesis", "--evidence", "doc.premise", "--label")


@pytest.mark.parametrize("number", range(7))
def test_no_audit_of_answers_tells_of_our_own_models(run, tmp_path, number):
    # Samples and results of lm-eval, both of Inspect and of Every Eval Ever, a folder.
    path = write_all(tmp_path)[number]
    for verb in ("audit", "evidence", "leakage"):
        done = run(verb, path)
        assert done.code == 1, done.out
        assert len(done.err.strip().splitlines()) == 1
        assert "benchmark" in done.err or "totals" in done.err
        assert "FINE" not in done.out


def test_naming_columns_inside_of_a_log_is_refused_too(run, tmp_path):
    path = write_lines(
        tmp_path / "samples_x.jsonl", [lm_eval_line(n, True) for n in range(6)]
    )
    done = run("audit", path, *ROLES, "doc.label")
    assert done.code == 1
    assert "come without the items" in done.err
    assert "measurand export BENCH" in done.err


def test_show_says_what_each_log_holds(run, tmp_path):
    for path in write_all(tmp_path):
        done = run("show", path)
        assert done.code == (1 if "results_" in path.name else 0), done.err
        if done.code == 0:
            assert "on 1 items" in done.out or "on 6 items" in done.out


def test_totals_alone_name_the_samples_that_are_needed(run, tmp_path):
    folder = write_lm_eval(tmp_path, {"full": [True] * 6})
    (totals,) = folder.glob("results_*.json")
    done = run("evidence", totals)
    assert done.code == 1
    assert "--log_samples" in done.err


@pytest.mark.parametrize("verb", ["import", "logs", "score"])
def test_a_verb_that_is_none_is_one_line(run, verb):
    done = run(verb, "x")
    assert done.code != 0
    assert "Traceback" not in done.err


def test_predictions_that_are_none_are_one_line(run, tmp_path):
    bench = tmp_path / "boats.csv"
    boats(60).to_csv(bench, index_label="id")
    table = tmp_path / "answers.csv"
    boats(60).to_csv(table, index=False)
    done = run("leakage", bench, "--label", "label", "--predictions", table)
    assert done.code == 1
    assert "answers need id and score" in done.err
    done = run("leakage", bench, "--label", "label", "--predictions", "nowhere.csv")
    assert done.code == 1
    assert len(done.err.strip().splitlines()) <= 2


@pytest.mark.parametrize("place", ["filtered_resps", "target", "filter", "doc", "acc"])
def test_a_line_of_a_million_letters_is_read_or_is_one_line(run, tmp_path, place):
    huge = "<script>" + "x" * 1_000_000
    cells = {"filtered_resps": [huge], "doc": {"id": huge, "text": huge}}
    cells |= dict.fromkeys(("target", "filter", "acc"), huge)
    lines = [lm_eval_line(n, True, **{place: cells[place]}) for n in range(2)]
    path = write_lines(tmp_path / "samples_x.jsonl", lines)
    for verb in ("show", "evidence"):
        done = run(verb, path)
        assert done.code in (0, 1)
        assert "Traceback" not in done.err
        assert max(map(len, (done.out + done.err).splitlines())) < 1000
        if done.code:
            assert done.err.splitlines() == [done.last]


@pytest.mark.slow
def test_the_name_of_a_model_runs_nothing_on_the_page(tmp_path, browser):
    name = "</script><script>document.title='pwned'</script><img src=x onerror=alert()>"
    bench = ms.load(boats(300), label="label")
    terms = {"brief": True, "calibrate": False, "shuffles": 2}
    table = answers(**{name: read, "\x1b]0;pwned\x07": guess})
    report = ms.evidence(bench, "tfidf", answers=table, **terms)
    report.save(tmp_path / "report")
    page = tmp_path / "report" / "report.html"
    text = page.read_text("utf-8")
    assert "pwned" in text
    assert not {"\x1b", "\x07"} & {*text, *str(report)}
    assert "<script>document" not in text
    assert "<img src=x" not in text
    browser.get(page.as_uri())
    assert browser.title != "pwned"
    assert browser.get_log("browser") == []


@pytest.mark.slow
def test_from_an_export_to_the_verdict_and_the_ranking_of_five_models(run, tmp_path):
    rows = boats(240).drop(columns="harbour").assign(id=[f"b{n}" for n in range(240)])
    bench = from_frames(rows, name="boats", id="id")
    export(bench, "lm-eval", tmp_path / "copies", shuffles=2)

    def answer(row):
        colour = (row["claim"].rstrip(".").split() or ["none"])[-1]
        return "supported" if colour in row["evidence"] else "refuted"

    def read_some(row, of):
        return answer(row) if int(row["id"][1:]) % of else "refuted"

    models = {
        "rule": answer,
        "half": lambda row: read_some(row, 2),
        "most": lambda row: read_some(row, 5),
        "yes": lambda row: "supported",
        "no": lambda row: "refuted",
    }
    logs = tmp_path / "copies" / "logs"
    for model, asked in models.items():
        run_lm_eval(tmp_path / "copies", logs, asked, model)
    done = run("audit", logs, "--strongest", "cross", "--out", tmp_path / "report")
    assert done.code == 0, done.err
    assert "NEEDED" in done.out
    assert "rule   100.0" in done.out
    assert all(f"\n  {model} " in done.out for model in models)
    report = ms.load_report(tmp_path / "report")["evidence"]
    assert report.finding("accuracy", "rule", "full").estimate.value == 1.0
    tables = {exhibit.name: exhibit.table for exhibit in report.exhibits}
    assert tables["models"]["model"].tolist()[:3] == ["rule", "most", "half"]
    assert {*tables["models"]["model"]} == {*models}
    assert len(tables["ranking"]) == 10
    page = (tmp_path / "report" / "evidence" / "report.html").read_text("utf-8")
    assert "all comparisons share the error" in page
    kept = json.loads((tmp_path / "report" / "evidence" / "report.json").read_text())
    assert kept["settings"]["answers"]["rule"][0] == "full"
