"""Readers that write their answers: what they lose without the evidence."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.choices import WritesAnswers
from measurand.core.errors import ReaderFailed, UnknownName
from measurand.core.names import own_column
from measurand.core.recipe import Strength, Traits
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.readers.linear import TfidfReader
from measurand.report.saved import document, dumps

CITIES = [
    f"{a}{b}"
    for a in ("Os", "Ber", "Lin", "Tor", "Mal", "Van")
    for b in ("lo", "gen", "dau", "sund", "vik", "heim", "by", "ford", "ton", "mark")
]


def harbours(n=240, seed=0):
    """Questions whose passage names the answer; every tenth answer has two forms."""
    rng = np.random.default_rng(seed)
    towns = [CITIES[i] for i in rng.integers(len(CITIES), size=n)]
    return pd.DataFrame(
        {
            "question": [f"Where does boat {i} lie?" for i in range(n)],
            "evidence": [
                f"Boat {i} lies in {town} now." for i, town in enumerate(towns)
            ],
            "answers": [
                [town, f"{town} harbour"] if i % 10 == 0 else [town]
                for i, town in enumerate(towns)
            ],
        }
    )


@dataclass(frozen=True)
class ScriptedWriter(TfidfReader):
    """Writes by rule: what the passage says, or what it knows of each question."""

    kind: ClassVar[str] = "scripted"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED)
    rule: str = "read"
    share: float = 1.0

    def fit_writer(self, items, rng):
        return Scripted(self)


@dataclass(frozen=True)
class Scripted:
    reader: ScriptedWriter

    def write(self, items):
        known = dict(zip(harbours()["question"], harbours()["answers"], strict=True))
        texts = []
        for i in range(len(items)):
            row = items.table.iloc[i]
            if self.reader.rule == "read":
                words = row.get("evidence", "").split()
                texts.append(f"The {words[4]}." if len(words) > 4 else "unknown")
            elif self.reader.rule == "know":
                asked = row.get("question", "")
                texts.append(known[asked][0] if asked in known else "unknown")
            elif self.reader.rule == "same":
                texts.append("Oslo")
            else:
                return ["one answer"]
        return texts

    def remarks(self):
        return {"truncated": 0.0}


def run(readers, store=None, **settings):
    benchmark = from_frames(harbours(), name="harbours")
    usual = {"calibrate": False, "shuffles": 4}
    with open_experiment(benchmark, store=store) as experiment:
        return audit(experiment, readers, EvidenceSettings(**usual | settings))


def figures(report):
    return {(f.statistic, f.reader, f.condition): f.estimate for f in report.findings}


def test_who_reads_the_passage_loses_all_on_the_wrong_one():
    report = run({"writer": ScriptedWriter()})
    found = figures(report)
    assert report.verdict.label == "needed"
    assert found["gain", "writer", "full"].low > 0.9
    assert found["exact_match", "writer", "full"].value == 1
    assert found["token_f1", "writer", "full"].value == 1
    assert found["exact_match", "writer", "closed_book"].value == 0
    assert found["delta_evi", "writer", "plain, exact match"].low > 0.9
    assert found["delta_evi_f1", "writer", "plain, token F1"].low > 0.9
    assert ("accuracy", "writer", "full") not in found
    assert report.settings["written_by"] == "exact_match"
    assert report.items[own_column("answer", "writer")].str.startswith("The ").all()


@pytest.mark.slow
def test_who_answers_from_memory_shows_no_need_of_the_passage():
    report = run({"writer": ScriptedWriter(rule="know")})
    found = figures(report)
    assert found["gain", "writer", "full"].high < 0.05
    assert report.verdict.stage != "writer"
    assert found["exact_match", "writer", "closed_book"].value == 1
    assert found["delta_evi", "writer", "plain, exact match"].value == 0


@pytest.mark.slow
def test_who_always_writes_the_same_is_collapsed_and_decides_nothing():
    report = run({"writer": ScriptedWriter(rule="same")})
    assert report.finding("delta_evi", "writer").decision == "collapsed"
    assert report.verdict.stage != "writer"


@pytest.mark.slow
def test_who_chooses_and_who_writes_are_told_apart():
    report = run({"cross": READERS.load("cross"), "writer": ScriptedWriter()})
    found = figures(report)
    assert ("accuracy", "cross", "full") in found
    assert ("exact_match", "cross", "full") not in found
    assert ("delta_evi", "cross", "plain") in found
    assert any("these figures do not compare" in line for line in report.warnings)


@pytest.mark.slow
def test_a_second_run_writes_nothing_and_says_the_same(tmp_path):
    readers = {"writer": ScriptedWriter()}
    first = run(readers, tmp_path / "store", judge="lexical")
    stored = sorted((tmp_path / "store").rglob("*.parquet"))
    again = run(readers, tmp_path / "store", judge="lexical")
    assert dumps(document(first)) == dumps(document(again))
    assert sorted((tmp_path / "store").rglob("*.parquet")) == stored
    # "The Oslo." against "Oslo": an article is a word, if of little weight.
    assert 0.9 < figures(again)["judged", "writer", "full"].value < 1


@pytest.mark.slow
def test_a_reader_writes_by_its_ability_and_not_by_its_name():
    assert isinstance(ScriptedWriter(), WritesAnswers)
    assert not isinstance(READERS.load("cross"), WritesAnswers)
    found = figures(run({"smollm2": READERS.load("cross")}))
    assert ("accuracy", "smollm2", "full") in found


def test_what_is_no_answer_is_one_line():
    with pytest.raises(ReaderFailed, match="gave 1 answers for"):
        run({"writer": ScriptedWriter(rule="broken")})
    with pytest.raises(UnknownName, match="no judge called 'lexicall'"):
        EvidenceSettings(judge="lexicall")


def test_items_keep_the_answers_that_they_accept():
    benchmark = from_frames(harbours(), name="harbours")
    both = pd.concat([benchmark.train.table, benchmark.test.table])
    cells = both.loc[["0", "1"], benchmark.test.answers]
    assert [json.loads(cell) for cell in cells] == harbours()["answers"].iloc[
        :2
    ].tolist()
