"""The audit packet of a reader that writes its answers: right by exact match.

What it loses on wrong evidence is decided by exact match, since that is a share of
items answered right, as an accuracy is, and words that are in any passage earn nothing.
The same by token F1 stands next to it, and a judge's score where one is named.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from measurand.audits.evidence.asking import (
    COLLAPSED,
    EvidenceBaselines,
    changed_share,
    donors_of,
    effect_decision,
)
from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.settings import ONE_CLASS
from measurand.core.arrays import Clusters, Floats
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import TEXTS, Ask, WrittenAnswers, remark_findings
from measurand.experiment.experiment import Experiment, check_budget, write_all
from measurand.experiment.rationales import judge_similarity
from measurand.interventions.fields import Keep
from measurand.interventions.shuffle import Shuffle
from measurand.judges import load_judge
from measurand.settings.evidence import EvidenceSettings
from measurand.stats.paired import difference, mean_score
from measurand.stats.scores import (
    commonest_answer_scores,
    exact_match,
    squad_form,
    token_f1,
)
from measurand.stats.shuffles import shuffle_effect

SCORES = {"exact_match": exact_match, "token_f1": token_f1}
FULL, CLOSED, EVIDENCE = "full", "closed_book", "evidence_only"
COMMONEST = "commonest answer"  # who reads nothing, and always writes the same
NO_CLASSES = "it writes answers, which are no classes: see exact_match and token_f1"


def read_written_evidence(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    baselines: EvidenceBaselines,
    settings: EvidenceSettings,
) -> EvidenceReading:
    """The packet of one reader that writes."""
    benchmark, clusters = experiment.benchmark, baselines.clusters
    rng = generator(experiment.seed, "evidence", "written", identity(reader))
    answers, shuffled = _ask_in_words(name, reader, experiment, shuffle, settings)
    donors = donors_of(shuffled)
    scores = {
        score: {part: _score_texts(score, benchmark, a) for part, a in answers.items()}
        for score in SCORES
    }
    by_shuffle = {score: _score_rows(score, benchmark, shuffled) for score in SCORES}
    effects = {
        score: shuffle_effect(
            np.asarray(scores[score][FULL], np.float64), rows, donors, clusters
        )
        for score, rows in by_shuffle.items()
    }
    if settings.judge is not None:
        scores["judged"] = {
            part: _judge_texts(experiment, settings.judge, a)
            for part, a in answers.items()
        }
    accepted = benchmark.test.accepted_answers
    exact, wrong = scores["exact_match"], by_shuffle["exact_match"]
    right = exact[FULL]
    guess = pd.Series(commonest_answer_scores(accepted), right.index)
    gain = difference(right, guess, rng=rng, clusters=clusters)
    effect, texts = effects["exact_match"], answers[FULL].texts[0]
    collapsed = gain.low <= 0 or _commonest_share(texts) >= ONE_CLASS
    outcome = COLLAPSED if collapsed else effect_decision(effect, baselines)
    condition = f"{shuffle}, exact match"
    remarks = answers[FULL].remarks
    findings = (
        *_score_findings(name, guess, scores, rng, clusters),
        Finding("delta_evi", name, condition, effect.interval(0.95), outcome),
        Finding("sigma_shuf", name, condition, effect.sigma),
        Finding(
            "delta_evi_f1",
            name,
            f"{shuffle}, token F1",
            effects["token_f1"].interval(0.95),
        ),
        *remark_findings(name, FULL, remarks, len(right)),
    )
    return EvidenceReading(
        name=name,
        strength=traits_of(reader).strength,
        learns_labels=traits_of(reader).learns_labels,
        findings=findings,
        not_run=_not_run(name, [*benchmark.test_parts]),
        remarks=remarks,
        right=right,
        wrong=wrong,
        alone={"query_only": exact[CLOSED], "evidence_only": exact[EVIDENCE]},
        effect=effect,
        decision=outcome,
        mpds=None,
        beyond=None,
        changed_share=changed_share(benchmark.test.column(shuffle.field), donors),
        written=texts,
    )


def _score_findings(
    name: str,
    guess: "pd.Series[float]",
    scores: Mapping[str, Mapping[str, "pd.Series[float]"]],
    rng: np.random.Generator,
    clusters: Clusters,
) -> Iterator[Finding]:
    """The mean of each score: of the commonest answer, and of the reader's."""
    by_guess = mean_score(guess, rng=rng, clusters=clusters)
    yield Finding("exact_match", COMMONEST, FULL, by_guess)
    for score, parts in scores.items():
        for part, values in parts.items():
            mean = mean_score(values, rng=rng, clusters=clusters)
            yield Finding(score, name, part, mean)


def _not_run(name: str, parts: Sequence[str]) -> dict[str, str]:
    """What has no value where answers are written."""
    aside = f"{' and '.join(parts)} of {name}"
    untold = {aside: "answers are written to the headline items alone"} if parts else {}
    return untold | {
        f"accuracy, mcc and bits of {name}": NO_CLASSES,
        f"mpds of {name}": "metadata choose among drawn answers, and it writes its own",
    }


def _ask_in_words(
    name: str,
    reader: Reader,
    experiment: Experiment,
    shuffle: Shuffle,
    settings: EvidenceSettings,
) -> tuple[dict[str, WrittenAnswers], WrittenAnswers]:
    """Ask with the right evidence, with none, with nothing else, and with the wrong."""
    keeps = {CLOSED: Keep(experiment.benchmark.query), EVIDENCE: Keep(shuffle.field)}
    asks = {
        FULL: Ask(reader, what=TEXTS),
        **{
            part: Ask(reader, fitted_under=keep, under=keep, what=TEXTS)
            for part, keep in keeps.items()
        },
    }
    wrong = Ask(reader, under=shuffle, repeats=settings.shuffles, what=TEXTS)
    check_budget(name, (experiment, [*asks.values(), wrong]))
    *answers, shuffled = write_all(experiment, [*asks.values(), wrong])
    return dict(zip(asks, answers, strict=True)), shuffled


def _score_rows(score: str, benchmark: Benchmark, written: WrittenAnswers) -> Floats:
    """The score of each answer: repeats × items."""
    accepted = benchmark.test.accepted_answers
    rate = SCORES[score]
    return np.array(
        [
            [rate(text, golds) for text, golds in zip(row, accepted, strict=True)]
            for row in written.texts
        ]
    )


def _score_texts(
    score: str, benchmark: Benchmark, written: WrittenAnswers
) -> "pd.Series[float]":
    """The score of each item's answer."""
    return pd.Series(_score_rows(score, benchmark, written)[0], list(written.ids))


def _judge_texts(
    experiment: Experiment, judge: str, written: WrittenAnswers
) -> "pd.Series[float]":
    """How surely each answer and one that is accepted say the same, of the likest."""
    accepted = experiment.benchmark.test.accepted_answers
    texts = written.texts[0]
    pairs = [
        (text, gold)
        for text, golds in zip(texts, accepted, strict=True)
        for gold in golds
    ]
    scores = judge_similarity(experiment, load_judge(judge), pairs)
    counts = np.array([len(golds) for golds in accepted])
    best = np.maximum.reduceat(scores, np.cumsum(counts) - counts)
    return pd.Series(best, list(written.ids))


def _commonest_share(texts: Sequence[str]) -> float:
    """The greatest share that one answer has among those written."""
    forms = pd.Series([squad_form(text) for text in texts])
    return float(forms.value_counts(normalize=True).iloc[0])
