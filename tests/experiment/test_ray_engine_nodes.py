"""A Ray cluster that loses a node, has none left, or lacks what is installed here."""

import threading
import time

import pytest

from measurand.audits.exposure import ExposureSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import WorkerLost
from measurand.disk.store import Store
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.readers.baselines import MajorityReader
from measurand.report.saved import document, dumps
from measurand.settings.running import Cluster
from tests.audits.exposure.test_audit import LIGHT, texts
from tests.experiment.odd_readers import Sleepy, Weighty
from tests.experiment.running import files, locally, trials

pytestmark = pytest.mark.ray

ray_engine = pytest.importorskip(
    "measurand.experiment.ray_engine", reason="ray is not installed"
)
cluster_utils = pytest.importorskip("ray.cluster_utils")

# A lost node is noticed in eight seconds and not in fifteen; sooner, a busy machine
# takes its own node for lost, and Ray then ends the driver.
HEALTH = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_failure_threshold": 16,
}
HEAD = {"num_cpus": 0, "include_dashboard": False, "_system_config": HEALTH}
TRIALS = 8


@pytest.fixture(scope="module")
def cluster(ray_home):
    """A cluster whose first node, which the driver joins, has no CPU."""
    nodes = cluster_utils.Cluster(initialize_head=True, head_node_args=HEAD)
    yield nodes
    ray_engine.ray.shutdown()
    nodes.shutdown()


def test_a_cluster_without_a_cpu_is_not_waited_for_for_ever(
    cluster, benchmark, monkeypatch
):
    monkeypatch.setattr(ray_engine, "STARVING", 1.0)
    with (
        pytest.raises(WorkerLost, match="no CPU left"),
        open_experiment(benchmark, cluster=Cluster("ray", cluster.address)) as running,
    ):
        ask_all(running, [Ask(MajorityReader())])
    assert not ray_engine.ray.is_initialized()


def test_an_encoder_gets_its_share_of_a_gpu(cluster, benchmark, tmp_path, log):
    pytest.importorskip("transformers", reason="their version is part of the key")
    node = cluster.add_node(num_cpus=4, num_gpus=1)
    store = Store(tmp_path)
    engine = ray_engine.RayEngine(benchmark, 0, store, 1, address=cluster.address)
    asks = [Ask(MajorityReader()), Ask(Weighty(1)), Ask(Weighty(2))]
    assert sorted(engine.run(trials(asks))) == [0, 1, 2]
    engine.close()
    cluster.remove_node(node, allow_graceful=False)
    assert {*log()} == {("1", "0"), ("2", "0")}


def test_a_node_killed_in_the_middle_loses_nothing(cluster, benchmark, tmp_path, log):
    _, node = (cluster.add_node(num_cpus=1) for _ in range(2))
    raylet = str(node.all_processes["raylet"][0].process.pid)
    asks = [Ask(Sleepy(number)) for number in range(TRIALS)]
    store = Store(tmp_path / "ray")
    engine = ray_engine.RayEngine(benchmark, 0, store, 1, address=cluster.address)
    finished = engine.run(trials(asks))
    done = [next(finished)]
    while not half_way(log(), raylet):
        time.sleep(0.01)
    cluster.remove_node(node, allow_graceful=False)
    done += finished
    engine.close()
    assert sorted(done) == list(range(TRIALS))
    began = [line[0] for line in log() if line[1] == "began"]
    assert len({*began}) == TRIALS < len(began)  # what was lost was begun again
    assert files(store) == locally(benchmark, asks, tmp_path / "local")


def test_a_study_of_exposure_outlives_a_node(cluster, tmp_path):
    """The whole audit, to the same report and the same store as on one machine."""
    task = from_frames(texts(), name="made", query="text", label="label")

    def studied(store, **terms):
        with open_experiment(task, store=store, **terms) as running:
            report = audit(
                running, LIGHT, ExposureSettings(n=100, repeats=8), tasks={"made": task}
            )
        return dumps(document(report))

    local = studied(tmp_path / "local", workers=1)
    _, node = (cluster.add_node(num_cpus=1) for _ in range(2))
    left = []

    def kill():
        while len(files(Store(tmp_path / "ray"))) < 12:
            time.sleep(0.01)
        left.append(len(files(Store(tmp_path / "ray"))))
        cluster.remove_node(node, allow_graceful=False)

    killer = threading.Thread(target=kill)
    killer.start()
    far = studied(tmp_path / "ray", cluster=Cluster("ray", cluster.address), workers=2)
    killer.join()
    kept = files(Store(tmp_path / "local"))
    assert left[0] < len(kept)  # in the middle
    assert far == local
    assert files(Store(tmp_path / "ray")) == kept


def half_way(lines, raylet):
    """Whether a worker of this node is in the middle of a trial."""
    began = {n for n, what, parent in lines if what == "began" and parent == raylet}
    return began - {n for n, what, _ in lines if what == "ended"}
