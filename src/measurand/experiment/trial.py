"""Trial: one fit and all that is asked of it, or several fits that are made at once."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from measurand.core.benchmark import Benchmark
from measurand.core.errors import NotApplicable, Undefined
from measurand.core.intervention import Rearranging
from measurand.core.items import Items
from measurand.core.kept import keeping
from measurand.core.reader import (
    Attributing,
    Attribution,
    Embedder,
    FittedReader,
    Floats,
    Remarking,
    Rereading,
    Salient,
    Tunable,
    Watched,
)
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.core.together import Job, Said, Together
from measurand.experiment.asks import (
    ANSWERS,
    EMBEDDING,
    EPOCHS,
    SALIENCY,
    SETTINGS,
    WORDS,
    Ask,
    key,
)
from measurand.experiment.store import Answer, Store
from measurand.interventions.fields import Keep


def run_trial(
    benchmark: Benchmark, seed: int, store: Store, asks: Sequence[Ask]
) -> None:
    """Fit once, answer every ask, keep each answer as soon as it is there.

    Those of a group are fitted at once, each for itself.
    """
    # One thread: sums in another order would differ in the last bit.
    with threadpool_limits(1), keeping(store.directory / "calls"):
        if asks[0].what == SETTINGS:
            told = settings(asks[0], benchmark, seed)
            store.write(key(asks[0], benchmark, seed), told)
            return
        if asks[0].group:
            for ask, told in zip(asks, grouped(asks, benchmark, seed), strict=True):
                store.write(key(ask, benchmark, seed), told)
            return
        epochs = [ask for ask in asks if ask.what == EPOCHS]
        if epochs:
            fitted, told = watched(epochs[0], benchmark, seed)
            store.write(key(epochs[0], benchmark, seed), told)
        else:
            fitted = fit(asks[0], benchmark, seed)
        for ask in asks:
            if ask.what != EPOCHS:
                said = answer(fitted, ask, benchmark, seed)
                store.write(key(ask, benchmark, seed), said)


def grouped(asks: Sequence[Ask], benchmark: Benchmark, seed: int) -> Iterator[Answer]:
    """What the readers of a group say, which are fitted at once."""
    reader, group = asks[0].reader, asks[0].group
    if group is None or not isinstance(reader, Together):
        raise NotApplicable("this reader is fitted by itself, not in a group")
    for ask in asks:
        assert (ask.what, ask.repeats) == (ANSWERS, 1), "once each"  # noqa: S101
    jobs = [
        Job(
            ask.reader,
            learned_from(ask, benchmark, seed),
            ask.under(asked(ask, benchmark, seed), stream(ask.under, 0, seed)),
            fitting(ask, seed),
        )
        for ask in asks
    ]
    for job, said in zip(jobs, reader.answered(jobs, group.size), strict=True):
        shape = (1, len(job.test), len(benchmark.classes))
        probabilities = np.zeros(shape, np.float32)
        probabilities[0][:, places(said, benchmark)] = said.probabilities
        yield Answer(probabilities, None, said.remarks)


def fit(ask: Ask, benchmark: Benchmark, seed: int) -> FittedReader:
    """The reader of `ask`, fitted as it says."""
    return ask.reader.fit(learned_from(ask, benchmark, seed), fitting(ask, seed))


def watched(ask: Ask, benchmark: Benchmark, seed: int) -> tuple[FittedReader, Answer]:
    """The reader of `ask`, and what it thought of the items after each epoch."""
    if not isinstance(ask.reader, Watched):
        raise NotApplicable("this reader learns in no epochs that could be watched")
    items = ask.under(asked(ask, benchmark, seed), stream(ask.under, 0, seed))
    seen = learned_from(ask, benchmark, seed)
    fitted, said = ask.reader.watched(seen, fitting(ask, seed), items)
    values = np.zeros((len(said), len(items), len(benchmark.classes)), np.float32)
    values[:, :, places(fitted, benchmark)] = said
    return fitted, Answer(values, None, remarks(fitted))


def settings(ask: Ask, benchmark: Benchmark, seed: int) -> Answer:
    """The settings that suit the training items better, as remarks."""
    if not isinstance(ask.reader, Tunable):
        raise NotApplicable("this reader has no settings that could be tuned")
    better = ask.reader.tuned(learned_from(ask, benchmark, seed), fitting(ask, seed))
    changed = {
        one.name: getattr(better, one.name)
        for one in fields(better)  # type: ignore[arg-type]
        if getattr(better, one.name) != getattr(ask.reader, one.name)
    }
    return Answer(np.zeros((1, 1, 1), np.float32), None, changed)


def learned_from(ask: Ask, benchmark: Benchmark, seed: int) -> Items:
    """The training items that the reader of `ask` learns from, as it reads them."""
    rows = ask.fitted_on(benchmark.train, generator(seed, "select"))
    if not len(rows):
        raise Undefined(
            f"{ask.fitted_on} leaves no training items, so nothing can be learned"
        )
    change = ask.fitted_under
    seen = change(rows, generator(seed, "train", identity(change)))
    if isinstance(change, Keep):
        # Whoever is to learn from one field must not be able to see another.
        assert {*seen.table.columns} == {change.field, seen.label}  # noqa: S101
    return seen


def fitting(ask: Ask, seed: int) -> np.random.Generator:
    """The stream that the fit of `ask` draws from."""
    return generator(seed, "fit", ask.stream or ask.fit)


def asked(ask: Ask, benchmark: Benchmark, seed: int) -> Items:
    """The test items that `ask` is about, before they are changed."""
    test = benchmark.also[ask.part] if ask.part else benchmark.test
    return ask.about(test, generator(seed, "select"))


def answer(fitted: FittedReader, ask: Ask, benchmark: Benchmark, seed: int) -> Answer:
    """What the fitted reader says, once a repeat of the intervention."""
    items = asked(ask, benchmark, seed)
    if ask.what != ANSWERS:
        changed = ask.under(items, stream(ask.under, 0, seed))
        if ask.what == WORDS:
            return Answer(worded(fitted, changed, benchmark), None, remarks(fitted))
        return Answer(measured(fitted, ask.what, changed), None, remarks(fitted))
    shape = (ask.repeats, len(items), len(benchmark.classes))
    probabilities = np.zeros(shape, np.float32)
    donors = (
        np.empty(shape[:2], np.int32) if isinstance(ask.under, Rearranging) else None
    )
    if not len(items):
        return Answer(probabilities, donors)  # selected away: nobody to be asked about
    columns = places(fitted, benchmark)
    if isinstance(ask.under, Rearranging) and donors is not None:
        handed = handed_round(fitted, items, ask.under, donors, seed)
        for repeat, said in enumerate(handed):
            probabilities[repeat][:, columns] = said
        return Answer(probabilities, donors, remarks(fitted))
    for repeat in range(ask.repeats):
        changed = ask.under(items, stream(ask.under, repeat, seed))
        probabilities[repeat][:, columns] = fitted.predict(changed)
    return Answer(probabilities, donors, remarks(fitted))


def measured(fitted: FittedReader, what: str, items: Items) -> NDArray[np.float32]:
    """An embedding or saliency, as layers × items × columns; none where it has none."""
    if what == EMBEDDING and isinstance(fitted, Embedder):
        return fitted.embed(items).astype(np.float32)[None]
    if what == SALIENCY and isinstance(fitted, Salient):
        return packed(fitted.saliency(items), items.fields)
    return np.zeros((1, len(items), 0), np.float32)


def packed(
    attributions: Sequence[Attribution], names: tuple[str, ...]
) -> NDArray[np.float32]:
    """Scores and field numbers of tokens: 2 × items × tokens; -2 where none is."""
    longest = max((len(one.scores) for one in attributions), default=0)
    values = np.zeros((2, len(attributions), max(longest, 1)), np.float32)
    values[1] = -2
    numbers = {"": -1} | {field: number for number, field in enumerate(names)}
    for row, one in enumerate(attributions):
        values[0, row, : len(one.scores)] = one.scores
        values[1, row, : len(one.scores)] = [
            -1 if special else numbers[field]
            for special, field in zip(one.special, one.fields, strict=True)
        ]
    return values


def worded(
    fitted: FittedReader, items: Items, benchmark: Benchmark
) -> NDArray[np.float32]:
    """What each word adds to each class: classes × items × words, 0 where none is."""
    if not isinstance(fitted, Attributing):
        raise NotApplicable(
            "this reader cannot say what each word adds; choose tfidf or an encoder"
        )
    scores = fitted.word_scores(items)
    longest = max((len(one) for one in scores), default=0)
    shape = (len(benchmark.classes), len(items), max(longest, 1))
    values = np.zeros(shape, np.float32)
    columns = places(fitted, benchmark)
    for row, one in enumerate(scores):
        values[columns, row, : len(one)] = one.T
    return values


def places(fitted: FittedReader | Said, benchmark: Benchmark) -> list[int]:
    """The column of the benchmark's classes that each of the reader's goes to."""
    return [benchmark.classes.index(label) for label in fitted.classes]


def remarks(fitted: FittedReader) -> dict[str, float | str]:
    """What the reader has to say beside its answers."""
    return dict(fitted.remarks()) if isinstance(fitted, Remarking) else {}


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
    return generator(seed, "test", identity(change), repeat)
