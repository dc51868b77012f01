"""Whether the question was inferred: found where it was, and not where it was not."""

import re

import numpy as np
import pytest

from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.inference import likeness_gain
from measurand.benchmarks.synthetic_choices import LEAKING, plant_choice_benchmark
from measurand.core.choices import InfersQuestions
from measurand.core.errors import BadOption, Undefined
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.readers.endpoint import endpoint_reader
from measurand.stats.uncertainty import mean_interval
from tests.audits.leakage.leaky import pairs
from tests.audits.leakage.test_audit import made
from tests.audits.leakage.test_choices_prompted import offered, solve
from tests.models.fake_server import serving

SIZES = {"train": 40, "test": 120}
QUESTIONS = [f"where was harbour{i} built" for i in range(40)]
CHOICES = [["a red boat", "a mast"]] * 40


@pytest.fixture(scope="module")
def benchmark():
    return plant_choice_benchmark("planted", LEAKING, sizes=SIZES)


def ask_server(benchmark, write, **settings):
    """The report of a model that answers by `solve` and writes questions by a rule."""

    def rule(prompt):
        asks_for_question = "The question itself is missing" in prompt
        return write(prompt) if asks_for_question else solve(prompt)

    chosen = LeakageSettings(tsne=False, brief=True, **settings)
    with serving(rule) as server, open_experiment(benchmark) as experiment:
        llm = endpoint_reader("small", server.url, retries=1)
        return audit(experiment, {"llm": llm}, chosen)


def know_question(benchmark):
    """The question of the item whose choices a prompt shows."""
    rows = zip(
        benchmark.test.choice_texts, benchmark.test.column("question"), strict=True
    )
    by_choice = {text: question for texts, question in rows for text in texts}
    return lambda prompt: f"Question: {by_choice[offered(prompt)['A']]}\nI hope so."


@pytest.mark.slow
def test_a_question_that_was_inferred_is_found(benchmark):
    report = ask_server(benchmark, know_question(benchmark), check_inference=True)
    gain = report.finding("question_inferred", "llm", "choices")
    assert gain.decision == "inferred"
    assert gain.estimate.low > 0.5
    assert gain.estimate.n == 120
    own = report.finding("same_answer", "llm", "question inferred").estimate
    dealt = report.finding("same_answer", "llm", "question dealt").estimate
    assert own.value < 0.7  # it answers otherwise, and right, with the question
    assert 0 < dealt.value <= 1
    assert report.finding("accuracy", "llm", "question inferred").estimate.value == 1
    assert report.verdict.label == "leaks"
    assert report.settings["check_inference"] is True


@pytest.mark.slow
def test_questions_that_have_nothing_to_do_with_the_item_are_not_inferred(benchmark):
    def invent(prompt):
        return f"What does the {['harbour', 'mill'][len(prompt) % 2]} sell?"

    report = ask_server(benchmark, invent, check_inference=True)
    gain = report.finding("question_inferred", "llm", "choices")
    assert gain.decision in ("not inferred", "undecided")
    assert gain.estimate.low <= 0 <= gain.estimate.high


def test_without_the_check_no_question_is_asked_for(benchmark):
    report = ask_server(benchmark, know_question(benchmark))
    assert not [f for f in report.findings if f.statistic == "question_inferred"]


@pytest.mark.slow
def test_one_question_for_all_has_no_other_to_be_held_against(benchmark):
    report = ask_server(benchmark, lambda prompt: "What?", check_inference=True)
    assert "no written question shares" in report.not_run["question_inferred of llm"]


@pytest.mark.slow
def test_a_reader_that_writes_nothing_is_not_asked():
    sizes = {"train": 200, "test": 120}
    benchmark = plant_choice_benchmark("planted", LEAKING, sizes=sizes)
    chosen = LeakageSettings(brief=True, check_inference=True)
    with open_experiment(benchmark) as experiment:
        report = audit(experiment, {"tfidf": READERS.load("tfidf")}, chosen)
    assert "ask an LLM" in report.not_run["question_inferred of tfidf"]


def test_items_without_choices_have_no_question_to_infer():
    benchmark = made(pairs(60), pairs(60, seed=1))
    chosen = LeakageSettings(check_inference=True)
    with (
        open_experiment(benchmark) as experiment,
        pytest.raises(BadOption, match="`check_inference` asks for questions"),
    ):
        audit(experiment, {"tfidf": READERS.load("tfidf")}, chosen)


def test_the_gain_is_one_for_the_very_questions_and_words_of_choices_do_not_count():
    rng = np.random.default_rng(0)
    questions = [f"harbour{i}" for i in range(40)]
    np.testing.assert_allclose(likeness_gain(questions, questions, CHOICES, rng), 1)
    copied = ["which red boat has the mast"] * 40
    with pytest.raises(Undefined, match="shares a telling word"):
        likeness_gain(copied, copied, CHOICES, rng)
    with pytest.raises(Undefined, match="one item has no other"):
        likeness_gain(["a"], ["a"], [["b", "c"]], rng)


@pytest.mark.slow
def test_the_gain_of_dealt_questions_covers_zero_as_often_as_it_says():
    misses = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        topics = rng.integers(8, size=(40, 3))
        asked = [" ".join(f"topic{t}" for t in row) for row in topics]
        written = [asked[i] for i in rng.permutation(40)]
        gain = mean_interval(likeness_gain(written, asked, CHOICES, rng))
        misses += not gain.low <= 0 <= gain.high
    assert misses / 200 <= 0.08


@pytest.mark.slow
def test_a_decoder_writes_a_line_of_the_choices(tmp_path):
    pytest.importorskip("transformers")
    from measurand.core.choices import fit_writer_to
    from measurand.readers.causal import ZeroShotReader
    from tests.models.tiny_decoder import save

    reader = ZeroShotReader(save(tmp_path, 512))
    assert isinstance(reader, InfersQuestions)
    items = plant_choice_benchmark("planted", LEAKING, sizes=SIZES).test
    writer = fit_writer_to(reader.for_questions(), items, np.random.default_rng(0))
    one = items.rows(np.arange(1)).keep_fields("choices")
    (text,) = writer.write(one)
    assert "\n" not in text
    (prompt,), _ = writer.wording.prompts(writer.model, one, ["\nA. x"])
    assert re.search(r"is missing\.\n\nA\. x\n\nWrite the question", prompt)
