"""What each audit's report adds to the words of its verdict: cause, certainty, steps.

It goes by the names of statistics alone, so that a report of years ago is read too. A
figure that is missing leaves the words as they are.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from measurand.core.finding import Estimate, Finding, Report
from measurand.core.terms import (
    VerdictWords,
    fault_words,
    reader_words,
    verdict_words,
)
from measurand.report.phrases import (
    capitalise,
    join_words,
    name_part,
    say_change,
    say_count,
    say_share,
)
from measurand.report.terminal import DECISIONS, SUFFIX, plain_text

AS_WELL = 0.02  # accuracy under which one part alone does as well as both
MOST_TOKENS = 3
DECIDING = re.compile(r"about ([\d,]+) (test items|draws)")
MOST_REASON = 2_000  # letters of a reason in which words are sought
WORD = re.compile(r"'([^']{1,60})'|\"([^\"]{1,60})\"")
QUOTED = re.compile(rf"(?:(?:{WORD.pattern})(?:, )?){{1,9}}")
SIMPLE = {  # what the reason of a leak names, and the sentence for it
    "its length alone": "Its length alone tells the label.",
    "its form alone": "Its form alone tells the label: spacing, case, punctuation or "
    "digits.",
    "a memory of its texts alone": "The same texts return with the same labels.",
    "the position of the right choice": "The position of the right choice tells it.",
}
TELLING = "Find out what in the evidence tells: run measurand leakage."
# Why nobody can say whether a part leaks: what the reason has, and how it is said.
UNDECIDED_LEAK = {
    "neither surely above nor within": (
        "Not yet: what one part tells is too uncertain.",
        "It may be nothing, or may matter.",
    ),
    "not clearly above the majority even with all fields": (
        "Not yet: no reader learned the task.",
        "Who is no better than guessing with all parts says nothing about one.",
    ),
    "says one class whatever": (
        "Not yet: one part had the same answer to every item.",
        "A reader that gives one answer to all may have learned nothing, so that its "
        "finding nothing does not count.",
    ),
}
PLACE = "position"  # who goes by the place of a choice, and what states it
# What states how often a part alone is right.
PART_STATISTICS = ("single_accuracy", "choices_only")
# What is read of a part by who reads no word.
SEEN_OF = {"length": "the length of ", "surface": "the form of "}
SCREENED = "screened:"  # how the role of free answers begins to say so
LUCK = "may be luck where several are looked at"


@dataclass(frozen=True)
class Details:
    """What a report fills in.

    Attributes:
        sentence: The answer.
        cause: Why; empty where the words of the verdict do.
        certainty: How sure.
        steps: What to do, where the report knows better than the verdict's words.
        tone: The name of another tone than the verdict's, where it has one.
    """

    sentence: str
    cause: str = ""
    certainty: str = ""
    steps: tuple[str, ...] = ()
    tone: str = ""


def find_estimate(
    report: Report, statistic: str, reader: str | None = None, condition: str = ""
) -> Estimate | None:
    """The first finite estimate that matches; None where there is none."""
    for f in report.findings:
        if (
            f.statistic == statistic
            and reader in (None, f.reader)
            and condition in ("", f.condition)
            and math.isfinite(f.estimate.value)
        ):
            return f.estimate
    return None


def guessing(report: Report) -> Estimate | None:
    """What guessing gets right: the commonest label, or any choice."""
    return find_estimate(report, "majority") or find_estimate(report, "chance")


def fill_evidence(report: Report, words: VerdictWords) -> Details:
    """The loss on wrong evidence, and what does as well without it."""
    stage = report.verdict.stage
    loss = find_estimate(report, "delta_evi", stage) if stage else None
    if loss is None:
        return Details(words.answer, "", _best_reader(report))
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
    return Details(words.answer, cause, certainty, _ask_for_items(report, "test items"))


def _need_query(report: Report) -> tuple[str, ...]:
    """What to do where the evidence alone tells, whatever is asked."""
    if is_screened(report):
        return ("Ask a model that writes its answers: the wrong ones were drawn here.",)
    return (TELLING,)


def is_screened(report: Report) -> bool:
    """Whether the wrong answers to choose from were drawn from other items."""
    return SCREENED in plain_text(named_roles(report).get("answers", ""), 200)


def named_roles(report: Report) -> Mapping[str, object]:
    """The column of each part."""
    roles = report.benchmark.get("roles")
    return roles if isinstance(roles, Mapping) else {}


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


def _best_reader(report: Report) -> str:
    """How right the best reader is, beside guessing."""
    base = guessing(report)
    scores = [
        f.estimate
        for f in report.findings
        if f.statistic == "accuracy"
        and f.condition == "full"
        and f.reader not in ("metadata", "lookup", "majority")
        and math.isfinite(f.estimate.value)
    ]
    if base is None or not scores:
        return ""
    best = max(scores, key=lambda estimate: estimate.value)
    guessed = say_count(base.value)
    return f"The best reader gets {say_share(best)} right; guessing, {guessed}."


def _ask_for_items(report: Report, unit: str) -> tuple[str, ...]:
    """How many items or draws would decide, where the reason says so."""
    needed = DECIDING.search(report.verdict.reason)
    if needed is None or needed[2] != unit or report.verdict.label != "undecided":
        return ()
    return (f"Give about {needed[1]} {unit}: so many would decide.",)


def leaking_part(report: Report) -> Finding | None:
    """The part that surely gives most away, by whom it tells the most."""
    leaks = [
        f
        for f in report.findings
        if f.statistic == "over_majority"
        and f.decision == "leaks"
        and "=" not in f.condition
    ]
    return max(leaks, key=lambda f: f.estimate.value, default=None)


def fill_leakage(report: Report, words: VerdictWords) -> Details:
    """The part that leaks, by what, and how often it is right."""
    base, most = guessing(report), leaking_part(report)
    if words.tone.name != "leaks":
        steps = _ask_for_items(report, "test items")
        sentence, cause = words.answer, ""
        for phrase, said in UNDECIDED_LEAK.items():
            if phrase in report.verdict.reason:
                sentence, cause = said
        return Details(sentence, cause, _greatest_gain(report), steps)
    if most is None:
        return _tell_unseen_leak(report, words)
    if base is None:
        part = name_part(plain_text(most.condition, 40))
        return Details(words.answer.format(part=part), "", "", _repair_steps(report))
    part = name_part(plain_text(most.condition, 40))
    part = f"{SEEN_OF.get(most.reader, '')}{part}"
    right = right_alone(report, most, base)
    sentence = (
        f"Yes: from {part} alone, {say_count(right.value)} of 100 are right; by "
        f"guessing, {say_count(base.value)}."
    )
    return Details(
        sentence,
        _leak_cause(report, most.condition),
        f"Right from {part} alone{_say_reader(most)}: {say_share(right)} items.",
        _repair_steps(report),
    )


def _tell_unseen_leak(report: Report, words: VerdictWords) -> Details:
    """A leak that makes labels likelier, and not surely more answers right."""
    told = [
        f
        for f in report.findings
        if f.statistic == "v_information"
        and f.decision == "leaks"
        and "=" not in f.condition
    ]
    most = max(told, key=lambda f: f.estimate.value, default=None)
    steps = _repair_steps(report)
    if most is None:
        return Details(words.answer.format(part="one part"), "", "", steps)
    part = f"{SEEN_OF.get(most.reader, '')}{name_part(plain_text(most.condition, 40))}"
    bits = most.estimate
    return Details(
        f"Yes: {part} alone tells how likely each label is, though more right answers "
        "than by guessing are not certain.",
        _leak_cause(report, most.condition),
        f"It tells between {bits.low:.2f} and {bits.high:.2f} bits of each label"
        f"{_say_reader(most)}, over {bits.n:,} items.",
        steps,
    )


def _say_reader(leak: Finding) -> str:
    """By whom, where somebody read words: others may be right more or less often."""
    if leak.reader in SEEN_OF:
        return ""
    return f", by {reader_words(plain_text(leak.reader, 40))}"


def right_alone(report: Report, gain: Finding, base: Estimate) -> Estimate:
    """What a part gets right: as the report states it, else its gain over guessing.

    One quantity has one interval on a page, and the tables show the stated one.
    """
    reader = None if gain.reader == PLACE else gain.reader
    for statistic in PART_STATISTICS if reader else (PLACE,):
        stated = find_estimate(report, statistic, reader, gain.condition)
        if stated is not None:
            return stated
    return _add_base(gain.estimate, base)


def _add_base(over: Estimate, base: Estimate) -> Estimate:
    """What a part gets right, from what it gets over guessing."""
    ends = (min(max(end + base.value, 0.0), 1.0) for end in (over.low, over.high))
    low, high = ends
    return Estimate(over.value + base.value, low, high, over.level, over.n, over.method)


def _leak_cause(report: Report, part: str) -> str:
    """By what a part leaks: something simple, or its words."""
    reason = report.verdict.reason[:MOST_REASON]
    partly = ""
    for phrase, sentence in SIMPLE.items():
        if re.search(rf"% of these bits by {re.escape(phrase)}", reason):
            partly = f"{capitalise(phrase)} tells part of it."
        elif re.search(rf"\bby {re.escape(phrase)}", reason):
            return sentence
    words = top_words(report, part) or _named_words(reason)
    if not words:
        return partly
    listed = join_words([f"“{plain_text(word, 24)}”" for word in words[:MOST_TOKENS]])
    return f"Words such as {listed} go with certain labels. {partly}".rstrip()


def _named_words(reason: str) -> list[str]:
    """The words that the reason of a verdict names.

    >>> _named_words("claim leaks, by words such as 'no', 'never' (seen by all)")
    ['no', 'never']
    """
    listed = reason[:MOST_REASON].partition("by words such as ")[2]
    found = QUOTED.match(listed)
    return [a or b for a, b in WORD.findall(found[0])] if found else []


def top_words(report: Report, part: str) -> list[str]:
    """The surest words of a part, each once."""
    for exhibit in report.exhibits:
        if exhibit.name == f"words_{part}" and "token" in exhibit.table:
            return list(dict.fromkeys(map(str, exhibit.table["token"])))
    return []


def _greatest_gain(report: Report) -> str:
    """What the most telling part gains over guessing."""
    gains = [
        f
        for f in report.findings
        if f.statistic == "over_majority"
        and "=" not in f.condition
        and f.reader != "lookup"
        and math.isfinite(f.estimate.value)
    ]
    if not gains:
        return _best_reader(report)
    most = max(gains, key=lambda f: f.estimate.high)
    part = capitalise(name_part(plain_text(most.condition, 40)))
    change = say_change(most.estimate, "more right", "fewer right")
    luck = f" One such interval {LUCK}." if LUCK in report.verdict.reason else ""
    return f"{part} alone against guessing: {change}.{luck}"


def kept_files(report: Report) -> list[str]:
    """The files that list the items of a repaired subset."""
    return sorted(name for name in report.files if name.startswith("repair/kept_"))


def _repair_steps(report: Report) -> tuple[str, ...]:
    """What the report has at hand for who repairs."""
    steps = []
    if "by the position of the right choice" in report.verdict.reason:
        steps.append("Put the choices of each item in a random order.")
    if kept_files(report):
        steps.append("Test on the repaired subset, whose items the report lists.")
    if "repair/work_list.csv" in report.files:
        steps.append("Rewrite the items on the report's work list.")
    return tuple(steps) or ("Rewrite the items that this part gives away.",)


AXES = {  # what a fault is measured by, and how that is said
    "leaky": ("rationale_only", "Labels right from the explanation alone: {}."),
    "unstable": ("robustness", "Explanations that stay the same: {}."),
    "uninformative": ("informativeness", "Of what is open, they tell {}."),
    "unspecific": ("specificity", "Beyond chance, they fit their own item in {}."),
}


def fill_explanations(report: Report, words: VerdictWords) -> Details:
    """What fails, and by how much."""
    reason = report.verdict.reason
    faults = _named_faults(reason)
    axis = next(iter(faults), "uninformative")
    statistic, sentence = AXES[axis]
    estimate = find_estimate(report, statistic, report.verdict.stage) or find_estimate(
        report, statistic
    )
    certainty = sentence.format(say_share(estimate)) if estimate else ""
    if "{fault}" not in words.answer:
        return Details(words.answer, "", certainty)
    if not faults:
        better = "are outdone by another explainer on every count"
        return Details(words.answer.format(fault=better), "", certainty)
    says = [fault_words()[fault] for fault in faults]
    return Details(
        words.answer.format(fault=says[0]),
        f"They {join_words(says)}." if len(says) > 1 else "",
        certainty,
        (),
        "leaks" if "leaky" in faults else "",
    )


def _named_faults(reason: str) -> list[str]:
    """What the reason of a verdict on explanations finds wrong with them.

    >>> _named_faults("given is off the frontier: leaky (alone 0.9)")
    ['leaky']
    """
    return [axis for axis in fault_words() if re.search(rf"\b{axis} \(", reason)]


def fill_compare(report: Report, words: VerdictWords) -> Details:
    """Which verdict changed, and the surest difference; where none did, so."""
    verdicts = compared_verdicts(report)
    steps = sure_differences(report)
    cause = ""
    if steps:
        noun = "figure differs" if len(steps) == 1 else "figures differ"
        cause = f"{len(steps)} {noun} for certain; they stand first."
    certainty = _say_difference(steps[0]) if steps else _count_pairs(report)
    look = ("Read the differences that clear zero first.",) if steps else ()
    if not verdicts:
        return Details(words.answer, cause, certainty, look)
    labels = [*dict.fromkeys(label for _, label in verdicts)]
    (first, before), (last, after) = verdicts[0], verdicts[-1]
    audit = str(report.settings.get("audit", ""))
    tone = verdict_words(audit, after).tone.name
    if audit == "explanations" and "leaky" in _named_faults(_last_reason(report)):
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
    """One difference in words."""
    if finding.statistic != f"accuracy{SUFFIX}":
        side = "higher" if finding.estimate.value > 0 else "lower"
        return f"The surest: {side}, with an interval clear of zero."
    change = capitalise(say_change(finding.estimate, "more right", "fewer right"))
    part, colon, _ = finding.condition.partition(": ")
    alone = f" from {name_part(plain_text(part, 40))} alone"
    return f"{change}{alone if colon and part != 'pair' else ''}."


def _count_pairs(report: Report) -> str:
    """How many figures were set beside each other."""
    rows = [f for f in report.findings if f.statistic.endswith(SUFFIX)]
    if not rows:
        return "No figure could be paired; under what was not run stands why."
    return f"{len(rows)} figures were paired, each with its interval."


FILLERS: Mapping[str, Callable[[Report, VerdictWords], Details]] = {
    "evidence": fill_evidence,
    "leakage": fill_leakage,
    "explanations": fill_explanations,
    "compare": fill_compare,
}
