"""The evidence audit on planted benchmarks: found where planted, not where absent."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.audits.evidence import EvidenceSettings, audit
from measurand.audits.evidence.consequences import flip_findings
from measurand.audits.evidence.exhibits import _in_most_seeds
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.synthetic import PlantedPlan, plant_benchmark
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
    ("shares", "region"),
    [
        ({"coupling": 0.95}, "direct coupling"),
        ({"coupling": 0.3, "latent": 0.6}, "latent coupling"),
        ({"coupling": 0.5, "dependence": 0.4}, "evidence-sensitive"),
        ({"dependence": 0.9}, "evidence-sensitive"),
        ({}, "no verdict"),
    ],
    ids=str,
)
@pytest.mark.slow
def test_a_planted_place_of_the_map_is_found(shares, region):
    benchmark = plan(1000, **shares)
    report = audited(benchmark)
    truth = PlantedPlan(RULE, ("kind",), **shares).truth
    assert report.verdict.region == report.verdict.label == region
    assert not report.verdict.provisional
    assert value(report, "delta_evi", "tfidf") == pytest.approx(
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
def test_a_stronger_reader_overturns_a_near_zero_and_that_is_said():
    benchmark = from_frames(paired_items(4000), name="pairs")
    report = audited(benchmark, margin=0.05)
    assert report.finding("delta_evi", "tfidf").decision == "near zero"
    assert report.finding("delta_evi", "cross").decision == "depends"
    assert report.verdict.label == "evidence-sensitive"
    assert "calibration reversal: near zero under tfidf" in report.verdict.reason


@pytest.mark.slow
def test_a_near_zero_of_the_screen_alone_asks_for_calibration():
    quick = {"calibrate": False, "folds": 1}
    benchmark = from_frames(paired_items(4000), name="pairs")
    report = audited(benchmark, margin=0.05, **quick)
    assert report.verdict.label == "calibrate"
    assert report.verdict.region in ("direct coupling", "coupling", "latent coupling")
    assert report.verdict.provisional


def test_a_near_zero_under_cross_is_provisional_on_unplanted_items():
    table = plan(coupling=0.95).train.table
    mine = from_frames(table, name="mine", metadata=("kind",), group=None)
    report = audited(mine, folds=1)
    assert report.verdict.stage == "cross"
    assert report.verdict.region == "direct coupling"
    assert report.verdict.label == "calibrate"  # no answer changed, and no control
    assert report.verdict.provisional


@pytest.mark.slow
def test_skewed_labels_are_a_warning_and_never_independence():
    rule = {("a",): ("yes", 0.93), ("b",): ("no", 0.07)}
    sizes = {"train": 4000, "test": 1500}
    benchmark = plant_benchmark(
        "skewed", PlantedPlan(rule, ("kind",), coupling=1.0, **sizes)
    )
    report = audited(benchmark, shuffles=3)
    assert report.verdict.label == "warning"
    assert "underdetermined" in report.verdict.reason
    assert "the query alone does as well" in report.verdict.reason


@pytest.mark.slow
def test_too_few_items_leave_it_undecided_and_say_how_many_would_do():
    shares = {"coupling": 0.6, "dependence": 0.3, "train": 1500, "test": 60}
    report = audited(
        plant_benchmark("few", PlantedPlan(RULE, ("kind",), **shares)), margin=0.2
    )
    assert report.verdict.label == "undecided"
    assert "test items would decide" in report.verdict.reason


def test_a_collapsed_reader_gets_no_verdict_and_no_ratio():
    report = audited(plan(600), shuffles=2)
    assert report.finding("delta_evi", "tfidf").decision == "collapsed"
    assert report.verdict.stage is None
    assert "mpds_corrected of tfidf" in report.not_run


def test_every_number_has_an_interval_an_n_and_a_method(coupled):
    for finding in coupled.findings:
        estimate = finding.estimate
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.n > 0
        assert estimate.method


def test_one_finding_a_statistic_reader_and_condition(coupled):
    keys = [(f.statistic, f.reader, f.condition) for f in coupled.findings]
    assert {"tfidf", "cross"} <= {reader for _, reader, _ in keys}
    assert len(keys) == len(set(keys))


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
def test_adding_a_reader_moves_no_other_number():
    benchmark = plan(300, coupling=0.5, dependence=0.4)
    alone = audited(benchmark, calibrate=False)
    with open_experiment(benchmark) as running:
        readers = {name: READERS.load(name) for name in ("tfidf", "cross")}
        both = audit(
            running,
            readers,
            EvidenceSettings(calibrate=False, shuffles=5),
        )
    assert set(alone.findings) <= set(both.findings)


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


def test_a_shuffle_within_the_label_does_not_say_that_evidence_is_not_needed(
    within_label,
):
    assert value(within_label, "delta_evi", "tfidf") < 0.1
    assert within_label.verdict.label in ("undecided", "evidence-sensitive")
    assert within_label.verdict.region == within_label.verdict.label


@pytest.mark.slow
def test_a_reader_that_knows_nothing_of_a_test_part_decides_nothing_there():
    benchmark = bare(800, dependence=0.9)
    rng = np.random.default_rng(0)
    test, classes = benchmark.test, np.array(benchmark.classes)
    coins = rng.choice(classes, len(test))
    # Every label is another one, so that what was learned is wrong there.
    turned = np.roll(classes, 1)[test.gold(benchmark.classes)]
    parts = {
        name: test.with_table(test.table.assign(**{test.label: labels}))
        for name, labels in {"coins": coins, "turned": turned}.items()
    }
    report = audited(replace(benchmark, test_parts=parts), calibrate=False, shuffles=2)
    assert report.finding("delta_evi", "tfidf", "part=coins").decision == "collapsed"
    below = "tfidf is surely below the majority with all fields in part="
    assert f"{below}turned" in report.verdict.reason
    assert f"{below}coins" not in report.verdict.reason


def test_an_item_is_right_where_most_seeds_say_so():
    right = pd.Series([0.0, 1 / 3, 2 / 3, 1.0])
    assert _in_most_seeds(right).tolist() == [False, False, True, True]


@pytest.mark.slow
def test_labels_that_only_spacing_in_the_evidence_tells_are_seen_and_called_so():
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
    report = audited(benchmark, reader="surface", **quick)
    assert report.verdict.label == "evidence-sensitive"
    assert "it reads no word" in report.verdict.reason
    assert "the evidence alone does as well" in report.verdict.reason
    assert audited(benchmark, **quick).verdict.label == "no verdict"
    assert "surface" in AUDITS.thing("evidence").readers


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
