"""Trial: one fit and all that is asked of it, or several fits at once."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from functools import lru_cache
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from measurand.core.arrays import Floats
from measurand.core.benchmark import Benchmark
from measurand.core.choices import (
    FittedWriter,
    TakesLetters,
    fit_to,
    fit_writer_to,
    write_answers,
)
from measurand.core.errors import (
    NotApplicable,
    Undefined,
)
from measurand.core.intervention import Rearranging, Selection, check_rows
from measurand.core.items import Items
from measurand.core.reader import (
    FittedReader,
    JointlyTrainable,
    Rearrangeable,
    Remarks,
    TracesEpochs,
    TrainingJob,
    Tunable,
    check_shape,
)
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.disk.files import keep_calls
from measurand.disk.store import Store
from measurand.experiment.ask import (
    ANSWER_CODEC,
    ANSWERS,
    EPOCHS,
    SETTINGS,
    TEXTS,
    WORDS,
    Answer,
    Ask,
    ask_key,
    check_key,
)
from measurand.experiment.measures import class_columns, measure_items, word_values
from measurand.interventions.fields import Keep

MOST_ROWS = 200_000  # of the selections that are kept of one table
KEPT: WeakKeyDictionary[Items, dict[tuple[str, int], Items]] = WeakKeyDictionary()


def select_rows(selection: Selection, items: Items, seed: int) -> Items:
    """The items that the selection takes, the same for every reader.

    An audit asks dozens of times about the same rows, and looks them up again to read
    each answer.
    """
    selected, key = KEPT.setdefault(items, {}), (identity(selection), seed)
    if key in selected:
        return selected[key]
    rows = selection(items, generator(seed, "select"))
    if rows is items:  # which would keep itself for ever
        return items
    if sum(map(len, selected.values())) + len(rows) > MOST_ROWS:
        selected.clear()
    selected[key] = rows
    return rows


def limit_threads() -> AbstractContextManager[object]:
    """One thread, in every library that is loaded by now."""
    pools = _find_thread_pools(len(sys.modules))
    limit: AbstractContextManager[object] = pools.limit(limits=1)
    return limit


@lru_cache(maxsize=1)
def _find_thread_pools(modules: int) -> ThreadpoolController:
    """The libraries with threads; looked for again where more modules are loaded.

    That takes milliseconds, which an audit would spend in each of a hundred trials.
    """
    return ThreadpoolController()


def run_trial(
    benchmark: Benchmark, seed: int, store: Store, asks: Sequence[Ask]
) -> None:
    """Fit once, answer every ask, keep each answer as soon as it is there.

    Those of a group are fitted at once, each for itself.
    """
    # Before the files of a model are read, and again before an answer is kept.
    keys = [ask_key(ask, benchmark, seed) for ask in asks]
    # One thread: sums in another order would differ in the last bit.
    with limit_threads(), keep_calls(store.directory):
        for number, answer in _answer_trial(asks, benchmark, seed):
            check_key(keys[number], ask_key(asks[number], benchmark, seed))
            store.write(keys[number], ANSWER_CODEC, answer)


def _answer_trial(
    asks: Sequence[Ask], benchmark: Benchmark, seed: int
) -> Iterator[tuple[int, Answer]]:
    """The number of each ask and its answer, as soon as it is there."""
    first = asks[0]
    if first.what == SETTINGS:
        yield 0, _better_settings(first, benchmark, seed)
    elif first.group:
        yield from zip(
            range(len(asks)), _answer_group(asks, benchmark, seed), strict=True
        )
    elif first.what == TEXTS:
        writer = _fit_writer(first, benchmark, seed)
        for number, ask in enumerate(asks):
            yield number, answer_in_words(writer, ask, benchmark, seed)
    else:
        traced = [number for number, ask in enumerate(asks) if ask.what == EPOCHS]
        if traced:
            fitted, answer = _trace_fit(asks[traced[0]], benchmark, seed)
            yield traced[0], answer
        else:
            fitted = fit_reader(first, benchmark, seed)
        for number, ask in enumerate(asks):
            if ask.what != EPOCHS:
                yield number, answer_ask(fitted, ask, benchmark, seed)


def _answer_group(
    asks: Sequence[Ask], benchmark: Benchmark, seed: int
) -> Iterator[Answer]:
    """What the readers of a group say, which are fitted at once."""
    reader, group = asks[0].reader, asks[0].group
    if group is None or not isinstance(reader, JointlyTrainable):
        raise NotApplicable("this reader is fitted by itself, not in a group")
    for ask in asks:
        assert (ask.what, ask.repeats) == (ANSWERS, 1), "once each"  # noqa: S101
    jobs = [
        TrainingJob(
            ask.reader,
            training_items(ask, benchmark, seed),
            _items_under(ask, benchmark, seed),
            _fit_stream(ask, seed),
        )
        for ask in asks
    ]
    for job, prediction in zip(
        jobs, reader.predict_jointly(jobs, group.size), strict=True
    ):
        shape = (1, len(job.test), len(benchmark.classes))
        probabilities = np.zeros(shape, np.float32)
        probabilities[0][:, class_columns(prediction, benchmark)] = (
            prediction.probabilities
        )
        yield Answer(probabilities, None, prediction.remarks)


def fit_reader(ask: Ask, benchmark: Benchmark, seed: int) -> FittedReader:
    """The reader of `ask`, fitted as it says."""
    items, stream = _fit_material(ask, benchmark, seed)
    fitted = fit_to(ask.reader, items, stream)
    # The only item with a fifth choice may be among those that it is asked about.
    if items.choices is not None and isinstance(fitted, TakesLetters):
        return fitted.with_letters(benchmark.classes)
    return fitted


def _fit_writer(ask: Ask, benchmark: Benchmark, seed: int) -> FittedWriter:
    """The reader of `ask`, fitted to write its answers."""
    return fit_writer_to(ask.reader, *_fit_material(ask, benchmark, seed))


def _trace_fit(
    ask: Ask, benchmark: Benchmark, seed: int
) -> tuple[FittedReader, Answer]:
    """The reader of `ask`, and what it thought of the items after each epoch."""
    if not isinstance(ask.reader, TracesEpochs):
        raise NotApplicable("this reader learns in no epochs that could be watched")
    items = _items_under(ask, benchmark, seed)
    train_items, stream = _fit_material(ask, benchmark, seed)
    fitted, epoch_probabilities = ask.reader.trace_epochs(train_items, stream, items)
    shape = len(epoch_probabilities), len(items), len(benchmark.classes)
    values = np.zeros(shape, np.float32)
    values[:, :, class_columns(fitted, benchmark)] = epoch_probabilities
    return fitted, Answer(values, None, _reader_remarks(fitted))


def _better_settings(ask: Ask, benchmark: Benchmark, seed: int) -> Answer:
    """The settings that suit the training items better, as remarks."""
    if not isinstance(ask.reader, Tunable):
        raise NotApplicable("this reader has no settings that could be tuned")
    better = ask.reader.tune(*_fit_material(ask, benchmark, seed))
    changed = {
        setting.name: getattr(better, setting.name)
        for setting in fields(better)  # type: ignore[arg-type]
        if getattr(better, setting.name) != getattr(ask.reader, setting.name)
    }
    return Answer(np.zeros((1, 1, 1), np.float32), None, changed)


def training_items(ask: Ask, benchmark: Benchmark, seed: int) -> Items:
    """The training items that the reader of `ask` learns from, as it reads them."""
    rows = select_rows(ask.fitted_on, benchmark.train, seed)
    if not len(rows):
        raise Undefined(
            f"{ask.fitted_on} leaves no training items, so nothing can be learned"
        )
    change = ask.fitted_under
    train_items = change(rows, generator(seed, "train", identity(change)))
    if isinstance(change, Keep):
        # Whoever is to learn from one field must not be able to see another.
        choices = {train_items.choices} - {None}
        allowed = {change.field, train_items.label} | choices
        assert {*train_items.table.columns} == allowed  # noqa: S101
    return train_items


def _items_under(ask: Ask, benchmark: Benchmark, seed: int) -> Items:
    """The items that are asked about, changed once as the ask says."""
    items = asked_items(ask, benchmark, seed)
    return ask.under(items, _test_stream(ask.under, 0, seed))


def _fit_material(
    ask: Ask, benchmark: Benchmark, seed: int
) -> tuple[Items, np.random.Generator]:
    """What a reader is fitted to, and its draws."""
    return training_items(ask, benchmark, seed), _fit_stream(ask, seed)


def _fit_stream(ask: Ask, seed: int) -> np.random.Generator:
    """The stream that the fit of `ask` draws from."""
    return generator(seed, "fit", ask.stream or ask.fit)


def asked_items(ask: Ask, benchmark: Benchmark, seed: int) -> Items:
    """The test items that `ask` is about, before they are changed."""
    test = benchmark.test_parts[ask.part] if ask.part else benchmark.test
    return select_rows(ask.about, test, seed)


def answer_ask(
    fitted: FittedReader, ask: Ask, benchmark: Benchmark, seed: int
) -> Answer:
    """What the fitted reader says, once a repeat of the intervention."""
    items = asked_items(ask, benchmark, seed)
    if ask.what != ANSWERS:
        changed = ask.under(items, _test_stream(ask.under, 0, seed))
        if ask.what == WORDS:
            return Answer(
                word_values(fitted, changed, benchmark), None, _reader_remarks(fitted)
            )
        return Answer(
            measure_items(fitted, ask.what, changed), None, _reader_remarks(fitted)
        )
    shape = (ask.repeats, len(items), len(benchmark.classes))
    probabilities = np.zeros(shape, np.float32)
    donors = (
        np.empty(shape[:2], np.int32) if isinstance(ask.under, Rearranging) else None
    )
    if not len(items):
        return Answer(probabilities, donors)  # selected away: nobody to be asked about
    columns = class_columns(fitted, benchmark)
    if isinstance(ask.under, Rearranging) and donors is not None:
        rearranged_answers = _predict_orders(fitted, items, ask.under, donors, seed)
        for repeat, repeat_probabilities in enumerate(rearranged_answers):
            check_shape(repeat_probabilities, len(items), fitted)
            probabilities[repeat][:, columns] = repeat_probabilities
        return Answer(probabilities, donors, _reader_remarks(fitted))
    for repeat in range(ask.repeats):
        changed = ask.under(items, _test_stream(ask.under, repeat, seed))
        check_rows(ask.under, items, changed)
        repeat_probabilities = fitted.predict(changed)
        check_shape(repeat_probabilities, len(items), fitted)
        probabilities[repeat][:, columns] = repeat_probabilities
    return Answer(probabilities, donors, _reader_remarks(fitted))


def answer_in_words(
    writer: FittedWriter, ask: Ask, benchmark: Benchmark, seed: int
) -> Answer:
    """What the reader writes, once a repeat of the intervention."""
    items = asked_items(ask, benchmark, seed)
    donors, rows = [], []
    for repeat in range(ask.repeats):
        stream = _test_stream(ask.under, repeat, seed)
        if isinstance(ask.under, Rearranging):
            order = ask.under.order(items, stream)
            texts = items.column(ask.under.field).to_numpy(object)[order]
            changed = items.with_field(ask.under.field, texts.tolist())
            donors.append(order)
        else:
            changed = ask.under(items, stream)
        rows.append(tuple(write_answers(writer, changed) if len(items) else ()))
    return Answer(
        np.zeros((ask.repeats, len(items), 0), np.float32),
        np.array(donors, np.int32) if donors else None,
        _reader_remarks(writer),
        tuple(rows),
    )


def _reader_remarks(fitted: object) -> dict[str, float | str]:
    """What the reader has to say besides its answers."""
    return dict(fitted.remarks()) if isinstance(fitted, Remarks) else {}


def _predict_orders(
    fitted: FittedReader,
    items: Items,
    change: Rearranging,
    donors: NDArray[np.int32],
    seed: int,
) -> Iterator[Floats]:
    """The answers of each repeat; fills in whose text each item received."""
    for repeat in range(len(donors)):
        donors[repeat] = change.order(items, _test_stream(change, repeat, seed))
    if isinstance(fitted, Rearrangeable):
        yield from fitted.predict_rearranged(fitted.read(items), change.field, donors)
        return
    texts = items.column(change.field).to_numpy(object)
    for order in donors:
        yield fitted.predict(items.with_field(change.field, texts[order].tolist()))


def _test_stream(change: object, repeat: int, seed: int) -> np.random.Generator:
    """The same shuffles for every reader."""
    return generator(seed, "test", identity(change), repeat)
