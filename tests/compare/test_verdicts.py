"""Every pair of verdicts of an audit: page, terminal and exit code agree."""

from dataclasses import replace
from itertools import product

import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.cli.run import exit_on_verdict
from measurand.compare.compare import compare
from measurand.report.answer import answer_report
from measurand.report.html import page
from measurand.report.markdown import brief_markdown
from measurand.report.summary import summary
from measurand.wording.terms import tone_words
from tests.report.verdicts import NAMES, report_of

ORDER = ["fine", "unknown", "fix", "leaks"]


def unsure(report):
    """The report with figures so wide that none of them is ever surely worse."""
    more = [
        replace(f, reader="surface", condition=f"{f.condition}{suffix}")
        for f in report.findings
        for suffix in ("", ",overtrained")
        if f.statistic in ("delta_evi", "bias", "accuracy")
    ]
    findings = tuple(
        replace(f, estimate=replace(f.estimate, low=-9, high=9))
        for f in (*report.findings, *more)
    )
    return replace(report, findings=findings, exhibits=(), items=pd.DataFrame())


def states(audit):
    """A report for each label and tone that the audit can state."""
    reports = {}
    for label in AUDITS.thing(audit).labels:
        report = unsure(report_of(audit, label))
        for stage in (report.verdict.stage, "surface"):
            stated = replace(report, verdict=replace(report.verdict, stage=stage))
            state = label, answer_report(stated).tone.name
            reports.setdefault(state, stated)
    return reports


def is_worse(audit, before, after):
    labels = AUDITS.thing(audit).labels
    one, other = (
        (ORDER.index(tone), labels.index(label)) for label, tone in (before, after)
    )
    return other > one


def exit_code(report):
    try:
        exit_on_verdict([report], ["worse"])
    except SystemExit as stopped:
        return stopped.code
    return 0


def told(verdict):
    label, tone = verdict
    return f"{label} ({tone_words()[tone].word.lower()})"


def check_pair(audit, before, after, reports):
    both = compare([reports[before], reports[after]], ["old", "new"])
    worse = is_worse(audit, before, after)
    same = f"The verdict is the same: {told(after)}."
    changed = f"The verdicts differ: old is {told(before)}, new is {told(after)}."
    headline = ("Worse than before. " if worse else "") + (
        same if before == after else changed
    )
    assert exit_code(both) == (3 if worse else 0), (before, after)
    # A terminal breaks lines where it must.
    assert "".join(headline.split()) in "".join(summary(both).split())
    return both, headline


def near_pairs(reports):
    """The pairs of one label or one tone: in these the order is hardest to tell."""
    for before, after in product(reports, repeat=2):
        if before[0] == after[0] or before[1] == after[1]:
            yield before, after


@pytest.mark.parametrize("audit", [*AUDITS])
def test_exit_code_and_terminal_agree_of_verdicts_of_one_label_or_tone(audit):
    reports = states(audit)
    assert {label for label, _ in reports} == {*AUDITS.thing(audit).labels}
    for before, after in near_pairs(reports):
        check_pair(audit, before, after, reports)


@pytest.mark.slow
@pytest.mark.parametrize("audit", [*AUDITS])
def test_terminal_page_and_markdown_agree_with_the_exit_code_of_every_pair(audit):
    reports = states(audit)
    for before, after in product(reports, repeat=2):
        both, headline = check_pair(audit, before, after, reports)
        assert headline in page(both, {}).replace("<wbr>", "")
        assert headline in brief_markdown([both], {})


def test_every_audit_is_among_them():
    assert {audit for audit, _ in NAMES} == {*AUDITS}
