import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.compare.changes import lost_figures
from measurand.compare.compare import compare, comparison_of
from measurand.core.clause import Clause
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report, Verdict
from measurand.report import saved
from measurand.report.html import page
from measurand.report.markdown import markdown
from measurand.report.summary import summary
from measurand.report.tables import exhibit_grid
from tests.report.gallery import BAD

ROLES = {"query": "claim", "evidence": "text", "label": "label", "rationale": "why"}


def stated(value, half=0.03, method="bootstrap over items"):
    return Estimate(value, value - half, value + half, 0.95, 40, method)


def explained(name="v1", *findings, items=None, fails=(), stage="tfidf", **settings):
    """A report as the explanations audit makes it."""
    label = "leaky" if "leaky" in fails else "judged"
    clauses = tuple(Clause(f"fails.{axis}", {}) for axis in fails)
    return Report(
        "explanations",
        {"name": name, "roles": ROLES},
        Verdict(label, "", stage, clauses=clauses),
        tuple(
            found
            if isinstance(found, Finding)
            else Finding(*found[:3], stated(*found[3:]))
            for found in findings
        ),
        {"seed": 0, "explainers": ["given"], **settings},
        items=pd.DataFrame() if items is None else items,
    )


def kept(count=40, groups=40, **scores):
    """Items with these scores of given rationales."""
    numbers = np.arange(count)
    table = pd.DataFrame(
        {
            "claim": [f"claim {i}" for i in numbers],
            "text": [f"text {i % groups}" for i in numbers],
            "label": ["yes", "no"] * (count // 2),
            "measurand.left open": 1.0,
        },
        [f"i{i}" for i in numbers],
    )
    return table.assign(
        **{f"measurand.{key}:given": value for key, value in scores.items()}
    )


def changes(*reports):
    (found,) = (e for e in compare(reports).exhibits if e.kind == "changes")
    return found.table.set_index(["condition", "statistic"])


def halves(low, high, count=40):
    return [low] * (count // 2) + [high] * (count // 2)


R = ("robustness", "lexical", "given")
ONE = explained("v1", (*R, 0.5), items=kept(R=0.5))
TWO = explained("v2", (*R, 0.75), items=kept(R=halves(0.5, 1.0)))


def test_reports_of_other_items_differ_as_if_independent():
    one = explained("v1", (*R, 0.4), ("varif", "tfidf", "given", 0.1))
    two = explained("v2", (*R, 0.6, 0.04), ("varif", "tfidf", "given", 0.1))
    row = changes(one, two).loc[("given", "robustness")]
    assert (row["first_value"], row["second_low"]) == pytest.approx((0.4, 0.56))
    assert tuple(row[["difference", "low", "high"]]) == pytest.approx((0.2, 0.15, 0.25))
    assert (row["n"], row["decision"]) == (80, "higher")
    assert row["method"].startswith("as if independent")
    assert changes(one, two).loc[("given", "varif"), "decision"] == "undecided"


def test_reports_of_one_benchmark_without_items_add_their_arms():
    row = changes(*(explained("v", (*R, v)) for v in (0.4, 0.6))).iloc[0]
    assert (row["low"], row["high"]) == pytest.approx((0.14, 0.26))
    assert row["method"].startswith("not paired")


def test_shared_items_are_paired():
    row = changes(ONE, TWO).iloc[0]
    assert (row["difference"], row["n"]) == (0.25, 40)
    # Half of the items gain 0.5, so one gains 0.25 with a deviation of 0.25.
    half = 1.96 * 0.25 / 40**0.5
    assert (row["low"], row["high"]) == pytest.approx((0.25 - half, 0.25 + half), 0.1)
    assert row["method"] == (
        "paired on items of both: bootstrap over items, 2000 resamples"
    )


def test_a_statistic_made_of_means_is_paired_too():
    # S = 2 AUC - 1 = 1, I = 0.5 of what is open: 2 R I / (R + I) with R = 1, then 0.5.
    values = {1.0: 2 / 3, 0.5: 0.5}
    one, two = (
        explained(
            f"v{r}",
            ("varif", "tfidf", "given", value),
            items=kept(S=1.0, R=r, I=0.5, copied=0.0),
        )
        for r, value in values.items()
    )
    row = changes(one, two).iloc[0]
    assert row["difference"] == pytest.approx(-1 / 6)
    assert (row["decision"], row["n"]) == ("lower", 40)


def test_a_clipped_zero_is_not_taken_for_another_readers():
    # The items are of a reader that finds -0.2; this one found -0.1, clipped alike.
    found = ("informativeness", "tfidf", "given", 0.0), ("lcig", "tfidf", "given", -0.1)
    one, two = (explained(n, *found, items=kept(I=-0.2)) for n in ("v1", "v2"))
    assert not changes(one, two)["method"].str.startswith("paired").any()


def test_items_that_share_evidence_are_drawn_together():
    twins = [
        replace(report, items=report.items.assign(text=kept(groups=20)["text"]))
        for report in (ONE, TWO)
    ]
    assert "20 clusters" in changes(*twins).iloc[0]["method"]


def test_an_item_without_a_score_in_one_report_is_left_out_of_both():
    # All that the first lacks are 1.0 in the second: of the 30 in both, none differs.
    lacks = [np.nan] * 10 + [0.5] * 30
    gains = [1.0] * 10 + [0.5] * 30
    one = explained("v1", (*R, 0.5), items=kept(R=lacks))
    two = explained("v2", (*R, 0.625), items=kept(R=gains))
    row = changes(one, two).iloc[0]
    assert tuple(row[["difference", "low", "high", "n"]]) == (0.0, 0.0, 0.0, 30)
    assert row["decision"] == "the same"


def test_a_product_of_means_counts_the_items_of_its_scarcest():
    lacks = [np.nan] * 10 + [1.0] * 30
    one, two = (
        explained(
            name,
            ("varif", "tfidf", "given", value),
            items=kept(groups=20, S=1.0, R=lacks, I=told, copied=0.0),
        )
        for name, told, value in (("v1", 0.5, 2 / 3), ("v2", halves(0.5, 1.5), 1.0))
    )
    row = changes(one, two).iloc[0]
    # Where both lack the same, the difference is that of the values stated.
    assert (row["difference"], row["n"]) == (pytest.approx(1 / 3), 30)
    assert "paired on items of both: bootstrap over 20 clusters" in row["method"]


UNPAIRED = {
    "another reader's scores": lambda r: replace(r, items=kept(R=0.1)),
    "several seeds": lambda r: replace(
        r, findings=(Finding(*R, stated(0.5, method="mean of 3 seeds")),)
    ),
    "other texts": lambda r: replace(r, items=r.items.assign(claim="other")),
    "other labels": lambda r: replace(r, items=r.items.assign(label="maybe")),
    "few scores": lambda r: replace(r, items=kept(R=[0.5] * 19 + [np.nan] * 21)),
    "few items": lambda r: replace(r, items=r.items.iloc[:10]),
    "groups not kept": lambda r: replace(
        r, benchmark={**r.benchmark, "roles": {**ROLES, "group": "topic"}}
    ),
}


@pytest.mark.parametrize("what", UNPAIRED)
def test_what_items_do_not_give_is_not_paired(what):
    row = changes(UNPAIRED[what](ONE), TWO).iloc[0]
    assert row["difference"] == 0.25
    assert not row["method"].startswith("paired")


def test_a_version_of_the_evidence_that_is_explained_is_still_the_same_item():
    told = {**ROLES, "rationale": "text"}
    one, two = (
        replace(
            report,
            benchmark={**report.benchmark, "roles": told},
            items=report.items.assign(text=[f"{n} {i}" for i in range(40)]),
        )
        for n, report in enumerate((ONE, TWO))
    )
    assert changes(one, two).iloc[0]["method"].startswith("paired")


def test_the_part_of_the_items_that_is_shared_is_paired_and_said():
    part = replace(TWO, items=TWO.items.iloc[10:30])
    row = changes(ONE, part).iloc[0]
    assert (row["difference"], row["n"]) == (0.25, 20)
    assert list(compare([ONE, part]).warnings) == [
        "v2 and v1 share 20 of 20 and 40 items: what is paired is of these"
    ]


def test_explainers_of_one_report_are_said_and_shown():
    one = explained("v1", (*R, 0.5), ("robustness", "lexical", "steps", 0.9))
    two = explained("v2", (*R, 0.5), ("lcig", "cross", "given", 0.1))
    found = compare([one, two])
    assert found.not_run == {
        "changes of what v2 lacks": "only v1 has the conditions steps",
        "changes of what v1 lacks": "only v2 has the readers cross",
    }
    rows = changes(one, two)
    assert rows.loc[("steps", "robustness"), "decision"] == "only in v1"
    assert rows.loc[("steps", "robustness"), "first_value"] == 0.9
    assert np.isnan(rows.loc[("given", "lcig"), "difference"])
    assert [f.statistic for f in found.findings] == ["robustness_difference"]


def test_verdicts_on_two_explainers_are_compared_by_these():
    one = explained("a", ("lcig", "tfidf", "concise", 0.1), explainers=["concise"])
    two = explained("b", ("lcig", "tfidf", "steps", 0.3), explainers=["steps"])
    row = changes(one, two).loc[("steps − concise", "lcig")]
    assert row["difference"] == pytest.approx(0.2)


def test_axes_that_turned_are_said():
    axes = [(s, "tfidf", "given", 0.4) for s in ("robustness", "rationale_only")]
    more = ("specificity", "words", "given", 0.4)
    one = explained("v1", *axes, more, fails=("unstable", "leaky"))
    two = explained("v2", axes[1], more, fails=("unspecific",))
    found = compare([one, two])
    assert found.verdict.reason == (
        "2 reports: 1 leaky, 1 judged; v2 after v1: newly unspecific, no longer "
        "clearly leaky, not judged in v2: unstable"
    )
    (table,) = (e.table for e in found.exhibits if e.name == "decisions")
    assert table["fails"].tolist() == ["unstable, leaky", "unspecific"]


def test_a_verdict_without_a_reader_judges_no_axis():
    leaks = ("rationale_only", "tfidf", "given", 0.9)
    one = explained("v1", leaks, fails=("leaky",))
    two = explained("v2", leaks, stage=None)
    assert "not judged in v2: leaky" in compare([one, two]).verdict.reason


def test_other_seeds_and_other_items_are_warned_of():
    readers = [{"tfidf": {"least": least}} for least in (1, 2)]
    one = explained("v1", (*R, 0.5), readers=readers[0])
    two = explained("v2", (*R, 0.5), seed=1, readers=readers[1])
    assert list(compare([one, two]).warnings) == [
        "v2 and v1 are not known to share items: what differs may be the items",
        "v2 was run otherwise than v1: seed 1, not 0; other readers",
    ]
    assert not compare([ONE, TWO]).warnings


def test_other_explainers_and_other_readers_called_are_warned_of():
    one = explained("v", (*R, 0.5), called=["cross"])
    two = explained("v", (*R, 0.5), called=[], explainers=["given", "steps", "a"])
    turned = replace(two, settings={**two.settings, "explainers": ["a", "given"]})
    assert [*compare([one, two]).warnings, *compare([two, turned]).warnings] == [
        "v (2) was run otherwise than v (1): explainers with steps · a; called "
        "without cross",
        "v (2) was run otherwise than v (1): explainers without steps",
    ]
    tupled = replace(two, settings={**two.settings, "called": ()})
    assert not compare([two, tupled]).warnings


def test_explainers_in_another_order_are_warned_of():
    one, two = (
        explained("v", (*R, 0.5), explainers=names)
        for names in (["given", "steps"], ["steps", "given"])
    )
    (said,) = compare([one, two]).warnings
    assert said.endswith("than v (1): explainers in another order")


def test_another_input_and_another_train_are_warned_of():
    one, two, renamed = (
        replace(ONE, benchmark={"name": "v", "roles": roles, "input": x, **digests})
        for roles, x, digests in (
            (ROLES, "claim", {"digest": {"train": "a", "test": "b"}}),
            (ROLES, "claim, text", {"digest": {"train": "c", "test": "b"}}),
            ({**ROLES, "query": "statement"}, "statement", {"digest": {"test": "b"}}),
        )
    )
    assert list(compare([one, two]).warnings) == [
        "v (2) was run otherwise than v (1): input query + evidence, not query; "
        "train not the same cell for cell"
    ]
    renamed = replace(renamed, items=ONE.items.rename(columns={"claim": "statement"}))
    assert not compare([one, renamed]).warnings


def claim(statistic, reader, condition, value, decision):
    return Finding(statistic, reader, condition, stated(value), decision)


def test_answers_to_hypotheses_stand_side_by_side():
    one = explained("v1", claim("h2", "rationale_only", "leaking", 0.4, "supported"))
    two = explained("v2", claim("h2", "rationale_only", "leaking", 0.0, "undecided"))
    row = changes(one, two).loc[("leaking", "h2")]
    decisions = row[["first_decision", "second_decision", "decision"]]
    assert decisions.tolist() == ["supported", "undecided", "lower"]
    assert row["difference"] == pytest.approx(-0.4)
    cells = "0.400 [0.370, 0.430] supported | 0.000 [-0.030, 0.030] undecided"
    assert cells in markdown(compare([one, two]))


OTHERS = {
    "surface": (("rouge_l", "drift"), ("bertscore", "drift")),
    "explainer": (("robustness", "steps"), ("robustness", "steps-unlabeled")),
    "order": (("varif", "all"), ("varif", "all")),
}


@pytest.mark.parametrize("what", OTHERS)
def test_an_answer_about_something_else_is_shown_and_not_subtracted(what):
    first, second = OTHERS[what]
    one = explained("v1", claim("h4", *first, 0.4, "supported"))
    ranked = ("varif", "tfidf", "steps", 0.5)
    two = explained("v2", claim("h4", *second, 0.1, "undecided"), ranked)
    row = changes(one, two).iloc[0]
    assert (row["first_value"], row["second_value"]) == (0.4, 0.1)
    assert row["decision"] == "not the same quantity"
    assert np.isnan(row["difference"])


def test_hypotheses_stand_together_before_the_rest():
    every = [
        ("length", "words", "drift", 0.5),
        ("varif", "tfidf", "drift", 0.5),
        *(claim(f"h{n}", "lcig", f"c{n}", 0.5, "undecided") for n in range(1, 6)),
    ]
    found = changes(explained("v1", *every), explained("v2", *every[:4]))
    names = [statistic for _, statistic in found.index]
    assert names == ["varif", "h1", "h2", "h3", "h4", "h5", "length"]


def test_the_judged_and_what_leads_stand_first():
    every = [
        (statistic, "tfidf", condition, 0.5)
        for condition in ("vacuous", "given")
        for statistic in ("length", "varif", "informativeness")
    ]
    found = changes(explained("v1", *every), explained("v2", *every))
    assert found.index.tolist()[:4] == [
        ("given", "varif"),
        ("given", "informativeness"),
        ("vacuous", "varif"),
        ("vacuous", "informativeness"),
    ]


def test_every_later_report_is_compared_with_the_first():
    found = compare([ONE, TWO, replace(TWO, benchmark={**TWO.benchmark, "name": "v3"})])
    places = [f.condition for f in found.findings]
    assert places == ["v2 − v1, given", "v3 − v1, given"]


def test_changes_are_read_in_every_form(tmp_path):
    found = compare([ONE, TWO])
    back = saved.load_report(saved.save_report(found, tmp_path, {}))
    assert saved.document(back) == saved.document(found)
    assert (tmp_path / "figures" / "differences-in-v2.svg").exists()
    line = "given      robustness  lexical  0.250 ["
    assert line in summary(back, verbose=True)
    assert "robustness_difference" not in summary(back, verbose=True)
    assert "| given | robustness | lexical | 0.250 [" in markdown(back)
    assert "robustness_difference" not in page(back, {})
    cells = page(back, {})
    assert '<td class="number">0.500 [0.470, 0.530]</td>' in cells


def test_a_page_shows_every_change_however_many():
    every = [("length", "words", f"explainer {n}", 0.5) for n in range(450)]
    found = compare([explained("v1", *every), explained("v2", *every)])
    (table,) = (e for e in found.exhibits if e.kind == "changes")
    assert (len(exhibit_grid(table).rows), exhibit_grid(table).note) == (450, "")
    assert "length_difference" not in page(found, {})
    assert "explainer 449" in page(found, {})


def test_a_table_of_changes_that_somebody_else_wrote_is_shown_as_it_is():
    found = compare([ONE, TWO])
    odd = [
        replace(e, table=e.table.drop(columns="method"))
        if e.kind == "changes"
        else replace(e, table=e.table.assign(value="<b>"))
        for e in found.exhibits
    ]
    assert "robustness_difference" in summary(
        replace(found, exhibits=odd), verbose=True
    )


@pytest.mark.parametrize("bad", [*BAD, "method", "first", "n"])
def test_hostile_explanations_are_compared(bad, tmp_path):
    found = [
        explained(
            bad if n == 1 else f"{bad} 2",
            ("varif", bad, bad, 0.5),
            explainers=[bad],
            **{bad + "?": n},
        )
        for n in (1, 2)
    ]
    saved.save_report(compare(found), tmp_path, {})
    assert "<script" not in (tmp_path / "report.html").read_text()
    assert "\x1b" not in summary(compare(found))


@pytest.mark.slow
def test_a_paired_interval_covers_the_difference():
    rng, held = np.random.default_rng(0), 0
    for _ in range(200):
        first = rng.beta(2, 2, 60)
        second = np.where(rng.random(60) < 0.5, first, rng.beta(4, 2, 60))
        one, two = (
            explained(name, (*R, scores.mean()), items=kept(60, 60, R=scores))
            for name, scores in (("a", first), ("b", second))
        )
        row = changes(one, two).iloc[0]
        held += row["low"] <= 0.5 * (2 / 3 - 1 / 2) <= row["high"]
    assert 0.9 < held / 200 < 0.985


@pytest.mark.parametrize("stage", [None, "lookup"])
def test_a_figure_that_no_verdict_rests_on_may_be_lost(realistic, stage):
    estimate = Estimate(0.3, 0.2, 0.4, 0.95, 400, "score interval")
    undefined = Estimate(math.nan, math.nan, math.nan, 0.95, 0, "")
    verdict = Verdict("leaks", "leaks", stage, "because")
    findings = (
        Finding("over_blank", "tfidf", "claim", estimate),
        Finding("over_blank", "lookup", "claim", undefined),
    )
    first = replace(realistic, audit="leakage", verdict=verdict, findings=findings)
    bare = replace(first, findings=())
    comparison = comparison_of("leakage")
    assert lost_figures(first, bare, comparison) == []
    assert lost_figures(bare, first, comparison) == []
    told = replace(first, verdict=replace(verdict, stage="tfidf"))
    assert lost_figures(told, bare, comparison) == [findings[0]]
