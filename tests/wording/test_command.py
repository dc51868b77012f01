"""What to do about a report: the command that makes it again."""

import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.audits.exposure import ExposureSettings, analyse_accuracies
from measurand.cli.app import verb_commands
from measurand.core.finding import Finding
from measurand.core.setting import declarations
from measurand.experiment.budget import Budget, budget_settings
from measurand.experiment.statements import WHY_BRIEF
from measurand.report.saved import load_report
from measurand.wording.command import (
    SETTINGS,
    _read_join,
    command,
    settling_command,
)
from tests.cli.commands import in_process, written
from tests.report import verdicts
from tests.report.verdicts import estimate


def report_of(audit, label):
    """The report of one verdict by the readers that come unasked."""
    report = verdicts.report_of(audit, label)
    if audit not in ("evidence", "leakage"):
        return report
    asked = {"readers": {name: {} for name in AUDITS.thing(audit).readers}}
    return replace(report, settings={**report.settings, **asked})


def test_the_command_names_the_columns_and_the_settings_that_were_chosen():
    report = report_of("evidence", "not needed")
    chosen = {
        **report.settings,
        "seed": 3,
        "shuffles": 8,
        "calibrate": False,
        "strongest": "cross",
    }
    columns = report.benchmark["columns"] | {"metadata": ["a pier"]}
    benchmark = report.benchmark | {"columns": columns}
    assert command([replace(report, settings=chosen, benchmark=benchmark)]) == (
        "measurand evidence FILE --query claim --evidence article --label label "
        "--metadata 'a pier' --no-calibrate --strongest cross "
        "--shuffles 8 --seed 3"
    )


def test_the_command_names_files_of_test_items_and_what_made_it_brief():
    report = report_of("evidence", "not needed")
    roles = {**report.benchmark["roles"], "split": "two tables"}
    parts = [
        Finding("delta_evi", "cross", f"part={name}", estimate(0.1))
        for name in ("second", "all items", "second")
    ]
    made = replace(
        report,
        benchmark={**report.benchmark, "roles": roles},
        findings=(*report.findings, *parts),
        not_run={"flip_rate": WHY_BRIEF},
    )
    assert command([made]) == (
        "measurand evidence FILE --test TEST_FILE --test TEST_FILE --query claim "
        "--evidence article --label label --brief --seed 0"
    )
    # Several audits at once are brief unasked.
    assert "--brief" not in command([made, made])
    assert command([made, made]).count("--test TEST_FILE") == 2
    leak = Finding("over_majority", "cross", "claim, part=third", estimate(0.1))
    leaking = replace(made, audit="leakage", findings=(leak,))
    assert command([leaking]).count("--test TEST_FILE") == 2


def test_the_command_names_folds_and_readers_that_nobody_asks_unasked():
    report = report_of("evidence", "not needed")
    columns = report.benchmark["columns"] | {"subject": ["topic"]}
    roles = report.benchmark["roles"] | {"split": "seeded, by both, 30 % test"}
    chosen = {**report.settings, "folds": 1, "readers": {"tfidf": {}, "mine.py:m": {}}}
    benchmark = report.benchmark | {"roles": roles, "columns": columns}
    made = replace(report, settings=chosen, benchmark=benchmark)
    assert " --subject topic " in command([made])
    told = " --folds 1 --reader tfidf --reader mine.py:m --seed"
    assert told in command([made])
    usual = replace(made, settings={**report.settings, "folds": 3})
    assert "--folds" not in command([usual])
    assert "--reader" not in command([usual])


def test_the_command_names_a_budget_that_is_not_the_usual_one():
    report = report_of("leakage", "leaks")
    assert "--budget" not in command([report])
    for seconds, said in ((7200.0, "2h"), (90.0, "90s"), (None, "none")):
        kept = {**report.settings, **budget_settings(Budget(seconds))}
        limited = replace(report, settings=kept)
        assert f" --budget {said} --seed" in command([limited])
        assert f" --budget {said} --seed" in command([limited, limited])


def test_the_demo_is_made_again_by_the_demo():
    reports = [report_of("evidence", "not needed"), report_of("leakage", "leaks")]
    planted = {**reports[0].benchmark, "name": "synthetic:harbour"}
    brief = [
        replace(r, benchmark=planted, not_run={"flip_rate": WHY_BRIEF}) for r in reports
    ]
    assert command(brief) == "measurand demo --seed 0"
    whole = [replace(report, benchmark=planted) for report in reports]
    assert command(whole) == "measurand audit synthetic:harbour --seed 0"


