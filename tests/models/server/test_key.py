"""A key goes where it belongs, and into nothing that is written."""

import base64
import json
import logging
import pickle
import traceback

import httpx
import pytest

from measurand.core.errors import BadOption, EndpointFailed
from measurand.disk.files import keep_calls
from measurand.models.server.calls import Use, parse_completion
from measurand.models.server.client import endpoint_replies, server_url
from measurand.models.server.endpoint import KEY_VARIABLES, Terms
from measurand.models.server.key import BearerAuth, redact_key, withheld_key
from tests.models.fake_server import serving
from tests.models.server.conftest import KEY
from tests.models.server.test_client import prompts, reached

# --- where it goes ---

OTHER = "sk-openai-9876543210abc"
OPENAI = "https://api.openai.com/v1"
ELSEWHERE = (
    "http://127.0.0.1:8000/v1",
    "https://api.openai.com.example.org/v1",
    "https://evil.example/api.openai.com",
    "http://api.openai.com/v1",
    "https://api.openai.com:8443/v1",
    "https://api.openai.com./v1",
    "https://xapi.openai.com/v1",
)


def sent_key(terms):
    """What a request on these terms carries."""
    url = server_url(terms.url)
    flow = BearerAuth(terms, url).auth_flow(httpx.Request("POST", url))
    return next(flow).headers.get("authorization")


