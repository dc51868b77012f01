"""The front door for Python: what a newcomer types first, and every line it answers."""

import inspect
import subprocess
import sys
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.audits import AUDITS
from measurand.core.errors import BadInput, BadOption, ReaderFailed, UnknownName
from measurand.readers import READERS
from measurand.report.saved import document, dumps
from measurand.report.summary import summary
from tests.boats import boats

ROLES = {"query": "claim", "evidence": "evidence", "label": "label"}
QUICK = {"calibrate": False, "shuffles": 2, "folds": 1}


@dataclass(frozen=True)
class Guess:
    """The first label, always; columns beyond one a class are `extra`."""

    kind: ClassVar[str] = "guess"
    extra: int = 0

    def fit(self, items, rng):
        return FittedGuess(items.classes, self.extra)


@dataclass(frozen=True)
class FittedGuess:
    classes: tuple[str, ...]
    extra: int

    def predict(self, items):
        return np.eye(len(self.classes) + self.extra)[np.zeros(len(items), int)]


def python(code):
    """What a fresh Python prints."""
    words = [sys.executable, "-c", code]
    process = subprocess.run(words, capture_output=True, text=True, check=True)
    return process.stdout.strip()


@pytest.fixture(scope="module")
def rows():
    return boats(300)


@pytest.fixture(scope="module")
def report(rows):
    bench = ms.load(rows, name="boats", metadata=["harbour"], **ROLES)
    return ms.evidence(bench, strongest="cross", shuffles=2)


@pytest.fixture(scope="module")
def small(rows):
    return ms.evidence(rows, "tfidf", **QUICK)


def test_a_frame_is_enough(rows):
    report = ms.evidence(rows, strongest="cross", shuffles=2)
    assert report.verdict.label == "needed"
    assert report.verdict.stage == "cross"
    assert report.benchmark["name"] == "benchmark"


def test_a_report_prints_what_the_terminal_shows(report):
    assert str(report) == summary(report)
    assert "\n✓ NEEDED  " in str(report)


def test_a_report_has_its_findings_as_a_frame(report):
    frame = report.frame.set_index(["statistic", "reader", "condition"])
    finding = report.finding("delta_evi", "cross", "plain")
    row = frame.loc[("delta_evi", "cross", "plain")]
    assert (row["value"], row["n"]) == (finding.estimate.value, finding.estimate.n)
    assert row["decision"] == finding.decision
    assert len(frame) == len(report.findings)


def test_a_report_draws_its_figures_when_they_are_asked_for(report):
    alt = pytest.importorskip("altair", reason="altair is not installed")
    assert {"decision-map", "ladder"} <= {*report.figures}
    assert isinstance(report.figures["decision-map"], alt.LayerChart)
    assert "config" in report.figures["decision-map"].to_dict()
    with pytest.raises(
        KeyError, match="no figure called 'map'; there are decision-map"
    ):
        report.figures["map"]


def test_a_saved_report_reads_as_it_was(report, tmp_path):
    assert report.save(tmp_path / "boats") == tmp_path / "boats"
    again = ms.load_report(tmp_path / "boats")
    assert str(again) == str(report)
    assert [*again.figures] == [*report.figures]


def test_reports_are_compared(report):
    table = ms.compare([report, report])
    assert table.verdict.label == "compared"
    assert ms.compare({"a": report, "b": report}).verdict == table.verdict


def test_a_notebook_shows_the_page_in_a_frame_that_reaches_nothing(report):
    html = report._repr_html_()
    assert html.startswith("<iframe")
    assert 'sandbox="allow-scripts"' in html
    assert html.count("<") == 2


def test_hostile_text_stays_inside_the_frame(rows):
    name = '"><script>alert(1)</script>'
    report = ms.evidence(ms.load(rows, name=name, **ROLES), "tfidf", **QUICK)
    assert "<script>" not in report._repr_html_()
    assert '""' not in report._repr_html_().partition("srcdoc=")[0]