def test_the_command_of_a_study_names_its_sizes_arms_and_readers():
    report = report_of("exposure", "inflated")
    tasks = {"ag": {"rows": 900}, "trec": {"rows": 900}}
    columns = {"ag": "topic", "trec": "topic"}
    held = {
        "name": "ag, trec",
        "tasks": tasks,
        "fields": {name: ["text"] for name in tasks},
        "label_columns": columns,
    }
    chosen = {
        "m": (30, 50),
        "n": (100,),
        "repeats": 12,
        "arms": ["base", "extra", "test", "overtrained_extra", "overtrained_test"],
        "doses": [0.2],
        "readers": {"idf": {}},
        "calibrate": False,
        "margin": 8.0,
        "model": "paper",
        "seed": 2,
    }
    said = command([replace(report, benchmark=held, settings=chosen)])
    assert said == (
        "measurand exposure FILE FILE --label topic --m 30 --m 50 --n 100 --repeats 12 "
        "--arm base --arm extra --arm test --arm overtrained --dose 0.2 --margin 8.0 "
        "--model paper --no-calibrate --reader idf --seed 2"
    )


def test_the_command_of_an_analysis_names_the_file_of_accuracies():
    report = report_of("exposure", "inflated")
    study = pd.DataFrame(
        {
            "m": 50,
            "n": 100,
            "task": "t",
            "subsample": [1, 2, 3],
            "correct_base": [50, 52, 51],
            "correct_extra": [60, 61, 58],
            "correct_test": [60, 62, 58],
        }
    )
    chosen = ExposureSettings(margin=2.5, notable=0.05)
    report = analyse_accuracies(study, name="study", settings=chosen, seed=4)
    assert command([report]) == (
        "measurand exposure --accuracies FILE --margin 2.5 --notable 0.05 --seed 4"
    )


def test_the_command_of_explanations_names_who_read_explained_and_judged():
    report = report_of("explanations", "inconclusive")
    chosen = {
        "readers": {"cross": {}},
        "called": ["minilm"],
        "explainers": ["given", "vacuous"],
        "judge": {"name": "nli-small", "digest": None},
        "preset": "paper",
        "items": 40,
        "perturbed": True,
        "seed": 1,
    }
    said = command([replace(report, settings=chosen)])
    assert said.endswith(
        "--explainer given --explainer vacuous --judge nli-small --preset paper "
        "--items 40 --perturbed FILE --reader cross --seed 1"
    )


@pytest.mark.parametrize("verb", SETTINGS)
def test_the_verb_takes_what_the_command_says(verb):
    options = {word for _, words in options_of(verb) for word in words}
    declared = [d for c in SETTINGS[verb] for d in declarations(c).values()]
    assert {d.words[0] for d in declared if d.setting.option is not None} <= options


def options_of(verb):
    """The parameters of a verb, each with the words that it is given by."""
    params = verb_commands()[verb].params
    return [(p, p.opts) for p in params if p.param_type_name == "option"]


def split_words(line):
    """The words of a line, as a shell reads them."""
    said = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True
    )
    return said.stdout.decode().split("\0")[:-1]


def parse(verb, words):
    """What a verb is told by these words."""
    parser = verb_commands()[verb]
    return parser.make_context(verb, [*map(str, words)]).params


# What a command does not say, and why.
PLACES = {"source", "tests", "data", "parts", "roles", "store", "out", "config"}
PLACES |= {"predictions"}
PRINTED = {"overwrite", "json", "verbose", "fail_on", "dry_run", "workers"}
SERVED = {"engine", "address", "gpu_share", "url", "key_env", "timeout_s", "retries"}
SERVED |= {"price_in", "price_out", "cap_tokens", "cap_money"}
PAID = {"shots", "orders", "prompt", "temperature"}  # said where a server was asked
ANSWERED = {"judge"}  # said where answers were written
NEVER = PLACES | PRINTED | SERVED

LEAST = ("--brief",)
CLAIMS = (
    *("--query=-c", "--evidence", "my  log", "--label", "out, come"),
    *("--rationale", "why, so", "--rationale", "it's\tso", "--group", "g"),
    *("--metadata", "kind=of", "--id", "number", "--subject", "s", "--document", "d"),
    *("--join", " | ", "--split-by", "group", "--seed", "3"),
    *("--seeds", "2", "--budget", "2h", "--margin", "0.03", "--tune", *LEAST),
)
EVIDENCE = (
    *("--shuffles", "2", "--shuffle", "within-label", "--folds", "2"),
    *("--intervention", "scramble", "--intervention", "length"),
    *("--reader", "tfidf", "--strongest", "cross", "--no-calibrate"),
)
LEAKAGE = (
    *("--k", "3", "--components", "4"),
    *("--reference-accuracy", "0.9", "--no-map", "--reader", "surface"),
    *("--field", "my  log", "--field=-c"),
)
CHOICES = ("--choices", "opt, one", "--choices", "opt, two", "--label", "right (text)")
ANSWERS = ("--evidence", "my  log", "--answers", "opt, one", "--shuffles", "2")
BY_COLUMN = ("--query=-c", "--split", "fold", *LEAST)
RUNS = {  # of each verb, what together gives all of its options
    "evidence": [(*CLAIMS, *EVIDENCE), (*BY_COLUMN, *ANSWERS)],
    "leakage": [(*CLAIMS, *LEAKAGE), (*BY_COLUMN, *CHOICES, "--check-inference")],
}


