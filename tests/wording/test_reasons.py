"""Nothing but `wording` reads a reason, and `report` knows no audit by its name."""

import re
from pathlib import Path

import pytest

from measurand.audits import AUDITS
from measurand.core.finding import Report, Verdict
from measurand.wording.details import Details
from measurand.wording.reasons import fill_reason, provisional_step
from measurand.wording.terms import verdict_words

SOURCE = Path(__file__).parents[2] / "src" / "measurand"
EDGES = ("report", "compare", "cli", "api")
# It writes commands, which are the audits' own.
OF_COMMANDS = {"command.py"}


@pytest.mark.parametrize("folder", EDGES)
def test_no_reason_is_read_outside_wording(folder):
    reading = [
        path.name
        for path in (SOURCE / folder).rglob("*.py")
        if re.search(r"\.reason\b", path.read_text("utf-8"))
    ]
    assert reading == []


def test_no_page_knows_an_audit_by_its_name():
    names = "|".join(AUDITS)
    known = {
        path.name
        for path in (SOURCE / "report").glob("*.py")
        if re.search(rf"audit [!=]= \"(?:{names})\"|by_audit", path.read_text("utf-8"))
    }
    assert known <= OF_COMMANDS


def test_an_audit_without_words_has_those_of_its_label():
    report = Report(
        "mine", {}, Verdict("odd", "", None, "so", provisional=True), (), {}
    )
    words = verdict_words("mine", "odd")
    assert fill_reason(report, words) == Details("The verdict is odd.")
    assert provisional_step(report) == ("A stronger reader could still overturn this.",)