@pytest.mark.slow
def test_every_audit_that_applies_is_run(rows, tmp_path):
    quick = {"folds": 2, "tsne": False, "calibrate": False}
    results = ms.audit(ms.load(rows, name="boats", **ROLES), **quick)
    assert [*results] == ["evidence", "leakage"]
    assert "names no rationale" in results.not_run["explanations"]
    assert "Can the label be predicted from one part alone?" in str(results)
    assert "explanations audit not run" in str(results)
    assert results._repr_html_().count("<iframe") == 2
    results.save(tmp_path)
    label = results["leakage"].verdict.label
    assert ms.load_report(tmp_path / "leakage").verdict.label == label
    assert (tmp_path / "audits.json").is_file()
    again = ms.load_report(tmp_path)
    assert [*again] == [*results]
    for name, report in results.items():
        assert again[name].verdict.code == report.verdict.code
        assert dumps(document(again[name])) == dumps(document(report))
    assert again.not_run == dict(results.not_run)


@pytest.mark.slow
def test_leakage_and_explanations_have_doors_too():
    made = ms.load("synthetic:explained")
    few = made.test.rows(np.arange(80)), made.train.rows(np.arange(160))
    small = type(made)(**{**vars(made), "test": few[0], "train": few[1]})
    found = ms.explanations(small, explainers="given", count=1, calibrate=False)
    assert found.verdict.label in AUDITS.thing("explanations").labels
    found = ms.leakage(small, tsne=False)
    assert found.verdict.label in AUDITS.thing("leakage").labels


@pytest.mark.slow
def test_several_benchmarks_are_the_tasks_of_one_exposure_study(rows):
    design = {"m": 20, "n": 60, "repeats": 2}
    others = rows.assign(claim=rows["claim"] + " in the south")
    tasks = {"north": rows, "south": ms.load(others, **ROLES)}
    report = ms.exposure(tasks, "idf", **design)
    assert {*report.benchmark["tasks"]} == {"north", "south"}
    report = ms.exposure([rows, others], "idf", **design)
    assert {*report.benchmark["tasks"]} == {"benchmark", "benchmark (2)"}


def test_a_source_is_a_file_a_name_a_pair_or_a_frame(rows, tmp_path):
    path = tmp_path / "boats.jsonl"
    rows.to_json(path, orient="records", lines=True)
    assert ms.load(path).name == ms.load(str(path)).name == "boats"
    assert ms.load(path, name="ships").name == "ships"
    pair = ms.load((rows[:200], rows[200:]), **ROLES)
    assert (len(pair.train), len(pair.test)) == (200, 100)
    assert len(ms.load(path, rows[:100]).test) == 100
    assert ms.load("synthetic:nq").planted


def test_readers_are_names_or_objects_in_any_wrapping(rows):
    report = ms.evidence(rows, ["tfidf", READERS.load("tfidf"), Guess()], **QUICK)
    assert {*report.settings["readers"]} == {"tfidf", "tfidf (2)", "guess"}
    report = ms.evidence(rows, {"mine": "tfidf", "yours": Guess()}, **QUICK)
    assert {*report.settings["readers"]} == {"mine", "yours"}
    report = ms.evidence(rows, Guess(), **QUICK)
    assert {*report.settings["readers"]} == {"guess"}


def test_answers_are_kept_where_a_workplace_has_a_store(rows, small, tmp_path):
    workplace = ms.Workplace(store=tmp_path / "answers")
    first = ms.evidence(rows, "tfidf", workplace=workplace, **QUICK)
    before = {path: path.stat().st_mtime for path in tmp_path.rglob("*.parquet")}
    assert before
    again = ms.evidence(rows, "tfidf", workplace=workplace, **QUICK)
    assert {p: p.stat().st_mtime for p in tmp_path.rglob("*.parquet")} == before
    assert str(again) == str(first) == str(small)


class Unfitted:
    pass


class Loose:
    def fit(self, items, rng):
        return FittedGuess(items.classes, 0)


