"""A model behind a server: prompts, temperature, spend, and no part to learn from."""

import json
import re
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.commands import LEAST, QUICK, made, written
from tests.models.fake_server import serving

ASKING = ("--metadata", "kind", "--reader", "endpoint:small")
FORM = "Harbour log.\n{fields}\nClaims: {options}\nSay {marks}."


@pytest.fixture
def few(tmp_path):
    return written(tmp_path / "few.jsonl", made(30))


def report_of(folder):
    return json.loads((folder / "report.json").read_text())


def test_a_prompt_of_the_users_own_is_sent_and_stated(few, run, tmp_path):
    prompt = tmp_path / "mine.txt"
    prompt.write_text(f"{FORM}\n")
    with serving() as server:
        words = (*QUICK, *ASKING, "--url", server.url, "--prompt", prompt)
        assert run("evidence", few, *words, "--out", tmp_path / "r").code == 0
        asked = [*server.asked]
    assert all(text.startswith("Harbour log.\n<") for text in asked)
    assert all("\nClaims: A. no\nB. yes\nSay A or B." in text for text in asked)
    recipe = report_of(tmp_path / "r")["settings"]["readers"]["endpoint:small"]
    assert recipe["form"] == FORM
    assert recipe["endpoint"]["max_tokens"] == 8
    assert "mine.txt" not in (tmp_path / "r" / "report.json").read_text()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{fields}", "--prompt lacks {options} in its question; allowed are {fields}"),
        ("{fields} {options} {x}", "--prompt holds {x} in its question"),
        ("{fields} {options}\n---\nmaybe", "--prompt lacks {mark} in its answer"),
        (" \n", "--prompt 'mine.txt' is empty; give a question"),
        ("x" * 70_000, "cannot read --prompt 'mine.txt': it holds more than 65,536"),
        (None, "cannot read --prompt 'mine.txt': no such file or directory"),
    ],
)
def test_a_prompt_that_cannot_ask_is_one_line(few, run, tmp_path, text, line):
    prompt = tmp_path / "mine.txt"
    if text is not None:
        prompt.write_text(text)
    words = (*QUICK, *ASKING, "--url", "http://127.0.0.1:9", "--prompt", prompt)
    outcome = run("evidence", few, *words)
    assert outcome.code == 1
    assert line in outcome.last
    assert len(outcome.err.splitlines()) == 1


def test_a_server_that_refuses_a_temperature_is_asked_without(
    few, run, tmp_path, caplog
):
    documents = []
    with serving() as server:
        server.refuses = ("temperature",)
        words = (*QUICK, *ASKING, "--url", server.url, "--temperature", "0.5")
        for name in ("first", "kept"):
            assert run("evidence", few, *words, "--out", tmp_path / name).code == 0
            documents.append(report_of(tmp_path / name))
        assert set(server.answered.values()) == {1}
    assert documents[0] == documents[1]
    remarks = documents[0]["settings"]["remarks"]["endpoint:small"]
    assert remarks["without_temperature"] == 1
    (line,) = [w for w in documents[0]["warnings"] if "temperature" in w]
    assert line.endswith(
        "as its server wants, without temperature about 100 % of the items"
    )
    assert "127.0.0.1 takes no temperature" in caplog.text


def test_a_temperature_that_is_taken_is_sent_and_not_remarked(few, run, tmp_path):
    with serving() as server:
        words = (*QUICK, *ASKING, "--url", server.url, "--temperature", "0.5")
        assert run("evidence", few, *words, "--out", tmp_path / "r").code == 0
    settings = report_of(tmp_path / "r")["settings"]
    assert settings["readers"]["endpoint:small"]["endpoint"]["temperature"] == 0.5
    assert "without_temperature" not in settings["remarks"]["endpoint:small"]
    assert run("evidence", few, *QUICK, "--temperature", "3").code == 1


def test_what_was_spent_is_said_after_the_run(few, run, tmp_path):
    with serving() as server:
        words = (*QUICK, *ASKING, "--url", server.url, "--price-in", "2")
        outcome = run("evidence", few, *words, "--out", tmp_path / "r")
        sent = server.tokens["prompt_tokens"]
        answers = len(server.answered)
    line = f"spent on endpoint:small: {answers:,} answers, {sent:,} tokens sent and "
    assert line in outcome.err
    assert f"costing USD {sent * 2 / 1e6:.2f}" in outcome.err
    spent = json.loads((tmp_path / "r" / "run.json").read_text())["spent"]
    assert spent["endpoint:small"].startswith(f"{answers:,} answers, ")
    assert "spent" not in (tmp_path / "r" / "report.json").read_text()


