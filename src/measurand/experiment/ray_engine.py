"""The ray engine: the same trials on a Ray cluster.

Nodes need measurand installed in the same versions, and no disk in common with this
machine: a trial runs there in memory, and its answers come back as the bytes of the
files that are written here, as each trial ends. Ray runs a trial again whose worker or
node is lost. Readers that ask a server stay in this process, with their spend cap and
their key. A Ray that is started here listens on this machine alone.
"""

import logging
import os
import re
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from subprocess import TimeoutExpired
from typing import Any, ClassVar
from urllib.parse import urlsplit

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, MeasurandError, WorkerLost, quote
from measurand.core.recipe import model_digests, traits_of
from measurand.disk.store import MemoryStore, Store
from measurand.experiment.ask import versions
from measurand.experiment.engine import Trial, is_remote
from measurand.experiment.trial import run_trial
from measurand.models.server.endpoint import KEY_VARIABLES
from measurand.system.processes import run_python, safe_environment
from measurand.system.signals import hold_signals

CONNECTING = 5.0  # seconds in which a port must open
ANSWERING = 15.0  # seconds in which a cluster must let a process join
PROBE = "import sys, ray; ray.init(sys.argv[1], log_to_driver=False); ray.shutdown()"


def check_reachable(address: str) -> None:
    """Nothing, where a cluster lets another process join."""
    why = "" if address == "auto" else _connection_fault(address)
    why = why or _join_fault(address)
    if not why:
        return
    raise BadOption(
        f"no Ray cluster can be joined at {quote(address, 80)}: {why}; "
        "`address` takes auto, HOST:PORT or ray://HOST:PORT of one that runs"
    )


def _connection_fault(address: str) -> str:
    """Why nothing can be there; empty where a port is open.

    >>> _connection_fault("nowhere")
    'no host and port'
    """
    try:
        target = urlsplit(address if "://" in address else f"//{address}")
        if not target.hostname or not target.port:
            return "no host and port"
        socket.create_connection((target.hostname, target.port), CONNECTING).close()
    except (OSError, ValueError) as failure:
        why = getattr(failure, "strerror", None) or str(failure)
        return why.lower()
    return ""


def _join_fault(address: str) -> str:
    """Why another process cannot join; empty where it can."""
    keyless = {n: v for n, v in os.environ.items() if n not in KEY_VARIABLES}
    try:
        outcome = run_python(PROBE, address, timeout=ANSWERING, variables=keyless)
    except TimeoutExpired as late:
        if b"InvalidAuthToken" in (late.stderr or b""):
            return "it wants its token, and RAY_AUTH_MODE=token"
        return f"nothing that is one answers within {ANSWERING:.0f} seconds"
    if outcome.returncode == 0:
        return ""
    last = outcome.stderr.decode(errors="replace").strip().split("\n")[-1]
    return last.partition(": ")[2].partition(". ")[0].rstrip(".") or last


RETRIES = 3  # how often a trial is run again whose worker or node was lost
GPU_SHARE = 0.25  # of one GPU, for a trial of an encoder or LLM: four share it
STARVING = 300.0  # seconds without a result after which resources are looked at
# Ray would print what it thinks of lost workers on stdout, among the results, and run a
# trial that is too big for memory for ever.
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS_SKIP_REGEX": ".",
    "RAY_task_oom_retries": str(RETRIES),
}
# A cluster of one machine loses no node; a busy one would be taken for lost after half
# a minute, and Ray then ends this process.
PATIENT = {"health_check_failure_threshold": 100, "health_check_timeout_ms": 60_000}
os.environ.update({**ENVIRONMENT, **os.environ})  # Ray reads it while it is imported

import ray  # noqa: E402
import ray._private.ray_constants  # noqa: E402
import ray.exceptions  # noqa: E402
from ray.job_config import JobConfig  # noqa: E402

Files = dict[str, bytes]


