"""Fewer items of a benchmark, drawn by the seed."""

from dataclasses import replace

from measurand.benchmarks.counts import benchmark_counts
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.selections.rows import Sample


def sample_benchmark(
    benchmark: Benchmark, *, train: int | None, test: int | None, seed: int
) -> Benchmark:
    """The benchmark with so many training and test items; None takes all.

    Each side has a stream of its own: another number of training items leaves the test
    items as they are. What is counted about the rows is counted again.
    """

    def sample_side(items: Items, size: int | None, side: str) -> Items:
        return items if size is None else Sample(size)(items, generator(seed, side))

    train_items = sample_side(benchmark.train, train, "drawn train")
    test_items = sample_side(benchmark.test, test, "drawn test")
    columns = (benchmark.query, benchmark.evidence, test_items.label)
    notes = {
        **benchmark.notes,
        **benchmark_counts(train_items.table, test_items.table, *columns),
    }
    if benchmark.rationale is not None and "no_rationale" in notes:
        rationales = (
            side.column(benchmark.rationale) for side in (train_items, test_items)
        )
        notes["no_rationale"] = sum(int((texts == "").sum()) for texts in rationales)
    return replace(benchmark, train=train_items, test=test_items, notes=notes)
