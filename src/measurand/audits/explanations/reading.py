"""What one reader finds of every explainer's rationales."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.audits.explanations import estimates
from measurand.audits.explanations.attacks import (
    attack_findings,
    faithfulness_findings,
)
from measurand.audits.explanations.corpus import Corpus
from measurand.audits.explanations.dealing import repeated_fields
from measurand.audits.explanations.estimates import Levels, Scores, metric_levels
from measurand.audits.explanations.fields import (
    ask_arms,
    free_field_name,
    restrict_fields,
    role_columns,
    seed_readers,
)
from measurand.audits.explanations.frontier import (
    ExplainerFrontier,
    explainer_frontier,
    score_explainers,
)
from measurand.audits.explanations.further import (
    further_word_findings,
    further_word_leaks,
    leaking_columns,
)
from measurand.audits.explanations.information import (
    RATIONALE,
    Information,
    information_arms,
    measure_information,
    planned_asks,
)
from measurand.audits.explanations.meta_evaluation import (
    MetaEvaluation,
    evaluate_metrics,
)
from measurand.audits.explanations.rationales import GIVEN, Rationales
from measurand.audits.explanations.settings import COLLAPSED, ExplanationsSettings
from measurand.audits.explanations.verdict import RationaleStage
from measurand.core.arrays import Clusters
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Reading
from measurand.core.items import Items
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.budget import is_dear
from measurand.experiment.experiment import (
    Experiment,
    check_budget,
    reopen_experiment,
)
from measurand.explainers import SUITE
from measurand.explainers.prompted import drop_answer
from measurand.stats.paired import mean_score
from measurand.stats.scores import cluster_share

SETTLED = 1e-6  # nats that an input leaves open where it tells every label
READERLESS = (
    *("robustness", "agreement", "specificity", "copied"),
    *("bertscore", "rouge_l", "length", "overlap"),
)
JUDGED = ("robustness", "agreement")  # what the judge says, and not words
LEXICAL = "lexical"  # the judge that counts words
FAITHFUL = (GIVEN, "tfidf-1", "tfidf-2", "random-1", "random-2")
ONE_METHOD = "one method alone makes none"
NOTHING_COMPARED = "no item has both a rationale and another to compare it with"
TOO_FEW = "so few items have it that most resamples have none"


@dataclass(frozen=True, eq=False)
class RationaleReading(Reading):
    """Everything that one reader lets us say.

    Attributes:
        information: What each explainer's rationales tell.
        scores: Every metric, item by item.
        figures: Every metric, an explainer at a time.
        frontier: The frontier; None where no explainer has both axes.
        meta: Whether the metrics are any good.
        stage: What the verdict rests on.
    """

    information: Mapping[str, Information]
    scores: Scores
    figures: Mapping[str, Levels]
    frontier: ExplainerFrontier | None
    meta: MetaEvaluation
    stage: RationaleStage


def read_rationales(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    settings: ExplanationsSettings,
) -> RationaleReading:
    """Read every explainer's rationales with one reader, and say what it finds."""
    seeds = settings.seeds
    _check_reading_time(experiment, name, reader, corpus, seeds)
    information = {
        explainer: _read_beside(experiment, reader, rationales, corpus.fields, settings)
        for explainer, rationales in corpus.rationales.items()
    }
    _check_left_open(name, information)
    scores = score_explainers(
        experiment.benchmark.test,
        corpus.rationales,
        corpus.robustness,
        information,
        corpus.specificity,
        corpus.copied,
        corpus.clusters,
        preset=settings.preset,
    )
    figures = metric_levels(scores, seed=experiment.seed)
    word_judge = settings.judge == LEXICAL
    meta_evaluation = evaluate_metrics(
        scores, corpus.drift_likeness, seed=experiment.seed, word_judge=word_judge
    )
    methods = [method for method in corpus.rationales if method not in SUITE]
    frontier = explainer_frontier(figures, methods)
    detector = seed_readers(reader, seeds)[0]
    further = further_word_leaks(experiment, detector, corpus.further, corpus.clusters)
    fixed, no_attack = _fixed_reader_findings(experiment, name, reader, corpus, seeds)
    findings = [
        *_varif_findings(figures, name),
        *_information_findings(information, name, corpus),
        *_findings_without_answer(experiment, name, reader, corpus, seeds),
        *fixed,
        *further_word_findings(further, name),
        *_findings_with_evidence(experiment, name, reader, corpus, settings),
    ]
    if frontier is not None:
        findings.append(Finding("hypervolume", name, "all", frontier.hypervolume))
    stage = _verdict_stage(
        experiment,
        name,
        reader,
        corpus,
        information,
        figures,
        frontier,
        meta_evaluation.unsuited,
        word_judge,
        leaking_columns(further, corpus.further_form),
    )
    return RationaleReading(
        name=name,
        strength=traits_of(reader).strength,
        findings=findings,
        not_run={
            **_unmeasured_robustness(corpus, figures),
            **meta_evaluation.not_run,
            **no_attack,
        },
        remarks={},
        information=information,
        scores=scores,
        figures=figures,
        frontier=frontier,
        meta=meta_evaluation,
        stage=stage,
    )