@pytest.mark.parametrize(("shots", "asked_about"), [("0", 30), ("2", 9)])
def test_without_examples_no_item_is_set_apart(few, run, tmp_path, shots, asked_about):
    words = [word for word in LEAST if word not in ("--folds", "1")]
    with serving() as server:
        words += [*ASKING, "--url", server.url, "--shots", shots, "--workers", "1"]
        outcome = run(
            "evidence", few, "--no-calibrate", *words, "--out", tmp_path / "r"
        )
    assert outcome.code == 0, outcome.err
    accuracy = [
        finding["estimate"]["n"]
        for finding in report_of(tmp_path / "r")["findings"]
        if (finding["statistic"], finding["reader"]) == ("accuracy", "endpoint:small")
        and finding["condition"] == "full"
    ]
    assert accuracy == [asked_about]


def test_no_server_is_one_line_that_names_the_option(few, run, monkeypatch):
    monkeypatch.delenv("MEASURAND_ENDPOINT", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    outcome = run("evidence", few, *QUICK, *ASKING)
    assert "no server is set; give its address with --url, or in" in outcome.last


def test_a_cap_that_is_reached_names_its_option(few, run):
    with serving() as server:
        words = (*QUICK, *ASKING, "--url", server.url, "--cap-tokens", "2000")
        outcome = run("evidence", few, *words)
    assert outcome.last.endswith(
        "costs nothing again: raise --cap-tokens and run again"
    )


def said_calls(line):
    """The most calls, and the answers, in a line of `--dry-run`."""
    return tuple(
        int(number.replace(",", ""))
        for number in re.search(
            r"at most ([\d,]+) calls \(([\d,]+) answers", line
        ).groups()
    )


def test_a_dry_run_says_usd_and_that_fewer_shuffles_cost_less(few, run, tmp_path):
    words = [*ASKING, "--price-in", "2", "--store", tmp_path / "s", "--dry-run"]
    outcome = run("evidence", few, *words)
    whole, fewer = outcome.out.splitlines()[-2:]
    assert "tokens sent (letters / 4, other scripts a token a byte)" in whole
    assert "costing about USD 0." in whole
    assert fewer.startswith("endpoint:small with --shuffles 5: at most ")
    assert int(fewer.split("at most ")[1].split()[0]) < said_calls(whole)[0]
    assert fewer.endswith("(20 shuffles are recommended)")
    assert not (tmp_path / "s").exists()


def test_a_run_says_first_what_is_kept_and_what_is_still_asked(few, run, tmp_path):
    with serving() as server:
        words = (*QUICK, *ASKING, "--url", server.url, "--store", tmp_path / "s")
        first = run("evidence", few, *words)
        answers = server.asked.total()
        kept = [*(tmp_path / "s" / "calls").glob("??/*.json")]
        for call in kept[:10]:
            call.unlink()
        for answer in (tmp_path / "s").glob("??/*"):
            answer.unlink()  # as if stopped before any trial ended
        again = run("evidence", few, *words)
        assert server.asked.total() == answers + 10
    assert said_calls(first.err)[1] == answers == len(kept)
    assert f"{answers - 10} answers are kept and used again; at most " in again.err
    assert said_calls(again.err) == (26, 10)


@pytest.mark.parametrize("status", ["429 0", "503"])
def test_a_server_that_refuses_too_often_ends_the_run_below_what_was_said(
    few, run, tmp_path, status
):
    with serving() as server:
        words = (*QUICK, *ASKING, "--url", server.url, "--store", tmp_path / "s")
        dry = run("evidence", few, *words, "--dry-run")
        calls, answers = said_calls(dry.out)
        assert f"({answers} answers, and {calls - answers} more for retries)" in dry.out
        # Each prompt is refused once, for which there is no room.
        server.trouble = (status,)
        outcome = run("evidence", few, *words)
        assert outcome.code == 1
        assert f"measurand: the ceiling of {calls:,} calls, with " in outcome.last
        assert (
            "too many calls were refused or failed; what was answered" in outcome.last
        )
        assert server.asked.total() <= calls
        kept = len([*(tmp_path / "s" / "calls").glob("??/*.json")])
        assert kept == server.answered.total() > answers // 3
        again = run("evidence", few, *words)
        assert f"{kept} answers are kept and used again; at most " in again.err


@pytest.mark.slow
def test_ctrl_c_says_how_many_answers_are_kept_and_the_ceiling_stays(few, tmp_path):
    with serving(pause=0.02) as server:
        words = [*QUICK, *ASKING, "--url", server.url, "--store", tmp_path / "s"]
        command = [sys.executable, "-m", "measurand", "evidence", few, *words]
        dry = subprocess.run([*command, "--dry-run"], capture_output=True, text=True)
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        while server.asked.total() < 20 and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        last = running.communicate(timeout=60)[1].splitlines()[-1]
        assert running.returncode == 130
        kept = len([*(tmp_path / "s" / "calls").glob("??/*.json")])
        assert last == (
            f"interrupted: {kept} answers of this run are kept; run the same command "
            "to go on"
        )
        done = subprocess.run(command, capture_output=True, text=True)
        assert f"{kept} answers are kept and used again; at most " in done.stderr
        assert done.returncode == 0
        assert server.asked.total() <= said_calls(dry.stdout)[0]
