"""Asks answered once, here or in worker processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace

import pytest

from measurand.core.errors import NotApplicable, WorkerLost
from measurand.disk.store import Store
from measurand.experiment import engine as local_engine
from measurand.experiment.ask import ANSWER_CODEC, Ask, AskGroup, ask_key
from measurand.experiment.engine import LocalEngine
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.experiment.experiment import open_experiment as here
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import MajorityReader
from measurand.readers.linear import TfidfReader
from tests.experiment.odd_readers import Sociable
from tests.experiment.running import files

SHARED = [
    Ask(TfidfReader()),
    Ask(TfidfReader(), under=Shuffle("evidence"), repeats=2),
]
ASKS = [*SHARED, Ask(TfidfReader(), fitted_under=Keep("claim"), under=Keep("claim"))]


@pytest.fixture
def opened(benchmark, tmp_path):
    """What opens an experiment on one store; all are closed at the end."""
    engines, seen = [], []

    def make(workers=1):
        store = Store(tmp_path / "store")
        engines.append(LocalEngine(benchmark, 0, store, workers))
        watch = lambda done, total: seen.append((done, total))  # noqa: E731
        return Experiment(benchmark, 0, store, engines[-1], watch, seen.append)

    make.seen = seen
    yield make
    for engine in engines:
        engine.close()


def test_an_answer_is_computed_once(opened):
    first = opened()
    said = ask_all(first, ASKS)
    again = opened()
    for one, two in zip(said, ask_all(again, ASKS), strict=True):
        assert (one.probabilities == two.probabilities).all()
    assert first.tally == {"computed": 3, "reused": 0}
    assert again.tally == {"computed": 0, "reused": 3}


def test_the_same_ask_twice_is_computed_once(opened):
    running = opened()
    one, two = ask_all(running, [ASKS[0], Ask(TfidfReader())])
    assert running.tally == {"computed": 1, "reused": 0}
    assert (one.probabilities == two.probabilities).all()


def test_asks_that_share_a_fit_are_one_trial(opened):
    ask_all(opened(), SHARED)
    assert opened.seen == [(0, 1), (1, 1)]


def test_an_answer_knows_its_items(opened, benchmark):
    (said,) = ask_all(opened(), [Ask(MajorityReader())])
    assert said.ids == tuple(benchmark.test.ids)
    assert said.classes == benchmark.classes == ("no", "yes")


@pytest.mark.slow
def test_another_cut_of_the_benchmark_goes_to_the_same_workers(opened, benchmark):
    texts = benchmark.test.column("claim").tolist()[::-1]
    turned = replace(benchmark, test=benchmark.test.with_field("claim", texts))
    running = opened(workers=2)
    with reopen_experiment(running, turned) as cut:
        said = ask_all(cut, ASKS)
    workers = {*running.engine.pool._processes}
    assert len(workers) == 2
    whole = ask_all(running, ASKS)
    assert {*running.engine.pool._processes} == workers
    assert (said[0].probabilities != whole[0].probabilities).any()
    with here(turned) as alone:
        again = ask_all(alone, ASKS)
    for one, two in zip(said, again, strict=True):
        assert (one.probabilities == two.probabilities).all()


@pytest.mark.slow
def test_small_work_starts_no_worker_unless_somebody_asks_for_some(opened, monkeypatch):
    small = opened(workers=None)
    ask_all(small, ASKS)
    assert small.engine.pool is None
    monkeypatch.setattr(local_engine, "SMALL", 0.0)
    large = opened(workers=None)
    ask_all(large, [Ask(TfidfReader(least=n)) for n in (3, 4)])
    assert large.engine.pool is not None


@pytest.mark.slow
def test_a_worker_that_dies_is_one_line_and_what_was_finished_is_kept(opened):
    running = opened(workers=2)
    ask_all(running, ASKS)
    for worker in running.engine.pool._processes.values():
        os.kill(worker.pid, signal.SIGKILL)
    more = [Ask(TfidfReader(least=n)) for n in (3, 4)]
    with pytest.raises(WorkerLost, match="run again with `workers` 1"):
        ask_all(running, more)
    again = opened()
    ask_all(again, [*ASKS, *more])
    assert again.tally["reused"] == 3


@pytest.mark.parametrize("other", ["started", "starting", "without pipes"])
def test_a_worker_lost_while_another_is_started_hangs_nobody(opened, other):
    running = opened(workers=2)
    pool = running.engine.open_pool()
    spawn, known = pool._spawn_process, pool._processes

    def lose_workers():
        for worker in [*known.values()]:
            worker.kill()
            while not pool._broken:
                time.sleep(0.01)

    class Late(dict):
        def __setitem__(self, pid, process):
            lose_workers()
            super().__setitem__(pid, process)

    def spawn_late():
        lose_workers()
        if known and other == "without pipes":
            raise ValueError("bad value(s) in fds_to_keep")
        spawn()

    if other == "started":
        pool._processes = known = Late()
    else:
        pool._spawn_process = spawn_late
    ending = threading.Timer(60, lambda: [w.kill() for w in known.values()])
    ending.start()
    with pytest.raises(WorkerLost, match="run again with `workers` 1"):
        ask_all(running, ASKS)
    running.engine.close()
    assert ending.is_alive()  # nobody had to end the workers
    ending.cancel()


KILLED_AT_ONCE = """
import os, signal
from multiprocessing import util
import pandas as pd
import measurand as ms
from measurand.core.errors import WorkerLost

