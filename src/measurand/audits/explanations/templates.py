"""Words and templates of rationales that tell the label, named.

What leaks is seldom a label name: "just because" and "either ... or" tell the label of
a human explanation as surely. Every word and row of up to four words is held against
the labels, with the false-discovery rate held (`stats.tokens`); rows of words that
stand in the same rationales are then told as one template.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from measurand.audits.explanations.rationales import Rationales
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import split_ways
from measurand.stats.tokens import token_statistics

LONGEST = 4  # words of a row that is tested; templates are chained from these
DISCOVERY = 0.05  # share of false alarms among those named
SAME = 0.9  # rows of words of which one stands so often as the other are one template
SURER = 2.0  # standard errors by which a longer row must be surer to be told as well

Row = tuple[str, ...]
COLUMNS = ["template", "label", "n", "share", "base", "z", "q"]


def find_leaking_templates(
    texts: Sequence[str],
    labels: Sequence[str],
    *,
    groups: Sequence[str] | None = None,
    level: float = DISCOVERY,
) -> pd.DataFrame:
    """The words and templates that stand with one label too often, the surest first.

    `n` is how many rationales hold it, `share` how many of these have the label, `base`
    how many of all have it, and `q` the false-discovery rate.

    Args:
        texts: One rationale an item.
        labels: The gold labels.
        groups: Items with one value hang together and count once.
        level: The share of false alarms among those named that is put up with.

    >>> said = ["he may not be so"] * 20 + ["so be he"] * 20
    >>> find_leaking_templates(said, ["a"] * 20 + ["b"] * 20)["template"].tolist()
    ['he may not be so', 'so be he']
    """
    span = (1, LONGEST)
    table = token_statistics(texts, labels, ngrams=span, groups=groups, level=level)
    table = table[table["found"] & (table["z"] > 0)]
    merged = [_merge_templates(part) for _, part in table.groupby("label", sort=True)]
    templates = pd.concat(merged) if merged else table.assign(template="")
    surest = np.lexsort(
        (templates["template"], -templates["z"].round(9), templates["p"])
    )
    return templates.iloc[surest].reset_index(drop=True)[COLUMNS]


def _merge_templates(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of one label, each template told once and as long as it is."""
    rows = [tuple(token.split(" ")) for token in table["token"]]
    sizes = dict(zip(rows, table["n"], strict=True))
    shares = dict(zip(rows, table["share"], strict=True))
    dropped: set[Row] = set()
    for longer in rows:
        for shorter in (part for part in _shorter_rows(longer) if part in sizes):
            if sizes[longer] >= SAME * sizes[shorter]:
                dropped.add(shorter)
            elif not _is_surer(shares[longer], shares[shorter], sizes[longer]):
                dropped.add(longer)
    templates = chain_rows({row: n for row, n in sizes.items() if row not in dropped})
    template_rows = table[[row in templates for row in rows]]
    return template_rows.assign(
        template=[" ".join(templates[row]) for row in rows if row in templates]
    )


def _shorter_rows(row: Row) -> Iterator[Row]:
    """The shorter rows that stand in a row."""
    for size in range(1, len(row)):
        yield from (row[at : at + size] for at in range(len(row) - size + 1))


def _is_surer(share: float, shorter_share: float, n: int) -> bool:
    """Whether a longer row tells the label more surely than one inside it."""
    return bool(
        share - shorter_share > SURER * np.sqrt(shorter_share * (1 - shorter_share) / n)
    )


def chain_rows(sizes: dict[Row, int]) -> dict[Row, Row]:
    """Rows with the template each begins; one that goes on another begins none.

    Rows of `LONGEST` words that overlap in all but one, and stand about as often, are
    parts of one longer template.

    >>> chain_rows({("a", "b", "c", "d"): 9, ("b", "c", "d", "e"): 9, ("x",): 9})
    {('a', 'b', 'c', 'd'): ('a', 'b', 'c', 'd', 'e'), ('x',): ('x',)}
    """
    longest = sorted(row for row in sizes if len(row) == LONGEST)
    begun: dict[Row, list[Row]] = {}
    for row in longest:
        begun.setdefault(row[:-1], []).append(row)
    follows: dict[Row, Row] = {}
    for row in longest:
        for follower in begun.get(row[1:], []):
            few, many = sorted((sizes[row], sizes[follower]))
            if row != follower and few >= SAME * many:
                follows[row] = follower
    going_on = {*follows.values()}
    templates = {}
    for row in sizes:
        if row in going_on:
            continue
        template, at, visited = row, row, {row}
        while (at := follows.get(at, at)) not in visited:
            template, visited = (*template, at[-1]), {*visited, at}
        templates[row] = template
    return templates


def leaking_templates(benchmark: Benchmark, rationales: Rationales) -> pd.DataFrame:
    """The words and templates of an explainer's rationales that tell the label.

    Items that hang together count once: a rationale that comes with a text, and so
    again and again, would be named for its label alone.
    """
    sides = pd.concat([benchmark.train.table, benchmark.test.table])
    items = benchmark.test.with_table(sides)
    # Of two ways that cross, the one with the larger clusters.
    ways = split_ways(benchmark.clusters(items))
    clusters = min(ways, key=lambda way: len(np.unique(way))).astype(str).tolist()
    labels = items.labels.tolist()
    return find_leaking_templates(
        [*rationales.train, *rationales.test], labels, groups=clusters
    )
