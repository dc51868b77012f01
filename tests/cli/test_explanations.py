"""The explanations audit from the command line."""

import json
import random

import pytest

from tests.cli.commands import process, written
from tests.cli.test_bad_input import one_line
from tests.cli.test_hostile import ATTACKS, harmless

FAST = (
    "--no-calibrate",
    "--explainer",
    "given",
    "--explainer",
    "vacuous",
    "--workers",
    "1",
    "--changes",
    "1",
)
STATED = {
    *("robustness", "robustness_baseline", "informativeness", "rationale_only"),
    *("lcig", "residual_leakage", "rev", "las", "las_leaking", "las_nonleaking"),
    *("simulatability", "specificity", "varif", "hypervolume", "rouge_l", "length"),
    *("comprehensiveness", "sufficiency"),
    *(
        "overlap",
        "acceptance_rate",
        "majority",
        "rank_correlation",
        "h1",
        "h2",
        "agreement",
        "copied",
        "lcig_within_label",
        "attack_fall",
        "pairs_accepted",
        "drift_likeness",
    ),
    *(f"auc_{kind}" for kind in ("vacuous", "label-leaking", "circular")),
    *(f"auc_{kind}" for kind in ("pseudo-specific", "drift", "label-swapped")),
    "auc_copy-cipher",
}
CONDITIONS = {
    *("given", "tfidf-1", "tfidf-2", "random-1", "random-2", "vacuous", "circular"),
    *("label-leaking", "pseudo-specific", "drift", "label-swapped", "all"),
    "copy-cipher",
}


def told(n=60, **columns):
    """Claims with evidence and two rationales each; `columns` replace some."""
    draw = random.Random(0)
    rows = []
    for i in range(n):
        city, other = draw.sample(["Paris", "Rome", "Oslo", "Lima", "Cairo"], 2)
        yes = draw.random() < 0.5
        seen = city if yes else other
        rows.append(
            {
                "claim": f"The kid of Trip{i} went to {city}.",
                "evidence": f"Report{i} puts Trip{i} in {seen}. It was a long way.",
                "label": "yes" if yes else "no",
                "why_1": f"Report{i} says that Trip{i} was in {seen}",
                "why_2": f"It was {seen} where Report{i} saw Trip{i}",
                **{name: make(i) for name, make in columns.items()},
            }
        )
    return rows


COLUMNS = ("--query", "claim", "--evidence", "evidence", "--label", "label")
BOTH = ("--rationale", "why_1", "--rationale", "why_2")


@pytest.fixture
def facts():
    return told()


@pytest.fixture
def audit(run, file):
    """The report that the verb prints with these options."""

    def call(*options):
        done = run("explanations", file, *COLUMNS, *FAST, "--json", *options)
        assert done.code == 0, done.err
        return json.loads(done.out)

    return call


def value(report, statistic, condition, reader=None):
    (found,) = [
        f["estimate"]["value"]
        for f in report["findings"]
        if (f["statistic"], f["condition"]) == (statistic, condition)
        and reader in (None, f["reader"])
    ]
    return found


@pytest.mark.slow
def test_every_statistic_is_stated_under_its_name(run, tmp_path):
    file = written(tmp_path / "facts.jsonl", told(40))
    terms = (*COLUMNS, *BOTH, "--no-calibrate", "--workers", "1", "--json")
    done = run("explanations", file, *terms)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["audit"] == "explanations"
    assert {f["statistic"] for f in report["findings"]} >= STATED
    assert {f["condition"] for f in report["findings"]} >= CONDITIONS
    assert "step-by-step" in report["not_run"]["h3"]


@pytest.mark.slow
def test_workers_and_store_leave_no_trace(file, tmp_path, run):
    command = ("explanations", file, *COLUMNS, *BOTH, *FAST, "--changes", "2", "--json")
    first = run(*command, "--workers", "1")
    assert first.code == 0, first.err
    two = process(*command, "--workers", "2", MEASURAND_STORE=tmp_path / "new")
    again = run(*command, "--workers", "1", "--out", tmp_path / "r")
    assert first.out == two.out == again.out
    assert (tmp_path / "r" / "report.json").read_text("utf-8") == first.out
    log = json.loads((tmp_path / "r" / "run.json").read_text())
    assert log["answers"]["computed"] == 0
    assert log["answers"]["reused"] > 10


def test_a_plan_says_what_would_be_done_and_does_nothing(run, file, tmp_path):
    out = tmp_path / "r"
    done = run("explanations", file, *COLUMNS, *BOTH, *FAST, "--plan", "--out", out)
    assert done.code == 0, done.err
    assert "2 explainers, up to" in done.err + done.out
    assert "trainings of tfidf" in done.err + done.out
    assert not out.exists()


def test_one_column_alone_has_no_robustness_and_no_place(audit):
    report = audit("--rationale", "why_1")
    assert "`others`" in report["not_run"]["robustness of given"]
    assert not [
        f
        for f in report["findings"]
        if f["statistic"] in ("robustness", "varif") and f["condition"] == "given"
    ]


def test_rationales_of_changed_inputs_come_from_a_file(audit, tmp_path):
    rows = [{"id": i, "why_1": row["why_1"]} for i, row in enumerate(told())]
    rows[::2] = [{**row, "why_1": None} for row in rows[::2]]
    file = written(tmp_path / "again.jsonl", rows)
    report = audit("--rationale", "why_1", "--perturbed", file)
    assert value(report, "robustness", "given") == 1


def test_the_evidence_may_be_the_rationale(audit):
    report = audit("--rationale", "evidence")
    assert report["benchmark"]["input"] == "claim"
    readers = {f["reader"] for f in report["findings"] if f["statistic"] == "lcig"}
    assert readers == {"tfidf", "tfidf, with evidence"}


