"""Trial: one fit and all that is asked of it."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from measurand.core.benchmark import Benchmark
from measurand.core.errors import Undefined
from measurand.core.intervention import Rearranging
from measurand.core.items import Items
from measurand.core.reader import Additive, FittedReader, Floats
from measurand.core.seeds import generator
from measurand.experiment.asks import Ask, canonical, key
from measurand.experiment.store import Answer, Store


def run_trial(
    benchmark: Benchmark, seed: int, store: Store, asks: Sequence[Ask]
) -> None:
    """Fit once, answer every ask, keep each answer as soon as it is there."""
    # One thread: sums in another order would differ in the last bit.
    with threadpool_limits(1):
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
    parts = (
        fitted.parts(items)
        if donors is not None and isinstance(fitted, Additive)
        else None
    )
    for repeat in range(ask.repeats):
        rng = generator(seed, "test", canonical(ask.under), repeat)
        if donors is None or not isinstance(ask.under, Rearranging):
            said = fitted.predict(ask.under(items, rng))
        else:
            order = ask.under.order(items, rng)
            donors[repeat] = order
            said = rearranged(fitted, items, parts, ask.under.field, order)
        probabilities[repeat][:, places] = said
    return Answer(probabilities, donors)


def rearranged(
    fitted: FittedReader,
    items: Items,
    parts: Mapping[str, Floats] | None,
    field: str,
    order: NDArray[np.int64],
) -> Floats:
    """The answers when `field` is handed round; sums are only added up anew."""
    if parts is not None and isinstance(fitted, Additive):
        return fitted.total(
            {**parts, field: parts[field][order]} if field in parts else parts
        )
    texts = items.column(field).to_numpy(object)
    return fitted.predict(items.with_field(field, texts[order].tolist()))
