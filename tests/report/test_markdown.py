from measurand.report.markdown import brief_markdown


def test_hostile_reports_are_told_in_brief_and_do_nothing(hostile):
    text = brief_markdown([hostile], {"<script>": "![x](javascript:alert(1))"})
    assert "<" not in text.replace("&#60;", "")
    assert "](" not in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 4_000
