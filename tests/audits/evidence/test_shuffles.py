"""What training has seen of the test items, and what then may be said."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from measurand.audits.evidence.split import check_shuffle, check_split

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import CannotIntervene
from measurand.core.recipe import Traits
from measurand.experiment.experiment import open_experiment
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.readers.baselines import LookupReader
from measurand.report.answer import answer_report


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


def audited(benchmark, **settings):
    chosen = {"shuffles": 5, "strongest": "cross", **settings}
    with open_experiment(benchmark) as experiment:
        return audit(
            experiment, {"tfidf": READERS.load("tfidf")}, EvidenceSettings(**chosen)
        )


@pytest.mark.parametrize("seen", [0.9, 0.97])
def test_evidence_seen_in_training_is_never_called_sensitive(seen):
    report = audited(remembered_items(seen), calibrate=False)
    assert report.findings[0].statistic == "seen"
    share = report.finding("seen", "lookup", "evidence").estimate
    assert share.low <= seen + 0.03
    assert share.high >= seen - 0.03
    assert report.finding("accuracy", "lookup", "evidence").estimate.value > 0.8
    assert report.verdict.label != "evidence-sensitive"
    assert any("stands in training too" in warning for warning in report.warnings)


def test_headline_figures_are_of_new_evidence_and_all_items_stand_beside():
    report = audited(remembered_items(0.5), calibrate=False)
    new = report.finding("accuracy", "tfidf", "full").estimate
    whole = report.finding("accuracy", "tfidf", "part=all items").estimate
    assert 500 < new.n < 700
    assert whole.n == 1200
    assert whole.low > new.high
    assert "whose evidence is new to training" in report.verdict.reason


def test_a_lookup_knows_texts_again_by_their_words():
    frame = pd.DataFrame(
        {
            "query": ["A dog , barks!", "a cat sleeps"] * 6,
            "evidence": [f"text {i}" for i in range(12)],
            "label": ["yes", "no"] * 6,
        }
    )
    other = frame.assign(query=["a dog, barks", "a bird flies"] * 6)
    benchmark = from_frames(frame, other, name="lookup")
    fitted = LookupReader("query").fit(benchmark.train, np.random.default_rng(0))
    shares = fitted.predict(benchmark.test)
    assert shares[0].argmax() == fitted.classes.index("yes")
    assert shares[1].tolist() == [0.5, 0.5]


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
    seen = report.finding("seen", "lookup", "evidence").estimate
    assert seen.n == 600
    assert report.benchmark["evaluated"] == "out of fold"
    assert held_out.benchmark["evaluated"] == "test items"
    assert (report.settings["folds"], held_out.settings["folds"]) == (3, 1)
    full, part = (r.finding("delta_evi", "tfidf").estimate for r in (report, held_out))
    assert full.high - full.low < 0.75 * (part.high - part.low)
    assert full.low <= part.value <= full.high
    # Split by the query alone, evidence is shared; who is tested on it says so.
    assert (seen.value > 0) == (split_by == "query")
    assert full.n == round(600 * (1 - seen.value))
    assert len(report.items) == full.n


def few_documents(sizes, **terms):
    """Items that share so few documents that a fold may hold hardly another."""
    documents = np.repeat(np.arange(len(sizes)), sizes)
    table = pd.DataFrame(
        {
            "query": [f"is it so on day {i}" for i in range(len(documents))],
            "evidence": [f"document {number}" for number in documents],
            "label": ["yes", "no"] * (len(documents) // 2),
        }
    )
    return from_frames(table, name="few", **terms)


@pytest.mark.parametrize(
    ("sizes", "terms", "advice"),
    [
        # Each fold holds one document, so that no shuffle has another to give.
        ([50, 50, 50], {}, "; drop repeated texts, or choose `split_by` 'query'"),
        (
            [60, 50, 60, 50, 60, 50],
            {},
            ", or choose `split_by` 'query' or `shuffle` 'nearest'",
        ),
        ([150, 30, 20], {"split_by": "query"}, ", or choose `shuffle` 'nearest'"),
    ],
)
def test_evidence_that_cannot_be_shuffled_names_what_would_do(sizes, terms, advice):
    with pytest.raises(CannotIntervene, match="items share one text") as refused:
        audited(few_documents(sizes, **terms), folds=3)
    assert str(refused.value).endswith(advice)


@pytest.mark.slow
def test_what_is_named_for_evidence_that_cannot_be_shuffled_works():
    report = audited(few_documents([50, 50, 50], split_by="query"), calibrate=False)
    assert report.finding("delta_evi", "tfidf").estimate.n == 150
    skewed = few_documents([150, 30, 20], split_by="query")
    report = audited(skewed, calibrate=False, shuffle="nearest")
    assert report.finding("delta_evi", "tfidf").estimate.n == 200


def test_a_server_is_asked_about_no_more_than_the_share_set_apart():
    @dataclass(frozen=True)
    class Paid(LookupReader):
        traits: ClassVar[Traits] = Traits(remote=True)

    settings = EvidenceSettings()
    assert settings.folds_for([LookupReader("evidence")]) == 3
    assert settings.folds_for([LookupReader("query"), Paid("evidence")]) == 1
    assert EvidenceSettings(folds=4).folds_for([Paid("evidence")]) == 4


def test_a_reader_that_learned_before_is_asked_about_the_share_set_apart():
    @dataclass(frozen=True)
    class Saved(LookupReader):
        traits: ClassVar[Traits] = Traits(learned=True)

    readers = [LookupReader("query"), Saved("evidence")]
    assert EvidenceSettings().folds_for(readers) == 1
    assert EvidenceSettings(folds=4).folds_for(readers) == 1


@pytest.mark.slow
def test_new_evidence_of_one_cluster_alone_gives_no_headline():
    rng = np.random.default_rng(0)
    n = 300
    group = np.where(np.arange(n) < 120, 0, 1 + np.arange(n) % 20)
    evidence = [
        f"own text {i}" if g == 0 else f"text {i % 10}" for i, g in enumerate(group)
    ]
    table = pd.DataFrame(
        {
            "query": [f"is it so {i}" for i in range(n)],
            "evidence": evidence,
            "label": rng.choice(["no", "yes"], n),
            "group": [f"g{g}" for g in group],
        }
    )
    benchmark = from_frames(table, name="grouped", split_by="group", group="group")
    report = audited(benchmark, calibrate=False, shuffles=2)
    assert report.finding("delta_evi", "tfidf").estimate.n == n


@pytest.mark.slow
def test_one_sample_of_coins_is_never_called_inverted():
    """Chance brings a reader surely below the majority of its own sample."""
    below = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        words = rng.choice(list("abcdefghij"), (2, 60, 6))
        table = pd.DataFrame(
            {
                "query": [" ".join(text) + f" {i}" for i, text in enumerate(words[0])],
                "evidence": [" ".join(text) for text in words[1]],
                "label": rng.choice(["no", "yes"], 60),
            }
        )
        benchmark = from_frames(table, name="coins", split_by="query")
        report = audited(benchmark, calibrate=False, shuffles=2)
        assert "inverted" not in report.verdict.reason
        below += report.finding("mcc", "tfidf").estimate.high < 0
    assert below, "or nothing was tried"


def test_a_memory_of_passages_that_were_numbered_is_no_reading():
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
    report = audited(from_frames(table, name="numbered"), calibrate=False)
    exact, near = (
        report.finding("seen", "lookup", where).estimate
        for where in ("evidence", "evidence, nearly")
    )
    assert exact.value == 0
    assert near.value > 0.9
    assert report.finding("delta_evi", "tfidf").decision == "depends"
    assert report.verdict.label == "undecided"
    assert "may remember rather than read" in report.verdict.reason


def half_blank(count, first=0):
    """Items of which every second has no evidence."""
    rng = np.random.default_rng(first)
    numbers = range(first, first + count)
    texts = [
        "" if n % 2 else " ".join(f"word{w}" for w in rng.integers(10**6, size=9))
        for n in numbers
    ]
    return pd.DataFrame(
        {
            "claim": [f"claim number{n}" for n in numbers],
            "evidence": texts,
            "label": [["yes", "no"][n // 2 % 2] for n in numbers],
        }
    )


def test_blank_evidence_is_shared_with_nobody():
    benchmark = from_frames(half_blank(120), half_blank(80, 1000), name="half")
    assert benchmark.notes["shared_evidence"] == 0
    with open_experiment(benchmark) as experiment:
        checked = check_split(experiment)
    assert (checked.new, checked.total) == (80, 80)
    seen = [f for f in checked.findings if f.statistic == "seen"]
    assert [f.estimate.value for f in seen] == [0, 0, 0, 0]
    drawn = from_frames(half_blank(200), name="half")
    assert 50 <= len(drawn.test) <= 70


def test_too_many_blanks_are_named_as_such():
    rows = half_blank(90).assign(evidence=["one text"] + [""] * 89)
    with pytest.raises(CannotIntervene, match="89 of 90 items have no evidence"):
        check_shuffle(*[from_frames(rows, rows, name="b")] * 2, Shuffle("evidence"), 0)


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
            rows.append((f"is it number {len(rows)}", " ".join(words), label))
    table = pd.DataFrame(rows, columns=["query", "evidence", "label"])
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


@pytest.mark.slow
@pytest.mark.parametrize("split", [True, False])
def test_copies_with_a_word_changed_are_no_new_evidence(split):
    table = evidence_families()
    sides = (table[:600], table[600:].reset_index(drop=True)) if split else (table,)
    report = audited(from_frames(*sides, name="families"), calibrate=False)
    assert report.verdict.label == "undecided"
    assert report.finding("seen", "lookup", "evidence, by family").estimate.low > 0.9
    family = report.finding("accuracy", "lookup", "evidence, by family").estimate
    assert family.low > 0.7
    assert "no copy with some words changed" in report.verdict.reason


@pytest.mark.slow
def test_a_few_documents_in_many_versions_are_families_and_no_templates():
    table = evidence_families(families=8, size=120, changed=2)
    report = audited(from_frames(table, name="versions"), calibrate=False, brief=True)
    assert report.finding("delta_evi", "tfidf", "plain").estimate.low > 0.3
    assert report.verdict.label == "undecided"
    assert report.finding("seen", "lookup", "evidence, by family").estimate.low > 0.9


def test_what_is_lost_without_copies_stands_beside_what_is_lost_with_them():
    rng = np.random.default_rng(3)
    copies, labels = evidence_families(60), rng.choice(["no", "yes"], 400)
    hints = {"no": "never", "yes": "always"}
    told = rng.random(400) < 0.4
    alone = pd.DataFrame(
        {
            "query": [f"is it alone {n}" for n in range(400)],
            "evidence": [
                " ".join(
                    [*rng.integers(9999, size=14).astype(str), hints[label] * int(tell)]
                )
                for label, tell in zip(labels, told, strict=True)
            ],
            "label": labels,
        }
    )
    table = pd.concat([copies, alone]).sample(frac=1, random_state=0)
    benchmark = from_frames(table.reset_index(drop=True), name="mixed")
    report = audited(benchmark, calibrate=False, brief=True)
    whole = report.finding("delta_evi", "tfidf", "plain").estimate
    there = report.finding("delta_evi", "tfidf", "plain, texts=new").estimate
    assert report.verdict.label == "evidence-sensitive"
    assert there.low > 0
    assert there.high < whole.low
    assert f"it loses {there}" in report.verdict.reason
    certainty = answer_report(report).certainty
    assert f"Of the {there.n} whose evidence has no copy in training:" in certainty


def test_labels_shared_out_otherwise_are_called_that_and_not_inverted():
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
    assert report.verdict.label == "no verdict"
    assert "or are shared out otherwise" in report.verdict.reason
    assert any("labels are shared out otherwise" in w for w in report.warnings)
    told = answer_report(report)
    assert "shared out otherwise" in told.sentence
    assert "inverted" not in f"{told.sentence} {told.cause} {told.steps}"
