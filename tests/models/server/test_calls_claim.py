"""Two processes with one store: each question is asked once, whoever dies."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from measurand.core.errors import StoreFailed
from measurand.disk.files import keep_calls
from measurand.models.server.calls import hold_claim
from measurand.models.server.client import endpoint_replies
from tests.models.fake_server import serving
from tests.models.server.test_client import ASKING, prompts, reached

# It asks once it is told to, so that both begin together.
TOGETHER = ASKING.replace("with keep", "print('up', flush=True); input()\nwith keep")


def start_pair(server, folder):
    """Two processes that ask the same questions from the same moment on."""
    command = [sys.executable, "-c", TOGETHER, server.url, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    pair = [subprocess.Popen(command, **pipes) for _ in range(2)]
    assert [running.stdout.readline() for running in pair] == ["up\n"] * 2
    for running in pair:
        running.stdin.write("\n")
        running.stdin.flush()
    return pair


def wait_for_answers(server, count):
    late = time.monotonic() + 60
    while server.answered.total() < count:
        assert time.monotonic() < late
        time.sleep(0.005)


def calls(folder):
    return list(folder.glob("calls/*/*.json"))


@pytest.mark.slow
def test_two_processes_ask_each_question_once(tmp_path):
    with serving(pause=0.03) as server:
        pair = start_pair(server, tmp_path)
        assert [running.communicate(timeout=120)[0] for running in pair] == ["60\n"] * 2
        assert server.asked.total() == 60
    assert len(calls(tmp_path)) == 60
    extra = {*tmp_path.rglob("*")} - {*calls(tmp_path)}
    assert {path.name for path in extra if path.is_file()} == {
        ".claim",
        "measurand-store.json",
    }


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_holder_that_is_killed_blocks_nobody(tmp_path, number):
    with serving(pause=0.05) as server:
        first, second = start_pair(server, tmp_path)
        wait_for_answers(server, 12)
        first.send_signal(number)
        if number == signal.SIGSTOP:  # it holds its claims until it goes on
            time.sleep(0.5)
            assert second.poll() is None
            first.kill()
        assert second.communicate(timeout=120)[0] == "60\n"
        first.communicate()
        # What the first had under way when it died is asked again, and nothing else.
        assert 60 <= server.asked.total() <= 60 + 3
    assert len(calls(tmp_path)) == 60


def test_a_question_that_another_thread_asks_is_waited_for(tmp_path):
    replies = []

    def ask():
        with keep_calls(tmp_path):
            replies.append(endpoint_replies(reached(server), prompts()))

    with serving(pause=0.1) as server:
        pair = [threading.Thread(target=ask) for _ in range(2)]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join()
        assert {*server.asked.values()} == {1}
    assert replies[0] == replies[1]
    assert len(replies[0]) == 8


def test_a_question_that_another_failed_to_ask_is_asked(tmp_path):
    stopped, waited = threading.Event(), []
    with serving() as server, keep_calls(tmp_path):
        endpoint = reached(server)
        mark = tmp_path / "calls" / endpoint.key(prompts(1)[0])[:2] / ".claim"

        def hold():
            with hold_claim(mark, stopped):
                waited.append(time.monotonic())
                time.sleep(0.3)

        thread = threading.Thread(target=hold)
        thread.start()
        while not waited and thread.is_alive():
            time.sleep(0.01)
        assert len(endpoint_replies(endpoint, prompts(1))) == 1
        assert server.times[0] - waited[0] >= 0.3
        thread.join()


def test_a_claim_on_a_store_that_cannot_be_written_costs_nothing(tmp_path):
    (tmp_path / "calls").write_text(json.dumps("no folder"))
    with (
        serving() as server,
        keep_calls(tmp_path),
        pytest.raises(StoreFailed, match="cannot write to") as failed,
    ):
        endpoint_replies(reached(server), prompts(3))
    assert "\n" not in str(failed.value)
    assert server.asked.total() == 0


def test_a_pipe_in_the_place_of_a_claim_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / ".claim")
    with hold_claim(tmp_path / ".claim", threading.Event()):
        assert os.listdir(tmp_path) == [".claim"]


def test_who_is_stopped_waits_for_no_claim(tmp_path):
    stopped, path = threading.Event(), tmp_path / "a" / ".claim"
    with hold_claim(path, stopped):
        stopped.set()
        begun = time.monotonic()
        with hold_claim(path, stopped):
            assert time.monotonic() - begun < 1
    assert os.listdir(path.parent) == [".claim"]
