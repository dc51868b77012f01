import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from measurand.core.errors import BadInput
from measurand.core.names import (
    OWN,
    check_columns,
    check_text,
    condition_column,
    file_stems,
    is_of_some,
    name_condition,
    own_column,
    split_own_column,
    whole_condition,
)

NAMES = st.text(st.characters(codec="utf-8")) | st.sampled_from(
    ["a", "a:b", "a%3Ab", "%", ":", "", "../../x", "CON", "full", ".x", "\0", "a\nb"]
)


@given(NAMES, NAMES, NAMES, NAMES)
@example("a", "b:c", "a:b", "c")
def test_two_names_never_come_to_one_column(a, b, c, d):
    first, second = own_column("right", a, b), own_column("right", c, d)
    assert (first == second) == ((a, b) == (c, d))
    assert split_own_column(first, "right", 2) == [a, b]
    assert split_own_column(first, "pair_right", 1) is None


@given(st.lists(NAMES, max_size=8))
@example(["a-3", "a", "a"])
@example(["x" * 500, "x" * 501])
@example(["con", "CON", "con-"])
def test_stems_are_plain_short_and_differ(names):
    stems = file_stems(names)
    assert len(set(stems)) == len(stems) == len(names)
    for stem in stems:
        assert stem.replace("-", "").isalnum()
        assert stem.isascii()
        assert stem == stem.lower()
        assert len(stem) < 200
        assert stem not in ("con", "prn", "aux", "nul", "com1", "lpt1")


@given(NAMES, NAMES, NAMES)
def test_a_condition_is_of_one_column_or_of_none(column, other, value):
    conditions = {name_condition(column), "mean", "worst", "full"}
    assert len(conditions) == 4
    assert name_condition(column) != f"{name_condition(other)}={value}"


@pytest.mark.parametrize("name", [OWN, "measurand.side"])
def test_a_column_is_not_called_as_ours_are(name):
    check_columns(["measurand", "side", "label"])
    with pytest.raises(BadInput, match=r"begins with 'measurand\.'.*; rename it"):
        check_columns(["label", name])


def test_half_a_surrogate_pair_is_named():
    check_text("column", "Ω 💡")
    with pytest.raises(BadInput, match=r"^the column 'a\\ud800b' holds half"):
        check_text("column", "a\ud800b")


@pytest.mark.parametrize("column", ["a=b", "full", "it's=b", 'a"=b', "a\\='b"])
def test_a_column_in_quotes_is_no_test_part(column):
    condition = name_condition(column)
    assert condition_column(condition) == column
    assert not is_of_some(condition)
    assert is_of_some(f"{condition}, part=mm")
    assert whole_condition(condition) == "full"
    assert whole_condition(f"{condition}, part=mm's'") == "part=mm's'"


def test_a_column_that_only_looks_quoted_stays_as_it_is():
    assert condition_column("'\\x'") == "'\\x'"
