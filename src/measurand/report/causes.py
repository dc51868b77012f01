"""What each audit's report adds to the words of its verdict: cause, certainty, steps.

It goes by the names of statistics alone, so that a report of years ago is read too. A
figure that is missing leaves the words as they are.
"""

from collections.abc import Callable, Mapping, Sequence

from measurand.core.finding import Finding, Report
from measurand.core.names import CONDITIONS, condition_column
from measurand.core.terms import (
    VerdictWords,
    load_terms,
    reader_words,
    verdict_words,
)
from measurand.report.details import Details, find_estimate
from measurand.report.evidence_causes import fill_evidence
from measurand.report.exposure import fill_exposure
from measurand.report.faults import (
    AXES,
    OUTDONE,
    doubted_figure,
    form_step,
    judged_explainer,
    leaking_figure,
    missing_step,
    named_faults,
    say_chance,
    say_fault,
    say_figure,
)
from measurand.report.further import fill_further, further_step
from measurand.report.leak_causes import fill_leakage
from measurand.report.phrases import (
    capitalise,
    join_words,
    name_part,
    say_change,
    say_share,
)
from measurand.report.terminal import DECISIONS, SUFFIX, plain_text

# Figures of which a hundredth is an answer of a hundred.
SHARES = (
    *("over_majority", "single_accuracy", "choices_only", "delta_evi"),
    *("query_only", "evidence_only", "closed_book", "rationale_only"),
)


def fill_explanations(report: Report, words: VerdictWords) -> Details:
    """What fails, and by how much; or what is open."""
    reason = report.verdict.reason
    if details := fill_further(report):
        return details
    faults = named_faults(reason)
    certainty = _say_axis(report, faults)
    step = further_step(reason)
    steps = (*words.next, *step) if step else ()
    if "{fault}" not in words.answer:
        if report.verdict.label == "axes hold":
            steps = missing_step(reason)
        return Details(words.answer, "", certainty, steps)
    if not faults:
        return Details(words.answer.format(fault=OUTDONE), "", certainty, steps)
    by_form = form_step(reason)
    says = [say_fault(fault, report.settings, reason) for fault in faults]
    return Details(
        words.answer.format(fault=says[0]),
        f"They {join_words(says)}." if len(says) > 1 else "",
        certainty,
        (*by_form, *step) if by_form else steps,
        "leaks" if "leaky" in faults else "",
    )


def _say_axis(report: Report, faults: Sequence[str]) -> str:
    """The figure of the first fault; without one, that which is in doubt."""
    reason = report.verdict.reason
    doubted = None if faults else doubted_figure(reason)
    if doubted is None and not faults and (chance := say_chance(reason)):
        return chance
    figure = doubted or AXES[next(iter(faults), "uninformative")]
    if faults[:1] == ["leaky"]:
        figure = leaking_figure(reason)
    explainer, stage = judged_explainer(reason), report.verdict.stage
    estimate = (
        find_estimate(report, figure.statistic, stage, explainer)
        or find_estimate(report, figure.statistic, None, explainer)
        or find_estimate(report, figure.statistic)
    )
    if estimate is None:
        return ""
    bits = f"between {estimate.low:.2f} and {estimate.high:.2f} bits"
    place = bits if figure.in_bits else say_share(estimate)
    return say_figure(figure, place, report.settings)


def fill_compare(report: Report, words: VerdictWords) -> Details:
    """Which verdict changed, and the surest difference; where none did, so."""
    verdicts = compared_verdicts(report)
    steps = sure_differences(report)
    cause = ""
    if steps:
        one = len(steps) == 1
        differ = "figure differs" if one else "figures differ"
        stand = "it stands" if one else "they stand"
        cause = f"{len(steps)} {differ} for certain; {stand} first."
    certainty = _say_difference(steps[0]) if steps else _count_pairs(report)
    look = ("Read the differences that clear zero first.",) if steps else ()
    if not verdicts:
        return Details(words.answer, cause, certainty, look)
    labels = [*dict.fromkeys(label for _, label in verdicts)]
    (first, before), (last, after) = verdicts[0], verdicts[-1]
    audit = str(report.settings.get("audit", ""))
    tone = verdict_words(audit, after).tone.name
    if audit == "explanations" and "leaky" in named_faults(_last_reason(report)):
        tone = "leaks"
    answer = f"The verdicts differ: {first} is {before}, {last} is {after}."
    if len(labels) == 1:
        answer = f"The verdict is the same: {labels[0]}."
    if report.verdict.label == "worse":
        answer = f"Worse than before. {answer}"
        tone = "fix" if tone == "fine" else tone
    return Details(answer, cause, certainty, look, tone)


