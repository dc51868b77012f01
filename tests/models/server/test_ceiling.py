"""No call beyond the ceiling, over retries and over runs that were stopped."""

from pathlib import Path

import pytest

from measurand.core.errors import EndpointFailed, SpendCapReached
from measurand.core.files import keep_calls
from measurand.models.server.calls import Use
from measurand.models.server.ceiling import (
    CallPlan,
    Ceiling,
    hold_ceilings,
    make_plan,
    plan_ceiling,
    prompt_letters,
)
from measurand.models.server.client import endpoint_replies
from measurand.models.server.endpoint import Endpoint, Terms
from tests.models.fake_server import serving

PROMPTS = [[{"role": "user", "content": f"prompt {i:03d}"}] for i in range(40)]


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


def test_calls_that_a_server_refuses_before_it_works_are_given_back(tmp_path):
    with serving(trouble=("429", "503")) as server:
        ceiling = Ceiling(tmp_path / "c", 48, 10_000)
        assert len(ask(endpoint(server), ceiling, tmp_path)) == 40
        assert server.asked.total() == 120
    assert not (tmp_path / "c").exists()


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


@pytest.mark.parametrize("content", [b"", b"56\n", b"many calls\n", b"56 560\nx\n"])
def test_a_damaged_note_is_no_ceiling(tmp_path, content):
    (tmp_path / "c").write_bytes(content)
    assert Ceiling.read(tmp_path / "c") is None
