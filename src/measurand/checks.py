"""Whether a reader, an intervention, a selection or an audit keeps its promises.

Each check tries a thing on a few made items and raises one line where it does not do
what everybody else relies on. The catalogues' own things are held to them too.
"""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd

from measurand.benchmarks import BENCHMARKS, SYNTHETIC
from measurand.benchmarks.assemble import sample_benchmark
from measurand.core.audit import Audit, Comparison
from measurand.core.benchmark import Benchmark
from measurand.core.errors import (
    BadInput,
    MeasurandError,
    ReaderFailed,
    join_names,
    quote,
)
from measurand.core.finding import Report
from measurand.core.intervention import Intervention, Selection, check_rows
from measurand.core.items import Items, with_columns
from measurand.core.reader import (
    FittedReader,
    Reader,
    Rearrangeable,
    check_fitted,
    check_shape,
)
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.workplace import Workplace
from measurand.readers.names import check_is_reader, name_readers

ROWS = 60  # of the made items: enough for folds, few enough for an encoder
TRAIN, TEST = 320, 180  # of a planted benchmark, for one run of an audit
CLOSE = 1e-4  # how far shares in 32 bits may be from summing to 1


def make_items(*fields: str) -> Items:
    """Made items of two fields, two labels, metadata and groups."""
    query, evidence = (*fields, "query", "evidence")[:2]
    rows = range(ROWS)
    table = pd.DataFrame(
        {
            query: [f"Is thing {i % 7} of day {i} good?" for i in rows],
            evidence: [f"Thing {i % 7} is {'good' if i % 2 else 'bad'}." for i in rows],
            "label": ["yes" if i % 2 else "no" for i in rows],
            "kind": [f"kind{i % 3}" for i in rows],
            "group": [f"group{i // 4}" for i in rows],
        },
        index=[f"item-{i}" for i in rows],
    )
    return Items(table, (query, evidence), "label", ("kind",), "group")


def check_reader(reader: Reader, items: Items | None = None) -> None:
    """Raise one line where a reader does not do what audits rely on.

    Args:
        reader: The recipe.
        items: What to try it on; made items where none are given.

    >>> from measurand.readers import READERS
    >>> check_reader(READERS.load("tfidf"))
    """
    check_is_reader(reader)
    name = _check_recipe(reader)
    items = items or make_items()
    before, settings = dataclasses.replace(items).digest, identity(reader)
    probabilities = _try_predict(reader, items, items)
    again = _try_predict(reader, items, items)
    if not np.allclose(probabilities, again, atol=CLOSE):
        raise BadInput(
            f"{name} learned twice from the same items with the same generator and "
            "answered otherwise; draw only from the rng that fit is given"
        )
    if dataclasses.replace(items).digest != before:
        raise BadInput(f"{name} changed the items it was given; copy them first")
    if identity(reader) != settings:
        raise BadInput(f"{name} changed its settings when it learned; keep them")
    # Every audit also asks what one part alone can tell, and a held-out value may leave
    # one class to learn from.
    alone = items.keep_fields(items.fields[0])
    _try_predict(reader, alone, alone)
    if not traits_of(reader).learned:
        _try_predict(reader, items.rows(items.numbers == 0), items)


def check_intervention(change: Intervention, items: Items | None = None) -> None:
    """Raise one line where an intervention changes more than what is read.

    Args:
        change: The recipe. Made items have the field that it calls `field`.
        items: What to try it on, where it needs other columns.

    >>> from measurand.interventions.shuffle import Shuffle
    >>> check_intervention(Shuffle("context"))
    """
    field = getattr(change, "field", None)
    items = items or make_items(*([field] if isinstance(field, str) else []))
    name, changed = _apply(change, items)
    check_rows(change, items, changed)
    for field in changed.fields:
        if not all(isinstance(text, str) for text in changed.column(field)):
            raise BadInput(f"{name} left a cell of {field!r} that is no text")


def check_selection(selection: Selection, items: Items | None = None) -> None:
    """Raise one line where a selection does more than choose rows.

    Args:
        selection: The recipe.
        items: What to try it on; made items where none are given.

    >>> from measurand.selections.rows import Sample
    >>> check_selection(Sample(20))
    """
    items = items or make_items()
    name, chosen = _apply(selection, items)
    if not {*chosen.ids} <= {*items.ids} or chosen.ids.has_duplicates:
        raise BadInput(f"{name} gave rows that were not there, or one twice")
    if not chosen.ids.equals(items.ids[items.ids.isin(chosen.ids)]):
        raise BadInput(f"{name} changed the order of the rows; keep it")
    roles = [(i.fields, i.label, i.metadata, i.group) for i in (chosen, items)]
    if roles[0] != roles[1]:
        raise BadInput(f"{name} changed which column plays which part; keep them")
    if not chosen.table.equals(items.table.loc[chosen.ids]):
        raise BadInput(f"{name} changed what stands in the rows; choose among them")


