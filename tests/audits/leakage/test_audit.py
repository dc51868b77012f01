"""The leakage audit on pairs whose answer is planted."""

import json
from dataclasses import dataclass, replace
from io import BytesIO
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.arms.alone import CHANNELS, FIRST
from measurand.audits.leakage import LeakageSettings, audit
from measurand.audits.leakage.cards import _describe_task
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import BadOption, Undefined
from measurand.core.names import ROW
from measurand.core.recipe import Strength, Traits
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from measurand.report.saved import document, dumps
from tests.arms.planted import claims
from tests.audits.leakage.leaky import pairs, skewed

TFIDF = {"tfidf": TfidfReader()}
ROLES = {"query": "hypothesis", "evidence": "premise", "label": "label"}


def made(train, test=None, **options):
    return from_frames(train, test, name="made", **{**ROLES, **options})


def audited(benchmark, readers=TFIDF, **options):
    seed = options.pop("seed", 0)
    with open_experiment(benchmark, seed=seed) as running:
        return audit(running, readers, LeakageSettings(**{"tsne": False} | options))


def table_of(report, name):
    """The table of the one exhibit of this name."""
    (table,) = (e.table for e in report.exhibits if e.name == name)
    return table


@pytest.fixture(scope="module")
def leaky():
    return audited(made(pairs(600, leak=0.5), pairs(500, leak=0.5, seed=1)))


@pytest.fixture(scope="module")
def clean():
    return audited(made(claims(300), query="claim", evidence="evidence"))


def test_a_planted_word_is_found_in_its_field_and_named(leaky):
    verdict = leaky.verdict
    assert (verdict.label, verdict.code, verdict.reason) == ("leaks", "leak.part", "")
    part, cue = (clause.facts for clause in verdict.clauses[:2])
    assert part["part"].text == cue["part"].text == "hypothesis"
    assert cue["cue"].text in ("never", "maybe")
    assert verdict.bound.value > part["over"].value > 0.2
    assert verdict.settle is None


def test_the_table_of_parts_is_first_and_that_of_cues_second(leaky, clean):
    assert [e.name for e in leaky.exhibits[:2]] == ["parts", "cues"]
    parts = table_of(leaky, "parts").set_index("part")
    assert [*parts.index][-1] in ("premise + hypothesis", "hypothesis + premise")
    row = parts.loc["hypothesis"]
    assert row["accuracy"] - row["baseline"] == pytest.approx(row["over"], abs=0.06)
    assert row["over_low"] > 0.15 > parts.loc["premise", "over_high"]
    assert row["bits_low"] > 0
    assert row["bound"] == pytest.approx(leaky.verdict.bound.value)
    assert "cues" not in {e.name for e in clean.exhibits}


def test_each_cue_has_coverage_productivity_and_lift(leaky):
    cues = table_of(leaky, "cues").set_index("cue")
    assert {"never", "maybe"} == {*cues.index}
    never = cues.loc["never"]
    assert (never["part"], never["label"], never["kind"]) == (
        "hypothesis",
        "no",
        "word",
    )
    assert never["coverage"] == pytest.approx(0.25, abs=0.05)
    assert never["productivity_low"] <= never["productivity"] == 1
    assert never["lift"] == pytest.approx(1 / never["base"])
    assert never["p"] < 1e-6


def test_every_channel_of_every_part_is_stated_and_the_exact_bound(leaky):
    # Where the first settles a part, the others are not asked.
    for part, channels in (("hypothesis", FIRST), ("premise", tuple(CHANNELS))):
        for statistic in ("over_blank", "over_blank_bits"):
            found = [
                f.reader
                for f in leaky.findings
                if (f.statistic, f.condition) == (statistic, part)
            ]
            assert tuple(found) == channels
        bound = leaky.finding("exact_bound", "", part).estimate
        assert bound.low == bound.value == bound.high <= 1 + 1e-9
    assert leaky.finding("over_blank", "tfidf", "hypothesis").estimate.low > 0.2
    assert leaky.finding("over_blank", "length", "premise").estimate.low < 0.05


