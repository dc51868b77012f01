"""Trial: one fit and all that is asked of it."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from measurand.core.benchmark import Benchmark
from measurand.core.errors import Undefined
from measurand.core.intervention import Rearranging
from measurand.core.items import Items
from measurand.core.kept import keeping
from measurand.core.reader import FittedReader, Floats, Rereading
from measurand.core.seeds import generator
from measurand.experiment.asks import Ask, canonical, key
from measurand.experiment.store import Answer, Store


def run_trial(
    benchmark: Benchmark, seed: int, store: Store, asks: Sequence[Ask]
) -> None:
    """Fit once, answer every ask, keep each answer as soon as it is there."""
    # One thread: sums in another order would differ in the last bit.
    with threadpool_limits(1), keeping(store.directory / "calls"):
        fitted = fit(asks[0], benchmark, seed)
        for ask in asks:
            store.write(key(ask, benchmark, seed), answer(fitted, ask, benchmark, seed))


def fit(ask: Ask, benchmark: Benchmark, seed: int) -> FittedReader:
    """The reader of `ask`, fitted as it says."""
    rows = ask.fitted_on(benchmark.train, generator(seed, "select"))
    if not len(rows):
        raise Undefined(
            f"{ask.fitted_on} leaves no training items, so nothing can be learned"
        )
    seen = ask.fitted_under(rows, generator(seed, "train", canonical(ask.fitted_under)))
    return ask.reader.fit(seen, generator(seed, "fit", ask.fit))


def asked(ask: Ask, benchmark: Benchmark, seed: int) -> Items:
    """The test items that `ask` is about, before they are changed."""
    return ask.about(benchmark.test, generator(seed, "select"))


def answer(fitted: FittedReader, ask: Ask, benchmark: Benchmark, seed: int) -> Answer:
    """What the fitted reader says, once a repeat of the intervention."""
    items = asked(ask, benchmark, seed)
    places = [benchmark.classes.index(label) for label in fitted.classes]
    shape = (ask.repeats, len(items), len(benchmark.classes))
    probabilities = np.zeros(shape, np.float32)
    donors = (
        np.empty(shape[:2], np.int32) if isinstance(ask.under, Rearranging) else None
    )
    if not len(items):
        return Answer(probabilities, donors)  # selected away: nobody to be asked about
    if isinstance(ask.under, Rearranging) and donors is not None:
        handed = handed_round(fitted, items, ask.under, donors, seed)
        for repeat, said in enumerate(handed):
            probabilities[repeat][:, places] = said
        return Answer(probabilities, donors)
    for repeat in range(ask.repeats):
        changed = ask.under(items, stream(ask.under, repeat, seed))
        probabilities[repeat][:, places] = fitted.predict(changed)
    return Answer(probabilities, donors)


def handed_round(
    fitted: FittedReader,
    items: Items,
    change: Rearranging,
    donors: NDArray[np.int32],
    seed: int,
) -> Iterator[Floats]:
    """The answers of each repeat; fills in whose text each item received."""
    for repeat in range(len(donors)):
        donors[repeat] = change.order(items, stream(change, repeat, seed))
    if isinstance(fitted, Rereading):
        yield from fitted.reread(fitted.read(items), change.field, donors)
        return
    texts = items.column(change.field).to_numpy(object)
    for order in donors:
        yield fitted.predict(items.with_field(change.field, texts[order].tolist()))


def stream(change: object, repeat: int, seed: int) -> np.random.Generator:
    """The same shuffles for every reader."""
    return generator(seed, "test", canonical(change), repeat)
