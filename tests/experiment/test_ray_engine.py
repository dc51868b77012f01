"""The same trials on a Ray cluster: the same bytes, whatever is lost on the way."""

import os
import socket
import sys
from dataclasses import replace
from types import ModuleType

import pytest

from measurand.core.errors import BadOption, NoField, Undefined, WorkerLost
from measurand.disk.store import Store
from measurand.experiment.ask import Ask, AskGroup, versions
from measurand.experiment.engine import LocalEngine
from measurand.experiment.experiment import (
    ask_all,
    measure_all,
    open_experiment,
    reopen_experiment,
)
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.models.server.endpoint import Terms
from measurand.readers.baselines import MajorityReader
from measurand.readers.cross import CrossReader
from measurand.readers.linear import TfidfReader
from measurand.selections.rows import Both, HoldOut
from measurand.settings.running import Cluster
from tests.experiment.odd_readers import Asking, Broken, Deadly, Sleepy, Sociable
from tests.experiment.running import files, locally, trials

pytestmark = pytest.mark.ray

ray_engine = pytest.importorskip(
    "measurand.experiment.ray_engine", reason="ray is not installed"
)
ray = ray_engine.ray
psutil = pytest.importorskip("psutil", reason="it comes with ray")

NOBODY = Both(HoldOut("kind", "old"), HoldOut("kind", "new"))
ASKS = [
    Ask(MajorityReader()),
    Ask(TfidfReader()),
    Ask(TfidfReader(), under=Shuffle("evidence"), repeats=3),
    Ask(TfidfReader(), what="embedding"),
    Ask(TfidfReader(), fitted_under=Keep("claim"), under=Keep("claim")),
    Ask(CrossReader(), under=Shuffle("claim", "nearest"), repeats=2),
]


@pytest.fixture(scope="module")
def session(ray_home):
    """A Ray of two processes on this machine, for all tests that lose no node."""
    joined = ray_engine.RaySession("local", 2)
    Terms(key_env="SHOP_API_KEY")
    with pytest.MonkeyPatch.context() as patch:
        for name in KEYS:
            patch.setenv(name, "sk-not-for-ray")
        joined.join()
        yield joined
        joined.leave()
    assert not ray.is_initialized()


@pytest.fixture
def made(session, benchmark, tmp_path):
    """An engine in that Ray, with a store of its own."""
    store = Store(tmp_path / "ray")
    engine = ray_engine.RayEngine(benchmark, 0, store, 2, session=session)
    yield engine
    engine.close()


def test_the_same_asks_give_the_same_bytes(made, benchmark, tmp_path):
    assert {*made.run(trials(ASKS))} == {*range(len(trials(ASKS)))}
    found = files(made.setting[2])
    assert len(found) == 2 * len(ASKS)
    assert found == locally(benchmark, ASKS, tmp_path / "local")


KEYS = ("MEASURAND_API_KEY", "OPENAI_API_KEY", "SHOP_API_KEY")


@pytest.fixture(scope="module")
def ray_processes(session):
    """This process and all that Ray started for it, once a worker has worked."""
    ray.get(ray.remote(lambda: None).remote())
    me = psutil.Process()
    return [me, *me.children(recursive=True)]