def test_what_is_open_names_what_would_settle_it(clean):
    verdict = clean.verdict
    assert verdict.label in ("inconclusive", "none found, bounded", "none found")
    assert 0 <= verdict.bound.value < 0.5
    assert (verdict.settle is not None) == (verdict.label == "inconclusive")
    recovered = [f for f in clean.findings if f.statistic == "recovery"]
    assert {f.condition for f in recovered} == {
        f"{part}, {spread}"
        for part in ("claim", "evidence")
        for spread in ("dense", "sparse")
    }
    assert {f.decision for f in recovered} <= {"found", "missed"}
    assert not clean.files
    assert "no part surely leaks" in clean.not_run["repair"]


def test_the_published_protocol_is_stated_beside_it(leaky):
    values = {
        (f.statistic, f.condition): f.estimate.value
        for f in leaky.findings
        if f.reader in ("tfidf", "majority")
    }
    chance, pair = values["majority", "full"], values["accuracy", "full"]
    single = values["single_accuracy", "hypothesis"]
    assert values["over_majority", "hypothesis"] == pytest.approx(single - chance)
    assert values["recovered", "hypothesis"] == pytest.approx(single / pair)
    recovered = values["recovered_over_chance", "hypothesis"]
    assert recovered == pytest.approx((single - chance) / (pair - chance))
    told = leaky.finding("saturation", "tfidf", "full")
    assert told.estimate.value == pytest.approx((pair - chance) / (1 - chance))
    assert told.decision == "room left"
    assert leaky.finding("accuracy", "tfidf", "full").estimate.n == 500


def test_every_promised_statistic_is_stated_with_its_interval(leaky):
    stated = {f.statistic for f in leaky.findings}
    assert {
        *("accuracy", "single_accuracy", "majority", "over_majority", "recovered"),
        *("v_information", "nba", "nbr_agree", "nbr_pair", "tra_full", "tra_within"),
        *("peco", "peco_raw", "peco_released_l2", "peco_released_kld", "peco_paper"),
        *("homophily", "kappa", "repair_over_majority", "over_blank", "exact_bound"),
    } <= stated
    for finding in leaky.findings:
        assert finding.estimate.low <= finding.estimate.value <= finding.estimate.high
        assert finding.estimate.n > 0
        assert finding.estimate.method


def test_what_leaks_lies_in_biased_clusters(leaky):
    assert leaky.finding("peco", condition="hypothesis").estimate.low > 0
    assert leaky.finding("peco", condition="premise").estimate.low < 1
    cards = table_of(leaky, "cards_hypothesis")
    worst = cards[cards["biased"]]
    assert len(worst) > 0
    named = {word for words in worst["words"] for word in json.loads(words)}
    assert {"never", "maybe"} & named
    assert table_of(leaky, "cards_premise")["biased"].sum() <= 1
    assert leaky.settings["k"] is None
    assert leaky.settings["effective_k"] == len(cards) > 1


@pytest.mark.slow
def test_a_leak_that_no_accuracy_shows_is_seen_in_bits_or_by_its_cue():
    report = audited(made(skewed(700), skewed(400, seed=1)))
    over = report.finding("over_blank", "tfidf", "hypothesis").estimate
    assert over.value < 0.02
    assert report.verdict.label in ("leaks", "small leak")
    assert report.verdict.code in ("leak.bits", "leak.cue")
    assert report.verdict.clauses[0].facts["part"].text == "hypothesis"


def test_repair_takes_the_leak_out_and_chance_does_not(leaky):
    left = {
        f.condition: f.estimate
        for f in leaky.findings
        if f.statistic == "repair_over_majority" and f.reader == "tfidf"
    }
    assert left["tokens, removed"].high < left["tokens, random"].low
    assert "5 random removals" in left["tokens, random"].method
    assert "repair/kept_tokens.txt" in leaky.files
    removed = leaky.items["measurand.remove:tokens"]
    held = leaky.items["hypothesis"].str.contains("never|maybe")
    assert (removed == held).mean() > 0.95


