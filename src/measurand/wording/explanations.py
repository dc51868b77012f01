"""What a report on explanations adds to the words of its verdict.

It goes by the names of statistics alone. A figure that is missing leaves the words as
they are.
"""

from collections.abc import Sequence

from measurand.core.finding import Report
from measurand.core.terms import VerdictWords
from measurand.wording.details import Details, find_estimate
from measurand.wording.faults import (
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
from measurand.wording.further import fill_further, further_step
from measurand.wording.phrases import join_words, say_share


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