WRONG_READERS = [
    (pd.DataFrame(), BadInput, "a DataFrame was given where readers belong"),
    ([pd.DataFrame()], BadInput, "the benchmark goes first"),
    (
        [],
        BadOption,
        "`readers` is empty; leave it out for tfidf, cross, or choose among",
    ),
    ({}, BadOption, "`readers` is empty"),
    (
        Guess,
        BadInput,
        r"Guess is a class and no reader yet; give an instance: Guess\(\)",
    ),
    (
        Unfitted(),
        BadInput,
        "a Unfitted was given where readers belong, and it has no fit",
    ),
    (Loose(), BadInput, "the reader Loose is no dataclass"),
    (
        Guess(np.zeros(2)),
        BadInput,
        "settings of the reader Guess cannot be written down",
    ),
    ("tfdf", UnknownName, "no reader called 'tfdf'; did you mean 'tfidf'?"),
    (Guess(1), ReaderFailed, "FittedGuess.predict gave an array of shape"),
]

LINES = [line for _, _, line in WRONG_READERS]


@pytest.mark.parametrize(("readers", "kind", "line"), WRONG_READERS, ids=LINES)
def test_what_is_no_reader_is_one_line(rows, readers, kind, line):
    with pytest.raises(kind, match=line) as raised:
        ms.evidence(rows, readers, **QUICK)
    assert "\n" not in str(raised.value)


WRONG_SOURCES = [
    (
        [boats(20), boats(20)],
        "a list of 2, the first a DataFrame, is no benchmark; give",
    ),
    (["tfidf"], "a list of 1, the first a str, is no benchmark"),
    (None, "a NoneType is no benchmark; give a pandas DataFrame"),
    (Guess(), "a Guess is no benchmark"),
]


@pytest.mark.parametrize(
    ("source", "line"), WRONG_SOURCES, ids=["two", "names", "", "x"]
)
def test_what_is_no_benchmark_is_one_line(source, line):
    with pytest.raises(BadInput, match=line):
        ms.evidence(source)


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (
            lambda rows: ms.leakage(rows, marjin=1),
            "leakage has no setting 'marjin'; it",
        ),
        (
            lambda rows: ms.evidence(rows, shuffles="20"),
            "`shuffles` is '20', a str; give",
        ),
        (lambda rows: ms.evidence(rows, shuffles=True), "`shuffles` is 'True', a bool"),
        (lambda rows: ms.evidence(rows, margin=2.0), "`margin` is 2.0; allowed are"),
        (
            lambda rows: ms.audit(rows, marjin=1),
            "none of evidence, leakage, explanations",
        ),
        (lambda rows: ms.audit(rows, audits=[]), "`audits` is empty; choose among"),
        (
            lambda rows: ms.load(rows, part="test"),
            "`data` and `part` are for benchmarks",
        ),
        (lambda rows: ms.exposure([], m=1), "there is no task to study"),
        (lambda rows: ms.load(ms.load(rows)), "benchmark is a benchmark already"),
        (lambda rows: ms.compare(rows), "compare takes a list of reports, and a DataF"),
        (lambda rows: ms.compare([rows, rows]), "a DataFrame is no report; give what"),
        (lambda rows: ms.audit(rows, audits="leak"), "no audit called 'leak'"),
        (lambda rows: ms.audit(rows, audits=3), "`audits` is a int; give names"),
        (lambda rows: ms.audit(rows, audits=[3]), "no audit called 3; try evidence"),
        (lambda rows: ms.audit(rows, audits=[[]]), r"no audit called \[\]; try"),
        (lambda rows: ms.exposure(rows, about=3), "`about` is a int; give a mapping"),
        (lambda rows: ms.exposure(rows, about={"x": 3}), "no task called 'x'"),
        (
            lambda rows: ms.exposure(rows, about={"benchmark": 3}),
            "`about` has a int for benchmark; give Task",
        ),
        (lambda rows: ms.explanations(rows, others=3), "`others` is '3', a int; give"),
        (
            lambda rows: ms.explanations(rows, others={"1": "text"}),
            "`others` has a str for the item '1'; give a list of texts",
        ),
        (
            lambda rows: ms.explanations(rows, similarity="x"),
            "no similarity called 'x'; try tfidf, minilm",
        ),
        (lambda rows: ms.evidence(rows[:0]), "the table has no rows; give some items"),
        (lambda rows: ms.load(rows, name=3), "`name` is a int; give a text"),
        (lambda rows: ms.load(rows, seed=-1), "`seed` is -1; allowed are 0 to"),
        (lambda rows: ms.load(rows, seed="x"), "`seed` is 'x'; allowed are 0 to"),
        (lambda rows: ms.load("snli", data=3), "`data` is a int; give the path"),
        (lambda rows: ms.load_report(3), "`directory` is a int; give the path"),
        (lambda rows: ms.evidence(rows, workplace=3), "`workplace` is a int; give"),
        (lambda rows: ms.evidence(rows, seed=1.5), "`seed` is 1.5; allowed are 0 to"),
        (
            lambda rows: ms.evidence(rows, shuffles=10**5_000),
            "`shuffles` is a number of more than 30 digits; allowed are 1 to 100,000",
        ),
        (lambda rows: ms.Workplace(workers=10**6), "`workers` is 1000000; allowed are"),
        (lambda rows: ms.Workplace(engine="x"), "no engine called 'x'; try local, ray"),
        (
            lambda rows: ms.evidence(rows[["claim", "label"]]),
            "benchmark names no evidence field; name its column with `evidence`",
        ),
    ],
)
def test_what_cannot_be_done_is_one_line(rows, call, line):
    with pytest.raises(ms.MeasurandError, match=line):
        call(rows)


