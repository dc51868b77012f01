"""What one reader finds of every explainer's rationales."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from measurand.audits.explanations import gains
from measurand.audits.explanations.arms import asked, cut, seeded
from measurand.audits.explanations.informing import RATIONALE, Informed, informed
from measurand.audits.explanations.meta import Meta, meta
from measurand.audits.explanations.placing import Placed, placed, scores
from measurand.audits.explanations.robust import Robust
from measurand.audits.explanations.scored import Levels, Scores, levels
from measurand.audits.explanations.specific import Specific
from measurand.audits.explanations.thresholds import COLLAPSED
from measurand.audits.explanations.verdict import Stage
from measurand.audits.explanations.writing import ANNOTATED, GIVEN, Written
from measurand.core.errors import Undefined
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Floats, Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.answers import Experiment, reopen_experiment
from measurand.explainers import SUITE
from measurand.explainers.replies import without_answer
from measurand.stats.paired import Clusters, mean

SETTLED = 1e-6  # nats that an input leaves open where it tells every label
LEVELLED = ("robustness", "specificity", "bertscore", "rouge_l", "length", "overlap")
NOTHING = "no item has both a rationale and another to compare it with"


@dataclass(frozen=True, eq=False)
class Read:
    """Everything that one reader lets us say.

    Attributes:
        name: The reader's name.
        informed: What each explainer's rationales tell.
        scores: Every metric, item by item.
        figures: Every metric, an explainer at a time.
        placed: The frontier; None where no explainer has both axes.
        meta: Whether the metrics are any good.
        findings: Every estimate that this reader gave.
        not_run: What could not be done, and why.
        stage: What the verdict rests on.
    """

    name: str
    informed: Mapping[str, Informed]
    scores: Scores
    figures: Mapping[str, Levels]
    placed: Placed | None
    meta: Meta
    findings: Sequence[Finding]
    not_run: Mapping[str, str]
    stage: Stage


def read(
    experiment: Experiment,
    name: str,
    reader: Reader,
    made: Mapping[str, Written],
    robust: Mapping[str, Robust],
    specific: Mapping[str, Specific],
    leaks: pd.DataFrame,
    *,
    fields: tuple[str, ...],
    also: tuple[str, ...],
    judge: str,
    seeds: int | None,
    preset: str,
    clusters: Clusters,
) -> Read:
    """Read every explainer's rationales with one reader, and say what it finds.

    `also` are the fields of another input: the given rationales are read beside it too.
    """
    benchmark = experiment.benchmark

    def known(one: Written, beside: tuple[str, ...]) -> Informed:
        texts = (one.train, one.test)
        terms: dict[str, Any] = {"seeds": seeds, "preset": preset}
        return informed(experiment, benchmark, *texts, beside, reader, **terms)

    found = {explainer: known(one, fields) for explainer, one in made.items()}
    if min(-information.log_p0.mean() for information in found.values()) < SETTLED:
        raise Undefined(
            f"the input alone tells {name} every label, so nothing is left for a "
            "rationale to tell; leave this reader out"
        )
    table = scores(benchmark.test, made, robust, found, specific, clusters)
    figures = levels(table, seed=experiment.seed)
    drops = drifted(robust)
    about = meta(table, drops, seed=experiment.seed)
    place = placed(figures, [method for method in made if method not in SUITE])
    findings = [
        *scalars(figures, name),
        *(
            finding
            for explainer, information in found.items()
            for finding in told(information, name, explainer, clusters)
        ),
        *answerless(experiment, name, reader, made, seeds, clusters),
    ]
    if also and GIVEN in made:
        estimate = gains.lcig(known(made[GIVEN], also), clusters=clusters)
        findings.append(Finding("lcig", f"{name}, with evidence", GIVEN, estimate))
    if place is not None:
        findings.append(Finding("hypervolume", name, "all", place.hypervolume))
    stage = staged(name, reader, made, robust, found, figures, place, leaks, clusters)
    not_run = {
        f"robustness of {explainer}": one.unstable or NOTHING
        for explainer, one in made.items()
        if np.isnan(robust[explainer].robustness).all()
    }
    return Read(
        name,
        found,
        table,
        figures,
        place,
        about,
        findings,
        {**not_run, **about.not_run},
        stage,
    )


def drifted(robust: Mapping[str, Robust]) -> dict[str, Floats]:
    """How far similarity falls when a rationale drifts, by each measure."""
    if "drift" not in robust:
        return {}
    drift = robust["drift"]
    known = {"entailment": drift.robustness, **drift.surface}
    return {name: 1 - one for name, one in known.items()}


def levelled(figures: Mapping[str, Levels], judge: str) -> list[Finding]:
    """The findings that no reader has a part in, over the same resamples of items."""
    return [
        Finding(metric, judge if metric == "robustness" else "words", name, estimate)
        for metric in LEVELLED
        for name, estimate in estimates(figures, metric)
    ]


def scalars(figures: Mapping[str, Levels], reader: str) -> list[Finding]:
    """VARIF of every explainer, by this reader."""
    known = estimates(figures, "varif")
    return [Finding("varif", reader, name, estimate) for name, estimate in known]


def estimates(
    figures: Mapping[str, Levels], metric: str
) -> Iterator[tuple[str, Estimate]]:
    """One metric's figure of every explainer, with its interval."""
    if metric in figures:
        one = figures[metric]
        for name in one.explainers:
            yield name, one.of(name)


