import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurand.report.markdown import escape_markdown, markdown
from measurand.report.summary import summary
from measurand.report.tables import exhibit_grid, grids
from measurand.wording.text import plain_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb\x1b[0m", "ab"),
        ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b", "ab"),
        ("a\x9b31mb\x85c", "ab c"),
        ("a\r\nb\tc\u2028d", "a b c d"),
        ("\u202ea\u2066b\u200fc\ufeff", "abc"),
        ("\ud800a\x00\x7f", "a"),
        ("نص‌ها", "نص‌ها"),
        (None, "None"),
    ],
)
def test_plain_text_shows_what_it_holds(text, shown):
    assert plain_text(text) == shown


@given(st.text(st.characters(exclude_characters="\x07\x1b\x9b"), max_size=40))
def test_plain_text_is_the_same_by_the_short_way_and_the_long(text):
    # What is taken off at the end sends it the long way, which all texts once went.
    assert plain_text(text, 99) == plain_text(f"{text}\x1b[0m", 99)


def test_plain_text_is_cut():
    assert plain_text("x" * 1_000_000, 10) == "x" * 9 + "…"
    assert len(plain_text("\x1b[31m" * 100_000 + "x")) <= 60


def test_the_summary_states_roles_verdict_findings_and_gaps(realistic):
    text = summary(realistic, verbose=True)
    assert "evidence audit of snli" in text
    assert "  evidence  premise\n" in text
    assert "\nevidence-sensitive: bert loses 0.367" in text
    assert "0.367 [0.359, 0.375]" in text
    assert "no endpoint was given" in text


def test_hostile_text_cannot_move_the_cursor(hostile):
    text = summary(hostile) + summary(hostile, verbose=True)
    assert len(text) < 20_000
    assert not {c for c in text if ord(c) < 32 or 127 <= ord(c) < 160} - {"\n"}
    assert "\u202e" not in text


def test_markdown_holds_what_the_page_holds(realistic):
    text = markdown(realistic)
    assert text.startswith("# evidence audit of snli\n\n**evidence-sensitive**: bert")
    assert (
        "| delta_evi | positive | 0.367 [0.359, 0.375] | bert | plain | 2,000 |" in text
    )
    assert all(f"## {grid.title}" in text for grid in grids(realistic))
    assert "> **Warning.** the hypothesis alone" in text


def test_markdown_rows_keep_their_columns(hostile):
    text = markdown(hostile)
    assert "<" not in text
    assert "`" not in text
    assert escape_markdown("a|b\n# c `d` <e> *f* [g](h) _i_ j_k") == (
        "a&#124;b # c &#96;d&#96; &#60;e&#62; &#42;f&#42; [g]&#40;h) &#95;i&#95; j_k"
    )


def test_a_distribution_is_summed_up(realistic):
    grid = exhibit_grid(realistic.exhibits[2])
    assert grid.header[:4] == ("series", "count", "mean", "std")
    assert [row[:2] for row in grid.rows] == [
        ("tfidf", "20"),
        ("minilm", "20"),
        ("bert", "20"),
    ]


def test_telling_items_are_those_right_without_evidence(realistic):
    grid = next(g for g in grids(realistic) if g.title.startswith("Items"))
    wanted = realistic.items[realistic.items["measurand.without_evidence"]]
    assert [row[0] for row in grid.rows] == wanted.index[:20].tolist()
    assert grid.header == ("id", "premise", "hypothesis", "label")
    assert f"20 of {len(wanted)}" in grid.note