def check_audit(audit: Audit, benchmark: Benchmark | None = None) -> None:
    """Raise one line where an audit's record does not say what everybody reads in it.

    Args:
        audit: The record.
        benchmark: What it is run on; some rows of its first demo where none is given.
    """
    if not isinstance(audit, Audit):
        raise BadInput(f"a {type(audit).__name__} is no audit; give a measurand.Audit")
    _check_record(audit)
    _check_settings(audit)
    readers = name_readers(None, audit.readers)
    demo, settings = _demo(audit) if benchmark is None else (benchmark, {})
    if audit.takes("calibrate"):
        settings = {**settings, "calibrate": False}
    audit.check_applies(demo)
    with Workplace().open(demo) as experiment:
        report = audit.run(experiment, readers, audit.choose(**settings))
    if not isinstance(report, Report) or report.audit != audit.name:
        raise BadInput(f"{audit.name} returned no report of {audit.name}")
    if not {report.verdict.label, report.verdict.region} & {*audit.labels}:
        raise BadInput(
            f"the verdict of {audit.name} is {quote(report.verdict.label)}; its labels "
            f"are {join_names(audit.labels)}"
        )


def _check_recipe(recipe: Any) -> str:
    """The name of the class of a recipe, once it is known to be one."""
    name = type(recipe).__name__
    if isinstance(recipe, type):
        raise BadInput(f"{recipe.__name__} is a class; give an instance of it")
    parameters = getattr(type(recipe), "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise BadInput(
            f"{name} is no frozen dataclass; write @dataclass(frozen=True) above it"
        )
    if not isinstance(vars(type(recipe)).get("kind"), str):
        raise BadInput(
            f"{name} does not say what it is; write kind: ClassVar[str] = '...' in it, "
            "so that it may be renamed and moved"
        )
    try:
        identity(recipe)
    except (TypeError, ValueError) as odd:
        raise BadInput(f"{name} cannot be written down: {odd}") from odd
    traits_of(recipe)
    return name


def _try_predict(reader: Reader, train: Items, test: Items) -> Any:
    """What a reader says of `test`, once it is known to be shares of classes."""
    with _one_line(f"{type(reader).__name__}.fit"):
        fitted: FittedReader = reader.fit(train, generator(0, "check"))
    check_fitted(fitted, reader)
    name = type(fitted).__name__
    with _one_line(f"the classes of {name}"):
        classes = [*map(str, fitted.classes)]
    strange = {*classes} - {*train.classes} and not traits_of(reader).learned
    if strange or len({*classes}) < len(classes):
        raise ReaderFailed(
            f"the classes of {name} are {join_names(classes)}; those that it learned "
            f"from are {join_names(train.classes)}, each once"
        )
    with _one_line(f"{name}.predict"):
        probabilities = np.asarray(fitted.predict(test), float)
    check_shape(probabilities, len(test), fitted)
    _check_shares(probabilities, name)
    _check_blind(fitted, test, probabilities)
    _check_rearranged(fitted, test)
    return probabilities


@contextmanager
def _one_line(what: str) -> Iterator[None]:
    """Whatever is raised inside, as one line that says where."""
    try:
        yield
    except MeasurandError:
        raise
    except Exception as failure:
        why = " ".join(str(failure).split()) or "no reason given"
        raise ReaderFailed(
            f"{what} raised {type(failure).__name__}: {why}"
        ) from failure


def _check_shares(probabilities: Any, name: str) -> None:
    """Raise where rows are no shares."""
    if not np.isfinite(probabilities).all():
        raise ReaderFailed(f"{name}.predict gave numbers that are none; give shares")
    sums = np.sum(probabilities, axis=1)
    if np.min(probabilities) < 0 or not np.allclose(sums, 1, atol=CLOSE):
        raise ReaderFailed(
            f"the rows of {name}.predict sum to {sums.min():.3g} to {sums.max():.3g}; "
            "give shares from 0 to 1 that sum to 1"
        )


def _check_blind(fitted: FittedReader, test: Items, probabilities: Any) -> None:
    """Raise where what is right tells what is answered."""
    turned = with_columns(test.table, {test.label: test.labels.to_numpy()[::-1]})
    blind = np.asarray(fitted.predict(test.with_table(turned)), float)
    same = np.asarray(fitted.predict(test), float)  # else it is chance that tells
    others = not np.allclose(blind, probabilities, atol=CLOSE)
    if others and np.allclose(same, probabilities, atol=CLOSE):
        raise ReaderFailed(
            f"{type(fitted).__name__}.predict answered otherwise when the gold labels "
            "were others; it must not read them"
        )


