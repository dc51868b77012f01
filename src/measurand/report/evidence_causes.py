"""What wrong evidence costs, what does as well without it, and what to do about it."""

from measurand.core.finding import Report
from measurand.core.terms import VerdictWords
from measurand.report.details import (
    Details,
    ask_for_items,
    best_reader,
    find_estimate,
    guessing,
    is_screened,
    named_roles,
)
from measurand.report.phrases import capitalise, name_part, say_change
from measurand.report.terminal import plain_text

AS_WELL = 0.02  # accuracy under which one part alone does as well as both
TELLING = "Find out what in the evidence tells: run measurand leakage."


def fill_evidence(report: Report, words: VerdictWords) -> Details:
    """The loss on wrong evidence, and what does as well without it."""
    stage = report.verdict.stage
    loss = find_estimate(report, "delta_evi", stage) if stage else None
    if loss is None:
        return Details(words.answer, "", best_reader(report))
    change = say_change(loss, "answers lost", "answers gained")
    certainty = f"With wrong evidence, {change}."
    if report.verdict.reason.startswith("readers may remember"):
        cause = "Most test evidence stands in training, so readers may just remember."
        step = "Split the items anew by their evidence, and run the audit again."
        return Details(words.answer, cause, certainty, (step,), "fix")
    role, cause = _one_part_does(report, str(stage))
    if role == "evidence" and words.tone.name == "fine":
        # It may be the task itself; where wrong answers were drawn, it need not be.
        tone = "fix" if is_screened(report) else ""
        return Details(words.answer, cause, certainty, _need_query(report), tone)
    return Details(words.answer, cause, certainty, ask_for_items(report, "test items"))


def _need_query(report: Report) -> tuple[str, ...]:
    """What to do where the evidence alone tells, whatever is asked."""
    if is_screened(report):
        return ("Ask a model that writes its answers: the wrong ones were drawn here.",)
    return (TELLING,)


def _one_part_does(report: Report, stage: str) -> tuple[str, str]:
    """Which part alone does as well as both, if any is better than guessing, and so."""
    full, base = find_estimate(report, "accuracy", stage, "full"), guessing(report)
    if full is None or base is None:
        return "", ""
    named = named_roles(report)
    least = max(full.value - AS_WELL, (full.value + base.value) / 2)
    for statistics, role in (
        (("query_only", "closed_book"), "query"),
        (("evidence_only",), "evidence"),
    ):
        for statistic in statistics:
            alone = find_estimate(report, statistic, stage, "full")
            if alone is not None and alone.value >= least:
                part = name_part(plain_text(named.get(role, role), 40))
                return role, f"{capitalise(part)} alone does as well as both."
    return "", ""
