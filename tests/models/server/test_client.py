"""A server that misbehaves: no answer lost, none paid twice, the cap never passed."""

import json
import math
import os
import signal
import subprocess
import sys
import time
import traceback
from dataclasses import replace

import pytest

from measurand.core.errors import BadOption, EndpointFailed, SpendCapReached
from measurand.disk.files import keep_calls
from measurand.models.server.calls import Reply, Use, parse_completion
from measurand.models.server.client import endpoint_replies, ledger
from measurand.models.server.endpoint import Endpoint, Terms, terms_of
from tests.models.fake_server import BEYOND, serving

QUICK = Terms(wait_s=0.01, retries=3, timeout_s=2.0, concurrency=4)


def prompts(n=8):
    return [[{"role": "user", "content": f"question number {i}?"}] for i in range(n)]


def reached(server, **terms):
    return Endpoint("small", terms=replace(QUICK, url=server.url, **terms))


TROUBLES = ("429", "429 0", "500", "503", "cut", "rst", "not json", "408")
TROUBLES += ("no choices",)


@pytest.mark.parametrize("trouble", TROUBLES)
def test_no_answer_is_lost_and_none_is_asked_for_twice(tmp_path, trouble):
    with serving(trouble=(trouble, trouble)) as server, keep_calls(tmp_path):
        said = endpoint_replies(reached(server), prompts())
        assert [reply.text for reply in said] == ["A"] * 8
        assert {*server.answered.values()} == {1}
        assert {*server.asked.values()} == {3}
        assert endpoint_replies(reached(server), prompts()) == said
        assert {*server.asked.values()} == {3}


@pytest.mark.parametrize("trouble", ["hang", "drip", "headdrip", "held cut"])
def test_whoever_hangs_or_drips_is_asked_again(tmp_path, trouble):
    with serving(trouble=(trouble,)) as server, keep_calls(tmp_path):
        said = endpoint_replies(reached(server, timeout_s=0.3), prompts(4))
        assert [reply.text for reply in said] == ["A"] * 4
        assert {*server.answered.values()} == {1}


def test_a_slow_server_is_waited_for():
    with serving(pause=0.3) as server:
        assert len(endpoint_replies(reached(server), prompts(4))) == 4
        assert {*server.asked.values()} == {1}


@pytest.mark.parametrize("trouble", ["429 1", "429 0.7", "429 date"])
def test_a_wait_that_the_server_asks_for_is_kept(trouble):
    with serving(trouble=(trouble,)) as server:
        endpoint_replies(reached(server), prompts(1))
        first, second = server.times
        # A date has whole seconds, so up to one of them is already over.
        assert second - first >= (0.0 if trouble == "429 date" else 0.69)
        assert second - first < 2


def test_waits_double_and_a_seed_fixes_them():
    with serving(trouble=("500",) * 3) as server:
        endpoint_replies(reached(server, wait_s=0.1), prompts(1))
        gaps = [b - a for a, b in zip(server.times, server.times[1:], strict=False)]
        assert 0.05 <= gaps[0] < 0.3
        assert 0.2 <= gaps[2] < 0.9


def test_a_wait_of_hours_ends_at_once():
    with (
        serving(trouble=("429 7200",)) as server,
        pytest.raises(EndpointFailed, match=r"asks to wait 7200 s; .* run again later"),
    ):
        endpoint_replies(reached(server), prompts(1))


REFUSALS = {
    "401": "answers 401: it does not accept the key in MEASURAND_API_KEY",
    "403": "answers 403: it does not accept the key",
    "404": "404: it has no model 'small', or its address is not /v1; check both",
    "400": "refuses the request for model 'small' with 400: 'wrong: Bearer",
    "302": "refuses the request for model 'small' with 302",
}


@pytest.mark.parametrize("status", REFUSALS)
def test_a_refusal_is_one_line_and_final(status):
    with (
        serving(trouble=(status,)) as server,
        pytest.raises(EndpointFailed, match=REFUSALS[status]) as failed,
    ):
        endpoint_replies(reached(server), prompts(1))
    assert "\n" not in str(failed.value)
    assert {*server.asked.values()} == {1}


def test_a_missing_key_is_said_where_one_is_wanted(monkeypatch):
    monkeypatch.delenv("MEASURAND_API_KEY")
    with (
        serving(trouble=("401",)) as server,
        pytest.raises(EndpointFailed, match="it wants a key: set MEASURAND_API_KEY"),
    ):
        endpoint_replies(reached(server), prompts(1))
    assert server.keys == {None}


