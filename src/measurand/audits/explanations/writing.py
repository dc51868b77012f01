"""The rationales of every explainer: of all items, and of the changed test items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pandas as pd

from measurand.audits.explanations.perturbing import Perturbed
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
from measurand.experiment.answers import Experiment
from measurand.experiment.explained import explain_items, shortfalls
from measurand.explainers import SUITE, named

GIVEN = "given"
PROMPTED = ("concise", "steps", "concise-unlabeled", "steps-unlabeled")
EXTRACTIVE = ("tfidf-1", "tfidf-2", "random-1", "random-2")
ANNOTATED = "several rationales an item, of one input"
ONE = (
    "each item has one rationale, and no changed input has one: name several columns "
    "with --rationale, or give rationales of changed inputs with --perturbed"
)


@dataclass(frozen=True, eq=False)
class Written:
    """What one explainer wrote.

    Attributes:
        train: The rationale of each training item.
        test: The rationale of each test item.
        again: What it wrote when run again: for each change, a rationale a test item.
        first: What `again` is compared with; the test rationales but for a drift.
        asked: For each change, whether the item was changed at all.
        how: Where `again` comes from; empty where it was run again.
        unstable: Why robustness cannot be measured; empty where it can.
        lacking: Of a language model's replies to test items, the shares that are no
            rationale: empty, refused, echoed.
    """

    train: list[str]
    test: list[str]
    again: Sequence[list[str]]
    first: list[str]
    asked: Sequence[Sequence[bool]]
    how: str = ""
    unstable: str = ""
    lacking: Mapping[str, float] = field(default_factory=dict)

    @property
    def empty(self) -> int:
        """How many test items have no rationale."""
        return sum(not text.strip() for text in self.test)


def usual(benchmark: Benchmark) -> tuple[str, ...]:
    """The explainers that can be run on these columns, without an LLM."""
    extracted = EXTRACTIVE if benchmark.evidence else ()
    return (GIVEN, *extracted, *SUITE)


def answerable(names: Sequence[str], model: str | None) -> None:
    """Nothing, where every explainer that asks an LLM has one to ask."""
    asking = [name for name in names if name in PROMPTED]
    if asking and not model:
        raise BadOption(
            f"{join_names(asking)}: an LLM is asked, and none is named; name it with "
            "--model: smollm2, causal:DIR or llm:NAME"
        )


def written(
    experiment: Experiment,
    names: Sequence[str],
    perturbed: Perturbed,
    others: Mapping[str, Sequence[str]],
    model: str | None,
) -> dict[str, Written]:
    """What each explainer wrote.

    Args:
        experiment: The benchmark, and how costly texts are kept.
        names: The explainers.
        perturbed: The changed test items.
        others: By item id, the rationales given for changed inputs, if there are any.
        model: The LLM of prompted explainers and of the drift; with None, the drift is
            by rule.
    """
    benchmark = experiment.benchmark
    if benchmark.rationale is None:
        raise NotApplicable(
            f"{benchmark.name} names no rationale; name its column with --rationale"
        )
    roles = ExplainerRoles(benchmark.query, benchmark.evidence, benchmark.rationale)
    made = {}
    for name in names:
        settings = {"model": model} if model and name in (*PROMPTED, "drift") else {}
        made[name] = run(experiment, named(name, roles, **settings), name, perturbed)
    if GIVEN in made:
        made[GIVEN] = several(made[GIVEN], benchmark, others)
    return made


def run(
    experiment: Experiment, explainer: Explainer, name: str, perturbed: Perturbed
) -> Written:
    """Run the explainer on all items, and again on the changed ones."""
    made = twice(experiment, explainer, name, perturbed)
    if not isinstance(explainer, Prompting):
        return made
    test = experiment.benchmark.test
    return replace(made, lacking=shortfalls(experiment, explainer, test, name))


def twice(
    experiment: Experiment, explainer: Explainer, name: str, perturbed: Perturbed
) -> Written:
    """What it wrote, and what it wrote again."""
    benchmark = experiment.benchmark
    train = explain_items(experiment, explainer, benchmark.train, f"{name}, train")
    test = explain_items(experiment, explainer, benchmark.test, name)
    if isinstance(explainer, Drifting):
        rng = generator(experiment.seed, "explain", name)
        origin = explainer.origin(benchmark.test, rng)
        whole = [[True] * len(test)]
        return Written(train, test, [test], origin, whole, "what it drifts from")
    if name == GIVEN:
        return Written(train, test, [], test, [], unstable=ONE)
    again = [
        explain_items(experiment, explainer, items, name) for items in perturbed.items
    ]
    return Written(train, test, again, test, perturbed.kept.tolist())


def several(
    given: Written, benchmark: Benchmark, others: Mapping[str, Sequence[str]]
) -> Written:
    """The given rationales with what there is to compare them with.

    A rationale is never compared with itself: where an item has one alone, and no
    changed input has another, its robustness is not measured.
    """
    if others:
        most = max(map(len, others.values()))
        rows = [list(others.get(item, ())) for item in benchmark.test.ids]
        again = [[row[j] if j < len(row) else "" for row in rows] for j in range(most)]
        asked = [[j < len(row) for row in rows] for j in range(most)]
        how = "rationales of changed inputs"
    else:
        columns = benchmark.rationales[1:]
        again = [benchmark.test.column(column).tolist() for column in columns]
        asked = [[bool(text.strip()) for text in texts] for texts in again]
        how = ANNOTATED
    if not again:
        return given
    return Written(given.train, given.test, again, given.test, asked, how)


def from_table(table: pd.DataFrame, benchmark: Benchmark) -> dict[str, list[str]]:
    """By item id, the rationales that a table holds for changed inputs."""
    columns = [str(column) for column in table.columns]
    for column in ("id", str(benchmark.rationale)):
        if column not in columns:
            raise NoField(column, columns)
    found: dict[str, list[str]] = {}
    for item, text in zip(table["id"], table[str(benchmark.rationale)], strict=True):
        if not pd.isna(text) and str(text).strip():
            found.setdefault(str(item), []).append(str(text))
    if not found:
        raise BadInput(
            f"column {benchmark.rationale!r} is empty in all {len(table)} rows of "
            "changed inputs; give them rationales"
        )
    strange = sorted({*found} - {str(item) for item in benchmark.test.ids})
    if len(strange) == len(found):
        raise BadInput(
            f"no id of the changed rows is a test item, such as {quote(strange[0])}; "
            "name the ids of the items with --id"
        )
    return found