@pytest.fixture
def both_keys(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", OTHER)
    return monkeypatch


@pytest.mark.parametrize("url", ELSEWHERE)
def test_the_key_of_openai_goes_to_nobody_else(both_keys, url):
    assert sent_key(Terms(url=url)) == f"Bearer {KEY}"
    both_keys.delenv("MEASURAND_API_KEY")
    assert sent_key(Terms(url=url)) is None
    line = withheld_key(Terms(url=url), server_url(url))
    assert "OPENAI_API_KEY goes to https://api.openai.com alone" in line
    assert "\n" not in line


def test_openai_gets_its_own_key_or_the_one_for_any_server(both_keys):
    for url in (OPENAI, "https://API.OpenAI.com", "https://api.openai.com:443/v1/"):
        assert sent_key(Terms(url=url)) == f"Bearer {OTHER}"
    both_keys.delenv("OPENAI_API_KEY")
    assert sent_key(Terms(url=OPENAI)) == f"Bearer {KEY}"


def test_a_variable_that_is_named_is_the_only_one(both_keys):
    both_keys.setenv("SHOP_KEY", "sk-shop-0123456789abc")
    for url in (OPENAI, *ELSEWHERE):
        terms = Terms(url=url, key_env="SHOP_KEY")
        assert sent_key(terms) == "Bearer sk-shop-0123456789abc"
    assert "SHOP_KEY" in KEY_VARIABLES
    both_keys.delenv("SHOP_KEY")
    with pytest.raises(BadOption, match="`key_env` names is not set") as failed:
        sent_key(Terms(url=OPENAI, key_env="SHOP_KEY"))
    assert "SHOP_KEY" not in str(failed.value)
    with pytest.raises(BadOption, match="never the key") as failed:
        Terms(key_env=KEY)
    assert KEY not in str(failed.value)


def test_a_server_sees_no_key_of_others_and_the_user_is_told(both_keys, caplog):
    both_keys.delenv("MEASURAND_API_KEY")
    with serving() as server:
        for _ in range(2):
            assert len(endpoint_replies(reached(server), prompts(2))) == 2
        assert server.keys == {None}
    (record,) = caplog.records
    assert record.message.startswith("no key is sent to 127.0.0.1: OPENAI_API_KEY")


# --- where it does not go ---


@pytest.mark.parametrize("trouble", ["none", "401", "400", "500", "cut", "hang"])
def test_the_key_is_in_no_file_log_error_or_traceback(tmp_path, trouble, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    rule = lambda prompt: f"the key is {KEY}"  # noqa: E731
    with serving(rule, (trouble,) * 9) as server, keep_calls(tmp_path):
        endpoint = reached(server, retries=1, timeout_s=0.2)
        written = [repr(endpoint), str(pickle.dumps(endpoint)), repr(Terms())]
        try:
            written.append(repr(endpoint_replies(endpoint, prompts(2))))
        except EndpointFailed as failed:
            written += traceback.format_exception(failed, chain=True)
            written += [repr(vars(failed)), repr(failed.__context__)]
        assert server.keys == {f"Bearer {KEY}"}
    written += [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    written += [caplog.text, *capfd.readouterr()]
    assert not any(KEY in text for text in written)


@pytest.mark.parametrize("key", ["sk-a\nb-0123456789", "sk-é-0123456789"])
def test_a_key_that_no_header_carries_is_not_shown(monkeypatch, key):
    monkeypatch.setenv("MEASURAND_API_KEY", key)
    with serving() as server, pytest.raises(EndpointFailed) as failed:
        endpoint_replies(reached(server), prompts(1))
    assert "copy it again" in str(failed.value)
    assert key not in "".join(traceback.format_exception(failed.value))


ECHOES = {
    "as it is": KEY,
    "capitals": KEY.upper(),
    "split": " ".join(KEY),
    "lines": "\n".join(KEY),
    "hyphens": "-".join(KEY),
    "escaped": "".join(f"\\u{ord(c):04x}" for c in KEY),
    "escaped twice": json.dumps(json.dumps("".join(f"\\x{ord(c):x}" for c in KEY))),
    "url": "".join(f"%{ord(c):02X}" for c in KEY),
    "html": "".join(f"&#{ord(c)};" for c in KEY),
    "hex": KEY.encode().hex(),
    "codes": str([ord(c) for c in KEY]),
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 inside": base64.b64encode(f"Bearer {KEY}!".encode()).decode(),
    "base64 lines": base64.encodebytes(f"{KEY} {KEY} {KEY}".encode()).decode(),
    "base32": base64.b32encode(KEY.encode()).decode(),
    "backwards": KEY[::-1],
    "wide": "".join(chr(ord(c) + 0xFEE0) for c in KEY),
    "half": KEY[:16],
}


@pytest.mark.parametrize("form", ECHOES)
def test_a_key_that_comes_back_is_not_kept_in_any_form(tmp_path, form):
    with serving(lambda prompt: f"it is {ECHOES[form]}") as server:
        with keep_calls(tmp_path):
            (reply,) = endpoint_replies(reached(server), prompts(1))
        assert server.keys == {f"Bearer {KEY}"}
    assert reply.text == ("it is [key]" if form == "as it is" else "[key]")
    assert reply.tokens == ()
    kept = "".join(path.read_text() for path in tmp_path.glob("calls/*/*.json"))
    assert ECHOES[form] not in kept
    assert json.dumps(ECHOES[form])[1:-1] not in kept


def test_a_key_that_the_json_escapes_is_not_kept(tmp_path):
    echo = json.dumps({"choices": [{"message": {"content": KEY}}], "model": KEY})
    escaped = echo.replace(KEY, "".join(f"\\u{ord(c):04x}" for c in KEY))
    key = lambda text: redact_key(text, KEY)  # noqa: E731
    reply = parse_completion(escaped.encode(), Use(0, 99), key)
    assert (reply.text, reply.served) == ("[key]", "[key]")


def test_a_key_in_the_pieces_of_its_tokens_is_not_kept():
    pieces = [KEY[i : i + 3] for i in range(0, len(KEY), 3)]
    content = [{"token": piece, "logprob": -1} for piece in pieces]
    other = [
        {"token": "A", "top_logprobs": [{"token": piece, "logprob": -1}]}
        for piece in pieces
    ]
    for tokens in (content, other):
        choice = {"message": {"content": "A"}, "logprobs": {"content": tokens}}
        echo = json.dumps({"choices": [choice]}).encode()
        assert len(parse_completion(echo, Use(0, 99)).tokens) == len(pieces)
        assert (
            parse_completion(echo, Use(0, 99), lambda t: redact_key(t, KEY)).tokens
            == ()
        )


LONG = "sk-proj-Zq8vT2mXw4LrB7nKc1Yd-Hs6JfGp9QaEu3RtVi5Wo0MxZbNk2"
SPLITS = {
    "in order": (LONG[:19], LONG[19:38], LONG[38:]),
    "another order": (LONG[38:], LONG[:19], LONG[19:38]),
    "in few letters": (LONG[:6], LONG[6:12], LONG[12:18]),
    "among words": (f"is {LONG[:19]}.", f"gpt {LONG[19:38]} x", "stop"),
    "base64": (base64.b64encode(LONG.encode()).decode()[:26], LONG[19:38], LONG[38:]),
}


@pytest.mark.parametrize("split", SPLITS)
def test_a_key_split_over_the_parts_of_an_answer_is_not_kept(split):
    text, model, ended = SPLITS[split]
    key = LONG[:18] if split == "in few letters" else LONG
    choice = {"message": {"content": text}, "finish_reason": ended}
    echo = json.dumps({"choices": [choice], "model": model}).encode()
    kept = repr(parse_completion(echo, Use(0, 99), lambda t: redact_key(t, key)))
    assert text in repr(parse_completion(echo, Use(0, 99)))
    assert not any(part in kept for part in (text, model))


def test_a_key_split_over_the_answer_and_its_tokens_is_not_kept():
    tokens = [{"token": LONG[i : i + 5], "logprob": -1} for i in range(0, 20, 5)]
    choice = {"message": {"content": LONG[20:40]}, "logprobs": {"content": tokens}}
    echo = json.dumps({"choices": [choice], "model": "m"}).encode()
    reply = parse_completion(echo, Use(0, 99), lambda t: redact_key(t, LONG))
    assert (reply.text, reply.tokens) == ("[key]", ())


def test_a_plain_answer_is_kept_whole_beside_any_key():
    tokens = [{"token": t, "logprob": -1} for t in ("entail", "ment")]
    choice = {
        "message": {"content": "entailment"},
        "finish_reason": "stop",
        "logprobs": {"content": tokens},
    }
    echo = json.dumps({"choices": [choice], "model": "llama-server"}).encode()
    plain = parse_completion(echo, Use(0, 99))
    for key in (LONG, KEY, "local-server-llama", "abc1234", "xyz"):
        assert (
            parse_completion(echo, Use(0, 99), lambda t, k=key: redact_key(t, k))
            == plain
        )


@pytest.mark.parametrize("key", ["abc1234", "q7x9"])
def test_a_short_key_is_hidden_as_it_is(key):
    assert redact_key(f"it was {key}.", key) == "it was [key]."


@pytest.mark.parametrize("key", ["EMPTY", "no-key-required", "None", "not_needed"])
def test_what_stands_for_no_key_changes_no_answer(key):
    text = f"{key}, empty, no key required: {base64.b64encode(key.encode()).decode()}"
    assert redact_key(text, key) == text


@pytest.mark.parametrize(
    "key", ["correct-horse-battery-staple", "hunter22", "onlyletters"]
)
def test_a_key_of_words_is_not_kept_in_any_form(key):
    content = key.encode()
    for echo in (
        key.upper(),
        key[::-1],
        content.hex(),
        base64.b64encode(content).decode(),
        base64.b64encode(b"Bearer " + content + b"!").decode(),
        base64.b32encode(content).decode(),
        str(list(content)),
        "".join(f"%{byte:02x}" for byte in content),
    ):
        assert redact_key(f"it is {echo}", key) == "[key]", echo


def test_a_complaint_that_holds_the_key_is_not_shown(caplog):
    with (
        serving(trouble=("400",)) as server,
        pytest.raises(EndpointFailed) as failed,
    ):
        endpoint_replies(reached(server), prompts(1))
    assert "wrong: Bearer [key]" in str(failed.value)
    assert KEY not in str(failed.value) + caplog.text
