"""No call beyond the ceiling, over retries and over runs that were stopped."""

from dataclasses import replace
from pathlib import Path

import pytest

from measurand.core.errors import EndpointFailed, SpendCapReached
from measurand.disk.files import keep_calls
from measurand.models.server.calls import Use
from measurand.models.server.ceiling import (
    PARAMETERS,
    CallPlan,
    Ceiling,
    hold_ceilings,
    make_plan,
    plan_ceiling,
    prompt_letters,
)
from measurand.models.server.client import DROPPED, endpoint_replies
from measurand.models.server.endpoint import Endpoint, Terms
from tests.models.fake_server import serving

PROMPTS = [[{"role": "user", "content": f"prompt {i:03d}"}] for i in range(40)]
OTHERS = [[{"role": "user", "content": f"another {i}"}] for i in range(40)]


def endpoint(server, retries=3):
    return Endpoint("small", terms=Terms(url=server.url, retries=retries, wait_s=0.0))


def ask(asked, ceiling, store, prompts=PROMPTS):
    plan = CallPlan(asked, 0, len(prompts), ceiling.calls, Use(), ceiling)
    with keep_calls(store), hold_ceilings({"small": plan}):
        return endpoint_replies(asked, prompts)


def test_calls_that_fail_count_and_end_at_the_ceiling(tmp_path):
    with serving(trouble=("500", "500")) as server:
        ceiling = Ceiling(tmp_path / "c", 60, 10_000)
        with pytest.raises(SpendCapReached, match="the ceiling of 60 calls"):
            ask(endpoint(server), ceiling, tmp_path)
        assert server.asked.total() <= 60
    assert Ceiling.read(tmp_path / "c").sent_calls == server.asked.total()


def test_letters_have_a_ceiling_of_their_own(tmp_path):
    with serving() as server:
        ceiling = Ceiling(tmp_path / "c", 60, 10 * 20)
        with pytest.raises(
            SpendCapReached, match=r"with 50 tokens sent \(letters / 4,"
        ):
            ask(endpoint(server), ceiling, tmp_path)
        assert sum(map(len, server.asked.elements())) <= 200


def test_a_text_in_another_script_is_not_said_to_cost_less_than_it_can():
    text = "\u4eca\u5929\u5929\u6c14\u5f88\u597d, isn't it?"
    letters = prompt_letters([{"role": "user", "content": text}])
    assert letters / 4 == 6 * 3 + 11 / 4
    plan = make_plan(Endpoint("small"), 0, 1, [letters] * 400, Path("none"))
    assert plan.use.sent >= 400 * letters / 4
    assert "tokens sent (letters / 4, other scripts a token a byte) and" in str(plan)


def test_calls_that_a_server_refuses_before_it_works_count_too(tmp_path):
    with serving(trouble=("429 0", "503")) as server:
        ceiling = Ceiling(tmp_path / "c", 120, 10_000)
        assert len(ask(endpoint(server), ceiling, tmp_path)) == 40
        assert ceiling.sent_calls == server.asked.total() == 120
        assert not (tmp_path / "c").exists()
        tight = Ceiling(tmp_path / "c", 119, 10_000)
        with pytest.raises(SpendCapReached, match="the ceiling of 119 calls"):
            ask(endpoint(server), tight, tmp_path / "again", OTHERS)
        assert server.asked.total() == 120 + 119
    assert len([*(tmp_path / "again").glob("calls/*/*.json")]) == 39


def test_a_call_that_finds_no_server_is_given_back(tmp_path):
    with serving() as server:
        asked = endpoint(server)
    ceiling = Ceiling(tmp_path / "c", 60, 10_000)
    with pytest.raises(EndpointFailed, match="cannot connect"):
        ask(asked, ceiling, tmp_path)
    assert (ceiling.sent_calls, ceiling.sent_letters) == (0, 0)


def test_what_a_server_does_not_take_is_refused_once_and_fits_the_allowance(tmp_path):
    with serving() as server:
        server.refuses = ("logprobs", "seed", "temperature", "max_tokens")
        ceiling = plan_ceiling(tmp_path / "c", 40, 400, 8)
        asked = replace(endpoint(server), temperature=0.5, seed=1, top_logprobs=5)
        assert len(ask(asked, ceiling, tmp_path)) == 40
        assert server.asked.total() == 40 + PARAMETERS == 40 + len(DROPPED) + 1


def test_what_was_sent_before_a_stop_counts_when_the_run_goes_on(tmp_path):
    path = tmp_path / "c"
    with serving(trouble=("500",)) as server:
        first = plan_ceiling(path, 40, 400, 8)
        assert first.calls == 56
        with pytest.raises(EndpointFailed):
            ask(endpoint(server, retries=0), first, tmp_path)
        sent = server.asked.total()
        second = plan_ceiling(path, 40, 400, 8)
        assert (second.calls, second.sent_calls) == (56, sent)
        server.trouble = ()
        ask(endpoint(server), second, tmp_path)
        assert server.asked.total() == sent + 40 <= 56


def test_a_new_ceiling_stands_where_too_many_calls_failed(tmp_path):
    old = Ceiling(tmp_path / "c", 56, 560)
    old.open()
    for _ in range(20):
        old.take(10)
    new = plan_ceiling(tmp_path / "c", 40, 400, 8)
    assert (new.calls, new.sent_calls) == (56, 0)


def test_the_allowance_for_retries_is_a_quarter_of_the_answers(tmp_path):
    assert plan_ceiling(tmp_path / "c", 400, 4_000, 8).calls == 500


@pytest.mark.parametrize("content", [b"", b"56\n", b"many calls\n", b"56 560\nx\n"])
def test_a_damaged_note_is_no_ceiling(tmp_path, content):
    (tmp_path / "c").write_bytes(content)
    assert Ceiling.read(tmp_path / "c") is None
