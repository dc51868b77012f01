"""The rationales of every explainer, and templates that tell the label.

What leaks is seldom a label name: "just because" and "either ... or" tell the label of
a human explanation as surely. Every word and row of up to four words is held against
the labels, with the false-discovery rate held (`stats.tokens`); rows of words that
stand in the same rationales are then told as one template.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from measurand.audits.explanations.perturbations import Perturbations
from measurand.core.benchmark import Benchmark
from measurand.core.clusters import split_ways
from measurand.core.errors import (
    BadInput,
    BadOption,
    NoField,
    NotApplicable,
    join_names,
    quote,
)
from measurand.core.explainer import Drifting, Explainer, ExplainerRoles, Prompting
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.rationales import explain_items, shortfalls
from measurand.explainers import EXPLAINERS, SUITE, make_explainer
from measurand.stats.tokens import token_statistics

GIVEN = "given"
PROMPTED = ("concise", "steps", "concise-unlabeled", "steps-unlabeled")
EXTRACTIVE = ("tfidf-1", "tfidf-2", "random-1", "random-2")
ANNOTATED = "several rationales an item, of one input"
ONE_RATIONALE = (
    "each item has one rationale, and no changed input has one: name several columns "
    "with `rationale`, or give rationales of changed inputs with `others`"
)


@dataclass(frozen=True, eq=False)
class Rationales:
    """What one explainer wrote.

    Attributes:
        train: The rationale of each training item.
        test: The rationale of each test item.
        again: What it wrote when run again: for each change, a rationale a test item.
        first: What `again` is compared with; the test rationales but for a drift.
        has_change: For each change, whether the item was changed at all.
        how: Where `again` comes from; empty where it was run again.
        unstable: Why robustness cannot be measured; empty where it can.
        lacking: Of a language model's replies to test items, the shares that are no
            rationale: empty, refused, echoed.
    """

    train: list[str]
    test: list[str]
    again: Sequence[list[str]]
    first: list[str]
    has_change: Sequence[Sequence[bool]]
    how: str = ""
    unstable: str = ""
    lacking: Mapping[str, float] = field(default_factory=dict)

    @property
    def empty(self) -> int:
        """How many test items have no rationale."""
        return sum(not text.strip() for text in self.test)


def default_explainers(benchmark: Benchmark) -> tuple[str, ...]:
    """The explainers that can be run on these columns, without an LLM."""
    extracted = EXTRACTIVE if benchmark.evidence else ()
    return (GIVEN, *extracted, *SUITE)


def check_explainer_model(names: Sequence[str], model: str | None) -> None:
    """Nothing, where every explainer exists, and has the LLM that it asks."""
    for name in names:
        EXPLAINERS.check(name)
    asking = [name for name in names if name in PROMPTED]
    if asking and not model:
        raise BadOption(
            f"{join_names(asking)}: an LLM is asked, and none is named; name it with "
            "`model`: smollm2, causal:DIR or llm:NAME"
        )


def collect_rationales(
    experiment: Experiment,
    names: Sequence[str],
    perturbations: Perturbations,
    others: Mapping[str, Sequence[str]],
    model: str | None,
) -> dict[str, Rationales]:
    """What each explainer wrote.

    Args:
        experiment: The benchmark, and how costly texts are kept.
        names: The explainers.
        perturbations: The changed test items.
        others: By item id, the rationales given for changed inputs, if there are any.
        model: The LLM of prompted explainers and of the drift; with None, the drift is
            by rule.
    """
    benchmark = experiment.benchmark
    if benchmark.rationale is None:
        raise NotApplicable(
            f"{benchmark.name} names no rationale; name its column with `rationale`"
        )
    roles = ExplainerRoles(benchmark.query, benchmark.evidence, benchmark.rationale)
    by_explainer = {}
    for name in names:
        settings = {"model": model} if model and name in (*PROMPTED, "drift") else {}
        by_explainer[name] = _run_explainer(
            experiment, make_explainer(name, roles, **settings), name, perturbations
        )
    if GIVEN in by_explainer:
        by_explainer[GIVEN] = add_other_rationales(
            by_explainer[GIVEN], benchmark, others
        )
    return by_explainer


def _run_explainer(
    experiment: Experiment,
    explainer: Explainer,
    name: str,
    perturbations: Perturbations,
) -> Rationales:
    """Run the explainer on all items, and again on the changed ones."""
    rationales = _explain_twice(experiment, explainer, name, perturbations)
    if not isinstance(explainer, Prompting):
        return rationales
    test = experiment.benchmark.test
    return replace(rationales, lacking=shortfalls(experiment, explainer, test, name))


def _explain_twice(
    experiment: Experiment,
    explainer: Explainer,
    name: str,
    perturbations: Perturbations,
) -> Rationales:
    """What it wrote, and what it wrote again."""
    benchmark = experiment.benchmark
    train = explain_items(experiment, explainer, benchmark.train, f"{name}, train")
    test = explain_items(experiment, explainer, benchmark.test, name)
    if isinstance(explainer, Drifting):
        rng = generator(experiment.seed, "explain", name)
        origin = explainer.origin(benchmark.test, rng)
        all_items = [[True] * len(test)]
        return Rationales(train, test, [test], origin, all_items, "what it drifts from")
    if name == GIVEN:
        return Rationales(train, test, [], test, [], unstable=ONE_RATIONALE)
    again = [
        explain_items(experiment, explainer, items, name)
        for items in perturbations.items
    ]
    return Rationales(train, test, again, test, perturbations.has_change.tolist())


def add_other_rationales(
    rationales: Rationales, benchmark: Benchmark, others: Mapping[str, Sequence[str]]
) -> Rationales:
    """The given rationales with what there is to compare them with.

    A rationale is never compared with itself: where an item has one alone, and no
    changed input has another, its robustness is not measured.
    """
    if others:
        most = max(map(len, others.values()))
        rows = [list(others.get(item, ())) for item in benchmark.test.ids]
        again = [[row[j] if j < len(row) else "" for row in rows] for j in range(most)]
        has_change = [[j < len(row) for row in rows] for j in range(most)]
        how = "rationales of changed inputs"
    else:
        columns = benchmark.rationales[1:]
        again = [benchmark.test.column(column).tolist() for column in columns]
        has_change = [[bool(text.strip()) for text in texts] for texts in again]
        how = ANNOTATED
    if not again:
        return rationales
    return Rationales(
        rationales.train, rationales.test, again, rationales.test, has_change, how
    )


def rationales_from_table(
    table: pd.DataFrame, benchmark: Benchmark
) -> dict[str, list[str]]:
    """By item id, the rationales that a table holds for changed inputs."""
    columns = [str(column) for column in table.columns]
    for column in ("id", str(benchmark.rationale)):
        if column not in columns:
            raise NoField(column, columns)
    by_item: dict[str, list[str]] = {}
    for item, text in zip(table["id"], table[str(benchmark.rationale)], strict=True):
        if not pd.isna(text) and str(text).strip():
            by_item.setdefault(str(item), []).append(str(text))
    if not by_item:
        raise BadInput(
            f"column {benchmark.rationale!r} is empty in all {len(table)} rows of "
            "changed inputs; give them rationales"
        )
    unknown_ids = sorted({*by_item} - {str(item) for item in benchmark.test.ids})
    if len(unknown_ids) == len(by_item):
        raise BadInput(
            "no id of the changed rows is a test item, such as "
            f"{quote(unknown_ids[0])}; "
            "name the ids of the items with `id`"
        )
    return by_item


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
