"""Servers that mean harm, and keys, at the command line."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.commands import QUICK, written
from tests.models.fake_server import BEYOND, serving

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


def test_an_address_in_a_config_gets_no_key(few, run, tmp_path, caplog):
    with serving() as server:
        outcome = run("evidence", few, *ASKING, *config(tmp_path, url=server.url))
        assert outcome.code == 0
        assert server.keys == {None}
    (line,) = [r.message for r in caplog.records if "key" in r.message]
    assert line.startswith("no key is sent to 127.0.0.1, since a file named")


@pytest.mark.parametrize("word", ["url", "environment", "key-env"])
def test_the_word_of_the_user_sends_a_key(few, run, tmp_path, keys, word):
    with serving() as server:
        options = config(tmp_path, url=server.url)
        if word == "url":
            options += ("--url", server.url)
        elif word == "key-env":
            options += ("--key-env", "OPENAI_API_KEY")
        else:
            keys.setenv("MEASURAND_ENDPOINT", server.url)
        assert run("evidence", few, *ASKING, *options).code == 0
        expected = OTHER if word == "key-env" else KEY
        assert server.keys == {f"Bearer {expected}"}


def test_a_config_may_not_name_a_key(few, run, tmp_path):
    with serving() as server:
        options = config(tmp_path, url=server.url, **{"key-env": "OPENAI_API_KEY"})
        outcome = run("evidence", few, *ASKING, *options)
        assert outcome.code == 1
        assert server.asked.total() == 0
    assert "a file may not say where a key goes" in outcome.last
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
    with serving(trouble=(trouble,)) as server:
        command = [sys.executable, "-m", "measurand", "evidence", few, *ASKING]
        running = subprocess.Popen(
            [*command, "--url", server.url],
            env={**os.environ, "MEASURAND_STORE": str(store)},
            stderr=subprocess.PIPE,
            text=True,
        )
        late = time.monotonic() + 120
        while server.asked.total() < 8:
            assert time.monotonic() < late
            time.sleep(0.01)
        begun = time.monotonic()
        running.send_signal(number)
        _, err = running.communicate(timeout=60)
        assert time.monotonic() - begun < LEAVING
    assert running.returncode in {2: (130,), 15: (143, -15)}[number]
    assert "Traceback" not in err
