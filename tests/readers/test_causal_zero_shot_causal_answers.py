"""Decoders that write answers: what they are asked, and what is kept of it."""

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from transformers import AutoTokenizer

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.choices import WritesAnswers, writes_answers
from measurand.experiment.experiment import open_experiment
from measurand.models.causal import CausalModel
from measurand.models.causal_training import Adaptation, Training
from measurand.readers import READERS
from measurand.readers.causal import CausalReader, ZeroShotReader
from measurand.readers.causal_zero_shot import MOST_TOKENS
from measurand.readers.prompting import first_line, gold_answers
from tests.models.tiny_decoder import save

pytestmark = pytest.mark.usefixtures("one_thread")
WORDS = ("red", "blue", "green", "black", "white", "gold")
TAIL = "\n\nReply with the answer alone, in as few words as possible.\nAnswer:"


def rng():
    return np.random.default_rng(0)


def colours(n=60):
    """Passages that say a colour, which nothing else tells."""
    said = [WORDS[i % len(WORDS)] for i in np.random.default_rng(0).permutation(n)]
    return pd.DataFrame(
        {
            "question": [f"boat {i}?" for i in range(n)],
            "evidence": [f"it is {word} {i}" for i, word in enumerate(said)],
            "answers": said,
        }
    )


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return save(tmp_path_factory.mktemp("tiny"), 512)


def test_a_decoder_is_asked_for_an_answer_and_its_first_line_is_kept(tiny):
    items = from_frames(colours(), name="colours").test
    reader = ZeroShotReader(tiny, length=480)
    assert writes_answers(reader, items)
    assert not isinstance(CausalReader(tiny), WritesAnswers)
    writer = reader.fit_writer(items, rng())
    row = items.table.iloc[0]
    prompt = f"evidence: {row['evidence']}\nquestion: {row['question']}{TAIL}"
    (text,) = CausalModel.load(tiny).generate([prompt], MOST_TOKENS["answers"])
    assert writer.write(items)[0] == first_line(text)
    assert writer.remarks() == {"truncated": 0.0}
    alone = items.keep_fields("question")
    closed = reader.fit_writer(alone, rng())
    prompts, _ = closed.wording.prompts(closed.model, alone)
    assert prompts[0] == f"{row['question']}{TAIL}"
    assert writer.write(alone) == closed.write(alone)


def test_examples_show_the_answers_of_training_items(tiny):
    items = from_frames(colours(), name="colours").train
    writer = ZeroShotReader(tiny, length=480, shots=2).fit_writer(items, rng())
    shown = writer.wording.before.split(TAIL)[1:]
    assert len(shown) == 2
    assert {part.split("\n")[0].strip() for part in shown} <= {*gold_answers(items)}


def test_a_small_model_converses_unless_it_is_shown_examples(tmp_path):
    folder = save(tmp_path, 512)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = (
        "{% for m in messages %}[user] {{ m['content'] }}\n{% endfor %}"
    )
    tokenizer.save_pretrained(folder)
    items = from_frames(colours(), name="colours").train
    told, shown = (
        ZeroShotReader(folder, length=480, shots=shots).fit_writer(items, rng()).wording
        for shots in (0, 2)
    )
    assert told.before.startswith("[user] ")
    assert not shown.before.startswith("[user] ")


@pytest.mark.slow
def test_a_writer_past_its_budget_is_not_run(tiny):
    benchmark = from_frames(colours(), name="colours")
    readers = {"cross": READERS.load("cross"), "tiny": ZeroShotReader(tiny, length=480)}
    settings = EvidenceSettings(calibrate=False, shuffles=2)
    with open_experiment(benchmark, budget=0.01) as experiment:
        report = audit(experiment, readers, settings)
    assert "past the budget" in report.not_run["tiny"]
    assert not any(finding.reader == "tiny" for finding in report.findings)


@pytest.mark.slow
def test_a_decoder_that_learned_to_read_needs_the_passage(tmp_path):
    folder = save(tmp_path, 512)
    table = colours(240)
    lines = [
        f"evidence: {e}\nquestion: {q}{TAIL} {a}\n"
        for q, e, a in table.itertuples(index=False)
    ]
    quick = Adaptation(Training(epochs=30, batch=16, rate=3e-3, decay=0.0), length=256)
    trained = CausalModel.load(folder).adapt(lines, quick)
    trained.network.save_pretrained(folder)
    benchmark = from_frames(colours(240), name="colours")
    with open_experiment(benchmark) as experiment:
        report = audit(
            experiment,
            {"tiny": ZeroShotReader(folder, length=256)},
            EvidenceSettings(calibrate=False, shuffles=3, folds=1),
        )
    found = {(f.statistic, f.condition): f.estimate for f in report.findings}
    assert found["exact_match", "full"].value > 0.8
    assert found["delta_evi", "plain, exact match"].low > 0.3
    assert report.verdict.region == "evidence-sensitive"