@pytest.mark.parametrize(
    ("trouble", "why"),
    [
        ("500", "it answers 500"),
        ("hang", "no whole answer came in 0.2 s"),
        ("drip", "no whole answer came in 0.2 s"),
        ("headdrip", "no whole answer came in 0.2 s"),
        ("held cut", "no whole answer came in 0.2 s"),
        ("cut", "the connection was cut"),
        ("rst", "the connection was cut"),
        ("not json", "its answer is no chat completion"),
    ],
)
def test_a_server_that_never_answers_is_one_line(trouble, why):
    with (
        serving(trouble=(trouble,) * 9) as server,
        pytest.raises(EndpointFailed, match=f"no answer in 3 tries: .*{why}.*kept"),
    ):
        endpoint_replies(reached(server, retries=2, timeout_s=0.2), prompts(1))


@pytest.mark.parametrize("trouble", ["hang", "headdrip", "drip", "held cut"])
def test_the_deadline_is_for_the_whole_answer(trouble):
    with serving(trouble=(trouble,) * 9) as server:
        begun = time.monotonic()
        with pytest.raises(EndpointFailed, match="2 tries: no whole answer came in"):
            endpoint_replies(reached(server, retries=1, timeout_s=0.5), prompts(3))
        assert 1.0 <= time.monotonic() - begun < 3.0


def test_an_answer_that_never_ends_is_one_line():
    with (
        serving(trouble=("endless",) * 9) as server,
        pytest.raises(EndpointFailed, match=r"1 try: its answer is longer than .*kept"),
    ):
        endpoint_replies(reached(server, retries=0, timeout_s=20), prompts(1))


@pytest.mark.parametrize("trouble", BEYOND)
def test_numbers_that_cannot_be_cost_no_answer(tmp_path, trouble, caplog):
    terms = {"price_in": 1.0, "price_out": 1.0, "cap_money": 1.0}
    with serving(trouble=(trouble,)) as server, keep_calls(tmp_path):
        said = endpoint_replies(reached(server, **terms), prompts())
        assert [reply.text for reply in said] == ["A"] * 8
        assert {*server.asked.values()} == {1}
        assert 0 < ledger(terms_of(reached(server, **terms))).spent.tokens < 10_000
        assert endpoint_replies(reached(server), prompts()) == said
        assert {*server.asked.values()} == {1}
    assert all(0 <= use <= 999 for reply in said for use in vars(reply.use).values())
    shares = [s for r in said for token in r.tokens for _, s in token.others]
    assert all(map(math.isfinite, shares))
    assert len(caplog.records) == ("usage" in trouble)  # one line, for all calls


def test_a_retry_is_said_once(caplog):
    with serving(trouble=("rst", "rst")) as server:
        assert len(endpoint_replies(reached(server), prompts())) == 8
    assert [r.message for r in caplog.records] == [
        "127.0.0.1: the connection was cut; trying again"
    ]


def test_nobody_at_the_address_is_one_line():
    with serving() as server:
        endpoint = reached(server, retries=1)
    with pytest.raises(EndpointFailed, match="2 tries: cannot connect"):
        endpoint_replies(endpoint, prompts(1))


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("ALL_PROXY", "socks9://u:s3cret@127.0.0.1:9"),
        ("ALL_PROXY", "socks5://u:s3cret@127.0.0.1:9"),
        ("HTTP_PROXY", "foo://u:s3cret@h"),
        ("https_proxy", "http://u:s3cret@h:port"),
        ("SSL_CERT_FILE", "/nonexistent/s3cret"),
    ],
)
def test_an_environment_that_allows_no_call_is_one_line(monkeypatch, name, setting):
    monkeypatch.setitem(sys.modules, "socksio", None)
    for each in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "SSL_CERT_FILE"):
        monkeypatch.delenv(each, raising=False)
        monkeypatch.delenv(each.lower(), raising=False)
    monkeypatch.setenv(name, setting)
    endpoint = Endpoint("m", terms=Terms(url="https://example.invalid", retries=0))
    with pytest.raises(EndpointFailed) as failed:
        endpoint_replies(endpoint, prompts(1))
    lines = "".join(traceback.format_exception(failed.value))
    assert str(failed.value).startswith(f"{name} names no ")
    assert "\n" not in str(failed.value)
    assert "s3cret" not in lines


