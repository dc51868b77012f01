"""Fewer items of a benchmark, drawn by the seed."""

from dataclasses import replace

from measurand.benchmarks.counts import counted
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.selections.rows import Sample


def drawn(
    benchmark: Benchmark, *, train: int | None, test: int | None, seed: int
) -> Benchmark:
    """The benchmark with so many training and test items; None takes all.

    Each side has a stream of its own: another number of training items leaves the test
    items as they are. What is counted about the rows is counted again.
    """

    def some(items: Items, size: int | None, side: str) -> Items:
        return items if size is None else Sample(size)(items, generator(seed, side))

    seen = some(benchmark.train, train, "drawn train")
    asked = some(benchmark.test, test, "drawn test")
    columns = (benchmark.query, benchmark.evidence, asked.label)
    notes = {**benchmark.notes, **counted(seen.table, asked.table, *columns)}
    if benchmark.rationale is not None and "no_rationale" in notes:
        told = (side.column(benchmark.rationale) for side in (seen, asked))
        notes["no_rationale"] = sum(int((texts == "").sum()) for texts in told)
    return replace(benchmark, train=seen, test=asked, notes=notes)