def _check_left_open(name: str, information: Mapping[str, Information]) -> None:
    """Raise where the input leaves nothing for a rationale to tell."""
    if min(-part.log_p0.mean() for part in information.values()) < SETTLED:
        raise Undefined(
            f"the input alone tells {name} every label, so nothing is left for a "
            "rationale to tell; leave this reader out"
        )


def _read_beside(
    experiment: Experiment,
    reader: Reader,
    rationales: Rationales,
    fields: tuple[str, ...],
    settings: ExplanationsSettings,
) -> Information:
    """What one explainer's rationales tell beside these fields."""
    return measure_information(
        experiment,
        experiment.benchmark,
        rationales.train,
        rationales.test,
        fields,
        reader,
        seeds=settings.seeds,
        preset=settings.preset,
    )


def _findings_with_evidence(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    settings: ExplanationsSettings,
) -> list[Finding]:
    """What given rationales that are the evidence tell beside the evidence: nothing."""
    if not corpus.also or GIVEN not in corpus.rationales:
        return []
    given = corpus.rationales[GIVEN]
    beside = _read_beside(experiment, reader, given, corpus.also, settings)
    estimate = estimates.lcig(beside, clusters=corpus.clusters)
    return [Finding("lcig", f"{name}, with evidence", GIVEN, estimate)]


def _check_reading_time(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    seeds: int | None,
) -> None:
    """Announce what the reader will be trained for; raise where it takes too long."""
    if not is_dear(reader):
        return
    arms = [
        information_arms(experiment.benchmark, texts.train, texts.test, corpus.fields)
        for texts in corpus.rationales.values()
    ]
    members = seed_readers(reader, seeds)
    check_budget(name, *planned_asks(experiment, arms, members))


def _information_findings(
    information: Mapping[str, Information], name: str, corpus: Corpus
) -> list[Finding]:
    """What a reader says of every explainer's rationales."""
    by_form = {corpus.explainer: corpus.form.leak.is_sure}
    return [
        finding
        for explainer, part in information.items()
        for finding in _explainer_findings(
            part,
            name,
            explainer,
            corpus.clusters,
            form_leaks=by_form.get(explainer, False),
        )
    ]


def _unmeasured_robustness(
    corpus: Corpus, figures: Mapping[str, Levels]
) -> dict[str, str]:
    """The explainers whose robustness has no figure, and why."""
    return {
        f"robustness of {explainer}": _why_unmeasured(corpus, explainer)
        for explainer in corpus.rationales
        if _explainer_level(figures, "robustness", explainer) is None
    }


def _why_unmeasured(corpus: Corpus, explainer: str) -> str:
    """Why the robustness of an explainer has no figure."""
    if np.isnan(corpus.robustness[explainer].robustness).all():
        return corpus.rationales[explainer].unstable or NOTHING_COMPARED
    return TOO_FEW


