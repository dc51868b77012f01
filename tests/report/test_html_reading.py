"""The first words of every page: the parts, verdict, bound, next step; no code."""

import re
from html.parser import HTMLParser

import pytest

from measurand.arms.table import PARTS
from measurand.readers import READERS
from measurand.report.answer import answer_report, answer_reports, worst_answer
from measurand.report.html import page, page_of_all
from measurand.wording.terms import load_terms
from tests.report.verdicts import every_report, report_of

REPORTS = [*every_report()]
FIRST, TABLE = 80, 140  # words; a table of parts stands before some verdicts
SYMBOLS = re.compile(r"[=<>±Δ\[\]{}≥≤×]")
CODE = {name for name in load_terms()["statistic"] if "_" in name} | {*READERS}
CODE -= {"majority", "metadata", "lookup", "surface", "cross"}  # plain words too
PAGES = [
    [report_of("evidence", "needed"), report_of("leakage", "leaks")],
    [
        report_of("evidence", "inconclusive"),
        report_of("explanations", "leaky"),
    ],
]


def first_words(text, most=FIRST):
    """The words that a reader meets first, from the beginning of what is said."""
    words = []

    class Reader(HTMLParser):
        def handle_data(self, data):
            words.extend(data.split())

    Reader().feed(text.partition("<main>")[2])
    return " ".join(words[:most])


@pytest.mark.parametrize(
    "report", REPORTS, ids=lambda r: f"{r.audit}-{r.verdict.label}"
)
def test_the_first_words_of_a_page_say_it_all(report):
    answer = answer_report(report)
    said = first_words(
        page(report, {}), FIRST + TABLE * any(e.name == PARTS for e in report.exhibits)
    )
    said = said.replace(answer.command, "")
    for part in (answer.word, answer.sentence, answer.cause, answer.certainty):
        assert part in said
    assert answer.bound in said
    assert answer.steps[0] in said
    assert not SYMBOLS.search(said)
    assert not CODE & {*re.findall(r"[\w-]+", said)}


@pytest.mark.parametrize("reports", PAGES, ids=["both", "other"])
def test_a_page_of_several_audits_begins_with_what_to_do_first(reports):
    html = page_of_all(reports, {}, {"exposure": "not asked for"})
    said = first_words(html, FIRST + TABLE)
    lead = worst_answer(answer_reports(reports))
    for part in (lead.word, lead.sentence, lead.bound, lead.certainty):
        assert part in said
    assert lead.steps[0] in said
    assert not SYMBOLS.search(said)
