"""The rationales of every explainer, and templates that predict the label.

What leaks is seldom a label name: "just because" and "either ... or" predict the label
of a human explanation as surely. Every word and row of up to four words is held against
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
    Undefined,
    join_names,
    quote,
)
from measurand.core.explainer import Drifting, Explainer, ExplainerRoles, Prompting
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment
from measurand.experiment.rationales import explain_items, shortfalls
from measurand.explainers import EXPLAINERS, SUITE, make_explainer
from measurand.stats.tokens import token_statistics
from measurand.text.words import WORD

GIVEN = "given"
PROMPTED = ("concise", "steps", "concise-unlabeled", "steps-unlabeled")
EXTRACTIVE = ("tfidf-1", "tfidf-2", "random-1", "random-2")
FIXED_COLUMN = (
    "a column cannot be run again on a changed input; give rationales of changed "
    "inputs with `others`"
)


@dataclass(frozen=True, eq=False)
class Rationales:
    """What one explainer wrote.

    Attributes:
        train: The rationale of each training item.
        test: The rationale of each test item.
        again: What it wrote of changed inputs: for each change, one a test item.
        has_change: For each change, whether the item was changed at all.
        written: Other rationales that people wrote of the same inputs, never run again.
        origin: What a drift was made of; empty of any other explainer.
        unstable: Why robustness cannot be measured; empty where it can.
        lacking: Of a language model's replies to test items, the shares that are not
            rationale: empty, refused, echoed.
    """

    train: list[str]
    test: list[str]
    again: Sequence[list[str]]
    has_change: Sequence[Sequence[bool]]
    written: Sequence[list[str]] = ()
    origin: Sequence[str] = ()
    unstable: str = ""
    lacking: Mapping[str, float] = field(default_factory=dict)

    @property
    def empty(self) -> int:
        """How many test items have no rationale."""
        return sum(not text.strip() for text in self.test)

    @property
    def wordless(self) -> int:
        """How many test items have a rationale without a word."""
        return sum(bool(t.strip()) and not WORD.search(t) for t in self.test)


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
) -> tuple[dict[str, Rationales], dict[str, str]]:
    """What each explainer wrote; and why others of the suite could not.

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
    of_input = perturbations.items, perturbations.has_change.tolist()
    of_column = rationales_of_changes(benchmark, others)
    by_explainer = {}
    not_run = {}
    for name in names:
        settings = {"model": model} if model and name in (*PROMPTED, "drift") else {}
        explainer = make_explainer(name, roles, **settings)
        fixed = name == GIVEN or isinstance(explainer, Drifting)
        changes = of_column if fixed else of_input
        try:
            rationales = _run_explainer(experiment, explainer, name, *changes)
        except Undefined as reason:
            # A stress test that cannot be made ends no audit of other rationales.
            if name not in SUITE or len(names) == 1:
                raise
            not_run[name] = str(reason)
            continue
        if fixed and not changes[0]:
            rationales = replace(rationales, unstable=FIXED_COLUMN)
        by_explainer[name] = rationales
    if GIVEN in by_explainer:
        columns = [benchmark.test.column(c).tolist() for c in benchmark.rationales[1:]]
        by_explainer[GIVEN] = replace(by_explainer[GIVEN], written=columns)
    return by_explainer, not_run


def _run_explainer(
    experiment: Experiment,
    explainer: Explainer,
    name: str,
    copies: Sequence[Items],
    has_change: Sequence[Sequence[bool]],
) -> Rationales:
    """Run the explainer on all items, and again on every changed copy of them."""
    train, test = experiment.benchmark.train, experiment.benchmark.test
    lacking, origin = {}, []
    if isinstance(explainer, Prompting):
        lacking = shortfalls(experiment, explainer, test, name)
    if isinstance(explainer, Drifting):
        origin = explainer.origin(test, generator(experiment.seed, "explain", name))
    return Rationales(
        explain_items(experiment, explainer, train, f"{name}, train"),
        explain_items(experiment, explainer, test, name),
        [explain_items(experiment, explainer, items, name) for items in copies],
        has_change,
        origin=origin,
        lacking=lacking,
    )


def rationales_of_changes(
    benchmark: Benchmark, others: Mapping[str, Sequence[str]]
) -> tuple[list[Items], list[list[bool]]]:
    """The test items with what was written of each changed input in the column."""
    test, column = benchmark.test, str(benchmark.rationale)
    most = max(map(len, others.values()), default=0)
    rows = [list(others.get(item, ())) for item in test.ids]
    texts = [[row[j] if j < len(row) else "" for row in rows] for j in range(most)]
    has_change = [[j < len(row) for row in rows] for j in range(most)]
    copies = [test.with_table(test.table.assign(**{column: t})) for t in texts]
    return copies, has_change


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
    """Whether a longer row predicts the label more surely than one inside it."""
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
    """The words and templates of an explainer's rationales that predict the label.

    Items that are dependent count once: a rationale that comes with a text, and so
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
