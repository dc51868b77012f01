"""Explainers that ask a language model, as part of the audit."""

import json
import re

import pytest

pytest.importorskip("httpx")

from measurand.audits.explanations import ExplanationsSettings, audit
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.core.errors import MissingWeights
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from tests.models.fake_server import serving

STEPS = ("given", "steps", "concise")


def run(explainers, model, *, sizes, **options):
    benchmark = plant_rationales("planted", leaky=False, seed=5, sizes=sizes)
    with open_experiment(benchmark, **options) as running:
        readers = {"tfidf": READERS.load("tfidf")}
        return audit(
            running,
            readers,
            ExplanationsSettings(
                explainers=explainers, model=model, count=1, calibrate=False
            ),
        )


def value(report, statistic, condition, reader=None):
    return report.finding(statistic, reader, condition).estimate.value


@pytest.fixture(scope="module")
def brief(tmp_path_factory):
    """A tiny decoder that soon stops: any of many tokens ends what it writes."""
    pytest.importorskip("torch")
    from tests.models.tiny_decoder import save

    folder = tmp_path_factory.mktemp("brief")
    place = save(folder, window=512)
    ends = {"bos_token_id": 0, "eos_token_id": [*range(1, 400, 12)]}
    (folder / "generation_config.json").write_text(json.dumps(ends))
    return place


@pytest.mark.slow
def test_a_model_in_a_directory_writes_rationales_that_are_audited(brief):
    report = run(STEPS, f"causal:{brief}", sizes={"train": 28, "test": 12})
    assert report.finding("h3").condition == "steps"
    assert value(report, "robustness", "steps") <= 1
    assert value(report, "rationale_only", "steps", "tfidf") <= 1
    assert value(report, "rationale_only", "steps", "tfidf, no final answer") <= 1
    assert brief not in json.dumps(report.settings)


def reply(prompt):
    """Steps that end as they were asked to; of the rest some refuse or repeat."""
    end = re.search(r'End with: "(.*)"', prompt)
    number = len(prompt) % 4
    if end:
        return f"1. It was said.\n2. So be it {number}.\n{end[1]}"
    if number < 2:
        return ("I'm sorry, I cannot say.", prompt)[number]
    return f"It was said {number} times"


@pytest.fixture(scope="module")
def served():
    with serving(reply) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEASURAND_ENDPOINT", server.url)
        yield run(STEPS, "llm:small", sizes={"train": 100, "test": 60})


@pytest.mark.slow
def test_steps_leak_by_their_last_line_alone(served):
    assert value(served, "rationale_only", "steps", "tfidf") == 1
    assert value(served, "rationale_only", "steps", "tfidf, no final answer") < 0.7


@pytest.mark.slow
def test_refusals_and_echoes_are_counted_in_plain_words(served):
    (said,) = [warning for warning in served.warnings if "of concise" in warning]
    assert re.fullmatch(
        r"\d+ of 60 rationales of concise are empty: scored as the baseline; of the "
        r"model's replies, [\d.]+% refuse, [\d.]+% repeat the prompt",
        said,
    )
    assert not [warning for warning in served.warnings if "of steps" in warning]


@pytest.mark.slow
def test_an_item_without_a_reply_is_scored_as_the_baseline(served):
    items = served.items
    none = items["measurand.rationale:concise"] == ""
    assert 0 < none.sum() < 60
    assert (items.loc[none, "measurand.I:concise"] == 0).all()
    assert items.loc[none, "measurand.R:concise"].nunique() == 1
    assert items.loc[none, "measurand.R:concise"].iloc[0] == pytest.approx(
        value(served, "robustness_baseline", "concise"), abs=1e-9
    )


@pytest.mark.slow
def test_a_model_that_always_refuses_tells_nothing(monkeypatch):
    with serving(lambda prompt: "I cannot help with that.") as server:
        monkeypatch.setenv("MEASURAND_ENDPOINT", server.url)
        report = run(("given", "concise"), "llm:no", sizes={"train": 40, "test": 24})
    assert any("24 of 24 rationales of concise" in line for line in report.warnings)
    assert any("100.0% refuse" in line for line in report.warnings)
    assert value(report, "lcig", "concise") == 0
    assert value(report, "informativeness", "concise") == 0
    assert "no item has both" in report.not_run["robustness of concise"]


def edited(prompt):
    return prompt.partition("Text: ")[2].partition("\n")[0].replace("report", "liar")


@pytest.mark.slow
def test_a_named_model_writes_the_drift_and_no_model_is_asked_unasked(monkeypatch):
    names, sizes = ("given", "drift"), {"train": 30, "test": 20}
    with serving(edited) as server:
        monkeypatch.setenv("MEASURAND_ENDPOINT", server.url)
        by_model = run(names, "llm:small", sizes=sizes)
        asked = len(server.answered)
        by_rule = run(names, None, sizes=sizes)
        assert len(server.answered) == asked == 50
    told = by_model.items
    assert told["measurand.rationale:drift"].str.contains("liar").all()
    assert value(by_model, "drift_likeness", "drift") > 0.5
    assert value(by_rule, "drift_likeness", "drift") == 0


@pytest.mark.slow
def test_what_a_model_wrote_is_not_asked_for_again(monkeypatch, tmp_path):
    sizes = {"train": 30, "test": 20}
    with serving(lambda prompt: "So it was said.") as server:
        monkeypatch.setenv("MEASURAND_ENDPOINT", server.url)
        for _ in range(2):
            run(("given", "concise"), "llm:a", sizes=sizes, store=tmp_path)
        assert {*server.answered.values()} == {1}


def test_a_model_that_is_not_there_is_one_line():
    pytest.importorskip("torch")
    with pytest.raises(MissingWeights, match="no model directory") as failed:
        run(STEPS, "causal:/no/such/model", sizes={"train": 30, "test": 20})
    assert "\n" not in str(failed.value)