def _check_rearranged(fitted: FittedReader, test: Items) -> None:
    """Raise where the short way to a rearranged field leads elsewhere."""
    if not isinstance(fitted, Rearrangeable):
        return
    field, order = test.fields[-1], np.arange(len(test), dtype=np.int32)[::-1]
    texts = test.column(field).to_numpy(object)[order].tolist()
    expected = np.asarray(fitted.predict(test.with_field(field, texts)), float)
    with _one_line(f"{type(fitted).__name__}.predict_rearranged"):
        rows = fitted.predict_rearranged(fitted.read(test), field, order[None])
        short = np.asarray(next(iter(rows)), float)
    if short.shape != expected.shape or not np.allclose(short, expected, atol=CLOSE):
        raise ReaderFailed(
            f"{type(fitted).__name__}.predict_rearranged gives other answers than "
            "predict does of the same items; leave it out, or mend it"
        )


def _apply(recipe: Callable[..., Items], items: Items) -> tuple[str, Items]:
    """The name of a recipe's class, and what it makes of the items, made twice."""
    name = _check_recipe(recipe)
    # What a dataclass says by itself is its settings, which are not names in a report.
    named = any("__str__" in vars(cls) for cls in type(recipe).__mro__[:-1])
    if not (named and str(recipe) and str(recipe).isprintable()):
        raise BadInput(f"{name} has no name for reports; write __str__ in one line")
    before = dataclasses.replace(items).digest
    changed, again = (recipe(items, generator(0, "check")) for _ in range(2))
    if not isinstance(changed, Items):
        raise BadInput(f"{name} gave a {type(changed).__name__}; return Items")
    if dataclasses.replace(items).digest != before:
        raise BadInput(f"{name} changed the items it was given; copy them first")
    if changed.digest != again.digest:
        raise BadInput(
            f"{name} gave other items with the same generator; draw only from the rng "
            "that it is given"
        )
    return name, changed


def _check_record(audit: Audit) -> None:
    """Raise where a field of the record is not what it should be."""
    texts = {
        "labels": bool(audit.labels) and _all_text(audit.labels),
        "readers": bool(audit.readers) and _all_text(audit.readers),
        "needs": _all_text(audit.needs),
    }
    for field, right in texts.items():
        if not right:
            raise BadInput(
                f"`{field}` of {audit.name} is {quote(str(getattr(audit, field)))}; "
                "give a tuple of names"
            )
    if not audit.name or not audit.question.endswith("?"):
        raise BadInput(f"`question` of {audit.name!r} is no question; end it with ?")
    for part in audit.needs:
        if part not in {field.name for field in dataclasses.fields(Benchmark)}:
            raise BadInput(f"{audit.name} needs {part!r}, which no benchmark has")
    if not callable(audit.run) or not isinstance(audit.comparison, Comparison):
        raise BadInput(f"{audit.name} needs a function `run` and a `comparison`")


def _check_settings(audit: Audit) -> None:
    """Raise where the settings are no frozen dataclass of defaults."""
    settings = audit.settings
    parameters = getattr(settings, "__dataclass_params__", None)
    if parameters is None or not parameters.frozen:
        raise BadInput(f"the settings of {audit.name} are no frozen dataclass")
    for field in dataclasses.fields(settings):
        factory = field.default_factory is not dataclasses.MISSING
        if field.default is dataclasses.MISSING and not factory:
            raise BadInput(
                f"the setting {field.name!r} of {audit.name} has no default; give one"
            )
    for name, chosen in (audit.demo or {}).items():
        BENCHMARKS.thing(name)
        audit.choose(**chosen)


def _all_text(names: Any) -> bool:
    return isinstance(names, tuple) and all(isinstance(n, str) and n for n in names)


def _demo(audit: Audit) -> tuple[Benchmark, dict[str, Any]]:
    """Some rows of the first benchmark that shows the audit, and its settings."""
    name, settings = next(iter((audit.demo or {next(iter(SYNTHETIC)): {}}).items()))
    benchmark = BENCHMARKS.load(name, seed=0)
    sizes = {"train": len(benchmark.train), "test": len(benchmark.test)}
    sizes = {"train": min(TRAIN, sizes["train"]), "test": min(TEST, sizes["test"])}
    return sample_benchmark(benchmark, **sizes, seed=0), dict(settings)
