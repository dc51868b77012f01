"""A rung that learns in seconds is called while a verdict is open."""

import shutil
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence.audit import audit
from measurand.audits.evidence.settings import EvidenceSettings
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.budget import Budget
from measurand.experiment.experiment import open_experiment
from measurand.models import vectors
from measurand.models.vectors import OWN, PACKAGED
from measurand.readers import READERS
from tests.models.tiny_sentences import write_encoder
from tests.models.vectors import make_vectors, write_vectors

ENDS = ["".join(end) for end in product("abcdef", "klmnoprst", "aeiouy")]
WORDS = [(f"word{end}", f"term{end}") for end in ENDS]  # of which none has a number


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Made vectors where those of the package would be."""
    folder = tmp_path / "package"
    own = write_vectors(tmp_path / "own", make_vectors(WORDS))
    for source, target in zip(OWN, PACKAGED, strict=True):
        (folder / target).parent.mkdir(parents=True)
        shutil.copy(f"{own}/{source}", folder / target)
    monkeypatch.setattr(vectors, "package_folders", lambda name: [str(folder)])


def synonyms(n=500):
    """The label is whether the evidence has another word for that of the query."""
    rng = np.random.default_rng(0)
    rows = []
    for number in range(n):
        asked, other = rng.permutation(len(WORDS))[:2]
        same = rng.random() < 0.5
        said = WORDS[asked if same else other][1]
        rows.append((f"{WORDS[asked][0]} {number}", f"{said} {number + n}", str(same)))
    table = pd.DataFrame(rows, columns=["query", "evidence", "label"])
    return from_frames(table, name="synonyms")


def audited(budget=None, strongest="aligned", **where):
    said = []
    limit = Budget(budget, said.append)
    with open_experiment(synonyms(), budget=limit, **where) as running:
        readers = {"cross": READERS.load("cross").without_temperature()}
        settings = EvidenceSettings(strongest=strongest, shuffles=2, brief=True)
        return audit(running, readers, settings), said


def test_it_is_cross_fitted_over_all_items_and_its_time_is_said(installed):
    report, said = audited()
    assert report.verdict.label == "needed"
    assert report.verdict.stage == "aligned"
    assert report.finding("gain", "aligned", "pooled").estimate.low > 0.1
    assert report.finding("gain", "cross", "pooled").estimate.high < 0.1
    assert [line for line in said if line.startswith("plan: aligned: ")]


def test_past_the_budget_it_is_listed_with_its_command(installed):
    report, _ = audited(1e-3)
    assert report.verdict.label == "inconclusive"
    assert report.not_run["aligned"].endswith(
        "run it with measurand evidence FILE --budget none"
    )
    assert report.verdict.settle.facts["reader"].text == "aligned"


def test_where_it_is_not_installed_it_is_passed_over(monkeypatch):
    monkeypatch.setattr(vectors, "package_folders", lambda name: [])
    report, said = audited()
    assert report.verdict.label == "inconclusive"
    assert not said
    assert "aligned" not in report.not_run


@pytest.fixture
def encoder(tmp_path, monkeypatch):
    """A made encoder in the place of the installed one, and no word vectors."""
    pytest.importorskip("tokenizers")
    place = write_encoder(tmp_path / "encoder", WORDS)
    monkeypatch.setattr(vectors, "package_folders", lambda name: [])
    monkeypatch.setitem(
        READERS.entries,
        "frozen",
        replace(READERS.entries["frozen"], settings={"model": place}),
    )
    return place


def test_a_frozen_encoder_is_called_next_and_its_reading_is_in_the_forecast(encoder):
    report, said = audited(strongest="frozen")
    assert report.verdict.label == "needed"
    assert report.verdict.stage == "frozen"
    assert report.finding("gain", "frozen", "pooled").estimate.low > 0.1
    assert [line for line in said if line.startswith("plan: frozen: ")]
    report, _ = audited(1e-3, strongest="frozen")
    assert report.verdict.label == "inconclusive"
    assert report.not_run["frozen"].endswith("measurand evidence FILE --budget none")