def readerless_findings(
    figures: Mapping[str, Levels], corpus: Corpus, judge: str
) -> list[Finding]:
    """The findings that no reader has a part in, over the same resamples of items.

    Copies are counted: their interval is that of a count, and the verdict's.
    """
    copies = {name: copied_share(corpus, name) for name in corpus.copied}
    return [
        Finding(metric, judge if metric in JUDGED else "words", name, estimate)
        for metric in READERLESS
        for name, estimate in (
            copies.items() if metric == "copied" else _metric_estimates(figures, metric)
        )
    ]


def copied_share(corpus: Corpus, explainer: str) -> Estimate:
    """The share of an explainer's rationales that are near-copies of the input."""
    copied = corpus.copied[explainer].astype(float)
    return cluster_share(copied, corpus.clusters)


def _varif_findings(figures: Mapping[str, Levels], reader: str) -> list[Finding]:
    """VARIF of every explainer, by this reader."""
    varifs = _metric_estimates(figures, "varif")
    return [Finding("varif", reader, name, estimate) for name, estimate in varifs]


def _metric_estimates(
    figures: Mapping[str, Levels], metric: str
) -> Iterator[tuple[str, Estimate]]:
    """One metric's figure of every explainer, with its interval."""
    if metric in figures:
        explainer_levels = figures[metric]
        for name in explainer_levels.explainers:
            yield name, explainer_levels.of(name)


def _explainer_findings(
    information: Information,
    reader: str,
    explainer: str,
    clusters: Clusters,
    *,
    form_leaks: bool,
) -> list[Finding]:
    """What a reader says of one explainer's rationales."""
    alone = estimates.leak_alone(information, clusters=clusters)
    left = estimates.leak_left(information, clusters=clusters)
    statistics: dict[str, Estimate | None] = {
        "rationale_only": alone.accuracy,
        "residual_leakage": left.accuracy,
        "rationale_bits": alone.bits,
        "residual_bits": left.bits,
        "lcig": estimates.lcig(information, clusters=clusters),
        "lcig_within_label": estimates.lcig_within_label(
            information, clusters=clusters
        ),
        "informativeness": estimates.informativeness(information, clusters=clusters),
        "simulatability": estimates.simulatability(information, clusters=clusters),
    }
    cells = estimates.las(information, clusters=clusters)
    statistics |= {
        "las": cells.overall,
        "las_leaking": cells.leaking,
        "las_nonleaking": cells.nonleaking,
    }
    words_left, bits_left = left.after_mask(form_leaks=form_leaks)
    decisions = {
        "residual_leakage": words_left,
        "rationale_bits": alone.bits_decision,
        "residual_bits": bits_left,
    }
    findings = [
        Finding(statistic, reader, explainer, estimate, decisions.get(statistic))
        for statistic, estimate in statistics.items()
        if estimate is not None
    ]
    return findings + [
        Finding(
            "rev",
            f"{reader}, {b}",
            explainer,
            estimates.rev(information, b, clusters=clusters),
        )
        for b in information.rev
    ]


def _fixed_reader_findings(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    seeds: int | None,
) -> tuple[list[Finding], dict[str, str]]:
    """What readers fitted once say of spoiled rationales, and of inputs less them.

    With it, the attacks that could not be made, and why.
    """
    members = seed_readers(reader, seeds)
    rationales = corpus.rationales[corpus.explainer]
    texts = rationales.train, rationales.test
    by_explainer = {
        n: corpus.rationales[n].test for n in FAITHFUL if n in corpus.rationales
    }
    falls, not_run = attack_findings(
        experiment, name, members, texts, corpus.fields, corpus.clusters
    )
    faithful = faithfulness_findings(
        experiment, name, members, by_explainer, corpus.clusters
    )
    return [*falls, *faithful], not_run