def told(
    one: Informed, reader: str, explainer: str, clusters: Clusters
) -> list[Finding]:
    """What a reader says of one explainer's rationales."""
    estimates: dict[str, Estimate | None] = {
        "rationale_only": gains.rationale_only(one, clusters=clusters),
        "residual_leakage": gains.residual_leakage(one, clusters=clusters),
        "lcig": gains.lcig(one, clusters=clusters),
        "informativeness": gains.informativeness(one, clusters=clusters),
        "simulatability": gains.simulatability(one, clusters=clusters),
    }
    cells = gains.las(one, clusters=clusters)
    estimates |= {
        "las": cells.whole,
        "las_leaking": cells.leaking,
        "las_nonleaking": cells.nonleaking,
    }
    found = [
        Finding(statistic, reader, explainer, estimate, decided(statistic, one))
        for statistic, estimate in estimates.items()
        if estimate is not None
    ]
    return found + [
        Finding(
            "rev", f"{reader}, {b}", explainer, gains.rev(one, b, clusters=clusters)
        )
        for b in one.rev
    ]


def decided(statistic: str, one: Informed) -> str | None:
    """What is said beside a figure: that no mask brought the detector down."""
    return "target not met" if statistic == "residual_leakage" and one.leaky else None


def answerless(
    experiment: Experiment,
    name: str,
    reader: Reader,
    made: Mapping[str, Written],
    seeds: int | None,
    clusters: Clusters,
) -> list[Finding]:
    """Rationale-only accuracy of step-by-step rationales without their last line."""
    found = []
    benchmark = experiment.benchmark
    for explainer, one in made.items():
        if not explainer.startswith("steps"):
            continue
        sides = [
            {RATIONALE: [without_answer(text) for text in texts]}
            for texts in (one.train, one.test)
        ]
        plain = cut(benchmark, (), sides, {RATIONALE: RATIONALE})
        members = seeded(reader, seeds)
        with reopen_experiment(experiment, plain) as place:
            said = asked(place, members, {RATIONALE: (RATIONALE,)})[RATIONALE]
        right = (said.argmax(axis=2) == benchmark.test.gold(benchmark.classes)).mean(0)
        column = pd.Series(right, index=benchmark.test.ids)
        rng = generator(experiment.seed, "without answer", explainer)
        estimate = mean(column, rng=rng, clusters=clusters)
        who = f"{name}, no final answer"
        found.append(Finding("rationale_only", who, explainer, estimate))
    return found


def staged(
    name: str,
    reader: Reader,
    made: Mapping[str, Written],
    robust: Mapping[str, Robust],
    found: Mapping[str, Informed],
    figures: Mapping[str, Levels],
    place: Placed | None,
    leaks: pd.DataFrame,
    clusters: Clusters,
) -> Stage:
    """What the verdict on the given rationales, or else the first ones, rests on."""
    explainer = GIVEN if GIVEN in made else next(iter(made))
    one = found[explainer]
    return Stage(
        name,
        traits_of(reader).near_zero_stands,
        collapsed(one),
        explainer,
        level(figures, "robustness", explainer),
        gains.informativeness(one, clusters=clusters),
        gains.rationale_only(one, clusters=clusters),
        one.majority,
        not one.leaky,
        specificity(figures, explainer),
        None if place is None else place.chance.get(explainer),
        () if place is None else place.better.get(explainer, ()),
        tuple(leaks["template"].head(2)),
        made[explainer].how == ANNOTATED,
    )


def level(
    figures: Mapping[str, Levels], metric: str, explainer: str
) -> Estimate | None:
    """One explainer's figure with its interval; None where it has none."""
    one = figures.get(metric)
    if one is None or explainer not in one.explainers:
        return None
    return one.of(explainer)


def specificity(figures: Mapping[str, Levels], explainer: str) -> Estimate:
    """S of one explainer."""
    found = level(figures, "specificity", explainer)
    if found is None:
        raise Undefined(f"the rationales of {explainer} have no specificity")
    return found


def collapsed(one: Informed) -> bool:
    """Whether the reader answers one class whatever it reads."""
    return one.one_class >= COLLAPSED