def rows_to_audit(count=60):
    """Items of which every column has a name that is hard to write."""
    rng = np.random.default_rng(0)
    for i in range(count):
        pier, seen = rng.integers(9, size=2)
        yes = i % 2 == 0
        yield {
            "-c": f"boat {i} lies at pier {pier}",
            "my  log": [f"boat {i} was seen", f"at pier {pier if yes else seen + 10}"],
            "out, come": "yes" if yes else "no",
            "why, so": f"pier {pier} and {seen}",
            "it's\tso": f"pier {seen}",
            "kind=of": "abc"[i % 3],
            "g": f"group {i % 30}",
            "s": "xy"[i % 2],
            "d": f"log {i % 20}",
            "number": f"n{i}",
            "fold": "test" if i % 3 == 0 else "train",
            "opt, one": f"pier {pier}",
            "opt, two": f"pier {seen + 20}",
            "right (text)": "AB"[i % 2],
        }


@pytest.mark.parametrize(
    ("verb", "words"), [(verb, words) for verb, runs in RUNS.items() for words in runs]
)
def test_the_command_tells_a_verb_all_that_it_was_told(verb, words, tmp_path):
    file = written(tmp_path / "boats.jsonl", rows_to_audit())
    where = {"MEASURAND_STORE": tmp_path / "store"}
    places = ("--workers", "1", "--out", tmp_path / "r")
    outcome = in_process(verb, file, *words, *places, **where)
    assert outcome.code == 0, outcome.err
    told = command([load_report(tmp_path / "r")])
    again = parse(verb, split_words(told)[2:])
    first = parse(verb, [file, *words])
    said = {*first} - NEVER - PAID - ANSWERED
    assert {name: again[name] for name in said} == {name: first[name] for name in said}


@pytest.mark.parametrize("verb", RUNS)
def test_all_options_of_a_verb_are_tried_or_not_of_the_command(verb):
    tried = {word.partition("=")[0] for words in RUNS[verb] for word in words}
    other_verb = {"evidence": {"choices"}, "leakage": {"answers"}}  # tried there
    left_out = NEVER | PAID | ANSWERED | other_verb[verb]
    for parameter, words in options_of(verb):
        every = {*words, *parameter.secondary_opts}
        assert every & tried or parameter.name in left_out, words


@pytest.mark.parametrize(
    ("written", "join"),
    [("' | '", [" | "]), ("{[]}", []), ("{'a': 1}", []), ("-" * 100000 + "1", [])],
)
def test_what_parts_are_joined_by_is_read_as_a_text_or_not_at_all(written, join):
    assert _read_join(written) == join


def test_no_word_of_a_report_from_elsewhere_runs_in_a_shell(tmp_path):
    report = report_of("evidence", "not needed")
    hostile = "synthetic:a; touch planted #"
    named = replace(
        report,
        benchmark={**report.benchmark, "name": hostile},
        settings={**report.settings, "seed": "$(touch planted)"},
        audit="evidence; touch planted;",
    )
    study = report_of("exposure", "inflated")
    tasks = {hostile: {}, "`touch planted`": {}}
    studied = replace(study, benchmark={**study.benchmark, "tasks": tasks})
    for made in (command([named]), command([named, named]), command([studied])):
        shown = made.replace("measurand", "printf '%s\\n'", 1)
        said = subprocess.check_output(["sh", "-c", shown], cwd=tmp_path, text=True)
        assert not list(tmp_path.iterdir())
        assert hostile in said.splitlines()


@pytest.mark.parametrize("count", [10**12, -3, True, "2", None, 2.5, 101])
def test_no_count_of_a_report_from_elsewhere_is_taken_on_trust(count):
    report = replace(report_of("evidence", "not needed"), audit="compare")
    counted = replace(report, benchmark={**report.benchmark, "reports": count})
    assert command([counted]) == "measurand compare REPORT REPORT"
    three = replace(report, benchmark={**report.benchmark, "reports": 3})
    assert command([three]).count("REPORT") == 3


def test_the_command_that_would_settle_it_lifts_the_budget_that_left_a_reader_out():
    report = report_of("evidence", "inconclusive")
    assert settling_command(report).endswith("--reader minilm")
    left = {"minilm": "120 s, past the budget of 60 s"}
    lifted = settling_command(replace(report, not_run=left))
    assert lifted.endswith("--reader minilm --budget none")


def test_a_group_that_was_given_is_not_asked_for_again():
    report = report_of("leakage", "inconclusive")
    assert settling_command(report).endswith("--group COLUMN")
    benchmark = {**report.benchmark, "columns": {"group": "book"}}
    assert settling_command(replace(report, benchmark=benchmark)) == ""
