"""Every word of a report can be asked for."""

from tests.cli.commands import in_process as measurand


def test_a_word_is_explained_in_a_sentence():
    done = measurand("explain", "delta_evi")
    assert done.code == 0
    assert done.out == (
        "delta_evi (statistic): How many right answers are lost when items receive "
        "wrong evidence.\n"
    )


def test_a_verdict_of_several_words_needs_no_quotes():
    done = measurand("explain", "not", "needed")
    assert done.out.startswith("not needed (verdict of evidence): ")


def test_without_a_word_all_are_listed():
    assert {"leaks", "margin", "varif"} <= {*measurand("explain").out.splitlines()}


def test_a_word_that_is_none_is_one_line_with_a_suggestion():
    done = measurand("explain", "marggin")
    assert done.code == 1
    assert done.err == ("measurand: no term called 'marggin'; did you mean 'margin'?\n")
