"""Whatever of a model decides an answer is in its key; where it lies is not."""

import json
import os
import shutil
from dataclasses import replace

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from measurand.core.errors import MissingWeights
from measurand.core.recipe import describe_recipe, identity
from measurand.disk import digests
from measurand.disk.store import Store
from measurand.experiment.ask import Ask, answer_key, ask_key
from measurand.experiment.experiment import ask_all, open_experiment
from measurand.experiment.rationales import ask_writer, judge_entailment
from measurand.experiment.trial import run_trial
from measurand.explainers.distortions import Drift
from measurand.explainers.prompted import Edited, Prompted
from measurand.interventions.prompted import PromptedRewording
from measurand.interventions.rewrite import Rewrite
from measurand.judges.neural import BertScore, NliJudge
from measurand.readers.causal import CausalReader, ZeroShotReader
from measurand.readers.encoder import EncoderReader
from measurand.readers.saved import SavedReader, saved_reader
from tests.conftest import small_items
from tests.models import tiny_classifier, tiny_decoder, tiny_encoder

pytestmark = pytest.mark.usefixtures("one_thread")


def reader(place):
    return EncoderReader(str(place), epochs=1, batch=16, length=16, held=0.0)


RECIPES = {
    "encoder": reader,
    "causal": CausalReader,
    "zero-shot": ZeroShotReader,
    "saved": lambda place: SavedReader(place, "digest"),
    "nli": NliJudge,
    "bertscore": BertScore,
    "prompted": lambda place: Prompted("claim", model=f"causal:{place}"),
    "edited": lambda place: Edited(Drift("claim", "proof"), place),
    "rewording": lambda place: PromptedRewording("claim", place),
    "rewrite": lambda place: Rewrite("claim", place),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return tiny_encoder.save(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def folder(whole, tmp_path):
    """A model that may be changed, with the words in a file of their own too."""
    copy = shutil.copytree(whole, tmp_path / "copy")
    (copy / "vocab.txt").write_text("[PAD]\n")
    return copy


@pytest.fixture
def asked(folder, benchmark, tmp_path):
    """How many answers of an encoder are computed, with one store."""

    def ask(place=folder):
        with open_experiment(benchmark, store=tmp_path / "store") as experiment:
            answers = ask_all(experiment, [Ask(reader(place))])[0].probabilities
        return experiment.tally["computed"], answers

    return ask


def change_config(folder):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"hidden_act": "relu"}))


def change_tokenizer(folder):
    path = folder / "tokenizer.json"
    said = json.loads(path.read_text())
    numbers = said["model"]["vocab"]
    numbers["the"], numbers["claim"] = numbers["claim"], numbers["the"]
    path.write_text(json.dumps(said))


def change_weights(folder):
    """One number of one tensor; the size and the time of the file are put back."""
    path = folder / "model.safetensors"
    times, weights = path.stat(), load_file(path)
    weights["bert.embeddings.word_embeddings.weight"][9, 9] += 1
    save_file(weights, path, {"format": "pt"})
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert path.stat().st_size == times.st_size


def change_words(folder):
    (folder / "vocab.txt").write_text("[PAD]\nthe\n")


CHANGES = (change_config, change_tokenizer, change_words, change_weights)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_file_gives_new_answers(asked, folder, benchmark, change):
    (_, before), key = asked(), ask_key(Ask(reader(folder)), benchmark, 0)
    change(folder)
    computed, after = asked()
    assert computed == 1
    assert ask_key(Ask(reader(folder)), benchmark, 0) != key
    assert (after != before).any()


def test_touched_files_and_a_copy_give_the_same_answers(asked, folder, tmp_path):
    computed, before = asked()
    assert computed == 1
    for path in folder.iterdir():
        os.utime(path, (1, 1))
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    for place in (folder, copy):
        computed, answers = asked(place)
        assert computed == 0
        np.testing.assert_array_equal(answers, before)


