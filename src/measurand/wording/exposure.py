"""What an exposure report adds to the words of its verdict.

It quotes what the verdict goes by: the size whose reason is given, and there the mean,
the model or the task that decides. It goes by the names of statistics and the words of
the reason.
"""

import math
import re
from dataclasses import replace

from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.core.terms import VerdictWords, reader_words
from measurand.wording.details import Details
from measurand.wording.phrases import join_words, say_change
from measurand.wording.text import plain_text

DECIDING = re.compile(r"about ([\d,]+) (test items|draws)")
MARGIN = 1.0  # points, where a report does not say
ALL = "all models"
OVERTRAINED = "overtrained"
NOT, SOMEWHERE, UNDECIDED = "not inflated", "inflated on ", "undecided"
NEVER = "more draws will not decide"
SINGLE_OUT = "by itself alone, "  # how a reason begins to name tasks that may be luck
LUCK = "may be luck"
SMALL = 3  # margins, below which a difference is told with decimals
MOST_DIGITS = 4  # decimals of a difference, however near to the margin it is
MOST_TASKS = 3  # names in a sentence
BEYOND = "clearly beyond the margin"  # said of tasks that stand out
ALIKE = (  # what is said of them where tasks are not seen to differ
    "Not yet: single tasks are beyond the margin, and all together not surely.",
    "Tasks are not seen to differ in what test texts add: the figures are too few.",
)
# Why nothing can be said: what a reason has, the answer, and the cause.
OBSTACLES = {
    "the test's own text helped less": (
        "No inflation, and not cleared either: test texts help less than other texts.",
        "The gain is below zero by more than the margin, which reading does not tell.",
    ),
    "was not seen": (
        "Not yet: an inflation that was planted was not seen.",
        "A study that does not see what is there cannot say that nothing is.",
    ),
    "no positive control": (
        "Not yet: nothing shows that an inflation would have been seen.",
        "No positive control was run, or not by every model.",
    ),
    "it does not show that an inflation": (
        "Not yet: the planted inflation is smaller than the margin.",
        "Seeing less than the margin does not show that the margin would be seen.",
    ),
    "sizes share the 5 %": (
        "Not yet: above the margin at one size, which as one of several may be luck.",
        "Sizes share the false alarms, so that each has to be surer than one alone.",
    ),
    BEYOND: (
        "Not yet: single tasks stand out, on one side or the other.",
        "What test texts add differs between tasks, so that the mean says little.",
    ),
    "the mean says little": (
        "Not yet: models differ in what test texts add.",
        "One model goes one way, another the other, so that the mean says little.",
    ),
    "told from zero and may be beyond the margin": (
        "Not yet: in single models test texts change scores, perhaps beyond the "
        "margin.",
        "What such a model does is told from nothing, and not shown to be within the "
        "margin.",
    ),
    "models differ from task to task": (
        "Not yet: models differ from task to task in what test texts add.",
        "Tasks that gain in one model lose in another, so that the mean says little.",
    ),
}
TWICE = {  # the answer where texts that were read twice as often raise scores
    NOT: "Only if read twice as often: then the test's own texts raise scores.",
    UNDECIDED: "Yes, if read twice as often; read once, nobody can say yet.",
}
CONTROL_STEP = "Run a positive control of every model, with a dose beyond the margin."
NEVER_STEP = "Quote tasks and models one by one: more draws will not decide."


def fill_exposure(report: Report, words: VerdictWords) -> Details:
    """What test text adds over other text, in points of a hundred."""
    size, label = deciding_size(report), report.verdict.label
    decisive = deciding_bias(report, size)
    if decisive is None:
        return Details(words.answer, "", "", _next_steps(report))
    where = _place(report, decisive, size)
    change = say_points(decisive.estimate, _margin(report))
    after = "after test text rather than other text"
    said = f"{where}{after}: {change}."
    details = Details(
        words.answer, "", f"{said[:1].upper()}{said[1:]}", _next_steps(report)
    )
    if label.startswith(NOT):
        named = filter(None, (_single_out(report, at) for at in deciding_sizes(report)))
        sentence = next(named, words.answer)
        details = replace(details, sentence=sentence, cause=_read_cause(report, size))
    if label == UNDECIDED:
        for phrase, obstacle in OBSTACLES.items():
            if phrase in _reason_of(report, size):
                alike = phrase == BEYOND and _are_alike(report, size)
                sentence, cause = ALIKE if alike else obstacle
                details = replace(details, sentence=sentence, cause=cause)
                break
    return _add_overtraining(report, details, size)