def test_files_for_who_repairs_call_items_as_their_file_does(leaky):
    removed = leaky.items["measurand.remove:tokens"].to_numpy(bool)
    for what, chosen in (("kept", ~removed), ("removed", removed)):
        listed = leaky.files[f"repair/{what}_tokens.txt"].decode().split()
        assert listed == leaky.items.loc[chosen, ROW].tolist()
    work = pd.read_csv(BytesIO(leaky.files["repair/work_list.csv"]), index_col="id")
    called = leaky.items.set_index(ROW)
    assert (called.loc[work.index, "measurand.side"] == work["side"]).all()
    assert (called.loc[work.index, "label"] == work["label"]).all()


def test_the_work_list_keeps_the_text_that_leaks_and_asks_for_another_label(leaky):
    work = pd.read_csv(BytesIO(leaky.files["repair/work_list.csv"]), index_col="id")
    assert {*work["keep"]} == {"hypothesis"}
    assert {*work["write"]} == {"premise"}
    assert (work["label"] != work["aim"]).all()
    counts = pd.read_csv(BytesIO(leaky.files["repair/work_counts.csv"]))
    assert counts["to_write"].sum() == len(work)
    asked = leaky.items[leaky.items["measurand.aim"] != ""]
    assert {*asked[ROW]} == {*work.index}
    assert (asked["measurand.keep"] == "hypothesis").all()
    assert (asked["measurand.aim"] != asked["label"]).all()


def test_counterparts_make_the_labels_of_biased_clusters_even(leaky):
    work = pd.read_csv(BytesIO(leaky.files["repair/work_list.csv"]), index_col="id")
    column = "measurand.cluster:hypothesis:tfidf"
    train = leaky.items["measurand.side"] == "train"
    share = (leaky.items.loc[train, "label"] == "no").mean()
    for (side, cluster), tasks in work.groupby(["side", "cluster"]):
        here = leaky.items[leaky.items["measurand.side"] == side]
        labels = here.loc[here[column] == cluster, "label"].value_counts()
        total = labels.add(tasks["aim"].value_counts(), fill_value=0)
        assert total["no"] == pytest.approx(share * total.sum(), abs=1)


@pytest.mark.parametrize(
    ("elicited", "words"),
    [
        ("hypothesis", "hypothesis was written for the label"),
        ("premise", "premise is what was written for a label"),
        (None, "keep each hypothesis as it is and write a new premise"),
    ],
)
def test_the_task_says_who_wrote_what_where_it_is_known(elicited, words):
    assert _describe_task(elicited, "hypothesis", "premise").startswith(words)


@pytest.mark.slow
def test_what_leaks_by_form_is_never_exported_as_mended():
    def upper(table):
        texts = table["hypothesis"].where(
            table["label"] == "no", table["hypothesis"].str.upper()
        )
        return table.assign(hypothesis=texts)

    train, test = pairs(700, leak=0.35), pairs(500, leak=0.35, seed=1)
    report = audited(made(upper(train), upper(test)))
    assert report.verdict.label == "leaks"
    assert report.verdict.stage == "tfidf"  # the first that is asked, and enough
    assert "a word in capitals" in {*table_of(report, "cues")["cue"]}
    assert not [name for name in report.files if "kept" in name]
    left = [f for f in report.findings if f.statistic == "repair_bits"]
    by_form = {f.decision for f in left if f.reader == "surface"}
    assert by_form == {"still leaks"}


