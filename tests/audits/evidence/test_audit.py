"""The evidence audit on planted benchmarks: found where planted, not where absent."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits.evidence import EvidenceSettings, audit
from measurand.audits.evidence.consequences import flip_findings
from measurand.audits.evidence.exhibits import _in_most_seeds
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.synthetic import PlantedPlan, plant_benchmark
from measurand.core.clause import Name
from measurand.core.errors import BadOption, NotApplicable
from measurand.experiment.budget import Budget
from measurand.experiment.experiment import open_experiment, renew_budget
from measurand.readers import READERS
from tests.experiment.clockwork import Clockwork, Time

RULE = {("a",): ("yes", 1.0), ("b",): ("no", 1.0), ("c",): ("maybe", 1.0)}


def audited(benchmark, *, reader="tfidf", seed=0, **settings):
    with open_experiment(benchmark, seed=seed) as running:
        readers = {reader: READERS.load(reader)}
        chosen = EvidenceSettings(**{"strongest": "cross", "shuffles": 5, **settings})
        return audit(running, readers, chosen)


def value(report, statistic, reader=None, condition=None):
    return report.finding(statistic, reader, condition).estimate.value


def plan(size=1500, **shares):
    return plant_benchmark(
        "planted", PlantedPlan(RULE, ("kind",), train=size, test=size, **shares)
    )


def bare(size, **shares):
    """The same without its metadata: a reader is trained for each of their values."""
    planted = plan(size, **shares)
    train, test = (replace(s, metadata=()) for s in (planted.train, planted.test))
    return replace(planted, train=train, test=test)


@pytest.fixture(scope="module")
def coupled():
    return audited(plan(800, coupling=0.6, latent=0.3), shuffles=2)


@pytest.fixture(scope="module")
def dependent():
    return audited(bare(800, dependence=0.9), shuffles=3)


@pytest.fixture(scope="module")
def within_label():
    quick = {"calibrate": False, "shuffles": 3}
    return audited(bare(800, dependence=0.9), shuffle="within-label", **quick)


@pytest.mark.parametrize(
    ("shares", "label", "region"),
    [
        ({"coupling": 1.0}, "used, not needed", "direct coupling"),
        ({"coupling": 0.35, "latent": 0.65}, "used, not needed", "latent coupling"),
        ({"coupling": 0.5, "dependence": 0.4}, "needed", "evidence-sensitive"),
        ({"dependence": 0.9}, "needed", "evidence-sensitive"),
        ({}, "inconclusive", ""),
    ],
    ids=str,
)
@pytest.mark.slow
def test_a_planted_place_of_the_map_is_found(shares, label, region):
    report = audited(plan(1500, **shares))
    truth = PlantedPlan(RULE, ("kind",), **shares).truth
    said = report.verdict.label.replace("used, ", ""), report.verdict.region
    assert said == (label.replace("used, ", ""), region)
    assert value(report, "delta_evi", "tfidf", "plain") == pytest.approx(
        truth["delta_evi"], abs=0.05
    )


def paired_items(n=1200):
    """Labels that lie in whether query and evidence match, and partly in the query."""
    rng = np.random.default_rng(0)
    words = [f"word{i}" for i in range(30)]
    asked, shown = rng.integers(30, size=(2, n))
    shown = np.where(rng.random(n) < 0.5, asked, shown)
    label = np.where(asked == shown, "yes", "no")
    hint = np.where(rng.random(n) < 0.65, label, np.where(label == "yes", "no", "yes"))
    rows = enumerate(zip(asked, hint, shown, strict=True))
    texts = [
        (f"is it {words[a]} hint{h} {i}", f"they saw {words[s]} on day {i}")
        for i, (a, h, s) in rows
    ]
    return pd.DataFrame(texts, columns=["query", "evidence"]).assign(label=label)


@pytest.mark.slow
def test_a_stronger_reader_shows_what_a_weaker_one_cannot():
    benchmark = from_frames(paired_items(3000), name="pairs")
    report = audited(benchmark)
    assert report.finding("delta_evi", "tfidf", "plain").decision == "near zero"
    assert report.verdict.label == "needed"
    assert report.verdict.clauses[0].facts["reader"] == "cross"
    assert report.finding("gain", "cross", "pooled").decision == "needed"
    assert report.finding("gain", "tfidf", "pooled").estimate.high < 0.02


@pytest.mark.slow
def test_skewed_labels_that_the_query_decides_need_no_evidence():
    rule = {("a",): ("yes", 0.93), ("b",): ("no", 0.07)}
    sizes = {"train": 1500, "test": 1500}
    benchmark = plant_benchmark(
        "skewed", PlantedPlan(rule, ("kind",), coupling=1.0, **sizes)
    )
    verdict = audited(benchmark, shuffles=3).verdict
    assert verdict.label in ("used, not needed", "not needed")
    assert verdict.region == "warning"
    assert verdict.bound.value < 0.02


def test_a_collapsed_reader_is_called_so_and_has_no_ratio():
    report = audited(plan(300), shuffles=2)
    assert report.finding("delta_evi", "tfidf", "plain").decision == "collapsed"
    assert report.verdict.label == "inconclusive"
    assert "mpds_corrected of tfidf" in report.not_run


def test_every_number_has_an_interval_an_n_and_a_method(coupled):
    for finding in coupled.findings:
        estimate = finding.estimate
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.n > 0
        assert estimate.method


def test_one_finding_a_statistic_reader_and_condition(coupled):
    keys = [(f.statistic, f.reader, f.condition) for f in coupled.findings]
    assert {"tfidf", "cross", "numbers"} <= {reader for _, reader, _ in keys}
    assert len(keys) == len(set(keys))


def test_the_first_exhibit_is_the_table_of_parts(coupled, dependent):
    for report in (coupled, dependent):
        exhibit = report.exhibits[0]
        assert (exhibit.name, exhibit.settings) == (
            "parts",
            {"baseline": "majority class"},
        )
        query, evidence, both = exhibit.table.to_dict("records")
        assert query["part"] + " + " + evidence["part"] == both["part"]
        assert both["bound"] == report.verdict.bound.value
        gain = report.finding("gain", both["reader"], "pooled").estimate
        assert (both["gain"], both["gain_low"]) == (gain.value, gain.low)
        room = report.finding("room", None, "pooled").estimate
        assert room.value == report.verdict.bound.value
        alone = report.finding("query_only", query["reader"], "pooled").estimate
        assert alone.value == query["accuracy"]


def test_no_sentence_is_made_here(coupled, dependent):
    for report in (coupled, dependent):
        assert report.verdict.reason == ""
        assert report.verdict.clauses
    needed = dependent.verdict
    assert (needed.label, needed.region) == ("needed", "evidence-sensitive")
    assert [c.code for c in needed.clauses] == ["need.large", "need.evidence_alone"]


@pytest.mark.parametrize("kind", ["within-length", "nearest"])
@pytest.mark.slow
def test_harder_shuffles_run_by_name_and_name_their_findings(kind):
    report = audited(bare(400, dependence=0.9), shuffle=kind, calibrate=False)
    check_shuffle_is_named(report, kind)


def test_a_shuffle_within_the_label_names_its_findings(within_label):
    check_shuffle_is_named(within_label, "within-label")


def check_shuffle_is_named(report, kind):
    assert report.finding("delta_evi").condition == kind
    assert report.settings["shuffle"] == kind
    assert report.settings["evidence_changed"] == 1.0


@pytest.mark.slow
def test_within_the_label_a_shuffle_changes_no_answer_that_the_label_gives(
    dependent, within_label
):
    assert abs(value(within_label, "delta_evi")) < 0.1 < value(dependent, "delta_evi")


def test_the_item_table_says_what_was_answered_without_evidence():
    quick = {"calibrate": False, "shuffles": 2}
    report = audited(bare(400, coupling=0.5, dependence=0.4), **quick)
    share = report.items["measurand.without_evidence"].mean()
    assert share == pytest.approx(value(report, "query_only", "tfidf"))
    assert report.items["measurand.correct:tfidf"].mean() == pytest.approx(
        value(report, "accuracy", "tfidf")
    )


def fruit():
    """A benchmark whose queries say a value of its metadata."""
    n = 400
    kinds = ["apple" if i % 2 else "pear" for i in range(n)]
    table = pd.DataFrame(
        {
            "query": [f"what of the {k} in box {i}" for i, k in enumerate(kinds)],
            "evidence": [f"box {i} stands here" for i in range(n)],
            "label": ["red" if k == "apple" else "green" for k in kinds],
            "kind": kinds,
        }
    )
    return from_frames(table, name="fruit", metadata=("kind",))


def test_metadata_said_in_the_query_are_flipped_on_a_users_own_columns():
    report = audited(fruit(), calibrate=False, folds=1)
    assert value(report, "flip_rate", "tfidf", "kind") == 1.0


def test_a_reader_without_time_left_is_asked_under_no_flip():
    readers = {"tfidf": READERS.load("tfidf"), "works": Clockwork()}
    with open_experiment(fruit()) as opened:
        spent = Budget(1e5, clock=Time.read, granted={"works": 1e5})
        limited = replace(opened, budget=spent)
        findings, not_run = flip_findings(limited, readers)
        rest, refused = flip_findings(renew_budget(limited), readers)
    assert [finding.reader for finding in findings] == ["tfidf"]
    assert "past the budget of" in not_run["flip_rate of works"]
    assert [finding.reader for finding in rest] == ["tfidf", "works"]
    assert not refused


def test_fewer_shuffles_than_recommended_are_warned_about(dependent):
    assert any("3 shuffles" in warning for warning in dependent.warnings)


def test_what_cannot_be_audited_is_refused_in_one_line():
    table = plan(300, coupling=0.9).train.table
    with pytest.raises(NotApplicable, match="names no evidence field"):
        audited(from_frames(table.drop(columns="evidence"), name="mine"))
    same = from_frames(table.assign(evidence="one text"), name="mine")
    assert same.roles["split"] == "seeded, by query and group, 30 % test"
    with pytest.raises(NotApplicable, match="same evidence, by column 'evidence', so"):
        audited(same)
    with pytest.raises(BadOption, match="`margin`"):
        audited(plan(60, coupling=0.9), margin=0.0)


@pytest.mark.slow
def test_adding_a_reader_moves_no_figure_of_another():
    benchmark = plan(300, coupling=0.5, dependence=0.4)
    alone = audited(benchmark, calibrate=False)
    with open_experiment(benchmark) as running:
        readers = {name: READERS.load(name) for name in ("tfidf", "surface")}
        both = audit(running, readers, EvidenceSettings(calibrate=False, shuffles=5))
    # Gains share the error, and are held against one baseline more.
    kept = {f for f in alone.findings if f.statistic not in ("gain", "room")}
    assert kept <= set(both.findings)
    assert both.finding("gain", "surface", "pooled")
    assert both.finding("query_only", "surface", "pooled")


def test_one_metadata_column_of_two_values_leaves_filtering_undone_and_says_so():
    table = plan(coupling=0.6, latent=0.3).train.table
    table = table[table.label != "maybe"].assign(
        kind=lambda t: t.kind.replace("c", "a")
    )
    benchmark = from_frames(table, name="two", metadata=("kind",))
    report = audited(benchmark, calibrate=False, folds=1)
    assert "ood_gap" in {finding.statistic for finding in report.findings}
    assert "filter_gain" in report.not_run


@pytest.mark.parametrize("reader", ["majority", "metadata"])
def test_a_reader_that_reads_no_evidence_is_refused(reader):
    with pytest.raises(BadOption, match="reads no evidence"):
        audited(plan(60, coupling=0.9), reader=reader)


def test_a_shuffle_within_the_label_does_not_move_the_verdict(dependent, within_label):
    assert value(within_label, "delta_evi", "tfidf", "within-label") < 0.1
    assert within_label.verdict == dependent.verdict


@pytest.mark.slow
def test_a_reader_that_knows_nothing_of_a_test_part_is_collapsed_there():
    benchmark = bare(800, dependence=0.9)
    rng = np.random.default_rng(0)
    test, classes = benchmark.test, np.array(benchmark.classes)
    coins = rng.choice(classes, len(test))
    part = test.with_table(test.table.assign(**{test.label: coins}))
    parts = {"coins": part}
    report = audited(replace(benchmark, test_parts=parts), calibrate=False, shuffles=2)
    assert report.finding("delta_evi", "tfidf", "part=coins").decision == "collapsed"


def test_an_item_is_right_where_most_seeds_say_so():
    right = pd.Series([0.0, 1 / 3, 2 / 3, 1.0])
    assert _in_most_seeds(right).tolist() == [False, False, True, True]


@pytest.mark.slow
def test_labels_that_only_spacing_in_the_evidence_tells_are_seen_by_who_reads_it():
    rng = np.random.default_rng(0)
    labels = rng.choice(["no", "yes"], 600)

    def words(count):
        return " ".join(rng.choice(list("abcdefghij"), count))

    commas = [" , " if label == "yes" else ", " for label in labels]
    table = pd.DataFrame(
        {
            "query": [f"{words(3)} {i}" for i in range(600)],
            "evidence": [f"{words(3)}{comma}{words(3)}" for comma in commas],
            "label": labels,
        }
    )
    benchmark = from_frames(table, name="spaced", split_by="query")
    quick = {"calibrate": False, "folds": 1}
    verdict = audited(benchmark, reader="surface", **quick).verdict
    assert verdict.label == "needed"
    assert verdict.clauses[0].facts["reader"] == Name("reader", "surface")
    assert verdict.clauses[1].code == "need.evidence_alone"
    assert audited(benchmark, **quick).verdict.label == "inconclusive"


def overlapping(n=400):
    """Labels that are whether query and evidence share a name: a derived column."""
    rng = np.random.default_rng(0)
    labels = rng.choice(["no", "yes"], n)
    names = rng.integers(12, size=(2, n))
    told = np.where(labels == "yes", names[0], (names[0] + 1 + names[1] % 11) % 12)
    table = pd.DataFrame(
        {
            "query": [f"was it n{name} on {i}" for i, name in enumerate(names[0])],
            "evidence": [f"we met n{name} at {i}" for i, name in enumerate(told)],
            "label": labels,
        }
    )
    return from_frames(table, name="overlapping")


@pytest.mark.slow
def test_metadata_that_were_read_off_the_evidence_are_no_part_of_mpds():
    report = audited(overlapping(), reader="cross", calibrate=False, shuffles=2)
    plain, reading = (value(report, s) for s in ("mpds", "mpds_evidence"))
    assert plain < 0.8 < reading


def test_a_reader_that_collapsed_has_nothing_to_lose_under_a_shift():
    report = audited(overlapping(), calibrate=False, folds=1)
    assert report.finding("delta_evi", "tfidf").decision == "collapsed"
    assert not [f for f in report.findings if f.statistic in ("ood_gap", "filter_gain")]
    assert "tfidf collapsed" in report.not_run["ood_gap"]
    assert "tfidf collapsed" in report.not_run["filter_gain"]
