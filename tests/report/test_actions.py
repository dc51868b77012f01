"""What to do about a report: the command that makes it again."""

from dataclasses import replace

import pandas as pd

from measurand.audits.evidence import EvidenceSettings
from measurand.audits.explanations.settings import ExplanationsSettings
from measurand.audits.exposure import ExposureSettings, analyse_accuracies
from measurand.cli.evidence import ShuffleOptions
from measurand.cli.groups import LadderOptions
from measurand.cli.leakage import RegionOptions
from measurand.core.finding import Finding
from measurand.experiment.budget import Budget, budget_settings
from measurand.experiment.statements import WHY_BRIEF
from measurand.report.actions import (
    ANALYSIS,
    DOSES,
    FOLDS,
    RATIONALES,
    STUDY,
    USUAL,
    command,
)
from tests.report.verdicts import estimate, report_of


def test_the_command_names_the_columns_and_the_settings_that_were_chosen():
    report = report_of("evidence", "coupling")
    chosen = {
        **report.settings,
        "seed": 3,
        "shuffles": 8,
        "controls": "none",
        "calibrate": False,
        "strongest": "cross",
        "metadata_schema": {"a pier": "as given"},
    }
    assert command([replace(report, settings=chosen)]) == (
        "measurand evidence FILE --query claim --evidence article --label label "
        "--metadata 'a pier' --shuffles 8 --controls none --strongest cross "
        "--no-calibrate --seed 3"
    )
    derived = {**report.settings, "metadata_schema": {"query_form": "its form"}}
    assert "--metadata" not in command([replace(report, settings=derived)])


def test_the_command_names_files_of_test_items_and_what_made_it_brief():
    report = report_of("evidence", "coupling")
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
    report = report_of("evidence", "coupling")
    roles = {
        **report.benchmark["roles"],
        "subject": "topic",
        "split": "seeded, by both, 30 % test",
    }
    chosen = {**report.settings, "folds": 1, "readers": {"tfidf": {}, "mine.py:m": {}}}
    made = replace(
        report, settings=chosen, benchmark={**report.benchmark, "roles": roles}
    )
    assert " --subject topic " in command([made])
    told = " --reader tfidf --reader mine.py:m --folds 1 --seed"
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


def test_the_command_names_columns_of_choices_and_what_the_split_went_by():
    report = report_of("leakage", "leaks")
    roles = {
        "query": "question",
        "choices": "A, B, C (3 each, in an order that was drawn)",
        "label": "answer (index)",
        "split": "seeded, by query, 30 % test",
    }
    said = command([replace(report, benchmark={**report.benchmark, "roles": roles})])
    named = "--label answer --choices A --choices B --choices C"
    assert f"FILE --query question {named} --seed" in said
    roles = {"query": "question", "choices": "endings", "label": "gold, old"}
    said = command([replace(report, benchmark={**report.benchmark, "roles": roles})])
    assert "--label 'gold, old' --choices endings" in said
    roles = {"query": "claim", "evidence": "log", "label": "label (old)"}
    for split in (
        "all items, in 3 folds, by evidence",
        "seeded, by evidence, 30 % test",
    ):
        held = {**report.benchmark, "roles": {**roles, "split": split}}
        said = command([replace(report, benchmark=held)])
        assert "--label 'label (old)' --split-by evidence" in said
    held = {**report.benchmark, "roles": {**roles, "split": "seeded, by both, 30 %"}}
    assert "--split-by" not in command([replace(report, benchmark=held)])


def test_the_demo_is_made_again_by_the_demo():
    reports = [report_of("evidence", "coupling"), report_of("leakage", "leaks")]
    planted = {**reports[0].benchmark, "name": "synthetic:harbour"}
    brief = [
        replace(r, benchmark=planted, settings={**r.settings, "controls": "none"})
        for r in reports
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
        "--model paper --reader idf --no-calibrate --seed 2"
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
    report = report_of("explanations", "undecided")
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
        "--reader cross --explainer given --explainer vacuous --judge nli-small "
        "--preset paper --items 40 --perturbed FILE --seed 1"
    )


def test_what_a_study_takes_unasked_is_what_its_verb_does():
    usual = ExposureSettings()
    for name, value in {**STUDY, **ANALYSIS}.items():
        assert getattr(usual, name) == value
    assert [*usual.doses] == DOSES
    explained = ExplanationsSettings()
    for name in ("preset", "similarity", "model", "paraphraser"):
        assert getattr(explained, name) == RATIONALES[name]
    assert explained.count == RATIONALES["changes"]


def test_what_is_left_out_of_the_command_is_what_the_verbs_take_unasked():
    evidence, ladder, leakage = ShuffleOptions(), LadderOptions(), RegionOptions()
    assert EvidenceSettings().folds_for([]) == FOLDS
    for name, usual in USUAL.items():
        owner = ladder if hasattr(ladder, name) else evidence
        assert getattr(owner, name) == usual
        assert getattr(leakage, name, usual) == usual
