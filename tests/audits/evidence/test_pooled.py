"""What the pool shows, who joins it, and what a memory of texts cannot feign."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.arms.need import READERS as LIGHT
from measurand.arms.need import pool_readers
from measurand.arms.pool import open_pool
from measurand.arms.split import find_split_items
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.split import fold_benchmark
from measurand.core.recipe import Strength, Traits
from measurand.experiment.experiment import open_experiment
from measurand.experiment.ladder import is_cross_fitted
from measurand.readers import READERS
from measurand.readers.linear import TfidfReader
from tests.arms.planted import ROLES, claims


def audited(benchmark, readers=None, **settings):
    usual = {"shuffles": 3, "strongest": "cross", "calibrate": False, "brief": True}
    chosen = EvidenceSettings(**{**usual, **settings})
    with open_experiment(benchmark) as experiment:
        return audit(experiment, readers or {"tfidf": READERS.load("tfidf")}, chosen)


def test_classical_readers_join_and_others_do_not():
    surface, lookup = READERS.load("surface"), READERS.load("pca")
    joined = pool_readers({"tfidf": TfidfReader(), "surface": surface, "pca": lookup})
    assert [*joined] == [*LIGHT, "surface", "pca"]
    own = pool_readers({"cross": surface, "words": TfidfReader(folds=2)})
    assert [*own] == [*LIGHT, "cross (given)"]
    assert not is_cross_fitted(Strong())
    assert [*pool_readers({"strong": Strong()})] == [*LIGHT]


@dataclass(frozen=True)
class Strong(TfidfReader):
    """A reader that says it is pretrained."""

    kind: ClassVar[str] = "strong"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED)


def split_table(told=0.8, n=400):
    """Claims of which the evidence of a share tells, in two parts."""
    table = claims(n, evidence=told).assign(split="train")
    table.loc[n // 2 :, "split"] = "test"
    return table


def test_a_strong_reader_is_asked_about_the_split_and_its_gain_is_there():
    benchmark = ms.load(split_table(), **ROLES, split="split")
    report = audited(benchmark, {"strong": Strong()})
    gain = report.finding("gain", "strong", "full").estimate
    assert gain.low > 0.1
    assert gain.n == 200
    assert not [
        f for f in report.findings if (f.reader, f.condition) == ("strong", "pooled")
    ]
    # A benchmark without metadata on which light readers agree.
    assert report.verdict.label == "needed"


@pytest.mark.slow
def test_texts_that_training_has_are_left_out_of_what_a_strong_reader_gains():
    table = split_table()
    copies = table.index[:100] + 200
    table.loc[copies, ["evidence", "label"]] = table.loc[
        table.index[:100], ["evidence", "label"]
    ].to_numpy()
    benchmark = ms.load(table, **ROLES, split="split")
    report = audited(benchmark, {"strong": Strong()})
    gain = report.finding("gain", "strong", "texts=new").estimate
    assert gain.n == 100
    assert report.finding("seen", "families", "full").estimate.value == 0.5
    table.loc[table.index[300:310], "evidence"] = table.loc[0, "evidence"]
    report = audited(ms.load(table, **ROLES, split="split"), {"strong": Strong()})
    assert "90 test items have texts that are new" in report.not_run["gain of strong"]


def test_in_folds_items_are_new_whose_families_stand_in_one_fold():
    table = claims(120)
    table.loc[1, "claim"] = table.loc[0, "claim"]
    for split_by, seen in (("both", 0), ("evidence", None)):
        benchmark = ms.load(table, **ROLES, split_by=split_by)
        tested = fold_benchmark(benchmark, 3, 0)
        items = find_split_items(open_pool(benchmark), tested)
        folds = tested.test.column("measurand.fold")
        apart = folds["0"] != folds["1"]
        assert len(items.rows) == 120
        assert (~items.new).sum() == (2 if apart else 0)
        assert seen is None or not apart


def remembered_items(seen, n=1200, seed=0):
    """Evidence that says nothing, each text with one label; so many stand in train."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.choice(list("abcdefghij"), 8)) + f" {i}" for i in range(400)]
    labels = rng.choice(["no", "yes"], len(texts))
    train = rng.integers(300, size=n)
    fresh = rng.random(n) >= seen
    test = np.where(fresh, rng.integers(300, 400, size=n), rng.integers(300, size=n))

    def table(numbers):
        hints = rng.choice(["maybe", "perhaps"], len(numbers))
        return pd.DataFrame(
            {
                "query": [f"is it {h} {i}" for i, h in enumerate(hints)],
                "evidence": [texts[number] for number in numbers],
                "label": labels[numbers],
            }
        )

    return from_frames(table(train), table(test), name="remembered")


def numbered_items():
    """Forty passages with a label each, ten items of each, none twice the same."""
    rng = np.random.default_rng(0)
    kept = [" ".join(rng.choice(5000, 30).astype(str)) for _ in range(40)]
    labels = rng.choice(["no", "yes"], 40)
    number = rng.permutation(np.repeat(np.arange(40), 10))
    table = pd.DataFrame(
        {
            "query": [f"is it so {i}" for i in range(400)],
            "evidence": [f"{kept[p]} item {i}" for i, p in enumerate(number)],
            "label": labels[number],
        }
    )
    return from_frames(table, name="numbered")


