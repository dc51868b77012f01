"""Answers made to stop who reads them: each ends soon, and so does who is told to."""

import json
import signal
import subprocess
import sys
import time

import pytest

from measurand.core.errors import EndpointFailed
from measurand.models.server.calls import Use, parse_completion
from measurand.models.server.client import endpoint_replies
from measurand.models.server.endpoint import ENVELOPE, MOST_BYTES, Endpoint, Terms
from tests.models.fake_server import serving
from tests.models.server.conftest import KEY
from tests.models.server.test_client import WAITING, reached

SOON = 60  # seconds for what takes some, and what is quadratic hours


def body(content="A", **parts):
    """A completion that says this, in letters that are not escaped."""
    choice = {"message": {"content": content}, "logprobs": parts.pop("logprobs", None)}
    use = {"prompt_tokens": 9, "completion_tokens": 1}
    whole = {"choices": [choice], "model": "small", "usage": use, **parts}
    return json.dumps(whole, ensure_ascii=False).encode()


def nest(whole):
    """The completion with lists in lists in place of the text "deep"."""
    return whole.replace(b'"deep"', b"[" * 900 + b"]" * 900)


def listing(tokens, listed):
    """Many tokens, and many that were likely at the last place."""
    likely = [{"token": "A", "logprob": -1}] * listed
    content = [{"token": "A", "logprob": -1}] * tokens
    return {"content": [*content, {**content[0], "top_logprobs": likely}]}


HOSTILE = {
    "marks": body("\u0300" * 60_000 + "\u0327" * 60_000),
    "model": body(model="\u0300" * 60_000 + "\u0327" * 60_000),
    "keys": body(**{str(number): number for number in range(40_000)}),
    "same": body().replace(b"{", b"{" + b'"id": 1, ' * 50_000, 1),
    "deep": body(model="deep").replace(b'"deep"', b"[" * 200_000),
    "lists": nest(body(model="deep")),
    "tokens": nest(body(logprobs={"content": [{"token": "deep", "logprob": -1}]})),
    "escapes": body().replace(b"A", rb"\u0073" * 60_000, 1),
    "number": body(f"A &#{'9' * 5_000};"),
    "digits": body().replace(b"null", b"-1." + b"9" * 400_000),
    "listing": body(logprobs=listing(9_000, 9_000)),
}
ASKING = """
import sys
from measurand.core.errors import EndpointFailed
from tests.models.server.test_client import Endpoint, Terms, endpoint_replies
for name in sys.argv[2:]:
    prompt = [{"role": "user", "content": f"question {name}"}]
    endpoint = Endpoint("small", terms=Terms(url=sys.argv[1], retries=0))
    try:
        print(name, len(endpoint_replies(endpoint, [prompt])[0].text), flush=True)
    except EndpointFailed as failed:
        print(name, failed, flush=True)
"""


def run_script(script, *words):
    """What a script writes that ends soon and without a traceback."""
    command = [sys.executable, "-c", script, *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SOON)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_a_hostile_answer_ends_soon_and_in_a_line():
    with serving() as server:
        server.bodies = HOSTILE
        lines = run_script(ASKING, server.url, *HOSTILE)
    outcomes = dict(line.split(" ", 1) for line in lines)
    assert outcomes.keys() == HOSTILE.keys()
    assert outcomes.pop("deep").endswith("or raise `timeout_s` or `retries`")
    assert outcomes.pop("marks") == outcomes.pop("escapes") == "1024"
    assert outcomes.pop("number") == "1024"
    longer = {name for name, line in outcomes.items() if "is longer than" in line}
    assert longer == {"same", "keys", "listing"} & longer
    assert {line for name, line in outcomes.items() if name not in longer} == {"1"}


LINEAR = """
from measurand.explainers.prompted import drop_answer, reply_outcome, trim_reply
from measurand.models.server.key import redact_key
from measurand.readers.prompting import find_label, first_line, mark_labels
labels = mark_labels(("no", "yes"))
prompt = "Say why." + chr(10) + "Input: claim: x" + chr(10) + "Why?"
for piece in (
    chr(0x300) + chr(0x327), chr(0xfdfa), chr(0x33af),
    "yes ", "no ", "answer: ", "answer ", " ", chr(10), "*", ": ", "- ",
    "final answer ", "Input ", "the ", "&", "&#9", "0x00", chr(92), chr(92) + "u{0",
):
    text = chr(10) + "So" + piece * (50_000 // len(piece)) + "x"
    assert redact_key(text, "sk-very-secret-0123456789") == text
    find_label(text, labels), first_line(text), drop_answer(text)
    trim_reply(text, prompt), trim_reply(text, prompt, steps=True)
    reply_outcome(text, prompt, "Say why.")
print("done")
"""


def test_no_step_that_reads_an_answer_is_quadratic():
    assert run_script(LINEAR) == ["done"]


def test_whoever_leaves_while_a_hostile_answer_is_read_is_gone(tmp_path):
    with serving() as server:
        marks = HOSTILE["marks"]
        server.bodies = {f"{n}?": marks for n in range(60) if "7" not in str(n)}
        server.rule = lambda p: server.released.wait(60) and "A" if "7" in p else "A"
        command = [sys.executable, "-c", WAITING, server.url, str(tmp_path)]
        running = subprocess.Popen(command, stderr=subprocess.PIPE)
        late = time.monotonic() + SOON
        while not server.answered.total():
            assert time.monotonic() < late
            time.sleep(0.01)
        begun = time.monotonic()
        running.send_signal(signal.SIGINT)
        running.communicate(timeout=SOON)
        assert time.monotonic() - begun < 6  # one of them, and a busy machine


@pytest.mark.parametrize(("max_tokens", "top_logprobs"), [(8, 0), (8, 20), (300, 20)])
def test_an_answer_of_so_many_of_the_longest_tokens_is_read(max_tokens, top_logprobs):
    letters = "\x01" * 128  # which JSON escapes
    likely = {"token": letters, "logprob": -1.2345678901234567, "bytes": [111] * 128}
    token = {**likely, "top_logprobs": [likely] * top_logprobs}
    logprobs = {"content": [token] * max_tokens} if top_logprobs else None
    content = body(letters * max_tokens, logprobs=logprobs)
    endpoint = Endpoint("small", max_tokens=max_tokens, top_logprobs=top_logprobs)
    assert len(content) + ENVELOPE / 2 < endpoint.most_bytes <= MOST_BYTES
    reply = parse_completion(content, Use(0, max_tokens))
    assert reply.text == letters * max_tokens
    assert len(reply.tokens) == (max_tokens if top_logprobs else 0)


def test_an_answer_longer_than_max_tokens_can_need_is_one_line():
    with serving() as server:
        server.bodies = {"long": body("A" * 300_000)}
        terms = Terms(url=server.url, retries=0)
        endpoint = Endpoint("small", top_logprobs=0, terms=terms)
        with pytest.raises(
            EndpointFailed, match="268,288 bytes, the most that"
        ) as line:
            endpoint_replies(endpoint, [[{"role": "user", "content": "so long"}]])
    assert "max_tokens" in str(line.value)
    assert "\n" not in str(line.value)


def test_a_key_at_the_end_of_what_is_kept_is_hidden(tmp_path):
    with serving(lambda prompt: "A " * 506 + KEY) as server:
        prompt = [{"role": "user", "content": "so"}]
        (reply,) = endpoint_replies(reached(server), [prompt])
    assert "sk-" not in repr(reply)
