"""Columns that are nearly those of an arm are refused, and never passed over."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import analyse_accuracies
from measurand.audits.exposure.columns import check_arm_columns
from measurand.audits.exposure.control import control_effects
from measurand.core.errors import BadInput
from tests.audits.exposure.planted_counts import study

ARMS = ("extra", "test")
OVER = "correct_overtrained_extra, correct_overtrained_test"


@pytest.fixture
def rows():
    return study(0.05, 0.0, tasks=2, draws=3)


@pytest.mark.parametrize(
    ("column", "value", "line"),
    [
        ("correct_dose_abc", 120, "'correct_dose_abc' names no dose; allowed are"),
        ("correct_dose_10", 120, "'correct_dose_10' names no dose; allowed are"),
        ("correct_dose_nan", 120, "'correct_dose_nan' names no dose; allowed are"),
        ("correct_overtrained", 120, f"'correct_overtrained' is no arm; .* {OVER}"),
        ("correct_overtrainedtest", 120, "'correct_overtrainedtest' is no arm"),
        ("correct_tests", 120, "'correct_tests' is no arm; allowed beside base"),
        ("correct_overtrained_test", 120, f"without its other side; .* {OVER}"),
        ("acc_dose_0.1", 0.6, "counts are needed; give 'correct_dose_0.1'"),
        ("acc_transfer", 0.6, "counts are needed; give 'correct_transfer'"),
        ("correct_dose_0.1", 999, r"row 1 .* has correct_dose_0.1 '999'; it must"),
        ("correct_transfer", 0.5, r"row 1 .* has correct_transfer '0.5'; it must be"),
        (
            "correct_dose_0.1",
            "many",
            r"has correct_dose_0.1 'many'; it must be a whole",
        ),
    ],
)
def test_a_column_that_cannot_be_read_is_named_in_one_line(rows, column, value, line):
    with pytest.raises(BadInput, match=line) as refused:
        analyse_accuracies(rows.assign(**{column: value}), name="made")
    assert "\n" not in str(refused.value)


def test_what_is_known_of_leaked_rows_is_known_whole(rows):
    dosed = {"correct_dose_0.1": 130, "leaked_dose_0.1": 20}
    with pytest.raises(BadInput, match=r"no column 'leaked_before_dose_0\.1', 'leak"):
        check_arm_columns(rows.assign(**dosed))


def test_columns_that_are_no_arm_are_passed_over(rows):
    others = {"correct_majority": 100, "acc_majority_all": 0.51, "lm_loss_test": 2.0}
    dose = np.where(rows["task"] == "t0", np.nan, 130)
    check_arm_columns(rows.assign(**others, **{"correct_dose_0.1": dose}))


def test_columns_that_are_called_as_arms_are_without_counts_are_none(rows):
    others = {"transfer": "no", "dose_mg": 5, "overtrained_test": "yes"}
    check_arm_columns(rows.assign(**others))
    assert control_effects(rows.assign(**others), 0) == {}


@pytest.fixture
def dosed(rows):
    """The rows with a dose, and with what is known of the rows that it leaked."""
    leaked = {"leaked": 20, "leaked_before": 12, "leaked_right": 18}
    known = {f"{name}_dose_0.1": count for name, count in leaked.items()}
    return rows.assign(**{"correct_dose_0.1": rows["correct_extra"] + 6}, **known)


@pytest.mark.parametrize(
    ("column", "value", "most"),
    [
        ("leaked_dose_0.1", "many", "n"),
        ("leaked_dose_0.1", 201, "n"),
        ("leaked_before_dose_0.1", None, "leaked_dose_0.1"),
        ("leaked_right_dose_0.1", 21, "leaked_dose_0.1"),
        ("leaked_right_dose_0.1", 1.5, "leaked_dose_0.1"),
    ],
)
def test_what_leaked_is_counted_in_whole_rows(dosed, column, value, most):
    cells = [value, *dosed[column].tolist()[1:]]
    line = rf"row 1 \(.*\) has {column} '.*'; it must be .* from 0 to {most}, or empty"
    with pytest.raises(BadInput, match=line) as refused:
        analyse_accuracies(dosed.assign(**{column: cells}), name="made")
    assert "\n" not in str(refused.value)
    untrained = {name: np.nan for name in dosed if "dose" in name}
    check_arm_columns(dosed.assign(**untrained))


@pytest.mark.parametrize("name", ["all models", "All Models "])
def test_no_model_is_called_as_all_of_them_are(rows, name):
    with pytest.raises(BadInput, match="give it another name in the column 'lm'"):
        analyse_accuracies(rows.assign(lm=name), name="made")


def test_a_dose_beside_accuracies_is_held_against_their_extra_arm(dosed):
    counted = dosed[[column for column in dosed if "leaked" not in column]]
    names = [f"correct_{arm}" for arm in ("base", "extra", "test")]
    shares = {f"acc_{name[8:]}": counted[name] / counted["n"] for name in names}
    given = counted.drop(columns=names).assign(**shares)
    check_arm_columns(given)
    ((control,),) = control_effects(given, 0).values()
    extra = counted["correct_extra"].mean() / 200
    assert control.room == pytest.approx(100 * (1 - extra))
    assert control.gain.estimate.value == pytest.approx(3.0)


def test_a_dose_of_one_model_needs_no_name_of_it(dosed):
    ((control,),) = control_effects(dosed.drop(columns="lm"), 0).values()
    assert {*control.recovery} == {"all models", "lm"}
    assert control.recovery["lm"].value == pytest.approx(6 / 8)


def test_losses_of_one_model_need_no_name_of_it(rows):
    sides = {"extra": 3.0, "test": 3.0, "overtrained_extra": 2.0}
    losses = {f"lm_loss_{side}": value for side, value in sides.items()}
    over = {f"correct_overtrained_{side}": rows["correct_extra"] for side in ARMS}
    table = rows.assign(**losses, lm_loss_overtrained_test=2.0, **over)
    report = analyse_accuracies(table.drop(columns="lm"), name="made")
    assert report.finding("lm_loss_change", "lm").estimate.value == pytest.approx(
        -100 / 3
    )


def test_each_size_has_the_recovery_of_its_own_rows(dosed):
    more = dosed.assign(m=100, **{"leaked_right_dose_0.1": 16})
    table = pd.concat([more, dosed])  # rows are numbered twice, sizes out of order
    effects = control_effects(table, 0)
    values = {size: one.recovery["one"].value for size, (one,) in effects.items()}
    assert values == pytest.approx({"m=50,n=200": 6 / 8, "m=100,n=200": 4 / 8})


def analysed(table):
    return analyse_accuracies(table, name="theirs")


def test_experiments_of_one_file_are_analysed_each_by_itself():
    """X7: the published file was refused for rows of another experiment."""
    main = pd.concat([study(draws=4, tasks=2).assign(lm=lm) for lm in ("a", "b")])
    other = study(draws=3, tasks=2, seed=5).assign(lm="b", experiment="overtraining")
    report = analysed(pd.concat([main.assign(experiment="main"), other]))
    biases = {f.condition for f in report.findings if f.statistic == "bias"}
    assert biases == {"main, m=50,n=200", "overtraining, m=50,n=200"}
    alone = analysed(main.assign(experiment="main"))
    assert {f.condition for f in alone.findings if f.statistic == "bias"} == {
        "m=50,n=200"
    }
    bias = alone.finding("bias", "all models").estimate
    assert report.finding("bias", "all models").estimate == bias


def test_the_overtrained_arms_have_a_base_of_their_own_where_it_is_given():
    """X7: boost against the other base was +2.37 where it is -1.22."""
    table = study(draws=4, tasks=2)
    over = {
        "correct_overtrained_extra": table["correct_extra"],
        "correct_overtrained_test": table["correct_test"],
    }
    own = {**over, "correct_overtrained_base": table["correct_extra"] + 4}
    boosts = [
        analysed(table.assign(**columns))
        .finding("boost", condition="m=50,n=200,overtrained")
        .estimate.value
        for columns in (over, own)
    ]
    assert boosts[1] == pytest.approx(-2.0)
    assert boosts[0] != boosts[1]


def test_a_study_without_a_base_has_a_bias_and_no_boost():
    """X7: the base was required, though the verdict does not use it."""
    table = study(draws=4, tasks=2)
    with_base, without = (
        analysed(each) for each in (table, table.drop(columns="correct_base"))
    )
    assert without.finding("bias") == with_base.finding("bias")
    assert without.verdict.label == with_base.verdict.label
    names = {f.statistic for f in without.findings}
    assert not names & {"boost", "task_boost", "beta_boost"}
    assert "bias.boost" not in [clause.code for clause in without.verdict.clauses]


@pytest.mark.parametrize(
    ("sets", "code"), [("one", "items.fixed"), (None, "items.unknown"), ("many", "")]
)
def test_a_fixed_test_set_is_said_where_it_is_known(sets, code):
    """X6: of one fixed test set the figures are of it alone, and nothing said so."""
    table = study(draws=4, tasks=2)
    if sets is not None:
        names = table["subsample"].astype(str) if sets == "many" else "the same"
        table = table.assign(test_set=names)
    codes = [clause.code for clause in analysed(table).verdict.clauses]
    assert [each for each in codes if each.startswith("items.")] == [code] * bool(code)


def test_columns_that_are_not_read_are_named():
    report = analysed(study(draws=4, tasks=2).assign(num_classes=2, correct_majority=9))
    named = "columns that are not read: num_classes, correct_majority"
    assert named in report.warnings[0].replace(" and ", ", ")


def test_that_contamination_is_another_question_is_said():
    said = " ".join(analysed(study(draws=4, tasks=2)).warnings)
    assert "does not tell whether your model saw the test set" in said
