"""The rationales of every explainer: of all items, and of the changed test items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from measurand.audits.explanations.perturbations import Perturbations
from measurand.core.benchmark import Benchmark
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