def test_a_given_rationale_is_judged_wherever_it_is_named(run, file):
    turned = (*FAST[:1], "--explainer", "vacuous", "--explainer", "given")
    words = ("explanations", file, *COLUMNS, *BOTH, "--json")
    assert run(*words, *turned, *FAST[-4:]).out == run(*words, *FAST).out


def test_a_verdict_can_fail_the_command(run, file):
    words = ("explanations", file, *COLUMNS, *FAST, "--rationale", "why_1")
    label = json.loads(run(*words, "--json").out)["verdict"]["label"]
    assert run(*words, "--fail-on", label).code == 3
    other = {"inconclusive": "informative"}.get(label, "inconclusive")
    assert run(*words, "--fail-on", other).code == 0
    one_line(run(*words, "--fail-on", "axes hold"), "informative, slightly informative")


OPTIONS = {
    "no explainer": ("--explainer tfdif-1", "did you mean 'tfidf-1'?"),
    "no model": ("--explainer concise", "--model: smollm2, causal:DIR or llm:NAME"),
    "no judge": ("--judge lexicl", "no judge called 'lexicl'"),
    "no preset": ("--preset papr", "'papr'"),
    "no changes": ("--changes 0", "--changes is 0"),
    "no column": ("--rationale whi_1", "did you mean 'why_1'?"),
    "no file": ("--perturbed lost.jsonl", "no such file"),
    "no text reader": ("--reader majority", "cannot be taught to read rationales"),
}


@pytest.mark.parametrize("what", OPTIONS)
def test_a_bad_option_is_refused_in_one_line(run, file, what):
    words, said = OPTIONS[what]
    command = ("explanations", file, *COLUMNS, "--rationale", "why_1", "--workers", "1")
    one_line(run(*command, *words.split()), said)


@pytest.mark.parametrize("name", ["concise", "steps", "steps-unlabeled"])
def test_a_prompted_explainer_without_a_model_is_refused_before_any_work(run, name):
    words = ("explanations", "lost.jsonl", "--explainer", "given", "--explainer", name)
    one_line(run(*words), f"{name}: an LLM is asked, and none is named", "--model")


NONE = {
    "no rationale column": ({}, (), "names no rationale"),
    "empty on every item": (
        {"why_1": lambda i: " "},
        ("--rationale", "why_1"),
        "is empty on every",
    ),
    "the query again": (
        {"claim": lambda i: f"A {i}", "why_1": lambda i: f"A {i}"},
        ("--rationale", "why_1"),
        "repeats the query on every item",
    ),
}


@pytest.mark.parametrize("what", NONE)
def test_rationales_that_are_none_are_refused_in_one_line(run, tmp_path, what):
    columns, words, said = NONE[what]
    file = written(tmp_path / "none.jsonl", told(**columns))
    one_line(run("explanations", file, *COLUMNS, *FAST, *words), said, "--rationale")


CHANGED = {
    "of no test item": ({"id": "x1", "why_1": "so"}, "'x1'", "--id"),
    "without ids": ({"why_1": "so"}, "no field 'id'"),
    "without rationales": ({"id": 1, "why": "so"}, "no field 'why_1'"),
    "without words": ({"id": 1, "why_1": " "}, "'why_1' is empty in all 1 rows"),
}


@pytest.mark.parametrize("what", CHANGED)
def test_changed_rows_of_no_use_are_refused_in_one_line(run, file, tmp_path, what):
    row, *parts = CHANGED[what]
    changed = written(tmp_path / "again.jsonl", [row])
    command = ("explanations", file, *COLUMNS, *FAST, "--rationale", "why_1")
    one_line(run(*command, "--perturbed", changed), *parts)


def test_a_judge_without_an_entailment_class_is_refused(run, file, tmp_path):
    pytest.importorskip("torch")
    from tests.models.tiny_classifier import save

    folder = save(tmp_path / "judge", ("good", "bad", "neutral"))
    command = ("explanations", file, *COLUMNS, *FAST, *BOTH, "--judge", folder)
    one_line(run(*command), "entailment")


@pytest.mark.slow
def test_a_judge_by_its_directory_is_named_without_it(audit, tmp_path):
    pytest.importorskip("torch")
    from tests.models.tiny_classifier import save

    report = audit(*BOTH, "--judge", save(tmp_path / "judge"), "--changes", "1")
    readers = {
        f["reader"] for f in report["findings"] if f["statistic"] == "robustness"
    }
    assert readers == {"judge"}
    assert str(tmp_path) not in json.dumps(report)


def test_hostile_rationales_do_no_harm(run, tmp_path):
    rows = told(why_1=lambda i: f"Report{i} {ATTACKS[i % len(ATTACKS)]} so")
    file = written(tmp_path / "hostile.jsonl", rows)
    done = run("explanations", file, *COLUMNS, *FAST, *BOTH, "--out", tmp_path / "r")
    assert done.code == 0, done.err
    assert harmless(done.out + done.err)
    page = (tmp_path / "r" / "report.html").read_text("utf-8")
    assert "<script>document" not in page
    assert "&lt;script&gt;document" in page
    assert "<img src=x" not in page
    assert "\x1b" not in page
    assert harmless((tmp_path / "r" / "report.json").read_text("utf-8"))


def test_a_called_reader_that_needs_no_rationale_is_left_out_and_said(run, file):
    """Whether city and evidence agree is all there is: cross sees it in the input."""
    words = (*COLUMNS, *BOTH, "--explainer", "given", "--workers", "1", "--json")
    done = run("explanations", file, *words)
    assert done.code == 0, done.err
    report = json.loads(done.out)
    assert report["settings"]["called"] == []
    assert "the input alone tells cross every label" in report["not_run"]["cross"]
