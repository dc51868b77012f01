"""What an audit asks of servers: the audit itself is run, and nothing is sent.

So what is said before a run comes from the code that asks, whatever an audit comes to
ask. What it asks depends on no answer but two: without log-probabilities an item may be
asked several times, and a question that was written may be asked about. Both count.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from measurand.core.audit import Audit
from measurand.core.benchmark import Benchmark
from measurand.core.recipe import identity, traits_of
from measurand.disk.store import Store, entry_key
from measurand.experiment.experiment import open_experiment
from measurand.models.server.ceiling import FOLDER, CallPlan, make_plan
from measurand.models.server.rehearsal import Rehearsal, hold_rehearsal


def plan_calls(
    audit: Audit,
    benchmark: Benchmark,
    readers: Mapping[str, Any],
    settings: Any,
    *,
    seed: int,
    store: Path,
) -> dict[str, CallPlan]:
    """What an audit asks of each reader that is behind a server; nothing is sent.

    No other reader is run: none changes what these are asked, nor does the ladder,
    whose rungs are no servers.
    """
    alone = replace(settings, calibrate=False) if audit.takes("calibrate") else settings
    return {
        name: _plan_reader(audit, benchmark, name, reader, alone, seed, store)
        for name, reader in readers.items()
        if traits_of(reader).remote and hasattr(reader, "endpoint")
    }


def _plan_reader(
    audit: Audit,
    benchmark: Benchmark,
    name: str,
    reader: Any,
    settings: Any,
    seed: int,
    store: Path,
) -> CallPlan:
    """What an audit asks of one reader."""
    texts = benchmark.test.column(benchmark.query).tolist()
    rehearsal = Rehearsal(Store(store), texts)
    with hold_rehearsal(rehearsal), open_experiment(benchmark, seed=seed) as experiment:
        (audit.ask or audit.run)(experiment, {name: reader}, settings)
    parts = [benchmark.train, benchmark.test, *benchmark.test_parts.values()]
    digests = [items.digest for items in parts]
    key = entry_key(f"{audit.name} {settings} {identity((reader, seed, digests))}")
    return make_plan(
        reader.endpoint,
        len(rehearsal.stored),
        sum(rehearsal.received.values()),
        [*rehearsal.letters.values()],
        store / FOLDER / key,
    )