def test_one_file_has_its_verdict_of_all_items_and_the_protocol_of_a_drawn_split():
    report = audited(made(pairs(300, leak=0.6)), brief=True)
    assert report.verdict.label == "leaks"
    assert report.benchmark["pooled"] == 300
    over = report.finding("over_blank", "tfidf", "hypothesis").estimate
    single = report.finding("single_accuracy", condition="hypothesis").estimate
    assert over.n == 300 > single.n == report.benchmark["test"]
    assert any("one seeded split" in line for line in report.warnings)


@pytest.mark.slow
def test_row_order_names_and_processes_change_nothing():
    table = pairs(150, leak=0.5)
    mixed = table.sample(frac=1, random_state=3)
    renamed = mixed.replace({"label": {"no": "zebra", "yes": "ape"}})
    renamed = renamed.rename(columns={"premise": "z", "hypothesis": "a"})
    first, second = (audited(made(each)) for each in (table, mixed))
    third = audited(made(renamed, query="a", evidence="z"))
    assert dumps(document(first)) == dumps(document(second))
    figures = [[(f.statistic, f.estimate) for f in r.findings] for r in (first, third)]
    assert figures[0] == figures[1]


@pytest.mark.slow
def test_a_reader_of_one_part_saw_nothing_else():
    class Watching(TfidfReader):
        seen: ClassVar[list[tuple[str, ...]]] = []

        def fit(self, items, rng):
            self.seen.append(tuple(items.fields))
            return super().fit(items, rng)

    audited(made(pairs(80), pairs(60, seed=1)), {"tfidf": Watching()})
    assert {("query",), ("evidence",)} <= {*Watching.seen}


def test_one_field_is_held_against_permuted_labels():
    table = pairs(200, leak=0.6)[["hypothesis", "label"]]
    one = from_frames(table, name="one", fields=["hypothesis"], label="label")
    report = audited(one)
    assert report.verdict.label == "leaks"
    assert [*table_of(report, "parts")["part"]] == ["hypothesis"]
    assert not any(f.statistic.startswith("tra") for f in report.findings)
    assert any("all there is of an item" in each for each in report.warnings)


def test_three_fields_each_stand_alone():
    table = pairs(160, leak=0.6).assign(source=["web", "book"] * 80)
    fields = ["premise", "source", "hypothesis"]
    three = from_frames(table, name="three", label="label", fields=fields)
    report = audited(three, brief=True)
    alone = {f.condition for f in report.findings if f.statistic == "single_accuracy"}
    assert alone == {*fields}
    assert {*table_of(report, "parts")["part"][:-1]} == {*fields}
    assert report.not_run["regions, repair"]


def test_items_that_make_one_cluster_are_not_said_to_be_no_more_than_chance():
    report = audited(made(pairs(80, leak=1.0), pairs(30, leak=1.0, seed=1)))
    assert report.verdict.label == "leaks"
    assert not [f for f in report.findings if "peco" in f.statistic]
    assert "30 clustered items" in report.not_run["peco of hypothesis by tfidf"]


@pytest.mark.slow
def test_fewer_items_than_clusters_and_an_empty_field_are_no_trouble():
    table = pairs(60, leak=0.8).assign(premise="")
    report = audited(made(table, split_by="query"), k=500)
    assert report.finding("peco", condition="hypothesis").estimate.n > 0
    assert report.finding("peco", condition="premise").estimate.value == pytest.approx(
        0
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"margin": 2.0}, "`margin` is 2.0"),
        ({"k": 1}, "`k` is 1"),
        ({"reference": 93.0}, "not percent"),
    ],
)
def test_options_that_cannot_be_followed_are_refused(options, said):
    with pytest.raises(BadOption, match=said):
        LeakageSettings(**options)


def test_a_reference_accuracy_gives_what_is_recovered_of_it():
    benchmark = made(pairs(120, leak=0.6), pairs(100, leak=0.6, seed=1))
    report = audited(benchmark, reference=0.9, brief=True)
    single = report.finding("single_accuracy", condition="hypothesis").estimate.value
    found = report.finding("recovered_reference", condition="hypothesis").estimate
    assert found.value == pytest.approx(single / 0.9)
    assert report.finding("saturation", "published").estimate.value < 0.9


