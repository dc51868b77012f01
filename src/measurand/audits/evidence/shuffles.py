"""Whether there is evidence, and whether items can receive that of others."""

from collections.abc import Mapping
from dataclasses import replace

from measurand.benchmarks.split import FOLD, fold_benchmark
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, CannotIntervene, NotApplicable, quote
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import Strength
from measurand.experiment.ladder import LADDER, strength_of
from measurand.interventions.shuffle import Shuffle
from measurand.selections.rows import can_split
from measurand.settings.evidence import FOLDS


def require_evidence(benchmark: Benchmark) -> str:
    """The evidence field, if there is one and not all items have the same text."""
    field = benchmark.evidence
    if field is None:
        left_out = benchmark.roles.get("left out")
        raise NotApplicable(
            f"{benchmark.name} names no evidence field; set `evidence` to the column "
            "that should decide" + (f": {left_out}" if left_out else "")
        )
    texts = {
        t for items in (benchmark.train, benchmark.test) for t in items.column(field)
    }
    if len(texts) == 1:
        raise NotApplicable(
            f"every item has the same evidence, by column {quote(field)}, so labels "
            "cannot depend on it; give the evidence of each item, or run leakage"
        )
    return field


def check_shuffle(
    tested: Benchmark, drawn: Benchmark, shuffle: Shuffle, seed: int
) -> None:
    """Raise where items cannot receive other evidence, and name what would do.

    Args:
        tested: The items that are asked about, in folds where there was one file.
        drawn: The split as it was given or drawn.
        shuffle: How the evidence is to be shuffled.
        seed: Of the folds.
    """
    fault = _find_fault(tested, shuffle)
    if not fault:
        return
    ways = []
    by_query = replace(drawn, drawn_by=(drawn.query,))
    pool = fold_benchmark(by_query, max(tested.folds, FOLDS), seed)
    splits = can_split(pool.train.column(drawn.query))
    if shuffle.field in drawn.drawn_by and splits and not _find_fault(pool, shuffle):
        ways = ["`split_by` 'query'"]
    others = (Shuffle(shuffle.field, kind) for kind in ("plain", "nearest"))
    works = [
        str(candidate) for candidate in others if not _find_fault(tested, candidate)
    ]
    ways += [f"`shuffle` {kind!r}" for kind in works[:1]]
    advice = f", or choose {' or '.join(ways)}" if ways else ""
    raise CannotIntervene(f"{fault}{advice}")


def _find_fault(benchmark: Benchmark, shuffle: Shuffle) -> str:
    """Why some item that is asked about can receive no other text; empty if none."""
    try:
        for items in _asked_together(benchmark):
            shuffle.check(items)
    except CannotIntervene as fault:
        return str(fault)
    return ""


def _asked_together(benchmark: Benchmark) -> list[Items]:
    """The test items that are shuffled among each other: all, or those of a fold."""
    test = benchmark.test
    if benchmark.folds == 1:
        return [test]
    folds = test.column(FOLD)
    return [test.rows((folds == fold).to_numpy()) for fold in sorted(folds.unique())]


def check_read_evidence(readers: Mapping[str, Reader]) -> None:
    """Raise where a reader reads no text."""
    for name, reader in readers.items():
        if strength_of(reader) == Strength.TEXTLESS:
            raise BadOption(
                f"{name} reads no evidence, so it cannot show that labels depend on "
                f"it; it runs beside every audit: choose among {', '.join(LADDER)}"
            )
