import re
from itertools import groupby

import pytest
from markdown_it import MarkdownIt

from measurand.report.markdown import brief_markdown, escape_markdown, markdown
from measurand.report.tables import grids


def test_hostile_reports_are_told_in_brief_and_do_nothing(hostile):
    text = brief_markdown([hostile], {"<script>": "![x](javascript:alert(1))"})
    assert "<" not in text.replace("&#60;", "")
    assert "](" not in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 4_000


# What GitHub and others make a link of, in text that is no link yet.
AUTOLINK = re.compile(r"[a-z]+://\S|\bwww\.\S|\S@\S|(?<!\S)@\w", re.IGNORECASE)
ADDRESSES = (
    "see https://evil.example/a?b=c&d",
    "HTTP://EVIL.example",
    "ftp://evil.example, (http://evil.example)",
    "www.evil.example and WWW.evil.example",
    "user@evil.example",
    "mailto:user@evil.example",
    "@octocat, look",
    "git@evil.example:a/b.git",
    "a://b://c",
)


def read_runs(text):
    """The texts between tags, each with its entities read, as a renderer has them."""
    inside = MarkdownIt("commonmark").parseInline(text)[0].children
    tags = [token for token in inside if token.type not in ("text", "html_inline")]
    assert tags == []
    kinds = groupby(inside, key=lambda token: token.type)
    return [
        ("".join(token.content for token in tokens), kind == "text")
        for kind, tokens in kinds
    ]


@pytest.mark.parametrize("text", ADDRESSES)
def test_an_address_is_text_and_no_link(text):
    runs = read_runs(escape_markdown(text))
    assert [run for run, is_text in runs if is_text and AUTOLINK.search(run)] == []
    assert "".join(run for run, is_text in runs if is_text) == text
    assert {run for run, is_text in runs if not is_text} <= {"<span>", "</span>"}


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
