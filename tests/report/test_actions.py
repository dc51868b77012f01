"""What to do about a report: the command that makes it again."""

from dataclasses import replace

from measurand.cli.evidence import ShuffleOptions
from measurand.cli.groups import LadderOptions
from measurand.cli.leakage import RegionOptions
from measurand.experiment.budget import Budget, budget_settings
from measurand.report.actions import USUAL, command
from tests.report.verdicts import report_of


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


def test_what_is_left_out_of_the_command_is_what_the_verbs_take_unasked():
    evidence, ladder, leakage = ShuffleOptions(), LadderOptions(), RegionOptions()
    for name, usual in USUAL.items():
        owner = ladder if hasattr(ladder, name) else evidence
        assert getattr(owner, name) == usual
        assert getattr(leakage, name, usual) == usual