def test_a_second_run_reads_no_weights_for_their_digest(asked, monkeypatch):
    monkeypatch.setattr(digests, "SETTLED", -1)
    monkeypatch.setattr(digests, "KNOWN", {})
    names, read = [], digests._read_digest
    spy = lambda path: names.append(os.path.basename(path)) or read(path)  # noqa: E731
    monkeypatch.setattr(digests, "_read_digest", spy)
    asked()
    assert "model.safetensors" in names
    assert len(names) == len({*names})
    names.clear()
    digests.KNOWN.clear()  # as in another process
    assert asked()[0] == 0
    assert names == []


@pytest.mark.parametrize("kind", RECIPES)
def test_the_files_of_every_recipe_are_in_its_key(folder, tmp_path, kind):
    before = answer_key(RECIPES[kind](str(folder)))
    assert answer_key(RECIPES[kind](str(folder))) == before
    change_weights(folder)
    assert answer_key(RECIPES[kind](str(folder))) != before


@pytest.mark.parametrize("kind", [kind for kind in RECIPES if kind != "prompted"])
def test_a_folder_goes_by_what_it_holds(whole, tmp_path, kind):
    copy = shutil.copytree(whole, tmp_path / "elsewhere")
    one, other = (identity(RECIPES[kind](str(place))) for place in (whole, copy))
    assert one == other
    assert str(whole) not in one


def test_a_report_says_which_files_were_used(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "elsewhere")
    one, other = (describe_recipe(reader(place)) for place in (folder, copy))
    assert one["model_files"] == digests.path_digest(str(folder))
    assert one == other | {"model": str(folder)}
    assert "model_files" not in describe_recipe(reader(tmp_path / "nowhere"))


def test_a_model_with_a_name_keeps_its_streams_whatever_its_files(
    folder, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, tmp_path / "bert")  # not the bert of that name
    assert identity(EncoderReader("bert")) == 'encoder(model="bert")'
    assert identity(EncoderReader()) == "encoder"


def test_files_that_change_while_they_are_used_give_no_answer(
    folder, benchmark, tmp_path, monkeypatch
):
    fit = EncoderReader.fit

    def fit_and_change(self, items, rng):
        fitted = fit(self, items, rng)
        change_weights(folder)
        return fitted

    monkeypatch.setattr(EncoderReader, "fit", fit_and_change)
    with pytest.raises(MissingWeights, match="changed while it was in use"):
        run_trial(benchmark, 0, Store(tmp_path / "store"), [Ask(reader(folder))])
    assert not [*tmp_path.glob("store/??/*")]


def test_a_judge_and_a_writer_are_asked_anew_when_their_files_change(
    benchmark, tmp_path
):
    nli = tiny_classifier.save(tmp_path / "nli")
    decoder = tiny_decoder.save(tmp_path / "decoder")
    computed = []
    for indent in (2, 2, 9):
        for config in tmp_path.glob("*/config.json"):
            config.write_text(json.dumps(json.loads(config.read_text()), indent=indent))
        with open_experiment(benchmark, store=tmp_path / "store") as experiment:
            judge_entailment(experiment, NliJudge(nli), [("a claim", "a proof")])
            ask_writer(experiment, Prompted("claim", model=decoder, max_tokens=2), "a")
        computed.append(experiment.tally["computed"])
    assert computed == [2, 0, 2]


def test_a_saved_reader_is_fingerprinted_as_any_folder_is(tmp_path, folder):
    reader(folder).fit(small_items(), np.random.default_rng(0)).save(tmp_path / "saved")
    saved = saved_reader(str(tmp_path / "saved"))
    assert saved.digest == digests.path_digest(str(tmp_path / "saved"))
    other = replace(saved, directory=shutil.copytree(saved.directory, tmp_path / "b"))
    assert answer_key(saved) == answer_key(
        replace(other, directory=str(tmp_path / "b"))
    )
