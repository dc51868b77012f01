"""The arms of informativeness: inputs and baselines, with rationales and without."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from measurand.audits.explanations.fields import (
    Arms,
    arm_asks,
    free_field_name,
    restrict_fields,
    role_columns,
)
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import Experiment
from measurand.interventions.paraphrase import first_paraphrase

RESTATED, STATED, PARAPHRASED = "restated", "label stated", "paraphrased"
BASELINES = (RESTATED, STATED, PARAPHRASED)


def rev_baselines(items: Items, query: str) -> dict[str, list[str]]:
    """One text an item of each baseline: the query again, with the label, reworded."""
    queries = items.column(query).tolist()
    pairs = zip(queries, items.labels, strict=True)
    return {
        RESTATED: [f"this is about the following: {text}" for text in queries],
        STATED: [f"{text} the answer to this is {label}" for text, label in pairs],
        PARAPHRASED: list(_reword_by_rule(tuple(queries))),
    }


@lru_cache(maxsize=4)  # every explainer of a benchmark needs the same
def _reword_by_rule(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts in other words, by rule; one that no rule fits stays."""
    return tuple(first_paraphrase(text) or text for text in texts)


RATIONALE = "rationale"
INPUT, WHOLE, ALONE, MASKED = "x", "x, r", "r", "x, r-"  # what readers read


@dataclass(frozen=True, eq=False)
class InformationArms:
    """What readers read of one explainer's rationales, and of which benchmark.

    Attributes:
        plain: The items with the baselines of REV.
        without_rationale: The arms that read those.
        explained: The same items with the rationales.
        with_rationale: The arms that read those too.
    """

    plain: Benchmark
    without_rationale: Arms
    explained: Benchmark
    with_rationale: Arms


def information_arms(
    benchmark: Benchmark,
    train_texts: Sequence[str],
    test_texts: Sequence[str],
    input_fields: tuple[str, ...],
) -> InformationArms:
    """The arms of these input fields."""
    query = benchmark.query if benchmark.query in input_fields else input_fields[0]
    taken = [*input_fields, *role_columns(benchmark)]
    name = free_field_name(RATIONALE, taken)
    names = {b: free_field_name(b, taken) for b in BASELINES}
    baselines = [
        rev_baselines(side, query) for side in (benchmark.train, benchmark.test)
    ]
    plain = restrict_fields(benchmark, input_fields, baselines, names)
    sides = [{RATIONALE: train_texts}, {RATIONALE: test_texts}]
    explained = restrict_fields(
        plain, plain.train.fields, sides, {RATIONALE: name}, crossed=True
    )
    return InformationArms(
        plain,
        {INPUT: input_fields, **{b: (field,) for b, field in names.items()}},
        explained,
        {
            WHOLE: (*input_fields, name),
            **{b: (field, name) for b, field in names.items()},
        },
    )


def planned_asks(
    experiment: Experiment, arms: Sequence[InformationArms], members: Sequence[Reader]
) -> list[tuple[Experiment, list[Ask]]]:
    """What readers are asked in these arms; not what is asked where rationales leak."""
    first = arms[0]  # without rationales, all arms are alike
    parts = [(first.plain, first.without_rationale)]
    parts += [(each.explained, each.with_rationale) for each in arms]
    return [
        (replace(experiment, benchmark=benchmark), arm_asks(members, read))
        for benchmark, read in parts
    ]
