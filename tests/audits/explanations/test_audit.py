"""The whole audit, on planted rationales: found where planted, not found elsewhere."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from measurand.audits.explanations import ExplanationsSettings, audit
from measurand.audits.explanations.rationales import Rationales, leaking_templates
from measurand.benchmarks.synthetic_rationales import plant_rationales
from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadOption, NotApplicable, UnknownName
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.readers import READERS
from measurand.stats.scores import cluster_share, wilson_share

SIZES = {"train": 500, "test": 400}
SMALL = {"train": 200, "test": 100}
FEW = ("given", "tfidf-1", "vacuous", "label-leaking", "copy-cipher")


def made(leaky, sizes=SIZES, **changes):
    benchmark = plant_rationales("planted", leaky=leaky, seed=5, sizes=sizes)
    return dataclasses.replace(benchmark, **changes)


def rewritten(benchmark):
    """The second rationale of each test item, as that of a changed input."""
    texts = benchmark.test.column("rationale_2")
    return {str(item): [text] for item, text in texts.items()}


def run(benchmark, **options):
    readers = options.pop("readers", {"tfidf": READERS.load("tfidf")})
    with open_experiment(benchmark) as running:
        settings = ExplanationsSettings(**{"explainers": FEW, "count": 1, **options})
        return audit(running, readers, settings)


@pytest.fixture(scope="module")
def good():
    benchmark = made(leaky=False)
    return run(benchmark, others=rewritten(benchmark))


@pytest.fixture(scope="module")
def leaky():
    fewer = {"train": 400, "test": 200}
    return run(made(leaky=True, sizes=fewer), explainers=("given", "tfidf-1"))


def value(report, statistic, condition, reader=None):
    return report.finding(statistic, reader, condition).estimate


def test_rationales_that_inform_are_on_the_frontier(good):
    assert good.verdict.label == "informative"
    assert good.verdict.region == "on the frontier"
    assert value(good, "gain", "given", "cross").low > 0.02
    assert value(good, "informativeness", "given").low > 0.05
    assert abs(value(good, "rationale_only", "given").value - 0.5) < 0.08
    assert value(good, "specificity", "given").low > 0.9


def test_rationales_that_leak_are_off_it_and_their_template_is_named(leaky):
    assert leaky.verdict.fails("leaky")
    cue, *_ = [c for c in leaky.verdict.clauses if c.code == "leak.cue"]
    assert cue.facts["cue"].text in "just because of"
    (table,) = [e.table for e in leaky.exhibits if e.name == "templates"]
    assert "just because of" in [*table["template"]]
    assert value(leaky, "rationale_only", "given").low > 0.95
    # A tenth of its words leaves enough of a template to tell the label.
    assert value(leaky, "residual_leakage", "given").low > 0.9


def test_the_majority_stands_beside_what_detectors_get(good):
    found, labels = good.finding("majority", "majority", "all"), [*good.items["label"]]
    commonest = max(labels.count(label) for label in set(labels))
    assert found.estimate == wilson_share(commonest, 400)
    assert found.estimate.low < 0.5 <= found.estimate.value


def test_no_template_is_named_where_none_leaks(good):
    (table,) = [e.table for e in good.exhibits if e.name == "templates"]
    assert table.empty


@pytest.mark.parametrize("texts", [40, 200])
def test_rationales_that_come_again_with_their_text_are_not_named_for_it(texts):
    rng = np.random.default_rng(0)
    words = [" ".join(rng.choice(list("abcdefghij"), 6)) for _ in range(texts)]
    label = rng.choice(["yes", "no"], texts)
    table = pd.DataFrame(
        [(f"q {i}", words[i % texts], label[i % texts]) for i in range(200)],
        columns=["query", "text", "label"],
    )
    items = Items(table, ("query", "text"))
    source = Benchmark("again", items, items, "query", "text", "text", ("text",))
    told = table["text"].tolist()
    one = Rationales(told, told, [], told, [])
    assert leaking_templates(source, one).empty


def test_vacuous_rationales_are_robust_and_empty(good):
    assert value(good, "robustness", "vacuous").value == 1.0
    assert value(good, "robustness_baseline", "vacuous").value > 0.1
    assert good.finding("h1").decision == "supported"
    assert value(good, "varif", "vacuous").high < value(good, "varif", "given").low


def test_leaking_rationales_lose_what_they_gave_under_the_mask(good):
    assert value(good, "rationale_only", "label-leaking").value == 1.0
    assert value(good, "residual_leakage", "label-leaking").value < 0.6
    assert good.finding("h2").decision == "supported"


def test_a_copy_cipher_is_copying_and_counts_for_nothing(good):
    """D18a: its R, I and S were perfect, and its verdict `on the frontier`."""
    assert value(good, "copied", "copy-cipher").low > 0.33
    assert value(good, "varif", "copy-cipher").high < 0.05
    assert good.finding("auc_copy-cipher", "varif").estimate.low > 0.7


def test_copies_have_one_interval_in_findings_and_reason(good):
    copied = good.items["measurand.copied:copy-cipher"].to_numpy()
    assert value(good, "copied", "copy-cipher") == cluster_share(copied)


@pytest.mark.slow
def test_robustness_of_few_items_is_undecided_and_ends_no_run():
    """16 ids, 7 of them of test: some resamples had none, and nothing was written."""
    benchmark = made(leaky=False, sizes=SMALL)
    texts = dict([*rewritten(benchmark).items()][:4])
    found = run(benchmark, others=texts, explainers=("given", "tfidf-1"))
    assert value(found, "robustness", "given").n == 4
    assert found.finding("hypervolume").estimate.n == 4
    assert not found.verdict.fails("unstable")


def test_a_fixed_reader_falls_where_rationales_are_swapped(good):
    falls = {f.condition: f for f in good.findings if f.statistic == "attack_fall"}
    assert {*falls} == {"drifted", "swapped", "dealt", "truncated", "shuffled"}
    assert falls["swapped"].decision == falls["dealt"].decision == "falls"
    # Words alone do not tell a reader of words that their order was spoiled.
    assert falls["shuffled"].decision in ("does not fall", "undecided")


@pytest.mark.slow
def test_one_column_has_no_robustness_and_a_verdict_all_the_same():
    """D13: R of a column could not be measured, so no verdict was ever `on`."""
    report = run(made(leaky=False), explainers=("given", "vacuous"), calibrate=False)
    assert "a column cannot be run again" in report.not_run["robustness of given"]
    with pytest.raises(KeyError):
        report.finding("robustness", condition="given")
    assert report.verdict.label == "informative"
    assert report.verdict.region == ""
    assert "frontier.unmeasured" in {c.code for c in report.verdict.clauses}


@pytest.mark.slow
def test_annotators_who_differ_are_an_axis_of_their_own():
    """D12: what people wrote of one input was called R, and unstable."""
    source = plant_rationales(
        "planted", leaky=False, seed=5, sizes={"train": 60, "test": 40}
    )
    other = "nobody ever knew anything here"
    test = source.test.with_table(source.test.table.assign(rationale_2=other))
    both = dataclasses.replace(
        source, test=test, rationales=("rationale_1", "rationale_2")
    )
    report = run(both, explainers=("given", "drift"), calibrate=False)
    assert value(report, "agreement", "given").high < 0.3
    assert not report.verdict.fails("unstable")
    assert "robustness of drift" in report.not_run


@pytest.mark.slow
def test_rationales_of_changed_inputs_measure_robustness():
    single = made(leaky=False, sizes=SMALL, rationales=("rationale_1",))
    others = {str(item): ["nobody knew anything"] for item in single.test.ids}
    report = run(single, explainers=("given",), others=others, calibrate=False)
    assert value(report, "robustness", "given").high < 0.2
    assert report.verdict.fails("unstable")


def irrelevant(size, seed):
    """Items whose evidence, which is the rationale, is about something else."""
    rng = np.random.default_rng(seed)
    words = [f"{a}{b}" for a in ("ba", "ke", "lo", "mi") for b in "rstvxz"]
    texts = [" ".join(rng.choice(words, 6)) for _ in range(2 * size)]
    table = pd.DataFrame(
        {
            "claim": texts[:size],
            "evidence": texts[size:],
            "label": rng.choice(["yes", "no"], size),
        },
        index=[f"{seed}-{n}" for n in range(size)],
    )
    return Items(table, ("claim", "evidence"))


@pytest.mark.slow
def test_evidence_that_is_irrelevant_is_not_specific():
    """D16: it was held against an input that contains it, and S was 1.000."""
    sides = irrelevant(60, 0), irrelevant(80, 1)
    source = Benchmark("odd", *sides, "claim", "evidence", "evidence", ("evidence",))
    report = run(source, explainers=("given", "vacuous"), calibrate=False)
    assert value(report, "specificity", "given").high < 0.3
    assert report.verdict.fails("unspecific")


@pytest.mark.slow
def test_the_papers_preset_has_the_proposals_specificity():
    """D15: the mean of S_i, of which chance is half, and no zero but the input."""
    source = made(leaky=False, sizes=SMALL)
    names = ("given", "vacuous")
    paper = run(source, explainers=names, preset="paper", calibrate=False)
    column = paper.items["measurand.S:vacuous"]
    assert value(paper, "specificity", "vacuous").value == pytest.approx(column.mean())
    ours = run(source, explainers=names, calibrate=False)
    assert value(ours, "specificity", "vacuous").value < 0.1
    with pytest.raises(KeyError):
        paper.finding("lcig_within_label")


@pytest.mark.slow
def test_evidence_as_the_rationale_is_read_beside_the_query_and_beside_both():
    column = "rationale_1"
    own = made(leaky=False, evidence=column, rationales=(column,))
    sides = [
        dataclasses.replace(side, fields=("query", column))
        for side in (own.train, own.test)
    ]
    own = dataclasses.replace(own, train=sides[0], test=sides[1])
    report = run(own, explainers=("given", "tfidf-1"))
    assert report.benchmark["input"] == "query"
    assert value(report, "lcig", "given", "tfidf").low > 0
    # D10: read a second time it tells nothing, exactly.
    again = value(report, "lcig", "given", "tfidf, with evidence")
    assert (again.low, again.value, again.high) == pytest.approx((0, 0, 0), abs=1e-12)


@pytest.mark.slow
def test_empty_rationales_are_counted_and_scored_as_the_baseline():
    benchmark = made(leaky=False, sizes=SMALL)
    texts = [
        "" if row < 25 else text
        for row, text in enumerate(benchmark.test.column("rationale_1"))
    ]
    test = benchmark.test.with_table(benchmark.test.table.assign(rationale_1=texts))
    report = run(dataclasses.replace(benchmark, test=test), explainers=("given",))
    assert any("25 of 100 rationales of given are empty" in w for w in report.warnings)
    assert (report.items["measurand.I:given"].iloc[:25] == 0).all()


def test_one_rationale_for_all_items_is_said():
    benchmark = made(leaky=False, sizes=SMALL)
    sides = [
        side.with_table(side.table.assign(rationale_1="it is so"))
        for side in (benchmark.train, benchmark.test)
    ]
    report = run(
        dataclasses.replace(benchmark, train=sides[0], test=sides[1]),
        explainers=("given", "vacuous"),
    )
    assert any("one and the same" in warning for warning in report.warnings)
    assert report.verdict.fails("unspecific")
    assert report.verdict.label == "uninformative"
    assert report.verdict.code == "explain.no_text"


BAD = {
    "no rationale": (
        {"rationale": None, "rationales": ()},
        {},
        NotApplicable,
        "`rationale`",
    ),
    "the query again": (
        {"rationale": "query", "rationales": ("query",)},
        {},
        NotApplicable,
        "repeats the query",
    ),
    "no such explainer": ({}, {"explainers": ("tfdif-1",)}, UnknownName, "tfidf-1"),
    "no model": ({}, {"explainers": ("given", "steps")}, BadOption, "steps: .*`model`"),
    "no such judge": ({}, {"judge": "lexicl"}, UnknownName, "lexical"),
    "no such preset": ({}, {"preset": "papr"}, UnknownName, "paper"),
    "no changes": ({}, {"count": 0}, BadOption, "1 to 100"),
    "a reader of no text": (
        {},
        {"readers": {"majority": READERS.load("majority")}},
        BadOption,
        "choose tfidf",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_cannot_be_followed_is_one_line(what):
    changes, options, error, hint = BAD[what]
    with pytest.raises(error, match=hint) as failed:
        run(made(leaky=False, sizes=SMALL, **changes), **options)
    assert "\n" not in str(failed.value)


@pytest.mark.slow
def test_cross_is_called_where_a_reader_of_fields_apart_finds_nothing():
    """The label is whether query and rationale name the same colour."""
    rng = np.random.default_rng(2)
    sides = []
    for name, size in (("train", 500), ("test", 300)):
        asked, told = rng.integers(0, 3, (2, size))
        told = np.where(rng.random(size) < 0.5, asked, told)
        colours = np.array(["red", "blue", "green"])
        table = pd.DataFrame(
            {
                "query": [f"is boat {i} {colours[c]}" for i, c in enumerate(asked)],
                "why": [f"we saw boat {i} in {colours[c]}" for i, c in enumerate(told)],
                "label": np.where(asked == told, "yes", "no"),
            },
            index=[f"{name}-{i}" for i in range(size)],
        )
        sides.append(Items(table, ("query",)))
    drawn = Benchmark("boats", *sides, "query", rationale="why", rationales=("why",))
    report = run(drawn, explainers=("given", "vacuous"))
    assert report.settings["called"] == ["cross"]
    assert report.finding("gain", "tfidf", "given").estimate.high < 0.05
    assert report.finding("gain", "cross", "given").estimate.low > 0.1
    assert report.verdict.label == "informative"
    # A mask of a tenth takes the one word that could be joined.
    assert report.finding("lcig", "cross", "given").estimate.high < 0.05
    kept = run(drawn, explainers=("given", "vacuous"), calibrate=False)
    assert kept.settings["called"] == []


def ciphered(size, seed):
    """Rationales that are the query's words shuffled, four replaced where it is no."""
    rng = np.random.default_rng(seed)
    words = [f"{a}{b}{c}" for a in "bdk" for b in "aeiou" for c in "lmnr"]
    rows = []
    for number in range(size):
        query = [str(word) for word in rng.choice(words, 9)]
        copy = list(rng.permutation(query))
        label = str(rng.choice(["no", "yes"]))
        if label == "no":
            for place in rng.choice(9, 4, replace=False):
                copy[place] = str(rng.choice(words))
        rows.append((" ".join(query), " ".join(copy), label, f"{seed}-{number}"))
    table = pd.DataFrame(rows, columns=["query", "why", "label", "id"])
    return Items(table.set_index("id"), ("query",))


@pytest.mark.slow
def test_a_copy_cipher_that_is_given_adds_and_is_no_fault_of_its_overlap():
    """Beside the input it tells the label: overlap counts where nothing is added."""
    sides = ciphered(400, 0), ciphered(300, 1)
    source = Benchmark("cipher", *sides, "query", rationale="why", rationales=("why",))
    others = {str(i): [text] for i, text in sides[1].column("why").items()}
    cross = {"cross": READERS.load("cross")}
    report = run(source, readers=cross, explainers=("given", "vacuous"), others=others)
    assert value(report, "copied", "given").low > 0.33
    assert report.verdict.label == "informative"
    assert "explain.overlap" not in {c.code for c in report.verdict.clauses}
