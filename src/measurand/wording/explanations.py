"""What a report on explanations adds to the words of its verdict.

It goes by the words of the reason, and by the names of statistics; a figure that is
missing leaves the words as they are. A reason names rationale columns beside the judged
one that give the label away last, behind words of ours, and in quotes where a name
could read as more than one: so no name of a column is taken for a fault.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from measurand.core.finding import Report
from measurand.core.names import PLAIN, QUOTED, condition_column, name_condition
from measurand.core.terms import VerdictWords, fault_words
from measurand.wording.details import Details, find_estimate
from measurand.wording.phrases import join_words, say_share
from measurand.wording.text import plain_text

FURTHER = "judged by its first column, "
COLUMN = re.compile(
    rf"({QUOTED.pattern}|{PLAIN.pattern}) alone gives ([^;]*?) of the labels(?:; )?"
)
CAUSE = (
    "The first column was judged, and nothing fails in it; of the others it was asked "
    "only what they give away."
)
# What words or form of a column give away, and the same in bits.
ONLY = {"rationale_only": "rationale_bits", "form_only": "form_bits"}


def own_part(reason: str) -> str:
    """What a reason says of the judged column.

    >>> own_part("given: judged by its first column, why_2 alone gives 1 of the labels")
    'given: '
    """
    return reason.partition(FURTHER)[0]


def further_columns(reason: str) -> dict[str, str]:
    """The other columns that a reason names, each with what it gives away.

    >>> further_columns(f"given: {FURTHER}'a; b' alone gives 0.9 of the labels")
    {'a; b': '0.9'}
    """
    clauses, at = reason.partition(FURTHER)[2], 0
    columns: dict[str, str] = {}
    while named := COLUMN.match(clauses, at):
        columns[condition_column(named[1])] = named[2]
        at = named.end()
    return columns


def further_step(reason: str) -> tuple[str, ...]:
    """What to do about the first of them; nothing where there is none."""
    return tuple(
        f"Name {plain_text(column, 40)} first to have it judged."
        for column in [*further_columns(reason)][:1]
    )


def fill_further(report: Report) -> Details | None:
    """The words of a verdict that only other columns leave open; else None."""
    reason = report.verdict.reason
    explainer, colon, doubts = own_part(reason).partition(": ")
    columns = further_columns(reason)
    if not columns or not colon or doubts:
        return None
    names = join_words([plain_text(column, 40) for column in columns])
    return Details(
        f"Not all of them: those of {names} give the label away by themselves.",
        CAUSE,
        _say_most(report, explainer, *next(iter(columns.items()))),
        further_step(reason),
        "leaks",
    )


def _say_most(report: Report, explainer: str, column: str, leak: str) -> str:
    """What a column surely gives away, by the best that read it; empty if unknown."""
    condition = f"{explainer}, {name_condition(column)}"
    name = plain_text(column, 40)
    sure = [
        f
        for f in report.findings
        if f.condition == condition and f.decision == "leaks" and f.statistic in ONLY
    ]
    if not sure:
        return ""
    most = max(sure, key=lambda f: f.estimate.value)
    bits = find_estimate(report, ONLY[most.statistic], most.reader, most.condition)
    if bits is None or ", which tells " not in leak:
        return f"Labels right from {name} alone: {say_share(most.estimate)}."
    place = f"between {bits.low:.2f} and {bits.high:.2f} bits"
    return f"What {name} alone tells of a label: {place}."


EXPLAINER = re.compile(r"([\w.-]+)(?: is | holds |: )")
DOUBT = re.compile(
    r"(?:^|: |; )(R|I|S|alone, masked,|alone|form alone|near-copies) "
    r"-?\d\S* \[[^\]]*\]( bits)? (?:may be|is of)"
)
CHANCE = re.compile(r"it is on the frontier in (\d+)% of resamples")
OUTDONE = "are outdone by another explainer, no worse on both axes and better on one"
# What the proposal holds explanations against is the input, and no dealt ones.
BY_LOT = " more than ones dealt by lot"
OVER_INPUT = "tell no more about the label than the input does"


@dataclass(frozen=True)
class Figure:
    """What a fault is measured by, and how that is said.

    Attributes:
        statistic: The figure.
        sentence: Where it lies stands for `{}`.
        in_bits: Whether it is in bits, and no share.
    """

    statistic: str
    sentence: str
    in_bits: bool = False


AXES = {
    "leaky": Figure("rationale_only", "Labels right from the explanation alone: {}."),
    "unstable": Figure("robustness", "Explanations that stay the same: {}."),
    "uninformative": Figure(
        "informativeness", f"Of what is open, they tell {{}}{BY_LOT}."
    ),
    "unspecific": Figure(
        "specificity", "Beyond chance, they fit their own item in {}."
    ),
    "copying": Figure("copied", "Explanations that nearly repeat the input: {}."),
}
IN_BITS = Figure("rationale_bits", "The explanation alone tells {} of a label.", True)
FORM = "Labels right from the form of the explanation alone: {}."
FORM_ONLY = Figure("form_only", FORM)
FORM_BITS = Figure(
    "form_bits", "The form of the explanation alone tells {} of a label.", in_bits=True
)
CAUSES = {  # what gives the label away, by what the reason calls it
    "whether there is one at all": "by whether there is one at all",
    "how long it is": "by how long they are",
    "how it is written": "by how they are written: marks, case, spacing, markup, links "
    "or digits of numbers",
}
BY_FORM = re.compile(rf"\bleaky \(form alone [^;]*?, by ({'|'.join(CAUSES)});")
TOLD_IN_BITS = re.compile(r"\bleaky \((?:form )?alone [^;]*?, which tells ")
STEPS = {  # what to do about each
    "whether there is one at all": "Explain items of every label alike: leave no "
    "explanation out, or leave them out by lot.",
    "how long it is": "Write explanations of every label at like length.",
    "how it is written": "Write explanations of every label alike: the same marks, "
    "case, spacing and markup, links as often, and numbers of as many digits.",
}
MASKED = "the explanation alone, its telling words masked"
DOUBTS = {  # by what the reason calls them, with bits behind where these are in doubt
    "R": AXES["unstable"],
    "I": AXES["uninformative"],
    "S": AXES["unspecific"],
    "near-copies": AXES["copying"],
    "alone": Figure("residual_leakage", AXES["leaky"].sentence),
    "alone bits": Figure("residual_bits", IN_BITS.sentence, in_bits=True),
    "form alone": FORM_ONLY,
    "form alone bits": FORM_BITS,
    "alone, masked,": Figure("residual_leakage", f"Labels right from {MASKED}: {{}}."),
    "alone, masked, bits": Figure(
        "residual_bits", f"What {MASKED}, tells of a label: {{}}.", in_bits=True
    ),
}
MISSING = {  # why no frontier is stated, and what would give one
    "was not measured": "Give explanations of changed inputs too, so that all can be "
    "measured.",
    "nothing shows that VARIF": "Run the suite of bad explanations beside them, so "
    "that a frontier can be stated.",
    "one method alone": "Run another explainer beside them, so that a frontier can be "
    "stated.",
}


def judged_explainer(reason: str) -> str:
    """Whose explanations the reason is about; empty where it names nobody.

    >>> judged_explainer("tfidf-1 is off the frontier"), judged_explainer("odd")
    ('tfidf-1', '')
    """
    named = EXPLAINER.match(reason)
    return named[1] if named else ""


def named_faults(reason: str) -> list[str]:
    """What the reason finds wrong.

    >>> named_faults("given is off the frontier: leaky (alone 0.9)")
    ['leaky']
    """
    own = own_part(reason)
    return [axis for axis in fault_words() if re.search(rf"\b{axis} \(", own)]


def doubted_figure(reason: str) -> Figure | None:
    """The first figure that the reason calls too near its limit.

    >>> doubted_figure("given: S 0.454 [0.369, 0.546] may be under 0.5").statistic
    'specificity'
    """
    doubt = DOUBT.search(own_part(reason))
    return DOUBTS[f"{doubt[1]}{doubt[2] or ''}"] if doubt else None


def say_chance(reason: str) -> str:
    """In how many resamples nothing is better, where the reason says so.

    >>> say_chance("given: it is on the frontier in 50% of resamples")
    'In 50 of 100 resamples no other explainer is better.'
    """
    chance = CHANCE.search(own_part(reason))
    if chance is None:
        return ""
    return f"In {chance[1]} of 100 resamples no other explainer is better."


def missing_step(reason: str) -> tuple[str, ...]:
    """What would give the frontier that the reason says is not stated."""
    why = reason.partition("no frontier: ")[2]
    return tuple(step for phrase, step in MISSING.items() if phrase in why)[:1]


def leaking_figure(reason: str) -> Figure:
    """What a leak is measured by: right answers, or bits where these show nothing.

    >>> leaking_figure("leaky (form alone 0.9, by how it is written; so)").statistic
    'form_only'
    """
    own = own_part(reason)
    in_bits = TOLD_IN_BITS.search(own)
    if BY_FORM.search(own):
        return FORM_BITS if in_bits else FORM_ONLY
    return IN_BITS if in_bits else AXES["leaky"]


def form_step(reason: str) -> tuple[str, ...]:
    """What to do about explanations whose form tells the label; else nothing."""
    by_form = BY_FORM.search(own_part(reason))
    return (STEPS[by_form[1]],) if by_form else ()


def say_fault(fault: str, settings: Mapping[str, object], reason: str) -> str:
    """What a fault does, in words; the proposal's zero is another.

    >>> say_fault("leaky", {}, "leaky (form alone 0.9, by how long it is; so)")
    'give the label away by how long they are'
    """
    by_form = BY_FORM.search(own_part(reason))
    if fault == "leaky" and by_form:
        return f"give the label away {CAUSES[by_form[1]]}"
    if fault == "uninformative" and settings.get("preset") == "paper":
        return OVER_INPUT
    return fault_words()[fault]


def say_figure(figure: Figure, place: str, settings: Mapping[str, object]) -> str:
    """Where a figure lies, in a sentence; the proposal deals nothing by lot."""
    sentence = figure.sentence
    if settings.get("preset") == "paper":
        sentence = sentence.replace(BY_LOT, "")
    return sentence.format(place)


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
