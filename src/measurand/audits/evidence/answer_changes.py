"""What a reader says of items with choices where their answer was taken or changed.

The evidence loses the sentences that hold the answer, or says another choice in its
place: who then still gives the old answer has it from elsewhere. The evidence comes
from another item of the same document or subject. Or "none of these" stands where the
right choice stood.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.evidence.asking import EvidenceBaselines, donors_of
from measurand.audits.evidence.reading import EvidenceReading
from measurand.audits.evidence.settings import CHANGED_SHUFFLES, FEWEST_CHANGED
from measurand.core.arrays import Bools, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.errors import CannotIntervene, NoField, PastBudget, Undefined
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding
from measurand.core.intervention import Intervention, Rearranging
from measurand.core.reader import Reader
from measurand.core.recipe import Strength, describe_recipe, identity, traits_of
from measurand.core.seeds import generator
from measurand.experiment.ask import Ask, Predictions
from measurand.experiment.crossfit import asked_reader, repeat_reader
from measurand.experiment.experiment import Experiment, ask_all, check_budget
from measurand.experiment.ladder import is_cross_fitted, way_to_run
from measurand.interventions import name_interventions
from measurand.interventions.answers import DeleteAnswer, RemoveGold, SwapAnswer
from measurand.interventions.shuffle import WITHIN, Shuffle
from measurand.settings.evidence import EvidenceSettings
from measurand.stats.paired import mean_score, share_difference
from measurand.stats.scores import cluster_share
from measurand.stats.shuffles import shuffle_effect

State = Callable[..., list[Finding]]  # what is stated of a change, as `_state_change`


def add_answer_changes(
    reading: EvidenceReading,
    reader: Reader,
    experiment: Experiment,
    baselines: EvidenceBaselines,
) -> EvidenceReading:
    """The reading with what its reader says where its answer was taken or changed."""
    benchmark = experiment.benchmark
    if benchmark.test.choices is None or reading.strength <= Strength.FORM:
        return reading
    traits = traits_of(reader)
    if traits.remote or not (is_cross_fitted(reader) or traits.learned):
        why = "they are asked of readers that take seconds, or that need no training"
        return reading.add_not_run({f"changed answers of {reading.name}": why})
    changes = [(change, n, _state_change) for change, n in _answer_changes(benchmark)]
    return _add_changes(reading, reader, experiment, baselines, changes)


def add_interventions(
    reading: EvidenceReading,
    reader: Reader,
    experiment: Experiment,
    baselines: EvidenceBaselines,
    named: Sequence[Intervention],
) -> EvidenceReading:
    """The reading with what its reader loses under the interventions that are named."""
    changes = [
        (
            change,
            CHANGED_SHUFFLES if isinstance(change, Rearranging) else 1,
            _state_loss,
        )
        for change in named
    ]
    return _add_changes(reading, reader, experiment, baselines, changes)


def intervention_settings(settings: EvidenceSettings, field: str) -> dict[str, object]:
    """The interventions that were named, and each as it was made."""
    named = settings.interventions
    changes = name_interventions(named, field)
    described: dict[str, object] = {
        "interventions": [name for name in named if isinstance(name, str)],
        "asked_under": {str(change): describe_recipe(change) for change in changes},
    }
    return described if named else {}


def _add_changes(
    reading: EvidenceReading,
    reader: Reader,
    experiment: Experiment,
    baselines: EvidenceBaselines,
    changes: Sequence[tuple[Intervention, int, State]],
) -> EvidenceReading:
    """The reading with what is stated of each change, drawn so often."""
    if not changes:
        return reading
    benchmark = experiment.benchmark
    # With the first of its seeds, which answered before.
    first = asked_reader(repeat_reader(reader, 1)[0], cut=benchmark.folds > 1)
    asks = [Ask(first), *(Ask(first, under=c, repeats=n) for c, n, _ in changes)]
    try:
        check_budget(reading.name, (experiment, asks))
    except PastBudget as past:
        what = f"changed items of {reading.name}"
        return reading.add_not_run({what: way_to_run("evidence", past)})
    try:
        full, *answers = ask_all(experiment, asks)
    except NoField as lacking:
        raise CannotIntervene(
            f"an intervention took away what {reading.name} learned from: {lacking}"
        ) from None
    rng = generator(experiment.seed, "evidence", identity(first), "changed answers")
    findings: list[Finding] = []
    missing: dict[str, str] = {}
    for (change, _, state), answer in zip(changes, answers, strict=True):
        try:
            findings += state(
                reading.name, change, full, answer, benchmark, baselines, rng
            )
        except Undefined as undefined:
            missing[f"{change} of {reading.name}"] = str(undefined)
    stated = (*reading.findings, *findings)
    return replace(reading, findings=stated).add_not_run(missing)


def _answer_changes(benchmark: Benchmark) -> list[tuple[Intervention, int]]:
    """The changes that these items may allow, and how often each is drawn."""
    evidence = str(benchmark.evidence)
    columns = dict(
        zip(WITHIN, (benchmark.test.subject, benchmark.test.document), strict=True)
    )
    shuffles = [Shuffle(evidence, kind) for kind, column in columns.items() if column]
    return [
        (DeleteAnswer(evidence), 1),
        (SwapAnswer(evidence), 1),
        (RemoveGold(), 1),
        *((shuffle, CHANGED_SHUFFLES) for shuffle in shuffles),
    ]


def _state_change(
    name: str,
    change: Intervention,
    full: Predictions,
    answer: Predictions,
    benchmark: Benchmark,
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> list[Finding]:
    """What one change does, of the items that it changes."""
    test, condition = benchmark.test, str(change)
    right = pd.Series(full.correct[0].astype(float), list(full.ids))
    after = pd.Series(answer.correct.astype(float).mean(axis=0), list(full.ids))
    clusters = baselines.clusters
    if isinstance(change, RemoveGold):
        estimate = mean_score(after, rng=rng, clusters=clusters)
        return [Finding("accuracy", name, condition, estimate)]
    if isinstance(change, SwapAnswer):
        new = change.right_after(test)
        estimate = followed_memory(full, answer, new, clusters)
        return [Finding("followed_memory", name, condition, estimate)]
    if isinstance(change, DeleteAnswer):
        changed = change.right_after(test) >= 0
        _check_changes(changed, "hold their answer word for word")
        rows = [right[changed], after[changed]]
        loss = share_difference(*rows, clusters=clusters[changed])
    else:
        texts = test.column(str(benchmark.evidence))
        loss = _loss_within(full, answer, texts, clusters)
    return [Finding("delta_evi", name, condition, loss)]


def _state_loss(
    name: str,
    change: Intervention,
    full: Predictions,
    answer: Predictions,
    benchmark: Benchmark,
    baselines: EvidenceBaselines,
    rng: np.random.Generator,
) -> list[Finding]:
    """What any intervention costs, of all items or of those whose text it exchanges."""
    clusters = baselines.clusters
    if isinstance(change, Rearranging):
        texts = benchmark.test.column(change.field)
        loss = _loss_within(full, answer, texts, clusters)
    else:
        rows = (pd.Series(a.correct[0].astype(float)) for a in (full, answer))
        loss = share_difference(*rows, clusters=clusters)
    return [Finding("lost", name, str(change), loss)]


def followed_memory(
    full: Predictions, swapped: Predictions, new: Ints, clusters: Ints
) -> Estimate:
    """How often the old answer is given where the evidence predicts another.

    Of items that were answered right with their own evidence, and are answered by the
    old or the new answer where it was swapped.

    Args:
        full: The answers with the own evidence.
        swapped: The answers with the swapped evidence.
        new: The position of the new right choice; -1 where nothing was swapped.
        clusters: Which items are dependent.
    """
    old, answers = full.gold, swapped.answers[0]
    either = (answers == old) | (answers == new)
    counted = (new >= 0) & full.correct[0] & either
    _check_changes(
        counted, "have another answer of its type, and are answered by either"
    )
    return cluster_share((answers == old)[counted].astype(float), clusters[counted])


def _loss_within(
    full: Predictions, answer: Predictions, texts: "pd.Series[str]", clusters: Ints
) -> Estimate:
    """What evidence of another item of the same kind costs those that could have it."""
    donors = donors_of(answer)
    numbers = pd.factorize(texts)[0]
    changed = (numbers[donors] != numbers).all(axis=0)
    _check_changes(changed, "share it with items of other evidence")
    position = np.cumsum(changed) - 1
    effect = shuffle_effect(
        full.correct[0][changed].astype(float),
        answer.correct[:, changed].astype(float),
        position[donors[:, changed]].astype(np.int32),
        clusters[changed],
    )
    return effect.interval(0.95)


def _check_changes(chosen: Bools | NDArray[np.bool_], what: str) -> None:
    """Raise where too few items were changed for a figure."""
    count = int(chosen.sum())
    if count < FEWEST_CHANGED:
        raise Undefined(f"{count} items {what}, and {FEWEST_CHANGED} are needed")