@pytest.mark.slow
def test_other_test_parts_are_in_every_figure_of_answers():
    train, test = pairs(400, leak=0.5), pairs(200, leak=0.5, seed=1)
    other = from_frames(train, pairs(150, seed=2), name="made", **ROLES).test
    benchmark = replace(made(train, test), test_parts={"all": other})
    report = audited(benchmark, brief=True)
    ours = [f for f in report.findings if f.reader in ("tfidf", "majority")]
    told = {(f.statistic, f.condition): f for f in ours}
    statistics = [s for s, condition in told if condition == "hypothesis, part=all"]
    assert {"single_accuracy", "over_majority", "v_information", "nba"} <= {*statistics}
    assert told["accuracy", "part=all"].estimate.n == 150
    assert told["majority", "part=all"].estimate.n == 150
    assert told["over_majority", "hypothesis"].estimate.low > 0.1
    assert told["over_majority", "hypothesis, part=all"].estimate.low < 0.02
    assert report.benchmark["test_parts"] == {"all": 150}
    assert report.benchmark["pooled"] == 750


def test_items_of_one_group_are_refused_in_one_line():
    table = pairs(100).assign(source="the same")
    with pytest.raises(Undefined, match="all items share a text or a group"):
        audited(made(table[:50], table[50:], group="source"))


def test_a_part_that_all_items_share_has_no_row_and_does_not_leak():
    table = pairs(200).assign(premise="")
    report = audited(made(table[:150], table[150:]), brief=True)
    assert not report.verdict.label.endswith("leaks")
    parts = [*table_of(report, "parts")["part"]]
    assert "hypothesis" in parts
    assert "premise" not in parts
    told = report.finding("v_information", "tfidf", "premise").estimate
    assert told.low < told.high


def test_bits_and_information_of_one_part_have_one_interval(leaky):
    for part, condition in (("query alone", "hypothesis"), ("both", "full")):
        bits = leaky.finding("bits", "tfidf", part).estimate
        same = leaky.finding("v_information", "tfidf", condition).estimate
        ends = (bits.value, bits.low, bits.high)
        assert ends == pytest.approx((same.value, same.low, same.high))


@dataclass(frozen=True)
class MatchReader(TfidfReader):
    """A reader that says it is pretrained, and compares how both end words end."""

    kind: ClassVar[str] = "match"
    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED)

    def fit(self, items, rng):
        return FittedMatch(items.classes, items.fields[0])


@dataclass(frozen=True)
class FittedMatch:
    classes: tuple[str, ...]
    field: str

    def predict(self, items):
        texts = [text.split() for text in items.column(self.field)]
        alike = np.array([words[0][-1] == words[-1][-1] for words in texts], float)
        return np.column_stack([1 - alike, alike]) if len(self.classes) == 2 else None


@pytest.mark.slow
def test_what_only_a_strong_reader_finds_in_a_part_leaks():
    rng = np.random.default_rng(0)
    table = claims(600)
    ends = rng.integers(2, size=(600, 2))
    # Words that no item shares, so that light channels know none of them.
    drawn = rng.integers(10**6, size=(600, 2))
    rows = zip(table["claim"], drawn, ends, strict=True)
    texts = [f"pier{r}{a} {claim} quay{s}{b}" for claim, (r, s), (a, b) in rows]
    labels = np.where(ends[:, 0] == ends[:, 1], "b", "a")
    table = table.assign(claim=texts, label=labels, split=["train", "test"] * 300)
    made = ms.load(table, query="claim", evidence="evidence", label="label")
    report = audited(made, {"match": MatchReader()}, brief=True)
    part = report.verdict.clauses[0].facts
    assert (report.verdict.label, report.verdict.stage) == ("leaks", "match")
    assert part["reader"].text == "match"
    assert part["over"].low > 0.3
    assert report.verdict.bound.value >= part["over"].low
