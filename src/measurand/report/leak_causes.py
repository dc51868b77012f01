"""By what a part leaks, how surely, and what to do about it.

It goes by the names of statistics and the reason of the verdict alone, so that a report
of years ago is read too.
"""

import math
import re

from measurand.core.finding import Estimate, Finding, Report
from measurand.core.terms import VerdictWords, reader_words
from measurand.report.details import (
    Details,
    ask_for_items,
    best_reader,
    find_estimate,
    guessing,
)
from measurand.report.phrases import (
    capitalise,
    join_words,
    name_part,
    say_change,
    say_count,
    say_share,
)
from measurand.report.terminal import plain_text

MOST_TOKENS = 3
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
LUCK = "may be luck where several are looked at"


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
        steps = ask_for_items(report, "test items")
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
        return best_reader(report)
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