class RaySession:
    """This process's place in a Ray, taken when it is first needed.

    A Ray that this process has joined before is taken as it is, and left so.
    """

    def __init__(self, address: str | None, workers: int) -> None:
        self.address = address or os.environ.get("RAY_ADDRESS") or "local"
        self.workers = workers
        self.ours = False

    def join(self) -> None:
        """Join the cluster, or start one of `workers` processes; once."""
        if self.ours:
            return
        if ray.is_initialized():
            self.check_address()
            return
        if self.address != "local":
            check_reachable(self.address)
            _start_ray(self.address)
        else:
            try:
                with _this_machine_alone():
                    _start_ray(
                        "local",
                        num_cpus=self.workers,
                        include_dashboard=False,
                        _node_ip_address="127.0.0.1",
                        _system_config=PATIENT,
                    )
            except (OSError, RuntimeError, ValueError) as failure:
                why = str(failure).split("\n")[0]
                raise WorkerLost(
                    f"Ray cannot be started here: {why}; `engine` 'local' needs no Ray"
                ) from failure
        self.ours = True

    def check_address(self) -> None:
        """Nothing, where the Ray that this process has joined before will do."""
        joined_address = ray.get_runtime_context().gcs_address
        if self.address not in (joined_address, "auto", "local"):
            raise BadOption(
                f"this process has joined the Ray at {joined_address} before; leave "
                "out "
                f"{quote(self.address, 80)}, or call ray.shutdown() first"
            )

    def leave(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self.ours:
            ray.shutdown()
            self.ours = False


class RayEngine:
    """Runs trials on a Ray cluster: that of `address`, or one of `workers` processes.

    Without `address` it is that of RAY_ADDRESS, and one started here where none is set.
    """

    name: ClassVar[str] = "ray"

    def __init__(
        self,
        benchmark: Benchmark,
        seed: int,
        store: Store,
        workers: int | None,
        address: str | None = None,
        gpu_share: float = GPU_SHARE,
        session: RaySession | None = None,
    ) -> None:
        self.setting = (benchmark, seed, store)
        self.gpu_share = gpu_share
        self.shared = session
        self.session = session or RaySession(address, workers or os.cpu_count() or 1)
        self.gpus = False
        self.setting_reference: Any = None

    def for_benchmark(self, benchmark: Benchmark) -> "RayEngine":
        """The same cluster for another cut of the benchmark."""
        _, seed, store = self.setting
        terms: dict[str, Any] = {"gpu_share": self.gpu_share, "session": self.session}
        return RayEngine(benchmark, seed, store, None, **terms)

    def run(self, trials: Sequence[Trial]) -> Iterator[int]:
        """Run the trials; yields the number of each once its answers are kept."""
        local_numbers = [n for n, trial in enumerate(trials) if is_remote(trial)]
        running: dict[Any, int] = {}
        if len(local_numbers) < len(trials):
            running = self.submit(trials)
        for number in local_numbers:
            run_trial(*self.setting, trials[number])
            yield number
        # Trials that are not waited for, because one failed, end when we leave. They
        # are not cancelled: Ray aborts a process that cancels a task as it ends.
        while running:
            done, _ = ray.wait([*running], timeout=STARVING)
            if not done:
                self.check_resources([trials[number] for number in running.values()])
            for task in done:
                self.store_answers(task)
                yield running.pop(task)

    def at_once(self, trials: int) -> int:
        """As many as the cluster has cores, or shares of a GPU."""
        self.session.join()
        gpus = _cluster_total("GPU") / self.gpu_share if self.gpu_share else 0
        return max(1, min(trials, int(gpus or _cluster_total("CPU"))))

    def submit(self, trials: Sequence[Trial]) -> dict[Any, int]:
        """The trials that may run anywhere, as tasks of the cluster."""
        self.session.join()
        if self.setting_reference is None:
            benchmark, seed, _ = self.setting
            # The rule behind planted labels is a closure, and no trial calls it.
            self.setting_reference = ray.put((replace(benchmark, protocol=None), seed))
            self.gpus = self.gpu_share > 0 and _cluster_total("GPU") > 0
        tasks: dict[Any, int] = {}
        for number, trial in enumerate(trials):
            if not is_remote(trial):
                share = self.share(trial) if self.gpus and _is_heavy(trial) else 0
                caller_versions = versions(traits_of(trial[0].reader).packages)
                digests = model_digests(trial)
                task = WORK.options(num_gpus=share).remote(
                    self.setting_reference, trial, caller_versions, digests
                )
                tasks[task] = number
        return tasks

    def share(self, trial: Trial) -> float:
        """The share of a GPU that a trial is given; a group fills near half of one."""
        return max(self.gpu_share, 0.5) if trial[0].group else self.gpu_share

    def check_resources(self, trials: Sequence[Trial]) -> None:
        """Nothing, where the cluster has what these trials wait for."""
        takes_gpu = self.gpus and any(map(_is_heavy, trials))
        for kind in ("CPU", "GPU") if takes_gpu else ("CPU",):
            if not _cluster_total(kind):
                raise WorkerLost(
                    f"the cluster has no {kind} left to run a trial on; what was "
                    "finished is kept: add a node and run again"
                )

    def store_answers(self, task: Any) -> None:
        """Keep what a trial answered; raise what it raised."""
        try:
            files, failure = ray.get(task)
        except ray.exceptions.RayError as raised:
            raise _task_failure(raised) from raised
        self.setting[2].keep(files)
        if failure is not None:
            raise failure

    def close(self, *, hurry: bool = False) -> None:
        """Leave the cluster, unless it is another engine's to leave."""
        self.setting_reference = None
        if self.shared is None:
            self.session.leave()


def _run_on_node(
    setting: tuple[Benchmark, int],
    trial: Trial,
    caller_versions: tuple[str, ...],
    caller_digests: Sequence[str],
) -> tuple[Files, MeasurandError | None]:
    """Run one trial on a node: the files of its answers, and how it ended."""
    store = MemoryStore()
    try:
        _check_versions(versions(traits_of(trial[0].reader).packages), caller_versions)
        _check_models(model_digests(trial), caller_digests)
        run_trial(*setting, store, trial)
    except MeasurandError as failure:
        return store.files, failure  # what was answered before is kept
    return store.files, None


WORK = ray.remote(num_cpus=1, max_retries=RETRIES)(_run_on_node)


def _task_failure(raised: ray.exceptions.RayError) -> Exception:
    """What a failed task means: what the trial itself raised, or that it was lost."""
    missing_module = re.search(r"No module named '([^']+)'", str(raised))
    if missing_module:
        return BadOption(
            f"a node of the cluster has no module {missing_module[1]!r}; install what "
            "is installed here on every node"
        )
    cause = getattr(raised, "cause", raised)
    if isinstance(cause, Exception) and not isinstance(cause, ray.exceptions.RayError):
        return cause
    return WorkerLost(
        f"a trial was lost and given up after {RETRIES} more tries, perhaps for memory "
        f"({type(cause).__name__}); what was finished is kept: run again, or with "
        "`engine` 'local' and `workers` 1"
    )


@contextmanager
def _this_machine_alone() -> Iterator[None]:
    """Let the Ray that is started inside listen on the loopback address alone.

    On Linux Ray takes 127.0.0.1 for any address by which others reach this machine,
    unless it is set, as on other systems, that there is no cluster to be reached by.
    """
    constants = ray._private.ray_constants
    before = constants.ENABLE_RAY_CLUSTER
    constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        constants.ENABLE_RAY_CLUSTER = before


@contextmanager
def _without_keys() -> Iterator[None]:
    """Take the keys of servers out of what processes started inside inherit."""
    keys = {n: os.environ.pop(n) for n in KEY_VARIABLES if n in os.environ}
    try:
        yield
    finally:
        os.environ.update(keys)


def _start_ray(address: str, **settings: Any) -> None:
    """Let Ray start in this process, without a word, and without a key."""
    before = signal.getsignal(signal.SIGTERM)
    # A node that hears of Ctrl-C as it starts never does, and is waited for in vain.
    with _without_keys(), safe_environment(), hold_signals():
        ray.init(
            address,
            logging_level=logging.CRITICAL,
            log_to_driver=False,
            **_job_settings(),
            **settings,
        )
    if threading.current_thread() is threading.main_thread():
        # Ray answers SIGTERM with a trace, and then as Python is set to: enough.
        handler = before if callable(before) else signal.getsignal(signal.SIGTERM)
        signal.signal(signal.SIGTERM, handler)


def _job_settings() -> dict[str, Any]:
    """What keeps workers of Ray out of our working folder, unless we look there too.

    They look for modules there first, but where Ray takes this process for a client.
    """
    is_searched = os.getcwd() in map(os.path.abspath, sys.path)
    return {} if is_searched else {"job_config": JobConfig(_client_job=True)}


def _cluster_total(kind: str) -> float:
    """How much of it the cluster has, free or in use."""
    totals: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return totals.get(kind, 0)


def _is_heavy(trial: Trial) -> bool:
    """Whether an encoder or LLM is run."""
    return "torch" in traits_of(trial[0].reader).packages


def _check_models(node_digests: Sequence[str], caller_digests: Sequence[str]) -> None:
    """Nothing, where the models of a node have the files that they have here."""
    if node_digests != caller_digests:
        raise BadOption(
            "a model has other files, or none, on a node of the cluster; put the same "
            "at the same path of every node"
        )


def _check_versions(
    node_versions: Sequence[str], caller_versions: Sequence[str]
) -> None:
    """Nothing, where a node computes with the versions that are used here."""
    sides = zip(node_versions, caller_versions, strict=True)
    pairs = [pair for pair in sides if pair[0] != pair[1]]
    if pairs:
        theirs, ours = (
            ", ".join(
                release if " " in release else f"measurand {release}"
                for release in side
            )
            for side in zip(*pairs, strict=True)
        )
        raise BadOption(
            f"a node of the cluster has {theirs}, and here is {ours}; "
            "install the same on every node"
        )
