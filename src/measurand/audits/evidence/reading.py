"""The paper's packet of one reader, which learns from train and is asked about test.

How right it is with all, with one field and on other items' evidence, and by metadata.
It describes readers; what the labels need is decided on the pool.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from measurand.audits.evidence.asking import (
    EvidenceAnswers,
    EvidenceBaselines,
    ask_with_shuffles,
    changed_share,
)
from measurand.core.arrays import Floats, Ints
from measurand.core.errors import Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Reading
from measurand.core.names import PART
from measurand.core.reader import Reader
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import remark_findings
from measurand.experiment.crossfit import repeat_reader
from measurand.experiment.experiment import Experiment
from measurand.experiment.statements import bits_findings
from measurand.interventions.shuffle import Shuffle
from measurand.stats.paired import mean_score, ratio
from measurand.stats.scores import accuracy, balanced_accuracy, mcc
from measurand.stats.shuffles import ShuffleEffect


@dataclass(frozen=True, eq=False)
class EvidenceReading(Reading):
    """What one reader answered, and what follows from it.

    Attributes:
        right: Whether each item was answered right.
        wrong: The same under each shuffle: shuffles × items.
        alone: Whether each item was answered right from one field alone.
        effect: The effect of the shuffle.
        decision: depends, near zero, wrong evidence helps, undecided or collapsed.
        mpds: The metadata ratio, where it has a value.
        beyond: The same over the majority.
        changed_share: The share of (item, shuffle) pairs that read another text.
        written: What it wrote about each item, where it chose among no answers.
        donors: Whose evidence each item received in the first shuffle.
        first_answers: What it answered with the right evidence, and in that shuffle.
        learns_labels: Whether it was taught labels of training items, which it may then
            remember.
    """

    right: "pd.Series[float]"
    wrong: Floats
    alone: Mapping[str, "pd.Series[float]"]
    effect: ShuffleEffect
    decision: str
    mpds: Estimate | None
    beyond: Estimate | None
    changed_share: float
    written: tuple[str, ...] = ()
    donors: Ints | None = None
    first_answers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    learns_labels: bool = True


def read_evidence(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    shuffles: int,
    baselines: EvidenceBaselines,
    seeds: int | None = None,
) -> EvidenceReading:
    """The packet of one reader, averaged over its seeds."""
    rng = generator(experiment.seed, "evidence", identity(reader))
    clusters = baselines.clusters
    members = repeat_reader(reader, seeds)
    answers = ask_with_shuffles(name, members, experiment, shuffle, shuffles, baselines)
    test = answers.parts[""]
    outcome = test.decide(baselines, rng)
    ratios, withheld = _metadata_ratios(name, test.right, baselines, rng)
    withheld |= {} if answers.alone else _explain_unasked(name)
    scores = _score_estimates(answers, ratios, clusters, rng)
    findings = (
        *(Finding(what, name, "full", estimate) for what, estimate in scores.items()),
        Finding("delta_evi", name, str(shuffle), test.effect.interval(0.95), outcome),
        Finding("sigma_shuf", name, str(shuffle), test.effect.sigma),
        *remark_findings(name, "full", answers.remarks, len(test.right)),
        *_account_findings(name, answers, clusters, rng),
        *_read_test_parts(name, answers, baselines, rng),
    )
    texts = experiment.benchmark.test.column(shuffle.field)
    return EvidenceReading(
        name=name,
        strength=traits_of(reader).strength,
        learns_labels=traits_of(reader).learns_labels,
        findings=findings,
        not_run=withheld,
        remarks=answers.remarks,
        right=test.right,
        wrong=test.wrong,
        alone=answers.alone,
        effect=test.effect,
        decision=outcome,
        mpds=ratios.get("mpds"),
        beyond=ratios.get("mpds_corrected"),
        changed_share=changed_share(texts, answers.donors),
        donors=answers.donors[0].astype(np.int64),
        first_answers=answers.first_answers,
    )


def _explain_unasked(name: str) -> dict[str, str]:
    """Why one field alone was not asked about."""
    why = "it learned before this audit, so it cannot be taught one field alone"
    return {f"query_only and evidence_only of {name}": why}


def _score_estimates(
    answers: EvidenceAnswers,
    ratios: Mapping[str, Estimate],
    clusters: Ints,
    rng: np.random.Generator,
) -> dict[str, Estimate]:
    """How right the reader is, with all fields and with one."""
    cells = answers.cells
    return {
        "accuracy": accuracy(cells, rng=rng, clusters=clusters),
        "balanced_accuracy": balanced_accuracy(cells, rng=rng, clusters=clusters),
        "mcc": mcc(cells, rng=rng, clusters=clusters),
        **ratios,
        **{
            part: mean_score(right, rng=rng, clusters=clusters)
            for part, right in answers.alone.items()
        },
    }


def _account_findings(
    name: str, answers: EvidenceAnswers, clusters: Ints, rng: np.random.Generator
) -> list[Finding]:
    """What only the query predicts, only the evidence, either, or both together."""
    if not answers.bits:
        return []
    query, evidence, joint = answers.bits.values()
    return bits_findings(name, query, evidence, joint, rng=rng, clusters=clusters)


def _read_test_parts(
    name: str,
    answers: EvidenceAnswers,
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> list[Finding]:
    """The same fitted reader on the other test parts."""
    findings = list[Finding]()
    for part, part_answers in [*answers.parts.items()][1:]:
        outcome = part_answers.decide(baselines, rng)
        right = mean_score(part_answers.right, rng=rng, clusters=part_answers.clusters)
        effect, where = part_answers.effect.interval(0.95), f"{PART}{part}"
        findings += [
            Finding("accuracy", name, where, right),
            Finding("delta_evi", name, where, effect, outcome),
        ]
    return findings


def _metadata_ratios(
    name: str,
    right: "pd.Series[float]",
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> tuple[dict[str, Estimate], dict[str, str]]:
    """Mpds and its other forms; each is withheld where it has no value."""
    ratios, withheld = {}, {}
    numerators = {
        "mpds": (baselines.metadata, None),
        "mpds_corrected": (baselines.metadata, baselines.majority),
    }
    if baselines.all_metadata is not None:
        numerators["mpds_evidence"] = (baselines.all_metadata, None)
    for statistic, (metadata, base) in numerators.items():
        try:
            clusters = baselines.clusters
            ratios[statistic] = ratio(
                metadata, right, less=base, rng=rng, clusters=clusters
            )
        except Undefined as undefined:
            withheld[f"{statistic} of {name}"] = str(undefined)
    return ratios, withheld