def deciding_size(report: Report) -> str:
    """The first size whose reason the verdict gives; empty where there is no bias."""
    return next(iter(deciding_sizes(report)), "")


def deciding_sizes(report: Report) -> list[str]:
    """The sizes whose reason the verdict gives; all where it gives none.

    Of undecided ones, first what more draws will not decide, then what needs most.
    """
    sizes = dict.fromkeys(f.condition for f in _findings(report, "bias"))
    plain = [size for size in sizes if not size.endswith(f",{OVERTRAINED}")]
    named = [size for size in plain if f"{size}: bias " in report.verdict.reason]
    if report.verdict.label == UNDECIDED:
        named.sort(key=lambda size: -_draws_needed(_reason_of(report, size)))
    return named or plain


def _reason_of(report: Report, size: str) -> str:
    """The part of the reason that is of this size; all of it where none is."""
    reason = report.verdict.reason
    starts = [f"{f.condition}: bias " for f in _findings(report, "bias")]
    own = reason.partition(f"{size}: bias ")[2] or reason
    ends = [own.find(start) for start in starts if start in own]
    return own[: min(ends)] if ends else own


def _draws_needed(reason: str) -> float:
    """The draws that would decide by this reason; infinite where none would."""
    if NEVER in reason:
        return math.inf
    counts = [count for count, unit in DECIDING.findall(reason) if unit == "draws"]
    return max((float(count.replace(",", "") or 0) for count in counts), default=0.0)


def deciding_bias(report: Report, size: str) -> Finding | None:
    """The bias that the verdict goes by: of all models, of one, or of a task."""
    biases = [f for f in _findings(report, "bias") if f.condition == size]
    label = report.verdict.label
    if label.startswith(SOMEWHERE):
        tasks = _tasks_of_size(report, size)
        return max(
            tasks, key=lambda f: f.estimate.low, default=next(iter(biases), None)
        )
    if label == "inflated" and biases and biases[0].estimate.low <= _margin(report):
        return max(biases, key=lambda f: f.estimate.low)
    return next(iter(biases), None)


def say_points(points: Estimate, margin: float = MARGIN) -> str:
    """A difference in percentage points, of a hundred answers.

    The low end is rounded down and the high end up, with as many decimals as leave
    both on their side of the margin.
    """
    largest = max(abs(points.low), abs(points.high))
    is_nothing = points.low <= 0 <= points.high and largest < 0.5 <= margin
    if is_nothing or math.isnan(points.low + points.high):
        return _say_ends(points, 0)
    digits = (1 if margin >= 1 else 2) if largest < SMALL * max(margin, 1.0) else 0
    sides = _sides(points, margin)
    while digits < MOST_DIGITS and _sides(_widen(points, digits), margin) != sides:
        digits += 1
    return _say_ends(_widen(points, digits), digits)


def _say_ends(points: Estimate, digits: int) -> str:
    """The ends as they are, of a hundred answers."""
    share = replace(
        points,
        value=points.value / 100,
        low=points.low / 100,
        high=points.high / 100,
    )
    return say_change(share, "more right", "fewer right", digits)


def _widen(points: Estimate, digits: int) -> Estimate:
    """The estimate with its ends rounded outwards, but for what floats add."""
    scale = 10**digits
    low = math.floor(round(points.low * scale, 6)) / scale
    high = math.ceil(round(points.high * scale, 6)) / scale
    return replace(points, low=low, high=high)


def _sides(points: Estimate, margin: float) -> list[tuple[bool, bool]]:
    """Of each end and each side of the margin, whether it is below and above it."""
    return [
        (end < bound, end > bound)
        for end in (points.low, points.high)
        for bound in (-margin, margin)
    ]


def _findings(report: Report, statistic: str) -> list[Finding]:
    """The findings of a statistic that have a value."""
    return [
        f
        for f in report.findings
        if f.statistic == statistic and math.isfinite(f.estimate.value)
    ]