def test_no_address_says_what_to_set(monkeypatch):
    with pytest.raises(EndpointFailed, match="with `url`, or in MEASURAND_ENDPOINT"):
        endpoint_replies(Endpoint("small"), prompts(1))
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert len(endpoint_replies(Endpoint("small"), prompts(1))) == 1


@pytest.mark.parametrize(
    "url", ["http://u:pw@h/v1", "http://h/v1?key=abc", "ftp://h", "h", "http://[", ""]
)
def test_an_address_that_holds_a_secret_or_is_none_is_refused(monkeypatch, url):
    monkeypatch.setenv("MEASURAND_ENDPOINT", url or "nonsense")
    with pytest.raises(BadOption, match="address") as failed:
        endpoint_replies(Endpoint("small"), prompts(1))
    assert "pw" not in str(failed.value)


def test_settings_that_no_server_takes_are_refused():
    with pytest.raises(BadOption, match="max_tokens 0"):
        Endpoint("small", max_tokens=0)
    with pytest.raises(BadOption, match="concurrency 0"):
        Endpoint("small", terms=Terms(concurrency=0))


def test_only_so_many_calls_are_under_way():
    with serving(pause=0.02) as server:
        endpoint_replies(reached(server, concurrency=3), prompts(20))
        assert 2 <= server.most <= 3


@pytest.mark.parametrize("name", ["logprobs", "seed", "max_tokens"])
def test_what_a_server_does_not_take_is_left_out(name):
    with serving() as server:
        server.refuses = (name,)
        for _ in range(2):
            said = endpoint_replies(reached(server), prompts(1))
            assert [reply.text for reply in said] == ["A"]
        assert {*server.asked.values()} == {3}  # it is told but once


def test_an_equal_prompt_is_asked_once():
    with serving() as server:
        assert len(endpoint_replies(reached(server), prompts(1) * 5)) == 5
        assert {*server.asked.values()} == {1}


# --- what is kept ---


def test_what_is_kept_needs_no_server_and_no_address(tmp_path):
    with serving() as server, keep_calls(tmp_path):
        said = endpoint_replies(reached(server), prompts())
    elsewhere = Endpoint("small", terms=Terms(url="http://nowhere.invalid", retries=0))
    with keep_calls(tmp_path):
        assert endpoint_replies(elsewhere, prompts()) == said
    assert said[0].tokens[0].others[0] == ("A", -0.1)


def test_without_a_folder_nothing_is_kept(tmp_path):
    with serving() as server:
        for _ in range(2):
            endpoint_replies(reached(server), prompts(2))
        assert {*server.asked.values()} == {2}


