"""What one reader finds of every explainer's rationales."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from measurand.audits.explanations import estimates
from measurand.audits.explanations.attacks import (
    FALLS,
    STANDS,
    attack_findings,
    faithfulness_findings,
)
from measurand.audits.explanations.corpus import Corpus
from measurand.audits.explanations.facts import Axes
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
from measurand.audits.explanations.information import Information, measure_information
from measurand.audits.explanations.information_arms import (
    RATIONALE,
    information_arms,
    planned_asks,
)
from measurand.audits.explanations.levels import (
    Levels,
    Scores,
    find_level,
    metric_levels,
)
from measurand.audits.explanations.meta_evaluation import (
    DRIFT,
    MetaEvaluation,
    evaluate_metrics,
)
from measurand.audits.explanations.rationales import GIVEN, Rationales
from measurand.audits.explanations.settings import COLLAPSED, LITTLE
from measurand.core.arrays import Clusters
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Reading
from measurand.core.reader import Reader
from measurand.core.recipe import traits_of
from measurand.core.seeds import generator
from measurand.experiment.budget import is_dear
from measurand.experiment.experiment import Experiment, check_budget, reopen_experiment
from measurand.explainers import SUITE
from measurand.explainers.prompted import drop_answer
from measurand.settings.explanations import ExplanationsSettings
from measurand.stats.paired import mean_score
from measurand.stats.scores import cluster_share

SETTLED = 1e-6  # nats that an input leaves open where it predicts every label
READERLESS = (
    *("robustness", "agreement", "specificity", "copied"),
    *("bertscore", "rouge_l", "length", "overlap"),
)
JUDGED = ("robustness", "agreement")  # what the judge says, and not words
LEXICAL = "lexical"  # the judge that counts words
FAITHFUL = (GIVEN, "tfidf-1", "tfidf-2", "random-1", "random-2")
NOTHING_COMPARED = "no item has both a rationale and another to compare it with"
TOO_FEW = "so few items have it that most resamples have none"


@dataclass(frozen=True, eq=False)
class RationaleReading(Reading):
    """Everything that one reader lets us say.

    Attributes:
        information: What each explainer's rationales predict.
        scores: Every metric, item by item.
        figures: Every metric, an explainer at a time.
        frontier: The frontier; None where no explainer has both axes.
        meta: Whether the metrics are any good.
        axes: What the verdict says of the judged rationales besides the two.
        collapsed: Whether it answers one class whatever it reads.
        informs: Whether the masked rationale surely predicts something by its figures.
    """

    information: Mapping[str, Information]
    scores: Scores
    figures: Mapping[str, Levels]
    frontier: ExplainerFrontier | None
    meta: MetaEvaluation
    axes: Axes
    collapsed: bool
    informs: bool


def read_rationales(
    experiment: Experiment,
    name: str,
    reader: Reader,
    corpus: Corpus,
    settings: ExplanationsSettings,
) -> RationaleReading:
    """Read every explainer's rationales with one reader, and say what it finds."""
    asked = _Asked(experiment, name, reader, corpus, settings)
    asked.check_time()
    information = {
        explainer: asked.read_beside(
            rationales, corpus.fields, with_curve=explainer == corpus.explainer
        )
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
    judged = information[corpus.explainer]
    informativeness = estimates.informativeness(judged, clusters=corpus.clusters)
    word_judge = settings.judge == LEXICAL
    meta_evaluation = evaluate_metrics(
        scores, corpus.drift_likeness, seed=experiment.seed, word_judge=word_judge
    )
    methods = [method for method in corpus.rationales if method not in SUITE]
    frontier = explainer_frontier(figures, methods)
    fixed, no_attack = asked.fixed_reader_findings()
    varifs = _metric_estimates(figures, "varif")
    findings = [
        *(Finding("varif", name, explainer, varif) for explainer, varif in varifs),
        *asked.information_findings(information),
        *asked.findings_without_answer(),
        *fixed,
        *asked.findings_with_evidence(),
    ]
    if frontier is not None:
        findings.append(Finding("hypervolume", name, "all", frontier.hypervolume))
    unmeasured = {
        f"robustness of {explainer}": _why_unmeasured(corpus, explainer)
        for explainer in corpus.rationales
        if find_level(figures, "robustness", explainer) is None
    }
    return RationaleReading(
        name=name,
        strength=traits_of(reader).strength,
        findings=findings,
        not_run=unmeasured | {**meta_evaluation.not_run} | no_attack,
        remarks={},
        information=information,
        scores=scores,
        figures=figures,
        frontier=frontier,
        meta=meta_evaluation,
        axes=_find_axes(corpus, figures, frontier, meta_evaluation, fixed),
        collapsed=judged.one_class >= COLLAPSED,
        informs=informativeness.low > LITTLE,
    )


@dataclass(frozen=True, eq=False)
class _Asked:
    """One reader, and what it is asked to read."""

    experiment: Experiment
    name: str
    reader: Reader
    corpus: Corpus
    settings: ExplanationsSettings

    @cached_property
    def members(self) -> list[Reader]:
        """The reader once a seed."""
        return seed_readers(self.reader, self.settings.seeds)

    def check_time(self) -> None:
        """Announce what it will be trained for; raise where that takes too long."""
        if not is_dear(self.reader):
            return
        benchmark, fields = self.experiment.benchmark, self.corpus.fields
        arms = [
            information_arms(benchmark, texts.train, texts.test, fields)
            for texts in self.corpus.rationales.values()
        ]
        check_budget(self.name, *planned_asks(self.experiment, arms, self.members))

    def read_beside(
        self,
        rationales: Rationales,
        fields: tuple[str, ...],
        *,
        with_curve: bool = False,
    ) -> Information:
        """What one explainer's rationales predict next to these fields."""
        return measure_information(
            self.experiment,
            rationales.train,
            rationales.test,
            fields,
            self.reader,
            seeds=self.settings.seeds,
            preset=self.settings.preset,
            with_curve=with_curve,
        )

    def findings_with_evidence(self) -> list[Finding]:
        """What rationales that are the evidence add to the evidence: nothing."""
        corpus = self.corpus
        if not corpus.also or GIVEN not in corpus.rationales:
            return []
        beside = self.read_beside(corpus.rationales[GIVEN], corpus.also)
        estimate = estimates.lcig(beside, clusters=corpus.clusters)
        return [Finding("lcig", f"{self.name}, with evidence", GIVEN, estimate)]

    def information_findings(
        self, information: Mapping[str, Information]
    ) -> list[Finding]:
        """What it says of every explainer's rationales."""
        return [
            finding
            for explainer, part in information.items()
            for finding in _explainer_findings(
                part, self.name, explainer, self.corpus.clusters
            )
        ]

    def fixed_reader_findings(self) -> tuple[list[Finding], dict[str, str]]:
        """What readers fitted once say of spoiled rationales, and of inputs less them.

        With it, the attacks that could not be made, and why.
        """
        corpus, asked = self.corpus, (self.experiment, self.name, self.members)
        rationales = corpus.rationales[corpus.explainer]
        texts = rationales.train, rationales.test
        by_explainer = {
            n: corpus.rationales[n].test for n in FAITHFUL if n in corpus.rationales
        }
        falls, not_run = attack_findings(*asked, texts, corpus.fields, corpus.clusters)
        faithful = faithfulness_findings(*asked, by_explainer, corpus.clusters)
        return [*falls, *faithful], not_run

    def findings_without_answer(self) -> list[Finding]:
        """Rationale-only accuracy of step-by-step rationales less their last line."""
        findings = []
        benchmark, seed = self.experiment.benchmark, self.experiment.seed
        gold = benchmark.test.gold(benchmark.classes)
        for explainer, rationales in self.corpus.rationales.items():
            if not explainer.startswith("steps"):
                continue
            sides = [
                {RATIONALE: [drop_answer(text) for text in texts]}
                for texts in (rationales.train, rationales.test)
            ]
            field = free_field_name(RATIONALE, role_columns(benchmark))
            plain = restrict_fields(benchmark, (), sides, {RATIONALE: field})
            with reopen_experiment(self.experiment, plain) as sub_experiment:
                answers = ask_arms(sub_experiment, self.members, {RATIONALE: (field,)})
            right = (answers[RATIONALE].argmax(axis=2) == gold).mean(0)
            column = pd.Series(right, index=benchmark.test.ids)
            rng = generator(seed, "without answer", explainer)
            estimate = mean_score(column, rng=rng, clusters=self.corpus.clusters)
            reader_name = f"{self.name}, no final answer"
            findings.append(Finding("rationale_only", reader_name, explainer, estimate))
        return findings


def _check_left_open(name: str, information: Mapping[str, Information]) -> None:
    """Raise where the input leaves nothing for a rationale to tell."""
    if min(-part.log_p0.mean() for part in information.values()) < SETTLED:
        raise Undefined(
            f"the input alone tells {name} every label, so nothing is left for a "
            "rationale to tell; leave this reader out"
        )


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
) -> list[Finding]:
    """What a reader says of one explainer's rationales."""
    statistics: dict[str, Estimate | None] = {
        "rationale_only": estimates.rationale_only(information, clusters=clusters),
        "residual_leakage": estimates.residual_leakage(information, clusters=clusters),
        "rationale_bits": estimates.rationale_bits(information, clusters=clusters),
        "residual_bits": estimates.residual_bits(information, clusters=clusters),
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
    findings = [
        Finding(statistic, reader, explainer, estimate)
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


def _find_axes(
    corpus: Corpus,
    figures: Mapping[str, Levels],
    frontier: ExplainerFrontier | None,
    meta: MetaEvaluation,
    attacks: Sequence[Finding],
) -> Axes:
    """What else is measured of the judged rationales, and whether a frontier is."""
    explainer = corpus.explainer
    robustness = find_level(figures, "robustness", explainer)
    falls = {f.condition: f.decision for f in attacks if f.statistic == "attack_fall"}
    fell = falls.get("drifted") == FALLS
    unlike = tuple(n for n in meta.unlike if n != DRIFT or not (fell or meta.drops))
    why = ""
    if robustness is None:
        why = "frontier.unmeasured"
    elif frontier is None:
        why = "frontier.one"
    elif unlike or not meta.compared:
        why = "frontier.suite"
    return Axes(
        robustness,
        find_level(figures, "specificity", explainer),
        copied_share(corpus, explainer),
        drift_seen=meta.drops is not False or falls.get("drifted") != STANDS,
        chance=None if frontier is None else frontier.chance.get(explainer),
        better=() if frontier is None else frontier.better.get(explainer, ()),
        no_frontier=why,
        unlike=unlike if why == "frontier.suite" else (),
    )
