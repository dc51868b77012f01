"""Servers that mean harm, and keys, at the command line."""

import json
import os
import signal
import subprocess
import sys
import time
from zlib import crc32

import pytest

from tests.cli.commands import QUICK, written
from tests.models.fake_server import BEYOND, serving
from tests.models.server.test_key_forms import DOCUMENTED, FORMS
from tests.models.server.test_key_forms import written as key_forms

KEY, OTHER = "sk-mine-0123456789abcdef", "sk-real-openai-0123456789"
ASKING = (*QUICK, "--metadata", "kind", "--reader", "endpoint:small")
HASTY = ("--timeout", "0.3", "--retries", "1")
LEAVING = 4.0  # seconds: two, and on a busy machine as long for Python itself to end


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    monkeypatch.delenv("MEASURAND_ENDPOINT", raising=False)
    monkeypatch.setenv("MEASURAND_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", OTHER)
    return monkeypatch


@pytest.fixture
def few(tmp_path, facts):
    return written(tmp_path / "few.jsonl", facts[:30])


def config(folder, **settings):
    path = folder / "run.toml"
    path.write_text("".join(f"{name} = {v!r}\n" for name, v in settings.items()))
    return ("--config", path)


# --- where a key goes ---


@pytest.mark.parametrize("named", ["url", "prompt", "key-env", "reader"])
def test_a_config_sends_nothing_anywhere(few, run, tmp_path, keys, named):
    """Neither to its address, nor its prompt or the benchmark to the user's."""
    (tmp_path / "secret.txt").write_text("mine {fields} {options}")
    with serving() as server:
        values = {"url": server.url, "prompt": str(tmp_path / "secret.txt")}
        values |= {"key-env": "OPENAI_API_KEY", "reader": ["tfidf", "endpoint:small"]}
        if named != "url":
            keys.setenv("MEASURAND_ENDPOINT", server.url)
        options = config(tmp_path, **{named: values[named]})
        outcome = run("evidence", few, *ASKING, *options)
        assert (outcome.code, server.asked.total()) == (1, 0)
    where = "where a key goes" if named == "key-env" else "what is sent where"
    assert f"a file may not say {where}: give --{named} on the" in outcome.last
    assert len(outcome.err.splitlines()) == 1


def test_the_key_of_openai_stays_with_openai(few, run, keys, caplog):
    keys.delenv("MEASURAND_API_KEY")
    with serving() as server:
        outcome = run("evidence", few, *ASKING, "--url", server.url)
        assert outcome.code == 0
        assert server.keys == {None}
    assert "OPENAI_API_KEY goes to https://api.openai.com alone" in caplog.text


def test_no_byte_that_is_written_holds_a_key(few, run, tmp_path, caplog):
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in KEY)
    with serving(lambda prompt: f"A {KEY} {escaped}") as server:
        out = ("--out", tmp_path / "report")
        outcome = run("evidence", few, *ASKING, "--url", server.url, *out)
        assert outcome.code == 0
        assert server.keys == {f"Bearer {KEY}"}
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    texts = [*files, outcome.out.encode(), outcome.err.encode(), caplog.text.encode()]
    hidden = escaped.encode().replace(b"\\", b"\\\\")
    for secret in (KEY.encode(), escaped.encode(), hidden):
        assert not any(secret in text for text in texts)


def test_no_byte_that_is_written_holds_a_form_of_a_key(few, run, tmp_path, caplog):
    hidden = [form for form in FORMS if DOCUMENTED[form] == "hidden"]
    ways = [way for form in hidden for way in key_forms(form, KEY) if len(way) < 900]
    rule = lambda prompt: f"A {ways[crc32(prompt.encode()) % len(ways)]}"  # noqa: E731
    with serving(rule) as server:
        out = ("--out", tmp_path / "report")
        outcome = run("evidence", few, *ASKING, "--url", server.url, *out)
        answers = {*map(rule, server.answered)}
    assert outcome.code == 0
    assert len(answers) > len(ways) / 4
    files = [path.read_text("utf-8", "replace") for path in tmp_path.rglob("*.*")]
    texts = [*files, outcome.out, outcome.err, caplog.text]
    assert any("[key]" in text for text in files)
    for secret in (answer.removeprefix("A ") for answer in answers):
        for way in (secret, json.dumps(secret)[1:-1]):
            assert not any(way in text for text in texts), secret


# --- what a server does ---


@pytest.mark.parametrize("trouble", ["cut", "rst", "held cut", "headdrip", "hang"])
def test_a_server_that_breaks_off_is_one_line(few, run, trouble):
    with serving(trouble=(trouble,) * 9) as server:
        outcome = run("evidence", few, *ASKING, *HASTY, "--url", server.url)
    assert outcome.code == 1
    assert "gave no answer in 2 tries" in outcome.last
    assert "raise --timeout or --retries" in outcome.last
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("trouble", BEYOND)
def test_numbers_that_cannot_be_end_no_run(few, run, trouble, caplog):
    options = ("--price-in", "1", "--price-out", "1", "--cap-money", "5")
    with serving(trouble=(trouble,)) as server:
        outcome = run("evidence", few, *ASKING, *options, "--url", server.url)
        assert outcome.code == 0
        assert {*server.asked.values()} == {1}
    lines = [r.message for r in caplog.records if "count of tokens" in r.message]
    assert len(lines) == ("usage" in trouble)


@pytest.mark.parametrize("option", ["--price-in", "--price-out", "--cap-money"])
@pytest.mark.parametrize("amount", ["inf", "nan", "1e300", "-1"])
def test_a_price_that_cannot_be_is_one_line(few, run, option, amount):
    outcome = run("evidence", few, *QUICK, option, amount)
    assert outcome.code == 1
    assert f"{option} is " in outcome.last
    assert "; allowed are 0 to " in outcome.last


@pytest.mark.parametrize("name", ["price-in", "timeout"])
def test_a_config_with_a_number_that_cannot_be_is_one_line(few, run, tmp_path, name):
    outcome = run("evidence", few, *QUICK, *config(tmp_path, **{name: float("inf")}))
    assert outcome.code == 1
    assert f"--{name} i" in outcome.last


# --- the user leaves ---


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("trouble", ["hang", "headdrip"])
def test_whoever_leaves_while_calls_hang_is_gone_in_two_seconds(
    few, store, number, trouble
):
    with serving(pause=0.02) as server:
        command = [sys.executable, "-m", "measurand", "evidence", few, *ASKING]
        running = subprocess.Popen(
            [*command, "--url", server.url],
            env={**os.environ, "MEASURAND_STORE": str(store)},
            stderr=subprocess.PIPE,
            text=True,
        )
        late = time.monotonic() + 120
        # Calls go one at a time until the server has answered once.
        while server.asked.total() - server.answered.total() < 8:
            assert time.monotonic() < late
            server.trouble = (trouble,) if server.answered else ()
            time.sleep(0.01)
        begun = time.monotonic()
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
        assert time.monotonic() - begun < LEAVING
    assert running.returncode in {2: (130,), 15: (143, -15)}[number]
    assert "Traceback" not in err