def _last_reason(report: Report) -> str:
    """Why the last of the reports decided as it did."""
    for exhibit in report.exhibits:
        if exhibit.name == DECISIONS and "why" in exhibit.table and len(exhibit.table):
            return str(exhibit.table["why"].iloc[-1])
    return ""


def compared_verdicts(report: Report) -> list[tuple[str, str]]:
    """What each report is called and its verdict."""
    for exhibit in report.exhibits:
        table = exhibit.table
        if exhibit.name == DECISIONS and {"benchmark", "verdict"} <= {*table.columns}:
            rows = table[["benchmark", "verdict"]].to_numpy(object).tolist()
            return [(plain_text(name, 40), plain_text(label)) for name, label in rows]
    return []


def sure_differences(report: Report) -> list[Finding]:
    """The differences that are clear of zero: of answers, and large ones, first."""
    sure = [f for f in report.findings if f.decision in ("differs", "higher", "lower")]
    sure = [f for f in sure if f.statistic.endswith(SUFFIX)]
    return sorted(
        sure, key=lambda f: (f.statistic != f"accuracy{SUFFIX}", -abs(f.estimate.value))
    )


def _say_difference(finding: Finding) -> str:
    """One difference in words: of what, from which part, by whom, and how much."""
    if finding.statistic != f"accuracy{SUFFIX}":
        return _say_other_difference(finding)
    change = capitalise(say_change(finding.estimate, "more right", "fewer right"))
    part, colon, _ = finding.condition.partition(": ")
    alone = f" from {name_part(plain_text(part, 40))} alone"
    return f"{change}{alone if colon and part != 'pair' else ''}."


def _say_other_difference(finding: Finding) -> str:
    """A difference of another figure than how many are right."""
    statistic = finding.statistic.removesuffix(SUFFIX)
    side = "higher" if finding.estimate.value > 0 else "lower"
    meaning = str(load_terms()["statistic"].get(statistic, ""))
    if not meaning or meaning.startswith("The same"):  # it leans on the one before it
        meaning = statistic.replace("_", " ")
    # The names of the reports stand first, with a minus between them.
    names, _, later = finding.condition.rpartition(" − ")
    where = later.partition(", ")[2] if names else ""
    part = "" if where in ("", *CONDITIONS) else f", of {_name_where(where)}"
    change = ""
    if statistic in SHARES:
        change = f", {say_change(finding.estimate, 'more', 'fewer')}"
    figure = meaning[:1].lower() + meaning[1:].rstrip(".")
    reader = reader_words(plain_text(finding.reader, 40))
    return f"Surely {side}{part}, by {reader}: {figure}{change}."


def _name_where(where: str) -> str:
    """The column that a figure is of, or what else its condition says.

    >>> _name_where("claim"), _name_where("'a=b'"), _name_where("claim, part=mm")
    ('the claim', 'the a=b', 'the claim, part mm')
    """
    name = name_part(plain_text(condition_column(where), 60))
    return name.replace("part=", "part ")


def _count_pairs(report: Report) -> str:
    """How many figures were set beside each other."""
    rows = [f for f in report.findings if f.statistic.endswith(SUFFIX)]
    if not rows:
        return "No figure could be paired; under what was not run stands why."
    return f"{len(rows)} figures were paired, each with its interval."


FILLERS: Mapping[str, Callable[[Report, VerdictWords], Details]] = {
    "evidence": fill_evidence,
    "leakage": fill_leakage,
    "exposure": fill_exposure,
    "explanations": fill_explanations,
    "compare": fill_compare,
}