def _findings_without_answer(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    seeds: int | None,
) -> list[Finding]:
    """Rationale-only accuracy of step-by-step rationales without their last line."""
    findings = []
    benchmark = experiment.benchmark
    for explainer, rationales in corpus.rationales.items():
        if not explainer.startswith("steps"):
            continue
        sides = [
            {RATIONALE: [drop_answer(text) for text in texts]}
            for texts in (rationales.train, rationales.test)
        ]
        field = free_field_name(RATIONALE, role_columns(benchmark))
        plain = restrict_fields(benchmark, (), sides, {RATIONALE: field})
        members = seed_readers(reader, seeds)
        with reopen_experiment(experiment, plain) as sub_experiment:
            probabilities = ask_arms(sub_experiment, members, {RATIONALE: (field,)})[
                RATIONALE
            ]
        right = (
            probabilities.argmax(axis=2) == benchmark.test.gold(benchmark.classes)
        ).mean(0)
        column = pd.Series(right, index=benchmark.test.ids)
        rng = generator(experiment.seed, "without answer", explainer)
        estimate = mean_score(column, rng=rng, clusters=corpus.clusters)
        reader_name = f"{name}, no final answer"
        findings.append(Finding("rationale_only", reader_name, explainer, estimate))
    return findings


def _verdict_stage(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    information: Mapping[str, Information],
    figures: Mapping[str, Levels],
    frontier: ExplainerFrontier | None,
    unsuited: str,
    word_judge: bool,
    leaking: tuple[str, ...],
) -> RationaleStage:
    """What the verdict on the given rationales, or else the first ones, rests on."""
    explainer, clusters = corpus.explainer, corpus.clusters
    part = information[explainer]
    robustness = _explainer_level(figures, "robustness", explainer)
    return RationaleStage(
        name,
        traits_of(reader).near_zero_stands,
        _has_constant_answer(part),
        explainer,
        robustness,
        estimates.informativeness(part, clusters=clusters),
        estimates.leak_alone(part, clusters=clusters),
        estimates.leak_left(part, clusters=clusters),
        _explainer_specificity(figures, explainer),
        copied_share(corpus, explainer),
        None if frontier is None else frontier.chance.get(explainer),
        _missing_frontier(corpus, robustness, frontier) or unsuited,
        () if frontier is None else frontier.better.get(explainer, ()),
        tuple(corpus.leaks["template"].head(2)),
        word_judge,
        part.mask_strength > 0,
        _count_repeats(experiment.benchmark.test, corpus) if part.null else 0,
        corpus.form,
        leaking,
    )


def _count_repeats(items: Items, corpus: Corpus) -> int:
    """How many of the judged rationales are a field of their input, word for word."""
    texts = corpus.rationales[corpus.explainer].test
    return int(repeated_fields(texts, items, corpus.fields).sum())


def _missing_frontier(
    corpus: Corpus, robustness: Estimate | None, frontier: ExplainerFrontier | None
) -> str:
    """Why there is no frontier for the explainer that is judged; empty where one is."""
    if robustness is None:
        why = _why_unmeasured(corpus, corpus.explainer)
        return f"the robustness of {corpus.explainer} was not measured: {why}"
    return ONE_METHOD if frontier is None else ""


def _explainer_level(
    figures: Mapping[str, Levels], metric: str, explainer: str
) -> Estimate | None:
    """One explainer's figure with its interval; None where it has none."""
    explainer_levels = figures.get(metric)
    if explainer_levels is None or explainer not in explainer_levels.explainers:
        return None
    return explainer_levels.of(explainer)


def _explainer_specificity(figures: Mapping[str, Levels], explainer: str) -> Estimate:
    """S of one explainer."""
    estimate = _explainer_level(figures, "specificity", explainer)
    if estimate is None:
        raise Undefined(f"the rationales of {explainer} have no specificity")
    return estimate


def _has_constant_answer(information: Information) -> bool:
    """Whether the reader answers one class whatever it reads."""
    return information.one_class >= COLLAPSED