def test_a_report_is_saved_to_a_path(small):
    with pytest.raises(BadInput, match="`directory` is a int; give the path"):
        small.save(3)


def test_reports_of_a_mapping_are_compared_under_their_names(small):
    comparison = ms.compare({"before": small, "after": small})
    assert comparison.benchmark["name"] == "before, after"
    conditions = {
        finding.condition.partition(",")[0] for finding in comparison.findings
    }
    assert {"before", "after"} <= conditions


def test_numbers_of_numpy_and_lists_are_settings_too(rows):
    numbers = {**QUICK, "shuffles": np.int64(2)}
    report = ms.evidence(rows, ["tfidf"], **numbers)
    assert report.settings["shuffles"] == 2
    arms = AUDITS.thing("exposure").choose(arms=["base", "extra", "test"]).arms
    assert arms == ("base", "extra", "test")


@pytest.mark.parametrize("name", list(AUDITS))
def test_every_setting_of_an_audit_is_in_the_help_of_its_function(name):
    help_text = inspect.getdoc(getattr(ms, name))
    for setting in fields(AUDITS.thing(name).settings):
        assert setting.name in help_text


def test_every_public_name_is_there_and_listed():
    assert {*ms.__all__} == {*ms.PUBLIC}
    assert {*ms.PUBLIC} <= {*dir(ms)}
    for name in ms.PUBLIC:
        assert callable(getattr(ms, name)), name
    with pytest.raises(AttributeError, match="measurand has no 'nothing'"):
        _ = ms.nothing


def test_a_folder_lists_what_is_in_it_before_and_after_it_is_imported():
    listed = ("readers", "benchmarks", "audits", "interventions", "selections")
    names = (*listed, "explainers", "judges")
    code = f"""
import measurand as ms
for name in {names}:
    first, second = getattr(ms, name)(), getattr(ms, name)()
    assert first == second and all(first.values()), name
import measurand.readers.linear as linear
print(linear.TfidfReader.kind, ms.readers.READERS.kind)
"""
    assert python(code) == "tfidf reader"
    assert inspect.signature(ms.compare).parameters.keys() == {"reports"}


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"numpy", "pandas", "scipy", "sklearn", "torch", "jax", "ray", "altair"}
    code = f"import sys, measurand; print({heavy} & set(sys.modules))"
    assert python(code) == "set()"