def _tasks_of_size(report: Report, size: str) -> list[Finding]:
    """The bias of each task at a size, by itself."""
    rows = _findings(report, "task_bias")
    return [f for f in rows if f.condition.endswith(f", {size}")]


def _are_alike(report: Report, size: str) -> bool:
    """Whether tasks are not seen to differ; reports without a spread do not say."""
    spreads = [f for f in _findings(report, "task_sd") if f.condition.endswith(size)]
    of_bias = [f for f in spreads if f.condition.startswith("bias, ")]
    return any(f.estimate.low <= 0 for f in of_bias)


def _margin(report: Report) -> float:
    """The margin of the report, in points."""
    value = report.settings.get("margin", MARGIN)
    return float(value) if isinstance(value, int | float) else MARGIN


def _place(report: Report, decisive: Finding, size: str) -> str:
    """Where a bias was found, as far as a report has several such places."""
    biases = _findings(report, "bias")
    words = []
    if decisive.statistic == "task_bias":
        task = decisive.condition.removesuffix(f", {size}")
        words.append(f"on {plain_text(task, 40)}")
    readers = {f.reader for f in biases} - {ALL}
    if decisive.reader != ALL and len(readers) > 1:
        words.append(f"by {reader_words(plain_text(decisive.reader, 40))}")
    sizes = {f.condition for f in biases if not f.condition.endswith(OVERTRAINED)}
    if len(sizes) > 1:
        words.append(f"at {plain_text(size, 40)}")
    return f"{', '.join(words)}: " if words else ""


def _single_out(report: Report, size: str) -> str:
    """That tasks lie above the margin by themselves, where the reason names them."""
    if SINGLE_OUT not in report.verdict.reason:
        return ""
    tasks, margin = _tasks_of_size(report, size), _margin(report)
    above = sorted(
        (f for f in tasks if f.estimate.low > margin), key=lambda f: -f.estimate.value
    )
    names = [*dict.fromkeys(f.condition.removesuffix(f", {size}") for f in above)]
    if not names:
        return ""
    shown = [plain_text(name, 40) for name in names[:MOST_TASKS]]
    more = [f"{len(names) - MOST_TASKS} more"] if len(names) > MOST_TASKS else []
    verb = "is" if len(names) == 1 else "are"
    said = f"No, though {join_words([*shown, *more])} alone {verb} above the margin"
    count = len({f.condition for f in tasks})
    luck = LUCK in report.verdict.reason
    return f"{said}, which {LUCK} among {count} tasks." if luck else f"{said}."


def _read_cause(report: Report, size: str) -> str:
    """Why test text adds nothing, by what reading any text of the kind did."""
    boosts = [f for f in _findings(report, "boost") if f.condition == size]
    if not boosts:
        return ""
    boost = boosts[0].estimate
    if boost.low > 0:
        return "Any text of the kind helps, whether it is from the test or not."
    if boost.high < 0:
        return "Any text of the kind makes answers worse, from the test or not."
    return "No text of the kind is seen to change answers, from the test or not."


def _next_steps(report: Report) -> tuple[str, ...]:
    """What would decide, where the reason says so; the most of several sizes."""
    reason = report.verdict.reason
    if report.verdict.label != UNDECIDED:
        return ()
    draws = _draws_needed(reason)
    if math.isinf(draws):
        return (NEVER_STEP,)
    if draws:
        return (f"Give about {draws:,.0f} draws: so many would decide.",)
    unseen = ("was not seen", "no positive control", "a larger dose could")
    return (CONTROL_STEP,) if any(phrase in reason for phrase in unseen) else ()


def _add_overtraining(report: Report, details: Details, size: str) -> Details:
    """The details, with what texts that were read twice as often did."""
    name = f"{size},{OVERTRAINED}"
    over = [f for f in _findings(report, "bias") if f.condition == name]
    if f"{OVERTRAINED}, {size}: inflated" not in report.verdict.reason or not over:
        return details
    change = say_points(over[0].estimate, _margin(report))
    certainty = f"{details.certainty} Read twice as often: {change}."
    sentence = details.sentence
    for label, told in TWICE.items():
        if report.verdict.label.startswith(label):
            sentence = told
    return replace(details, sentence=sentence, certainty=certainty, tone="leaks")