start = util.spawnv_passfds

def start_and_kill(path, words, passed):
    pid = start(path, words, passed)
    if "spawn_main" in str(words):
        os.kill(pid, signal.SIGKILL)
    return pid

util.spawnv_passfds = start_and_kill
rows = pd.DataFrame({
    "query": [f"is it {i}" for i in range(200)],
    "evidence": [f"it is {i} " + "word " * 200 for i in range(200)],
    "label": ["no", "yes"] * 100,
})
try:
    ms.evidence(rows, workplace=ms.Workplace(workers=2), calibrate=False)
except WorkerLost as lost:
    print(lost)
"""


@pytest.mark.slow
def test_a_worker_killed_before_it_has_read_anything_hangs_nobody():
    ended = subprocess.run(
        [sys.executable, "-c", KILLED_AT_ONCE],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "run again with `workers` 1" in ended.stdout


PAIR, OTHER = AskGroup("one and two", 4), AskGroup("three", 4)
GROUPED = [
    Ask(Sociable(1), group=PAIR),
    Ask(Sociable(2), group=PAIR),
    Ask(Sociable(3), group=OTHER),
]


def test_a_group_is_one_trial_and_each_gets_its_own_answer(opened):
    running = opened()
    said = ask_all(running, GROUPED)
    assert [one.remarks["beside"] for one in said] == [2, 2, 1]
    assert [one.remarks["place"] for one in said] == [0, 1, 0]
    assert {one.remarks["size"] for one in said} == {4}
    assert len({one.remarks["lot"] for one in said}) == 3
    assert (said[0].probabilities[0].argmax(axis=1) == len(said[0].classes) - 1).all()
    assert [*filter(None, opened.seen)][-1] == (2, 2)


def test_a_group_that_lost_one_is_answered_again_whole_to_the_same_bytes(opened):
    running = opened()
    ask_all(running, GROUPED)
    before = files(running.store)
    key = ask_key(GROUPED[1], running.benchmark, 0)
    for path in running.store.paths(key, ANSWER_CODEC):
        path.unlink()
    again = opened()
    ask_all(again, GROUPED)
    assert again.tally == {"computed": 2, "reused": 1}
    assert files(running.store) == before


def test_who_is_beside_an_ask_is_part_of_its_key(benchmark):
    asks = [replace(GROUPED[0], group=group) for group in (None, PAIR, OTHER)]
    asks.append(replace(GROUPED[0], group=replace(PAIR, size=8)))
    assert len({ask_key(ask, benchmark, 0) for ask in asks}) == 4


def test_a_reader_that_is_fitted_by_itself_is_in_no_group(opened):
    with pytest.raises(NotApplicable, match="fitted by itself"):
        ask_all(opened(), [Ask(MajorityReader(), group=PAIR)])
