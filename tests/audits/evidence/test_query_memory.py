"""Whether readers may remember queries, and when that is no memory but a coupling."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.audits.evidence.query_memory import _fold_by_family
from measurand.audits.evidence.split import check_split
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.split import FOLD
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS


def audited(benchmark, **settings):
    chosen = {"shuffles": 5, "strongest": "cross", "controls": "none", **settings}
    with open_experiment(benchmark) as experiment:
        return audit(
            experiment, {"tfidf": READERS.load("tfidf")}, EvidenceSettings(**chosen)
        )


def checked_queries(*tables):
    with open_experiment(from_frames(*tables, name="queries")) as opened:
        return check_split(opened).queries


def copied_queries(seen, n=400, seed=0):
    """Labels are coins; so many test queries are of training, with their label."""
    rng = np.random.default_rng(seed)

    def texts(count):
        return [" ".join(rng.choice(9999, 8).astype(str)) for _ in range(count)]

    train = pd.DataFrame(
        {"query": texts(n), "evidence": texts(n), "label": rng.choice(["a", "b"], n)}
    )
    test = train.sample(frac=1, random_state=seed).reset_index(drop=True)
    fresh = np.arange(n) >= seen * n
    test["evidence"] = texts(n)
    test.loc[fresh, "query"] = texts(fresh.sum())
    test.loc[fresh, "label"] = rng.choice(["a", "b"], fresh.sum())
    return from_frames(train, test, name="copied")


@pytest.mark.parametrize("seen", [0.95, 0.6])
def test_a_memory_of_queries_never_says_that_evidence_is_not_needed(seen):
    report = audited(copied_queries(seen), calibrate=False, margin=0.05, brief=True)
    assert report.finding("delta_evi", "tfidf").decision != "depends"
    assert report.finding("accuracy", "lookup", "query").estimate.low > 0.6
    assert report.verdict.label == "undecided"
    assert report.verdict.reason.startswith("readers may remember the query")
    assert "split the items anew by the query, so that" in report.verdict.reason


def test_a_template_of_queries_is_no_copy_of_one():
    """The wording tells the label, and would in any new query too."""
    rng = np.random.default_rng(0)
    says = {"a": "some say that he {} went to the town", "b": "nobody says that she {}"}

    def side(first):
        labels = rng.choice(["a", "b"], 300)
        return pd.DataFrame(
            {
                "query": [
                    f"{says[label].format('did')} and so came to the house {first + i}"
                    for i, label in enumerate(labels)
                ],
                "evidence": [" ".join(rng.choice(9999, 8).astype(str)) for _ in labels],
                "label": labels,
            }
        )

    with open_experiment(from_frames(side(0), side(1000), name="wording")) as opened:
        checked = check_split(opened)
    assert checked.queries.fresh.all()
    assert checked.queries.gain.low <= 0


def test_a_memory_of_questions_knows_which_choice_was_right():
    rng = np.random.default_rng(0)

    def texts(count):
        return [" ".join(rng.choice(9999, 5).astype(str)) for _ in range(count)]

    train = pd.DataFrame(
        {
            "question": texts(200),
            "context": texts(200),
            "options": [texts(4) for _ in range(200)],
            "answer": rng.integers(4, size=200),
        }
    )
    test = train[:150].assign(context=texts(150))
    # The order of the choices is another, so that no letter is remembered.
    test["options"] = [options[1:] + options[:1] for options in test["options"]]
    test["answer"] = (test["answer"] - 1) % 4
    test.loc[100:, "question"] = texts(50)
    with open_experiment(from_frames(train, test, name="choices")) as opened:
        checked = check_split(opened)
    assert checked.queries.fresh.sum() == 50
    assert checked.queries.gain.value == pytest.approx(100 / 150 * 0.75, abs=0.1)


def changed_queries(told, size=800, seed=0):
    """Test queries are of training, three words of twelve changed, with its label.

    Args:
        told: Whether one word of each query, never the same twice in a family, says
            its label; else labels are coins.
        size: Items of each side.
        seed: Of everything.
    """
    rng = np.random.default_rng(seed)

    def texts(count, length):
        return rng.integers(9999, size=(count, length)).astype(str)

    def joined(rows):
        return [" ".join(row) for row in rows]

    labels = rng.choice(["a", "b"], size)
    queries, copies = texts(size, 12), rng.permutation(size)
    changed = queries[copies]
    changed[:, :3] = texts(size, 3)
    if told:
        for rows, gold in ((queries, labels), (changed, labels[copies])):
            rows[:, 0] = [f"{label}{rng.integers(9)}" for label in gold]
    return [
        pd.DataFrame(
            {"query": joined(rows), "evidence": joined(texts(size, 12)), "label": gold}
        )
        for rows, gold in ((queries, labels), (changed, labels[copies]))
    ]


@pytest.mark.parametrize("one_file", [False, True])
def test_copies_with_a_quarter_of_their_words_changed_are_remembered(one_file):
    tables = changed_queries(told=False)
    if one_file:
        tables = [pd.concat(tables, ignore_index=True)]
    queries = checked_queries(*tables)
    assert queries.gain.low > 0.2  # of one file, some copies are on one side together
    assert queries.fresh.mean() < 0.5
    assert queries.apart.low <= 0
    assert queries.lost.low > 0.2
    assert not queries.is_coupling(0.05)


def test_readers_of_changed_copies_get_no_verdict_on_evidence():
    sides = changed_queries(told=False)
    benchmark = from_frames(*sides, name="changed")
    report = audited(benchmark, calibrate=False, margin=0.05, brief=True)
    assert report.finding("delta_evi", "tfidf").decision != "depends"
    assert report.verdict.label == "undecided"
    assert report.verdict.reason.startswith("readers may remember the query")


def test_what_queries_tell_without_their_copies_is_a_coupling():
    queries = checked_queries(*changed_queries(told=True))
    assert queries.gain.low > 0.3
    assert queries.apart.low > 0.3
    assert queries.is_coupling(0.05)
    right = pd.Series(np.ones(len(queries.fresh)))
    assert not queries.may_explain(right, right, 0.05)


def test_what_the_form_of_queries_tells_is_a_coupling_too():
    sides = changed_queries(told=False)
    for side in sides:
        side["query"] += np.where(side["label"] == "a", "", " and" * 6)
    assert checked_queries(*sides).is_coupling(0.02)


def test_families_of_which_some_are_told_and_some_remembered_are_no_coupling():
    told, coins = changed_queries(told=True), changed_queries(told=False, seed=1)
    mixed = [
        pd.concat(pair, ignore_index=True) for pair in zip(told, coins, strict=True)
    ]
    queries = checked_queries(*mixed)
    assert queries.apart.low > 0
    assert not queries.is_coupling(0.05)


def test_where_nothing_is_remembered_nobody_is_asked_apart():
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.integers(9999, size=12).astype(str)) for _ in range(600)]
    table = pd.DataFrame(
        {"query": texts, "evidence": texts[::-1], "label": rng.choice(["a", "b"], 600)}
    )
    queries = checked_queries(table[:300], table[300:].reset_index(drop=True))
    assert queries.apart is None
    assert not queries.is_coupling(0.05)


def test_families_in_folds_have_wrong_answers_of_their_own_fold():
    n = 60
    table = pd.DataFrame(
        {
            "question": [f"How many boats had harbour {i}?" for i in range(n)],
            "context": [f"There were {1000 + i}." for i in range(n)],
            "answers": [[str(1000 + i)] for i in range(n)],
        }
    )
    benchmark = from_frames(table, name="numbers")
    cut = _fold_by_family(benchmark, np.arange(n).astype(str), 0).test
    folds = cut.column(FOLD).tolist()
    fold_of = {a[0]: f for a, f in zip(cut.accepted_answers, folds, strict=True)}
    for texts, fold in zip(cut.choice_texts, folds, strict=True):
        assert {fold_of[text] for text in texts} == {fold}
