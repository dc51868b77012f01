"""Asks as trials, and the files that an engine makes of them."""

from measurand.disk.store import Store
from measurand.experiment.engine import LocalEngine


def trials(asks):
    """The asks that share a fit, together."""
    shared = {}
    for ask in asks:
        shared.setdefault(ask.fit, []).append(ask)
    return [tuple(one) for one in shared.values()]


def files(store):
    """Every file of the entries of a store, by its name."""
    folder = store.directory
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*/*.*")}


def locally(benchmark, asks, folder):
    """The files that the local engine makes of the asks."""
    engine = LocalEngine(benchmark, 0, Store(folder), 1)
    assert len([*engine.run(trials(asks))]) == len(trials(asks))
    return files(engine.setting[2])
