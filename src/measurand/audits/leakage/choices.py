"""What the choices of an item give away without its question.

Items that stand twice, and clusters of choices that are right more often than others of
their item.

A reader that fits on a laptop may find little where a trained language model finds
nearly everything, so a report of a known benchmark says so.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from measurand.audits.leakage.asking import (
    FULL,
    Evaluation,
    gather_runs,
    measure_embedding,
)
from measurand.audits.leakage.regions import ClusterSettings, PartVectors, find_regions
from measurand.audits.leakage.sides import (
    ALL,
    Sides,
    family_numbers,
    join_sides,
)
from measurand.benchmarks.golds import choice_keys
from measurand.core.benchmark import Benchmark
from measurand.core.choices import RIGHT, WRONG, pair_choices
from measurand.core.errors import NotApplicable
from measurand.core.finding import Finding
from measurand.core.items import LETTERS, Items, with_columns
from measurand.core.reader import Reader, skip_temperature
from measurand.core.recipe import Strength
from measurand.experiment.ask import Ask
from measurand.experiment.experiment import ask_all, reopen_experiment
from measurand.interventions.answers import RemoveGold
from measurand.interventions.fields import Keep, KeepAndChange
from measurand.readers.baselines import bare_text, remembered_texts
from measurand.selections.rows import Sample
from measurand.stats.scores import share_interval, wilson_share

# Figures that hold the reader of all fields against the reader of the choices.
COMPARED = (
    *("accuracy", "saturation", "recovered", "recovered_over_chance", "nba"),
    *("nbr_agree", "nbr_pair", "kappa", "only_single_right", "recovered_reference"),
)
SCREENED = "items_screened"  # the note of free answers that became choices
PLACED = 2000  # test items whose choices are put into clusters


def duplicate_findings(items: Items) -> list[Finding]:
    """How many items stand twice, offer a choice twice, or have two right answers."""
    # Of choices the order does not count.
    fields = [name for name in items.fields if name != items.choices]
    texts = pd.Series(
        zip(
            *(remembered_texts(items, name) for name in fields),
            (tuple(sorted(map(bare_text, row))) for row in items.choice_texts),
            strict=True,
        )
    )
    row_keys = [choice_keys(choices) for choices in items.choice_texts]
    repeated = [len({*keys}) < len(keys) for keys in row_keys]
    gold = items.gold(tuple(LETTERS))
    several = [
        keys.count(keys[number]) > 1
        for keys, number in zip(row_keys, gold, strict=True)
    ]
    counts = {
        "items": int(texts.duplicated(keep=False).sum()),
        "a choice twice": sum(repeated),
        "the right choice twice": sum(several),
    }
    return [
        Finding("duplicates", "", what, wilson_share(count, len(items)))
        for what, count in counts.items()
    ]


def place_choices(
    evaluation: Evaluation, name: str, reader: Reader, clustering: ClusterSettings
) -> list[Finding]:
    """PECO of the choices: whether right ones lie together, as the reader sees them."""
    sides, seed = evaluation.sides, evaluation.experiment.seed
    field = str(sides.benchmark.test.choices)
    few = Sample(PLACED)(sides.benchmark.test, np.random.default_rng(seed))
    paired = _pair_sides(sides, few)
    test = paired.benchmark.test
    with reopen_experiment(evaluation.experiment, paired.benchmark) as inner:
        paired_evaluation = Evaluation(paired, inner)
        vectors, learned = measure_embedding(paired_evaluation, reader, Keep(field))
    if vectors.shape[1] == 0:
        return []
    regions = find_regions(
        name,
        reader,
        field,
        sides.condition(field),
        PartVectors(
            vectors,
            learned,
            test.gold((RIGHT, WRONG)),
            test.column(str(test.contest)).to_numpy(np.int64),
        ),
        clustering,
        seed,
    )
    return list(regions.findings)


def _pair_sides(sides: Sides, test: Items) -> Sides:
    """The choices as items of their own, each right or wrong, without the question."""
    pairs, start = [], 0
    for items in (sides.benchmark.train, test):
        paired = pair_choices(items.keep_fields()).items
        contest = str(paired.contest)
        numbers = paired.column(contest).to_numpy(np.int64) + start
        table = with_columns(paired.table, {contest: numbers})
        pairs.append(paired.with_table(table))
        start += len(items)
    benchmark = replace(
        sides.benchmark,
        train=pairs[0],
        test=pairs[1],
        query=str(test.choices),
        evidence=None,
        test_parts={ALL: join_sides(*pairs)},
    )
    return replace(sides, benchmark=benchmark)


def remove_gold(evaluation: Evaluation, name: str, reader: Reader) -> list[Finding]:
    """How often "none of these" is taken in the place of the right choice.

    Who picks a choice by its surface picks another where the right one is gone.
    """
    test = evaluation.sides.benchmark.test
    field, change = str(test.choices), RemoveGold()
    changed = KeepAndChange(field, change)
    ask = Ask(skip_temperature(reader), fitted_under=Keep(field), under=changed)
    runs = gather_runs([ask_all(evaluation.experiment, [ask])])
    order = np.argsort(np.array(test.ids, str), kind="stable")
    estimate = share_interval(runs.right[0].astype(float), family_numbers(test)[order])
    return [Finding("choices_only", name, str(change), estimate)]


def check_own_choices(benchmark: Benchmark) -> None:
    """Raise where the choices were drawn here, from answers of other items."""
    if benchmark.notes.get(SCREENED):
        raise NotApplicable(
            f"the choices of {benchmark.name} were drawn here from answers of other "
            "items, so that what they give away says nothing of it; ask the evidence "
            "audit, or give items that bring their own `choices`"
        )


def rename_choices(findings: Sequence[Finding], strength: Strength) -> list[Finding]:
    """The figures of one reader by the names that choices have.

    Who reads each choice by its own words has read no question: that it does as well
    without one says nothing, and is not stated.
    """
    blind = strength < Strength.PAIRS
    names = {"single_accuracy": "choices_only"}
    return [
        replace(f, statistic=names.get(f.statistic, f.statistic))
        for f in findings
        if not (blind and (f.statistic in COMPARED or f.condition == FULL))
    ]


CHANDAK = "Chandak et al. 2025, arXiv 2507.02856"


class PublishedFigure(NamedTuple):
    """The accuracy of a reader that was trained on the choices alone, and chance."""

    accuracy: float
    chance: float
    reader: str


# Of the code released with the paper: half of the items train where there is no train
# part. By the benchmark's name without case, spaces and marks.
CHOICES_ONLY = {
    "hellaswag": PublishedFigure(0.872, 0.25, "DeBERTa"),
    "goldenswag": PublishedFigure(0.937, 0.25, "DeBERTa"),
    "mmlu": PublishedFigure(0.39, 0.25, "Qwen3-4B"),
    "mmlupro": PublishedFigure(0.41, 0.10, "Qwen3-4B"),
    "supergpqa": PublishedFigure(0.34, 0.10, "Qwen3-4B"),
    "gpqa": PublishedFigure(0.28, 0.25, "Qwen3-4B"),
    "truthfulqa": PublishedFigure(0.835, 0.50, "DeBERTa"),
}


def find_published(name: str) -> PublishedFigure | None:
    """The figure of the benchmark that a name clearly begins with; the longest such.

    >>> find_published("HellaSwag_val").accuracy, find_published("my-questions")
    (0.872, None)
    """
    plain = re.sub(r"[^a-z0-9]", "", name.lower())
    benchmarks = [key for key in CHOICES_ONLY if plain.startswith(key)]
    return CHOICES_ONLY[max(benchmarks, key=len)] if benchmarks else None


def published_warnings(name: str) -> list[str]:
    """A line on what a stronger reader found in these choices, where that is known."""
    figure = find_published(name)
    if figure is None:
        return []
    return [
        f"elsewhere {figure.reader}, trained on the choices of this benchmark alone, "
        f"is right in {figure.accuracy:g} of the items (chance {figure.chance:g}; "
        f"{CHANDAK}): a reader here that finds less clears it of nothing"
    ]