def evidence_families(families=150, size=8, seed=0, changed=1):
    """Copies of texts with words of 14 changed; a label is a coin for a family."""
    rng = np.random.default_rng(seed)
    vocabulary = [f"word{n}" for n in range(300)]
    rows = []
    for _ in range(families):
        base, label = rng.choice(vocabulary, 14), rng.choice(["no", "yes"])
        for _ in range(size):
            words = base.copy()
            for place in rng.choice(14, changed, replace=False):
                words[place] = f"name{rng.integers(9999)}"
            number = rng.integers(10**6)  # not in order: it would tell the family
            rows.append((f"is it number {number}", " ".join(words), label))
    table = pd.DataFrame(rows, columns=["query", "evidence", "label"])
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda: remembered_items(0.9),
        lambda: remembered_items(0.5),
        numbered_items,
        lambda: from_frames(evidence_families(), name="families"),
        lambda: from_frames(evidence_families(changed=3), name="families"),
        lambda: from_frames(evidence_families(changed=8), name="loose"),
        lambda: from_frames(evidence_families(seed=1, changed=8), name="loose"),
        lambda: from_frames(evidence_families(8, 120, changed=2), name="versions"),
    ],
)
def test_a_memory_of_evidence_is_never_a_need(make):
    verdict = audited(make()).verdict
    assert verdict.label == "inconclusive"
    assert verdict.bound.value > 0.3


def single_table(n=600, split_by="both"):
    """Half the labels stand in the evidence, each text of which two items share."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["no", "yes"], n)
    told = np.where(rng.random(n) < 0.5, labels, "unclear")
    table = pd.DataFrame(
        {
            "query": [f"is it so on day {i}" for i in range(n)],
            "evidence": [f"they said {word} {i // 2}" for i, word in enumerate(told)],
            "label": labels,
        }
    )
    return from_frames(table, name="single", split_by=split_by)


@pytest.mark.slow
@pytest.mark.parametrize("split_by", ["both", "query"])
def test_every_item_of_a_single_table_is_tested(split_by):
    benchmark = single_table(split_by=split_by)
    report, held_out = (
        audited(benchmark, folds=folds, calibrate=False) for folds in (None, 1)
    )
    assert report.benchmark["evaluated"] == "out of fold"
    assert held_out.benchmark["evaluated"] == "test items"
    assert (report.settings["folds"], held_out.settings["folds"]) == (3, 1)
    full, part = (r.finding("delta_evi", "tfidf").estimate for r in (report, held_out))
    assert full.high - full.low < 0.75 * (part.high - part.low)
    assert full.low <= part.value <= full.high
    assert full.n == len(report.items) == 600
    # Split by the query alone, evidence is shared; who is tested on it says so.
    seen = report.finding("seen", "families", "full").estimate
    assert (seen.value > 0) == (split_by == "query")


@pytest.mark.slow
def test_labels_shared_out_otherwise_in_training_are_warned_about():
    rng = np.random.default_rng(0)

    def side(n, shares):
        labels = rng.choice(["a", "b", "c"], n, p=shares)
        codes = np.where(rng.random(n) < 0.3, np.char.add("code", labels), "word")
        texts = rng.integers(999, size=(n, 6)).astype(str)
        rows = [" ".join([*t, c]) for t, c in zip(texts, codes, strict=True)]
        queries = [" ".join(row) for row in rng.integers(999, size=(n, 6)).astype(str)]
        return pd.DataFrame({"query": queries, "evidence": rows, "label": labels})

    sides = side(900, [1 / 3] * 3), side(600, [0.7, 0.15, 0.15])
    report = audited(from_frames(*sides, name="s"), calibrate=False, brief=True)
    assert report.finding("mcc", "tfidf", "full").estimate.low > 0
    assert any("labels are shared out otherwise" in w for w in report.warnings)


@pytest.mark.slow
def test_rows_names_and_labels_move_no_figure_of_the_pool():
    table = claims(160, evidence=0.6)
    renamed = table.sample(frac=1, random_state=3).reset_index(drop=True)
    renamed.columns = ["what", "why", "so"]
    renamed["so"] = renamed["so"].map({"yes": "0", "no": "1"})
    first = audited(ms.load(table, **ROLES, split_by="query"))
    other = audited(
        ms.load(renamed, query="what", evidence="why", label="so", split_by="query")
    )

    def pooled(report):
        return [f for f in report.findings if f.condition == "pooled"]

    assert pooled(first) == pooled(other)
    assert first.verdict == other.verdict
    parts = [report.exhibits[0].table for report in (first, other)]
    assert parts[1]["part"].tolist() == ["what", "why", "what + why"]
    left, right = (table.drop(columns="part") for table in parts)
    pd.testing.assert_frame_equal(left, right)
