"""What each audit's report adds to the words of its verdict: cause, certainty, steps.

It goes by the names of statistics alone, so that a report of years ago is read too. A
figure that is missing leaves the words as they are.
"""

from collections.abc import Callable, Mapping, Sequence

from measurand.core.finding import Report
from measurand.core.terms import Tone, VerdictWords, tone_words, verdict_words
from measurand.report.details import Details, find_estimate
from measurand.report.differences import (
    headline,
    list_differences,
    reads_choices,
    say_difference,
)
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
from measurand.report.phrases import join_words, say_share
from measurand.report.terminal import DECISIONS, plain_text


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
    """Which verdict changed, and the figure that it rests on, old and new."""
    verdicts = compared_verdicts(report)
    rows = list_differences(report)
    certain = sum(row.is_certain for row in rows)
    cause = ""
    if certain:
        level = f"{100 * rows[0].gap.level:g} % CI excludes 0"
        cause = f"{certain} of {len(rows)} figures differ for certain ({level})."
    look = ("Read the differences that clear zero first.",) if certain else ()
    first_row = headline(report)
    certainty = NOTHING_PAIRED if not rows else f"{len(rows)} figures were compared."
    if first_row is not None:
        certainty = say_difference(first_row, chance=reads_choices(rows))
    if not verdicts:
        return Details(words.answer, cause, certainty, look)
    tone = verdicts[-1][2].name
    answer = say_verdicts(verdicts)
    if report.verdict.label == "worse":
        answer = f"Worse than before. {answer}"
        tone = "fix" if tone == "fine" else tone
    return Details(answer, cause, certainty, look, tone)


NOTHING_PAIRED = "No figure could be paired; under what was not run stands why."


def say_verdicts(verdicts: Sequence[tuple[str, str, Tone]]) -> str:
    """Whether the verdicts are the same, by label and by tone."""
    said = [f"{label} ({tone.word.lower()})" for _, label, tone in verdicts]
    if len({*said}) == 1:
        return f"The verdict is the same: {said[0]}."
    return (
        f"The verdicts differ: {verdicts[0][0]} is {said[0]}, {verdicts[-1][0]} is "
        f"{said[-1]}."
    )


def compared_verdicts(report: Report) -> list[tuple[str, str, Tone]]:
    """What each report is called, its verdict, and the tone that its page shows.

    Comparisons of earlier versions kept no tone: there it is that of the label.
    """
    audit = str(report.settings.get("audit", ""))
    tones = tone_words()
    for exhibit in report.exhibits:
        table = exhibit.table
        if exhibit.name == DECISIONS and {"benchmark", "verdict"} <= {*table.columns}:
            return [
                (
                    plain_text(row["benchmark"], 40),
                    plain_text(row["verdict"]),
                    tones.get(str(row.get("tone")))
                    or verdict_words(audit, str(row["verdict"])).tone,
                )
                for row in table.to_dict("records")
            ]
    return []


FILLERS: Mapping[str, Callable[[Report, VerdictWords], Details]] = {
    "evidence": fill_evidence,
    "leakage": fill_leakage,
    "exposure": fill_exposure,
    "explanations": fill_explanations,
    "compare": fill_compare,
}
