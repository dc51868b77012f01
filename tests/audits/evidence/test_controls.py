"""Controls of the evidence audit: what is recovered, said, counted and never shown."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.controls.samples import MatchSpike, WordSpike, unused_words
from measurand.core.errors import UnknownName
from measurand.core.recipe import Strength, Traits
from measurand.core.seeds import generator
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.readers.linear import TfidfReader
from measurand.report.figures import draw_chart
from measurand.report.saved import document, dumps

OURS = ("recovery", "detection_limit", "blank")


def made_items(n=3000):
    """Labels that lie in the query, and in no way in the evidence."""
    rng = np.random.default_rng(0)
    label = rng.choice(["no", "yes"], n)
    hint = np.where(rng.random(n) < 0.4, label, rng.choice(["no", "yes"], n))
    numbers = rng.integers(500, size=(n, 2))
    rows = zip(hint, numbers, strict=True)
    texts = [
        (f"is it {h} on day {i} {a}", f"they saw {b} of {a} in {i}")
        for i, (h, (a, b)) in enumerate(rows)
    ]
    return pd.DataFrame(texts, columns=["query", "evidence"]).assign(label=label)


BENCHMARK = from_frames(made_items(), name="made")


def audited(benchmark=BENCHMARK, *, reader="tfidf", workers=1, **settings):
    readers = {"mine" if not isinstance(reader, str) else reader: reader}
    readers = {
        n: READERS.load(r) if isinstance(r, str) else r for n, r in readers.items()
    }
    chosen = EvidenceSettings(
        **{"calibrate": False, "shuffles": 5, "controls": "quick", "folds": 1}
        | settings
    )
    with open_experiment(benchmark, workers=workers) as experiment:
        return audit(experiment, readers, chosen)


@pytest.fixture(scope="module")
def quick():
    return audited(margin=0.1)


@pytest.mark.slow
def test_a_reader_of_words_recovers_a_word_and_no_match(quick):
    assert quick.finding("recovery", "tfidf", "word 0.1").estimate.low > 0
    match = quick.finding("recovery", "tfidf", "match 0.1").estimate
    assert match.low <= 0
    limit = quick.finding("detection_limit", "tfidf", "word").estimate
    assert 0 < limit.value < 0.5
    assert "80 % power" in limit.method
    with pytest.raises(KeyError):
        quick.finding("detection_limit", "tfidf", "match")
    assert "for certain" in quick.not_run["detection_limit of tfidf, match"]


def test_a_verdict_says_that_a_blind_reader_could_not_have_seen_it(quick):
    assert quick.finding("delta_evi").decision == "near zero"
    assert quick.verdict.label == "calibrate"
    assert quick.verdict.provisional
    assert "could not have seen a dependence that joins" in quick.verdict.reason


@dataclass(frozen=True)
class Boastful(TfidfReader):
    """Words alone, from a reader that says it was pretrained."""

    kind: ClassVar[str] = "boastful"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED)


@pytest.mark.slow
def test_what_a_reader_says_of_itself_does_not_make_its_near_zero_stand():
    boast = audited(reader=Boastful(), margin=0.1, shuffles=2)
    assert boast.verdict.label == "undecided"
    assert "could not have seen a dependence that joins" in boast.verdict.reason
    unmeasured = audited(reader=Boastful(), margin=0.1, shuffles=2, controls="none")
    assert unmeasured.verdict.label != "calibrate"


@pytest.mark.slow
def test_a_near_zero_of_a_reader_that_joins_quotes_its_limit():
    report = audited(
        from_frames(made_items(6000), name="large"), reader="cross", margin=0.05
    )
    assert report.finding("delta_evi").decision == "near zero"
    limit = report.finding("detection_limit", "cross", "match").estimate.value
    assert f"in {100 * limit:.2g} % of the items or more" in report.verdict.reason


def test_a_blank_reads_nothing(quick):
    blanks = [f for f in quick.findings if f.statistic == "blank"]
    assert [f.condition for f in blanks] == ["over majority", "delta_evi"]
    assert {f.decision for f in blanks} == {"reads nothing"}
    assert all("5 deals" in f.estimate.method for f in blanks)
    assert not any("dealt anew" in line for line in quick.warnings)


def test_controls_change_no_other_number(quick):
    without = audited(margin=0.1, controls="none")
    others = [f for f in quick.findings if f.statistic not in OURS]
    assert others == list(without.findings)
    assert without.settings["controls"] == "none"
    assert "controls" not in [exhibit.name for exhibit in without.exhibits]


def test_no_spiked_text_is_in_the_report(quick):
    codes = unused_words(BENCHMARK, 2, generator(0, "control", "codes"))
    spiked = WordSpike("evidence", 0.1)(BENCHMARK, 0).benchmark.test.column("evidence")
    assert any(codes[0] in text for text in spiked)  # else nothing is looked for
    shown = dumps(document(quick)) + quick.items.to_csv()
    assert not any(word in shown for word in (*codes, "The order was", "This is about"))
    assert quick.items["evidence"].equals(BENCHMARK.test.column("evidence"))


@pytest.mark.slow
def test_the_same_bytes_with_several_workers(quick):
    assert dumps(document(audited(margin=0.1, workers=2))) == dumps(document(quick))


@pytest.mark.slow
def test_full_controls_try_several_doses_and_draw_them(quick):
    report = audited(margin=0.1, controls="full")
    doses = [f.condition for f in report.findings if f.statistic == "recovery"]
    assert doses == [f"{k} {d:g}" for k in ("word", "match") for d in (0.05, 0.1, 0.2)]
    # Of the few items that the least dose spikes, too few were wrong before.
    for kind in ("word", "match"):
        assert "at least 10" in report.not_run[f"recovery of tfidf, {kind} 0.02"]
    # The same items are spiked in the same way, whatever else is tried.
    assert report.finding("recovery", None, "word 0.1") == quick.finding("recovery")
    drawn = [e for r in (report, quick) for e in r.exhibits if e.name == "controls"]
    assert [exhibit.kind for exhibit in drawn] == ["curve", "intervals"]
    assert all(draw_chart(exhibit) is not None for exhibit in drawn)


def test_a_part_that_has_too_few_items_for_a_dose_is_named():
    small = from_frames(made_items(60), name="small")
    report = audited(small, controls="full")
    assert "a dose of 0.02 is none of" in report.not_run["recovery of tfidf, word 0.02"]


@dataclass(frozen=True)
class Torchlike(TfidfReader):
    """Words alone, from a reader whose trainings are counted as dear."""

    kind: ClassVar[str] = "torchlike"
    traits: ClassVar[Traits] = Traits(Strength.WORDS, packages=("torch",))


@pytest.mark.slow
def test_dear_readers_have_one_dose_and_only_when_asked(monkeypatch):
    monkeypatch.setattr("measurand.experiment.ask.versions", lambda packages=(): ())
    small = from_frames(made_items(1200), name="small")
    report = audited(small, reader=Torchlike(), shuffles=2)
    assert "set `controls` to 'full'" in report.not_run["controls of mine"]
    full = audited(small, reader=Torchlike(), shuffles=2, controls="full")
    doses = [f.condition for f in full.findings if f.statistic == "recovery"]
    assert doses == ["word 0.1", "match 0.1"]
    assert "5 trainings" in full.not_run["blank of mine"]


def test_an_amount_that_does_not_exist_is_refused():
    with pytest.raises(UnknownName, match="no amount of controls called 'some'"):
        EvidenceSettings(controls="some")


def test_match_needs_both_fields():
    sample = MatchSpike("query", "evidence", 0.1)(BENCHMARK, 0)
    inside = sample.benchmark.test.table[sample.spiked]
    assert inside["query"].str.contains("This is about").all()
    assert inside["evidence"].str.contains("The order was").all()