SETTINGS = {
    "model": "large",
    "revision": "2",
    "temperature": 0.5,
    "max_tokens": 9,
    "top_logprobs": 5,
    "seed": 1,
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_changes_the_name_of_a_call(name):
    one = Endpoint("small", terms=QUICK)
    other = replace(one, **{name: SETTINGS[name]})
    assert one.key(prompts()[0]) != other.key(prompts()[0])
    assert one.key(prompts()[0]) != one.key(prompts()[1])
    assert terms_of(other) == QUICK  # which go along, and change nothing
    assert Endpoint("small").key(prompts()[0]) == one.key(prompts()[0])


@pytest.mark.parametrize("damage", ["altered", "cut", "emptied", "other"])
def test_a_damaged_call_is_noticed_and_asked_again(tmp_path, damage, caplog):
    with serving() as server, keep_calls(tmp_path):
        said = endpoint_replies(reached(server), prompts(2))
        path, _ = sorted(tmp_path.glob("calls/*/*.json"))
        content = path.read_bytes()
        changed = {
            "altered": content.replace(b'"text": "A"', b'"text": "B"'),
            "cut": content[:-9],
            "emptied": b"",
            "other": b"[" * 100_000,
        }
        path.write_bytes(changed[damage])
        assert endpoint_replies(reached(server), prompts(2)) == said
        assert sorted(server.asked.values()) == [1, 2]
        assert "altered or cut short" in caplog.text
        assert path.read_bytes() == content


# --- what it may cost ---


@pytest.mark.parametrize("cap", [{"cap_tokens": 300}, {"cap_money": 0.0003}])
@pytest.mark.parametrize("trouble", [(), ("429",), ("503",)], ids=str)
def test_the_spend_cap_is_never_passed_and_can_be_raised(tmp_path, cap, trouble):
    priced = {"price_in": 1.0, "price_out": 2.0, **cap}
    with serving(trouble=trouble) as server, keep_calls(tmp_path):
        line = f"raise `{next(iter(cap))}` and"
        with pytest.raises(SpendCapReached, match=line) as e:
            endpoint_replies(reached(server, **priced), prompts(60))
        assert "\n" not in str(e.value)
        sent, received = server.tokens["prompt_tokens"], server.tokens.total()
        assert received <= cap.get("cap_tokens", 1e9)
        assert (sent + 2 * (received - sent)) / 1e6 <= cap.get("cap_money", 1)
        kept = len(list(tmp_path.glob("calls/*/*.json")))
        assert 0 < kept == server.answered.total() < 60
        endpoint_replies(reached(server), prompts(60))
        assert {*server.answered.values()} == {1}


@pytest.mark.parametrize("trouble", ["hang", "408", "409", "425"])
def test_what_may_have_been_worked_on_counts_at_its_worst(trouble):
    with serving(trouble=(trouble,) * 9) as server:
        endpoint = reached(server, retries=1, timeout_s=0.1, cap_tokens=100_000)
        with pytest.raises(EndpointFailed):
            endpoint_replies(endpoint, prompts(1))
        assert ledger(terms_of(endpoint)).spent.tokens > 2 * len("question number 0?")


def test_a_server_that_counts_nothing_is_counted_at_its_worst():
    worst = Use(50, 8)
    for usage in (None, {}, {"prompt_tokens": -1, "completion_tokens": 1}, [], "x"):
        body = {"choices": [{"message": {"content": "A"}}], "usage": usage}
        assert parse_completion(json.dumps(body).encode(), worst) == Reply(
            "A", use=worst
        )


# --- the user leaves ---

WAITING = """
import signal, sys
from pathlib import Path
from tests.models.server.test_client import Endpoint, Terms, prompts
from tests.models.server.test_client import endpoint_replies, keep_calls
def leave(number, frame):
    raise SystemExit(128 + number)
signal.signal(signal.SIGTERM, leave)
with keep_calls(Path(sys.argv[2])):
    terms = Terms(url=sys.argv[1], concurrency=4)
    endpoint_replies(Endpoint("small", terms=terms), prompts(60))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_leaves_is_gone_in_two_seconds_and_keeps_all(tmp_path, number):
    with serving() as server:
        server.trouble = ("none",)
        slow = server.rule
        server.rule = lambda p: server.released.wait(30) and "" if "7" in p else slow(p)
        command = [sys.executable, "-c", WAITING, server.url, str(tmp_path)]
        running = subprocess.Popen(command, stderr=subprocess.PIPE)
        late = time.monotonic() + 60
        while server.asked.total() - server.answered.total() < 4:
            assert time.monotonic() < late
            time.sleep(0.01)
        begun = time.monotonic()
        running.send_signal(number)
        running.communicate(timeout=20)
        assert time.monotonic() - begun < 4  # half of it for a busy machine
        assert running.returncode == {2: -2, 15: 143}[number]
        kept = len(list(tmp_path.glob("calls/*/*.json")))
        assert kept == server.answered.total() > 4


# --- kill -9 ---

ASKING = """
import sys
from pathlib import Path
from tests.models.server.test_client import Endpoint, Terms, prompts
from tests.models.server.test_client import endpoint_replies, keep_calls
with keep_calls(Path(sys.argv[2])):
    terms = Terms(url=sys.argv[1], concurrency=3)
    print(len(endpoint_replies(Endpoint("small", terms=terms), prompts(60))))
"""


@pytest.mark.slow
def test_a_killed_run_asks_only_for_what_is_missing(tmp_path):
    with serving(pause=0.03) as server:
        command = [sys.executable, "-c", ASKING, server.url, str(tmp_path)]
        running = subprocess.Popen(command, env={**os.environ})
        late = time.monotonic() + 60
        while server.answered.total() < 12 and time.monotonic() < late:
            time.sleep(0.005)
        running.kill()
        assert running.wait() == -9
        time.sleep(0.1)
        kept, before = len(list(tmp_path.glob("calls/*/*.json"))), server.asked.total()
        assert 9 <= kept < 60
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout == "60\n"
        assert server.asked.total() - before == 60 - kept
        assert len(list(tmp_path.glob("calls/*/*.json"))) == 60
