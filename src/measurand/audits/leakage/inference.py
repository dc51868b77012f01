"""Whether a language model that reads choices alone may have inferred the question.

That choices alone tell the right one may be good reasoning: who sees them may infer
what is asked (Balepur et al., arXiv 2510.07761). So the model is asked to write the
question from the choices alone, and two things are held against questions that were
dealt to other items: how like it is to the right one, and how often the model gives the
same answer with it as without any. Words that the choices say themselves do not count.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from measurand.audits.leakage.asking import Evaluation
from measurand.audits.leakage.reading import LeakageReading
from measurand.audits.leakage.scores import UNDECIDED
from measurand.audits.leakage.settings import (
    DEALT_QUESTIONS,
    INFERENCE_ITEMS,
    INFERENCE_MARGIN,
)
from measurand.audits.leakage.sides import family_numbers
from measurand.core.arrays import Floats, Ints
from measurand.core.benchmark import Benchmark
from measurand.core.choices import InfersQuestions
from measurand.core.errors import PastBudget, Undefined
from measurand.core.finding import Finding
from measurand.core.reader import Reader
from measurand.core.recipe import identity
from measurand.core.seeds import generator
from measurand.experiment.ask import TEXTS, Ask
from measurand.experiment.experiment import (
    ask_all,
    check_budget,
    reopen_experiment,
    write_all,
)
from measurand.experiment.ladder import way_to_run
from measurand.interventions.fields import Keep
from measurand.selections.rows import Sample
from measurand.settings.leakage import LeakageSettings
from measurand.stats.scores import share_interval, token_f1
from measurand.stats.uncertainty import mean_interval
from measurand.text.words import FUNCTION, words

STATISTIC = "question_inferred"
OWN, DEALT = "question inferred", "question dealt"  # what is read with the choices
INFERRED, NOT_INFERRED = "inferred", "not inferred"


def add_inference(
    evaluation: Evaluation,
    reading: LeakageReading,
    reader: Reader,
    settings: LeakageSettings,
) -> LeakageReading:
    """The reading with whether its reader may have inferred the questions."""
    if not settings.check_inference:
        return reading
    what = f"{STATISTIC} of {reading.name}"
    if not isinstance(reader, InfersQuestions):
        return reading.add_not_run({what: "it writes no questions; ask an LLM"})
    try:
        findings = _measure_inference(evaluation, reading.name, reader)
    except PastBudget as past:
        return reading.add_not_run({what: way_to_run("leakage", past)})
    except Undefined as reason:
        return reading.add_not_run({what: str(reason)})
    return replace(reading, findings=(*reading.findings, *findings))


def _measure_inference(
    evaluation: Evaluation, name: str, reader: InfersQuestions
) -> list[Finding]:
    """Ask for the question of some test items, and with it for their answers."""
    experiment = evaluation.experiment
    benchmark, seed = experiment.benchmark, experiment.seed
    rng = generator(seed, "leakage", "inference", identity(reader))
    test = Sample(INFERENCE_ITEMS)(benchmark.test, generator(seed, "inference"))
    keep = Keep(str(test.choices))
    few = replace(benchmark, test=test, test_parts={})
    writing = Ask(reader.for_questions(), fitted_under=keep, under=keep, what=TEXTS)
    reading = Ask(reader, fitted_under=keep, under=keep)
    with reopen_experiment(experiment, few) as inner:
        check_budget(name, (inner, [writing, reading]))
        (written,) = write_all(inner, [writing])
        (alone,) = ask_all(inner, [reading])
    questions = list(written.texts[0])
    findings = [_state_likeness(name, questions, few, rng)]
    (order,) = deal_others(len(test), 1, rng)
    texts = {OWN: questions, DEALT: [questions[number] for number in order]}
    answers = {
        condition: _answer_with(evaluation, name, reader, few, inferred)
        for condition, inferred in texts.items()
    }
    clusters, gold = family_numbers(test), test.gold(benchmark.classes)
    for condition, predictions in answers.items():
        same = share_interval((predictions == alone.answers[0]).astype(float), clusters)
        findings.append(Finding("same_answer", name, condition, same))
    right = share_interval((answers[OWN] == gold).astype(float), clusters)
    return [*findings, Finding("accuracy", name, OWN, right)]


def _answer_with(
    evaluation: Evaluation,
    name: str,
    reader: Reader,
    benchmark: Benchmark,
    questions: Sequence[str],
) -> Ints:
    """What is answered from the choices with these questions."""
    query, choices = benchmark.query, str(benchmark.test.choices)
    inferred = benchmark.test.keep_fields(query, choices).with_field(query, questions)
    learned = benchmark.train.keep_fields(query, choices)
    changed = replace(benchmark, train=learned, test=inferred, evidence=None)
    with reopen_experiment(evaluation.experiment, changed) as inner:
        check_budget(name, (inner, [Ask(reader)]))
        (predictions,) = ask_all(inner, [Ask(reader)])
    return np.asarray(predictions.answers[0])


def _state_likeness(
    name: str, questions: Sequence[str], benchmark: Benchmark, rng: np.random.Generator
) -> Finding:
    """How much more like a written question is to its own than to others."""
    test, clusters = benchmark.test, family_numbers(benchmark.test)
    queries = test.column(benchmark.query).tolist()
    gain = likeness_gain(questions, queries, test.choice_texts, rng)
    estimate = mean_interval(gain, clusters)
    outcome = UNDECIDED
    if estimate.low > INFERENCE_MARGIN:
        outcome = INFERRED
    elif mean_interval(gain, clusters, 0.90).high < INFERENCE_MARGIN:
        outcome = NOT_INFERRED
    return Finding(STATISTIC, name, "choices", estimate, outcome)


def likeness_gain(
    written: Sequence[str],
    right: Sequence[str],
    choices: Sequence[Sequence[str]],
    rng: np.random.Generator,
) -> Floats:
    """The word F1 of each written question with its own, over that with others' own.

    The others come from deals in which no item has its own: where nothing of an item
    shows in what was written of it, the mean is zero.
    """
    count = len(written)
    if count < 2:
        raise Undefined("one item has no other to be held against; give more")
    choice_words = [{word for text in row for word in words(text)} for row in choices]
    pairs = list(zip(choice_words, written, right, strict=True))
    new = [_telling_words(text, shared) for shared, text, _ in pairs]
    true = [_telling_words(text, shared) for shared, _, text in pairs]
    likeness = _word_likeness(new, true)
    deals = deal_others(count, min(DEALT_QUESTIONS, count - 1), rng)
    dealt = np.mean([_word_likeness(new, [true[i] for i in d]) for d in deals], axis=0)
    if not likeness.any() and not dealt.any():
        raise Undefined("no written question shares a telling word with any question")
    return np.asarray(likeness - dealt)


def deal_others(count: int, deals: int, rng: np.random.Generator) -> list[Ints]:
    """For each item, another one; a further other one in each deal.

    >>> first, second = deal_others(3, 2, np.random.default_rng(0))
    >>> any(first == range(3)), any(second == first)
    (False, False)
    """
    order, places = rng.permutation(count), np.empty(count, np.int64)
    places[order] = np.arange(count)
    return [order[(places + turn) % count] for turn in range(1, deals + 1)]


def _telling_words(text: str, shared: set[str]) -> str:
    """The words of a question that are not function words, and that no choice says."""
    return " ".join(w for w in words(text) if w not in FUNCTION and w not in shared)


def _word_likeness(new: Sequence[str], true: Sequence[str]) -> Floats:
    """The F1 of the words of each pair; 0 where one has none."""
    pairs = zip(new, true, strict=True)
    return np.array([token_f1(a, [b]) if a and b else 0.0 for a, b in pairs])