def test_ray_listens_on_this_machine_alone(ray_processes):
    listeners = {
        (process.name(), connection.laddr.ip.removeprefix("::ffff:"))
        for process in ray_processes
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
    assert {"gcs_server", "raylet"} <= {name for name, _ in listeners}
    assert {address for _, address in listeners} <= {"127.0.0.1", "::1"}


def test_no_process_of_ray_has_a_key(ray_processes):
    others = ray_processes[1:]
    assert len(others) >= 3
    holders = [p.name() for p in others for name in KEYS if name in p.environ()]
    assert holders == []
    assert all(os.environ[name] == "sk-not-for-ray" for name in KEYS)


def test_a_group_is_answered_there_as_here(made, benchmark, tmp_path):
    pair = tuple(Ask(Sociable(n), group=AskGroup("one and two", 2)) for n in (1, 2))
    assert [*made.run([pair])] == [0]
    here = LocalEngine(benchmark, 0, Store(tmp_path / "local"), 2)
    assert [*here.run([pair])] == [0]
    assert files(made.setting[2]) == files(here.setting[2])


def test_another_cut_of_the_benchmark_has_the_same_cluster(
    session, benchmark, tmp_path
):
    turned = replace(benchmark, train=benchmark.test, test=benchmark.train)
    for name in ("local", "ray"):
        cluster = Cluster(name)
        with open_experiment(
            benchmark, store=tmp_path / name, cluster=cluster
        ) as running:
            ask_all(running, ASKS[:1])
            with reopen_experiment(running, turned) as other:
                ask_all(other, ASKS[:3])
            measure_all(running, ASKS[3:4])
    found = [files(Store(tmp_path / name)) for name in ("local", "ray")]
    assert found[0] == found[1]
    assert len(found[0]) == 2 * 5
    assert ray.is_initialized()  # it was there before: not ours to end


def test_an_error_of_ours_comes_back_as_itself(made):
    with pytest.raises(Undefined, match="leaves no training items") as failed:
        list(made.run([(Ask(TfidfReader(), fitted_on=NOBODY),)]))
    assert type(failed.value) is Undefined
    assert "\n" not in str(failed.value)


def test_what_a_trial_answered_before_it_failed_is_kept(made):
    with pytest.raises(NoField, match="no field 'proof'"):
        list(made.run([(ASKS[1], Ask(TfidfReader(), under=Keep("proof")))]))
    assert len(files(made.setting[2])) == 2


def test_a_mistake_comes_back_as_itself(made):
    with pytest.raises(ZeroDivisionError, match="by nothing") as failed:
        list(made.run([(Ask(Broken()),)]))
    assert type(failed.value) is ZeroDivisionError


def test_a_worker_that_dies_each_time_is_one_line(made, log):
    with pytest.raises(
        WorkerLost, match=r"after 3 more tries.*WorkerCrashedError"
    ) as lost:
        list(made.run([(Ask(Deadly()),), (ASKS[0],)]))
    assert "\n" not in str(lost.value)
    assert log() == [("died",)] * 4


def test_what_nodes_cannot_import_is_one_line(made, monkeypatch):
    nowhere = ModuleType("nowhere")
    nowhere.Lost = type("Lost", (Sleepy,), {"__module__": "nowhere"})
    monkeypatch.setitem(sys.modules, "nowhere", nowhere)
    with pytest.raises(BadOption, match="nowhere") as failed:
        list(made.run([(Ask(nowhere.Lost(1)),)]))
    assert "\n" not in str(failed.value)


def test_a_reader_behind_a_server_is_asked_from_here(benchmark, tmp_path):
    store = Store(tmp_path)
    engine = ray_engine.RayEngine(benchmark, 0, store, 1, address="127.0.0.1:1")
    assert list(engine.run([(Ask(Asking(os.getpid())),)])) == [0]
    engine.close()


def test_a_node_with_other_versions_is_refused(benchmark):
    own = versions()
    other = (own[0], "9.9", *own[2:-1], "scikit-learn 9.9")
    _, failure = ray_engine._run_on_node((benchmark, 0), (ASKS[0],), other, [])
    assert type(failure) is BadOption
    assert "here is measurand 9.9, scikit-learn 9.9; install" in str(failure)


def test_a_node_with_other_files_of_a_model_is_refused(benchmark):
    setting, own = (benchmark, 0), versions()
    _, failure = ray_engine._run_on_node(setting, (ASKS[0],), own, ["of the caller"])
    assert type(failure) is BadOption
    assert "other files, or none, on a node of the cluster" in str(failure)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "x", "x:y"])
def test_a_cluster_out_of_reach_is_one_line(address):
    with pytest.raises(BadOption, match="no Ray cluster can be joined") as failed:
        ray_engine.check_reachable(address)
    assert repr(address) in str(failed.value)
    assert "\n" not in str(failed.value)


def test_an_open_port_that_is_no_cluster_is_one_line(monkeypatch):
    monkeypatch.setattr(ray_engine, "ANSWERING", 3.0)
    said = "nothing that is one answers within 3 seconds"
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(BadOption, match=said),
    ):
        ray_engine.check_reachable(f"127.0.0.1:{server.getsockname()[1]}")


def test_another_cluster_than_the_one_joined_is_refused(session):
    with pytest.raises(BadOption, match=r"joined the Ray at .* before"):
        ray_engine.RaySession("127.0.0.1:1", 1).join()
