"""A fixed reader asked about attacks, and whether a model depends on a rationale.

A reader that is refitted on an attack learns to read it: a drift tells it as much as
what it drifted from, and a swap is a code. So a reader is fitted on rationales as they
are, and then asked next to spoiled ones: a sound measure falls.

    attack_fall        log p1(y | x, r) - log p1(y | x, spoiled r), by one fitted reader

Where rationales stand in the input, the reader of the input can be asked without them,
and with them in its place (DeYoung et al. 2020, ERASER):

    comprehensiveness  p(answer | x) - p(answer | x without r): high where it depends on
    r sufficiency        p(answer | x) - p(answer | r in the field's place): low where r
                       is enough
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from measurand.audits.explanations.fields import (
    Arms,
    arm_asks,
    free_field_name,
    restrict_fields,
    role_columns,
)
from measurand.audits.explanations.leaks import gold_logs
from measurand.audits.explanations.settings import CONTAINED
from measurand.core.arrays import Clusters, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.seeds import generator
from measurand.experiment.experiment import Experiment, ask_all, reopen_experiment
from measurand.explainers.distortions import Swapped, negate_text
from measurand.stats.decisions import pool_estimates
from measurand.stats.uncertainty import mean_interval
from measurand.text.words import WORD

FALLS, STANDS, UNDECIDED = "falls", "does not fall", "undecided"
FALL = 0.01  # nats below which a fall is as good as none
RATIONALE = "rationale"


def spoil_rationales(
    benchmark: Benchmark, texts: Sequence[str], seed: int
) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The rationales of the test items, spoiled in each way; and why not in others."""
    rng = generator(seed, "spoil rationales")
    column = free_field_name(RATIONALE, [str(c) for c in benchmark.test.table.columns])
    test = benchmark.test.with_table(benchmark.test.table.assign(**{column: [*texts]}))
    swapped = Swapped(benchmark.query, benchmark.evidence, column)
    order = rng.permutation(len(texts))
    spoiled = {"drifted": [negate_text(text) for text in texts]}
    not_run = {}
    try:
        spoiled["swapped"] = swapped.explain(test, rng)
    except Undefined as reason:  # one attack that cannot be made ends no audit
        not_run["attack_fall, swapped"] = str(reason)
    return spoiled | {
        "dealt": [texts[row] for row in order.tolist()],
        "truncated": [_cut_words(text) for text in texts],
        "shuffled": [_shuffle_words(text, rng) for text in texts],
    }, not_run


def _cut_words(text: str) -> str:
    """The first half of the words.

    >>> _cut_words("one, two three four")
    'one, two'
    """
    spans = [match.span() for match in WORD.finditer(text)]
    return text[: spans[(len(spans) - 1) // 2][1]] if spans else text


def _shuffle_words(text: str, rng: np.random.Generator) -> str:
    """The words in random order."""
    found = WORD.findall(text)
    return " ".join(found[n] for n in rng.permutation(len(found)).tolist())


def attack_findings(
    experiment: Experiment,
    name: str,
    members: Sequence[Reader],
    texts: tuple[Sequence[str], Sequence[str]],
    fields: tuple[str, ...],
    clusters: Clusters,
) -> tuple[list[Finding], dict[str, str]]:
    """How far the log-probability of the label falls with each spoiled rationale.

    With it, the attacks that could not be made, and why.
    """
    benchmark = experiment.benchmark
    spoiled, not_run = spoil_rationales(benchmark, texts[1], experiment.seed)
    field = free_field_name(RATIONALE, [*fields, *role_columns(benchmark)])
    sides = [{RATIONALE: texts[0]}, {RATIONALE: texts[1]}]
    made = restrict_fields(benchmark, fields, sides, {RATIONALE: field})
    parts = {what: made.test.with_field(field, t) for what, t in spoiled.items()}
    arms = {"whole": (*fields, field)}
    shares = _ask_parts(experiment, replace(made, test_parts=parts), members, arms)
    gold = benchmark.test.gold(benchmark.classes)
    logs = {part: gold_logs(answered, gold) for part, answered in shares.items()}
    falls = {what: pooled_means(logs[""] - logs[what], clusters) for what in spoiled}
    return [_fall_finding(name, what, fall) for what, fall in falls.items()], not_run


def _fall_finding(reader: str, attack: str, estimate: Estimate) -> Finding:
    """One fall with what it says."""
    decision = UNDECIDED
    if estimate.low > 0:
        decision = FALLS
    elif estimate.high < FALL:
        decision = STANDS
    return Finding("attack_fall", reader, attack, estimate, decision)


def pooled_means(runs: Floats, clusters: Clusters) -> Estimate:
    """The mean over items of what each seed says: seeds × items."""
    return pool_estimates([mean_interval(run, clusters) for run in runs], "seeds")


def _ask_parts(
    experiment: Experiment, benchmark: Benchmark, members: Sequence[Reader], arms: Arms
) -> dict[str, NDArray[np.float32]]:
    """What readers fitted once say of the test items and of every other part."""
    asks = arm_asks(members, arms)
    parts = ["", *benchmark.test_parts]
    with reopen_experiment(experiment, benchmark) as sub_experiment:
        answers = iter(
            ask_all(
                sub_experiment,
                [replace(ask, part=part) for part in parts for ask in asks],
            )
        )
    return {
        part: np.stack([next(answers).probabilities[0] for _ in members])
        for part in parts
    }


def faithfulness_findings(
    experiment: Experiment,
    name: str,
    members: Sequence[Reader],
    by_explainer: Mapping[str, Sequence[str]],
    clusters: Clusters,
) -> list[Finding]:
    """Whether the reader's own answers depend on spans of the input, by explainer."""
    benchmark = experiment.benchmark
    test, spans = benchmark.test, {}
    for explainer, texts in by_explainer.items():
        field = span_field(texts, test)
        if field is not None:
            spans[explainer] = (field, texts)
    if not spans:
        return []
    parts: dict[str, Items] = {}
    for explainer, (field, texts) in spans.items():
        column = test.column(field).tolist()
        left = [
            _without_span(text, span) for text, span in zip(column, texts, strict=True)
        ]
        parts[f"without {explainer}"] = test.with_field(field, left)
        parts[f"only {explainer}"] = test.with_field(field, [*texts])
    asked = replace(benchmark, test_parts=parts)
    shares = _ask_parts(experiment, asked, members, {"x": benchmark.test.fields})
    answers = shares[""].argmax(axis=2)

    def own(part: str) -> Floats:
        told = np.take_along_axis(shares[part], answers[..., None], axis=2)
        return np.asarray(told[..., 0], float)

    kinds = {"comprehensiveness": "without", "sufficiency": "only"}
    return [
        Finding(
            statistic,
            name,
            explainer,
            pooled_means(own("") - own(f"{part} {explainer}"), clusters),
        )
        for explainer in spans
        for statistic, part in kinds.items()
    ]


def span_field(texts: Sequence[str], items: Items) -> str | None:
    """The field of the input in which most rationales stand; None where none is."""
    for field in items.fields:
        column = items.column(field).tolist()
        inside = [
            bool(a.strip()) and a in b for a, b in zip(texts, column, strict=True)
        ]
        if np.mean(inside) > CONTAINED:
            return field
    return None


def _without_span(text: str, span: str) -> str:
    """The text without the span.

    >>> _without_span("It rained. We stayed.", "It rained.")
    'We stayed.'
    """
    return " ".join(text.replace(span, " ").split()) if span.strip() else text
