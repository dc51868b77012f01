"""Rationales that a model wrote are kept, checked and counted."""

import numpy as np
import pytest

pytest.importorskip("httpx")

from measurand.core.errors import MissingWeights
from measurand.core.explainer import ExplainerRoles
from measurand.core.seeds import generator
from measurand.experiment import rationales as module
from measurand.experiment.experiment import open_experiment
from measurand.experiment.rationales import explain_items, shortfalls
from measurand.explainers import make_explainer
from measurand.models.server.endpoint import Terms
from tests.models.fake_server import serving

ROLES = ExplainerRoles("claim", "evidence")


@pytest.fixture
def running(benchmark, tmp_path):
    said = []
    with open_experiment(benchmark, store=tmp_path, notice=said.append) as experiment:
        yield experiment, benchmark.test, said


def served(server, name="concise", **settings):
    terms = Terms(url=server.url, retries=0, concurrency=1)
    return make_explainer(name, ROLES, model="llm:small", terms=terms, **settings)


def files(experiment):
    return sorted((experiment.store.directory / "rationales").glob("*/*.json"))


def test_a_light_explainer_is_computed_from_its_stream_and_not_kept(running):
    experiment, items, _ = running
    explainer = make_explainer("random-1", ROLES)
    rng = generator(experiment.seed, "explain", "random-1")
    texts = explain_items(experiment, explainer, items, "random-1")
    assert texts == explainer.explain(items, rng)
    assert texts != explain_items(experiment, explainer, items, "another")
    assert files(experiment) == []


def test_what_a_model_wrote_is_asked_for_once(running):
    experiment, items, said = running
    with serving(lambda prompt: prompt[-60:-20]) as server:
        explainer = served(server)
        first = explain_items(experiment, explainer, items, "concise")
        for path in (experiment.store.directory / "calls").glob("*/*"):
            path.unlink()  # the rationales are kept apart from the calls
        assert explain_items(experiment, explainer, items, "concise") == first
        assert server.answered.total() == len({*server.answered})
    assert len(first) == len(items)
    assert said == []


def test_other_settings_or_prompts_are_other_files(running):
    experiment, items, _ = running
    with serving(lambda prompt: "It is so.") as server:
        for explainer in (served(server), served(server, max_tokens=9)):
            explain_items(experiment, explainer, items, "a")
        assert len(files(experiment)) == 2
        other = items.with_field("claim", ["other"] * len(items))
        explain_items(experiment, served(server), other, "a")
    assert len(files(experiment)) == 3


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{", b'{"sha256": "", "texts": []}', b"[" * 99_999]
)
def test_a_damaged_file_is_noticed_and_made_again(running, content):
    experiment, items, said = running
    with serving(lambda prompt: "It is so.") as server:
        first = explain_items(experiment, served(server), items, "a")
        (path,) = files(experiment)
        whole = path.read_bytes()
        path.write_bytes(content)
        assert explain_items(experiment, served(server), items, "a") == first
    assert path.read_bytes() == whole
    assert [path.stem in line for line in said] == [True]


def test_a_letter_changed_in_a_kept_text_is_noticed(running):
    experiment, items, said = running
    with serving(lambda prompt: "It is so.") as server:
        first = explain_items(experiment, served(server), items, "a")
        (path,) = files(experiment)
        path.write_bytes(path.read_bytes().replace(b"It is", b"It as", 1))
        assert explain_items(experiment, served(server), items, "a") == first
    assert len(said) == 1


def test_a_run_that_ends_early_goes_on_where_it_was(running, monkeypatch):
    experiment, items, _ = running
    monkeypatch.setattr(module, "TOGETHER", 3)
    with serving(lambda prompt: "It is so.") as server:
        explainer = served(server)
        explain_items(experiment, explainer, items.rows(np.arange(6)), "a")
        kept = {path: path.read_bytes() for path in files(experiment)}
        before = experiment.tally["computed"]
        explain_items(experiment, explainer, items, "a")
    assert len(kept) == before == 2
    assert experiment.tally["reused"] == 2
    assert all(path.read_bytes() == content for path, content in kept.items())


def test_a_local_model_that_is_not_there_is_one_line(running):
    pytest.importorskip("torch")
    experiment, items, _ = running
    explainer = make_explainer("concise", ROLES, model="./nowhere")
    with pytest.raises(MissingWeights) as missing:
        explain_items(experiment, explainer, items, "a")
    assert "\n" not in str(missing.value)


def test_refusals_echoes_and_silence_are_counted(running):
    experiment, items, _ = running
    rules = ["I'm sorry, no.", "", None, "It is so."]

    def rule(prompt):
        claim = int(prompt.partition("claim: claim ")[2].split()[0])
        said = rules[claim % 4]
        return prompt if said is None else said

    numbers = [int(text.split()[1]) % 4 for text in items.column("claim")]
    with serving(rule) as server:
        shares = shortfalls(experiment, served(server), items, "a")
        texts = explain_items(experiment, served(server), items, "a")
    for number, name in enumerate(("refused", "empty", "echoed")):
        assert shares[name] == numbers.count(number) / len(items)
    assert [bool(text) for text in texts] == [number == 3 for number in numbers]


def test_of_other_explainers_empty_texts_are_counted(running):
    experiment, items, _ = running
    silent = items.with_field("evidence", [""] * len(items))
    tfidf = make_explainer("tfidf-1", ROLES, distractors=0)
    assert shortfalls(experiment, tfidf, silent, "a")["empty"] == 1
    assert set(shortfalls(experiment, tfidf, items, "a").values()) == {0}
