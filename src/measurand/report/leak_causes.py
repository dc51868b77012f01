"""By what a part leaks, how surely, and what to do about it.

It goes by the names of statistics and the reason of the verdict alone, so that a report
of years ago is read too.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from measurand.core.control import READS_SOMETHING
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.core.names import (
    NEW_TEXTS,
    SUBJECT,
    TEXTS_APART,
    condition_column,
    is_of_some,
    other_part,
    whole_condition,
)
from measurand.core.terms import VerdictWords, reader_words
from measurand.report.details import (
    Details,
    ask_for_items,
    best_reader,
    find_estimate,
    guessing,
    named_margin,
    named_roles,
    tell_inverted,
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
# How the reason of a leak tells of one part, its clauses parted by semicolons.
CLAUSE = r"(?:^|; )[^;]*?: ({parts}) alone is ([^;]*)"
SIMPLE = {  # what the reason of a leak names, and the sentence for it
    "its length alone": "Its length alone tells the label.",
    "its form alone": "Its form alone tells the label: spacing, case, punctuation, "
    "symbols, digits, markup or length.",
    "the position of the right choice": "The position of the right choice tells it.",
}
SEEN_BY = {  # what of these explains what its reader sees, the simplest first
    "length": ("its length alone",),
    "surface": ("its length alone", "its form alone"),
    "position": ("the position of the right choice",),
}
PARTLY = "% of (?:these bits|what it tells) "  # before what explains some of a leak
SAME_CHOICES = "all items offer the same choices"  # what a warning says
DEAL = "Put the choices of each item in a random order."
LIKE_LENGTHS = "Write right and wrong choices of like lengths."
LIKE_FORMS = (
    "Write right and wrong choices in one form: spacing, case, punctuation, symbols, "
    "digits, markup and length."
)


@dataclass(frozen=True)
class RuleWords:
    """What is said of a rule that finds the right choice without any reader.

    Attributes:
        choice: The choice that it points at.
        cause: Why it is right.
        step: What to do about it.
    """

    choice: str
    cause: str
    step: str


RULE = "rule"  # who finds what needs no reader
POINTING = {
    "longest": RuleWords(
        "the longest choice",
        "The right choice is the longest one more often than by chance.",
        "Write wrong choices as long as the right one.",
    ),
    "shortest": RuleWords(
        "the shortest choice",
        "The right choice is the shortest one more often than by chance.",
        "Write wrong choices as short as the right one.",
    ),
    "most_alike": RuleWords(
        "the choice most like the others",
        "Wrong choices are made from words of the right one, and so point at it.",
        "Write wrong choices that resemble each other as much as the right one.",
    ),
    "odd_one_out": RuleWords(
        "the choice least like the others",
        "The right choice shares fewer words with the wrong ones than they do with "
        "each other.",
        "Write wrong choices that resemble the right one as much as each other.",
    ),
}
# What can be struck out leaves fewer to guess among.
STRIKING = {
    f"not_{name}": RuleWords(
        f"a guess among all but {words.choice}",
        f"The right choice is never {words.choice}, or less often than by chance.",
        f"Let the right choice be {words.choice} as often as by chance.",
    )
    for name, words in POINTING.items()
}
OF_NUMBERS = {
    "greatest_number": RuleWords(
        "the greatest number",
        "The right choice is the greatest number more often than by chance.",
        "Let wrong numbers be greater than the right one as often as less.",
    ),
    "least_number": RuleWords(
        "the least number",
        "The right choice is the least number more often than by chance.",
        "Let wrong numbers be less than the right one as often as greater.",
    ),
    "number_between": RuleWords(
        "a number between the least and the greatest",
        "Wrong numbers stand on both sides of the right one more often than by chance.",
        "Let the right number be the least or the greatest as often as by chance.",
    ),
}
# In a test file whose right choices stand elsewhere than in training.
PLACED_APART = {
    "one_place": RuleWords(
        "the choice in one and the same place",
        "Right choices of the test items stand in one place more than by chance, which "
        "is not the commonest of the training items.",
        DEAL,
    )
}
RULES = {**POINTING, **STRIKING, **OF_NUMBERS, **PLACED_APART}
OF_LENGTH = ("longest", "shortest", "not_longest", "not_shortest")
# What goes with words, as the reason of a leak has it, and the rules that do.
GOES_ALONG = re.compile(r"with which (its [\w ]+?) (?:goes|go)\b")
ALONG = {
    "its length": OF_LENGTH,
    "its likeness to others": tuple(
        name for name in {**POINTING, **STRIKING} if name not in OF_LENGTH
    ),
}
# Why nobody can say whether a part leaks: what the reason has, and how it is said.
UNDECIDED_LEAK: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "neither surely above nor within": (
        "Not yet: what one part tells is too uncertain.",
        "It may be nothing, or may matter.",
        (),
    ),
    # Above the majority, or of choices above chance.
    "even with all fields": (
        "Not yet: no reader learned the task.",
        "Who is no better than guessing with all parts says nothing about one.",
        (),
    ),
    "says one class whatever": (
        "Not yet: one part had the same answer to every item.",
        "A reader that gives one answer to all may have learned nothing, so that its "
        "finding nothing does not count.",
        (),
    ),
    "may remember rather than read": (
        "Not yet: readers may remember test texts rather than read them.",
        "Test texts stand in training, with their labels.",
        ("Split the items anew, so that no text or near copy stands on both sides.",),
    ),
    "could have missed a leak of": (
        "Not yet: a leak that matters could have been missed.",
        "With so few items, these readers notice only larger ones.",
        ("Give more items, or a wider margin.",),
    ),
    "but beyond chance are": (
        "Not yet: no part is right much more often than guessing, but something else "
        "in it is no chance.",
        "Words, groups of like texts or another test part go with certain labels.",
        ("Look at what the report names as beyond chance.",),
    ),
}
# Of one file, there is no split to mend: its folds are to keep such items together.
ONE_FILE_STEP = "Name as `group` a column that has one value for items with like texts."
WORST_SUBJECT = re.compile(r"subjects \d+ surely leaks?, most ['\"](.+?)['\"]: ")
REMEMBERED = re.compile(r"rather than read ([^;]+?): only ([\d,]+) of ([\d,]+) items")
PLACE = "position"  # who goes by the place of a choice, and what states it
PLACED = "the position of the choice"
# What states how often a part alone is right.
PART_STATISTICS = ("single_accuracy", "choices_only")
# What is read of a part by who reads no word.
SEEN_OF = {"length": "the length of ", "surface": "the form of "}
LUCK = "may be luck where several are looked at"


def leaking_part(report: Report) -> Finding | None:
    """What surely gives most away: a part to a reader, or the choices to a rule.

    Where none makes more answers right, the part that tells the most bits.
    """
    leaks = [f for f in report.findings if f.decision == "leaks" and not _is_aside(f)]
    base = guessing(report)
    gains = [f for f in leaks if f.statistic == "over_majority"] + [
        f for f in leaks if is_rule(f) and base is not None
    ]
    if gains:
        return max(gains, key=lambda f: _gain(f, base))
    bits = [f for f in leaks if f.statistic == "v_information"]
    return max(bits, key=lambda f: f.estimate.value, default=None)


def leaks_elsewhere(report: Report) -> list[Finding]:
    """What another test part surely gives away, in right answers before bits."""
    faulty = {f.reader for f in report.findings if f.decision == READS_SOMETHING}
    return [
        f
        for statistic in ("over_majority", "v_information")
        for f in report.findings
        if f.statistic == statistic
        and f.decision == "leaks"
        and f.reader not in faulty
        and other_part(whole_condition(f.condition))
    ]


def _is_aside(finding: Finding) -> bool:
    """Whether a finding is of some items only, or has no value."""
    return is_of_some(finding.condition) or not math.isfinite(finding.estimate.value)


def is_rule(finding: Finding) -> bool:
    """Whether it is of a rule that needs no reader, and that we have words for."""
    return finding.reader == RULE and finding.statistic in RULES


def _gain(finding: Finding, base: Estimate | None) -> float:
    """How much is right over guessing; a rule states what is right."""
    guess = base.value if base and is_rule(finding) else 0.0
    return finding.estimate.value - guess


def name_leak(leak: Finding) -> str:
    """What gives away, as a sentence has it."""
    if is_rule(leak):
        return RULES[leak.statistic].choice
    if leak.reader == PLACE:
        return PLACED
    part = name_part(plain_text(condition_column(leak.condition), 40))
    return f"{SEEN_OF.get(leak.reader, '')}{part}"


def fill_leakage(report: Report, words: VerdictWords) -> Details:
    """The part that leaks, by what, and how often it is right."""
    if words.tone.name != "leaks":
        return _tell_no_leak(report, words)
    base, most = guessing(report), leaking_part(report)
    steps = _repair_steps(report, most)
    if most is None:
        return Details(words.answer.format(part="one part"), "", "", steps)
    what = name_leak(most)
    cause = f"{_leak_cause(report, most)}{_say_subject(report)}"
    if most.statistic == "v_information":
        sentence, certainty = _tell_unseen_leak(report, most)
        return Details(sentence, cause, certainty, steps)
    if base is None:
        return Details(words.answer.format(part=what), cause, "", steps)
    right = right_alone(report, most, base)
    count, guess = say_count(right.value), say_count(base.value)
    if is_rule(most):
        sentence = f"Yes: {what} is right in {count} of 100 items; by guessing, {guess}"
        certainty = f"How often {what} is right: {say_share(right)} items."
        return Details(f"{sentence}.", cause, certainty, steps)
    certainty = f"Right from {what} alone{_say_reader(most)}: {say_share(right)} items."
    return Details(
        f"Yes: from {what} alone, {count} of 100 are right; by guessing, {guess}.",
        cause,
        f"{certainty}{_say_new(report, most)}",
        steps,
    )


def _worst_subject(report: Report) -> Finding | None:
    """The subject whose choices surely leak most, where one does."""
    leaking = [
        f
        for f in report.findings
        if f.condition.startswith(SUBJECT) and f.decision == "leaks"
    ]
    return max(leaking, key=lambda f: f.estimate.low, default=None)


def _say_subject(report: Report) -> str:
    """The subject that surely leaks most, as the reason has it."""
    worst = WORST_SUBJECT.search(report.verdict.reason[-MOST_REASON:])
    return f" Most in items about {plain_text(worst[1], 40)}." if worst else ""


def _say_new(report: Report, leak: Finding) -> str:
    """What the gain is where no text is known, as the reason has it."""
    new, apart = (
        find_estimate(
            report, "over_majority", leak.reader, f"{leak.condition}, {which}"
        )
        for which in (NEW_TEXTS, TEXTS_APART)
    )
    if apart is not None:
        change = say_change(apart, "more right", "fewer right")
        return f" Split so that copies stay together, against guessing: {change}."
    if new is None or "whose text of it is new" not in _clause_of(report, leak):
        return ""
    change = say_change(new, "more right", "fewer right")
    return f" Of the {new.n:,} whose text is new, against guessing: {change}."


def _tell_no_leak(report: Report, words: VerdictWords) -> Details:
    """Why no part surely leaks."""
    reason, undecided = _reason_of_words(report), report.verdict.label == "undecided"
    sentence, cause, steps = words.answer, "", ask_for_items(report, "test items")
    for phrase, known in UNDECIDED_LEAK.items() if undecided else ():
        if phrase in reason:
            sentence, cause = known[:2]
            steps = known[2] or steps
    if not undecided and (unsure := _name_unsure(report)):
        sentence = "No: no reader of words does better than guessing by more than the "
        sentence += f"margin; of {unsure}, that is not certain."
    inverted = tell_inverted(report) if undecided else None
    if inverted:
        sentence, cause, steps = inverted
    remembered = REMEMBERED.search(reason[:MOST_REASON])
    if worst := _worst_subject(report):
        subject = plain_text(worst.condition.removeprefix(SUBJECT), 40)
        count = say_count(worst.estimate.value)
        sentence = f"In items about {subject}, yes; of all items, that is not certain."
        cause = f"There {count} of 100 are right from the choices alone."
        steps = (f"Look at the items about {subject} first.",)
    elsewhere = leaks_elsewhere(report)
    if elsewhere and not remembered:
        part, _, _ = elsewhere[0].condition.rpartition(", part=")
        where = plain_text(other_part(whole_condition(elsewhere[0].condition)), 40)
        part = name_part(plain_text(condition_column(part), 40))
        sentence = f"Not on the first test items for sure; but in {where}, it seems so."
        cause = f"There {part} alone tells the label; whether training has its texts "
        cause += "was not asked."
        holds = f"Look at {where}: what readers learned holds there."
        steps = (holds, *(steps if inverted else ()))
    if remembered:
        part = name_part(plain_text(remembered[1], 40))
        new = "none has" if remembered[2] == "0" else f"only {remembered[2]} have"
        cause = (
            f"Of {remembered[3]} test items, {new} a text of {part} that is new to "
            "training, which has the rest with their labels."
        )
    if remembered and report.benchmark.get("evaluated") == "out of fold":
        sentence = "Not yet: readers may remember texts rather than read them."
        steps = (ONE_FILE_STEP,)
        cause = (
            f"Of {remembered[3]} items, {new} a text of {part} that is unlike those of "
            "all others; the rest stand in several items, with their labels."
        )
    return Details(sentence, cause, _greatest_gain(report), steps)


def _reason_of_words(report: Report) -> str:
    """The reason, without any name of a column that reads as a clause of it."""
    reason = report.verdict.reason
    for name in dict.fromkeys(condition_column(f.condition) for f in report.findings):
        if any(phrase in name for phrase in UNDECIDED_LEAK):
            reason = reason.replace(name, "")
    return reason


def _name_unsure(report: Report) -> str:
    """What no reader of words can see, and may yet gain more than the margin."""
    unsure = [
        name_leak(f)
        for f in report.findings
        if f.decision == "undecided"
        and not _is_aside(f)
        and (is_rule(f) or (f.statistic == "over_majority" and f.reader in SEEN_BY))
    ]
    return join_words([*dict.fromkeys(unsure)][:MOST_TOKENS])


def _tell_unseen_leak(report: Report, leak: Finding) -> tuple[str, str]:
    """A leak that makes labels likelier, and not surely more answers right."""
    bits, what = leak.estimate, name_leak(leak)
    gain = find_estimate(report, "over_majority", leak.reader, leak.condition)
    certainty = f"It tells between {bits.low:.2f} and {bits.high:.2f} bits of each "
    certainty += f"label{_say_reader(leak)}, over {bits.n:,} items"
    sentence = f"Yes: {what} alone tells how likely each label is"
    if gain is None:
        return f"{sentence}.", f"{certainty}."
    change = say_change(gain, "more right", "fewer right")
    certainty += f"; against guessing, {change}."
    if gain.low <= 0:
        return (
            f"{sentence}, though more right answers than by guessing are not certain.",
            certainty,
        )
    margin = named_margin(report)
    if gain.low > margin:  # the interval alone is sure, and the audit is not
        return (
            f"{sentence}, and makes more answers right than guessing by more than the "
            f"margin, though one such gain {LUCK}.",
            certainty,
        )
    within = gain.high < margin
    by_margin = "by less than" if within else "not for certain by more than"
    return (
        f"{sentence}, and makes more answers right than guessing, though {by_margin} "
        "the margin.",
        certainty,
    )


def _say_reader(leak: Finding) -> str:
    """By whom, where somebody read words: others may be right more or less often."""
    if leak.reader in SEEN_BY:
        return ""
    return f", by {reader_words(plain_text(leak.reader, 40))}"


def right_alone(report: Report, leak: Finding, base: Estimate) -> Estimate:
    """What gets how much right: as the report states it, else its gain over guessing.

    One quantity has one interval on a page, and the tables show the stated one.
    """
    if is_rule(leak):
        return leak.estimate
    reader = None if leak.reader == PLACE else leak.reader
    for statistic in PART_STATISTICS if reader else (PLACE,):
        stated = find_estimate(report, statistic, reader, leak.condition)
        if stated is not None:
            return stated
    return _add_base(leak.estimate, base)


def _add_base(over: Estimate, base: Estimate) -> Estimate:
    """What a part gets right, from what it gets over guessing."""
    ends = (min(max(end + base.value, 0.0), 1.0) for end in (over.low, over.high))
    low, high = ends
    return Estimate(over.value + base.value, low, high, over.level, over.n, over.method)


def leak_clauses(report: Report) -> dict[str, str]:
    """What the reason of a leak says of each part that findings or items name.

    The name of a column may hold whatever else parts clauses.
    """
    # Cut, so that a reason of a megabyte costs no more than one that somebody wrote.
    reason = report.verdict.reason[:MOST_REASON]
    columns = {condition_column(f.condition) for f in report.findings}
    columns |= set(map(str, report.items))
    known = [name for name in columns if f": {name} alone is " in reason]
    if not known:
        return {}
    longest_first = sorted(known, key=lambda name: (-len(name), name))
    parts = "|".join(map(re.escape, longest_first))
    return dict(re.findall(CLAUSE.format(parts=parts), reason))


def _clause_of(report: Report, leak: Finding | None) -> str:
    """What the reason says of the part that is told, and of no other."""
    clauses = leak_clauses(report)
    if not clauses:  # a report of years ago
        return report.verdict.reason[:MOST_REASON]
    return clauses.get(condition_column(leak.condition), "") if leak else ""


def _leak_cause(report: Report, leak: Finding) -> str:
    """By what it leaks: a rule, something simple, or words."""
    clause = _clause_of(report, leak)
    by_rule = re.search(rf"({PARTLY})?by the rule (\w+) alone", clause)
    rule = leak.statistic if is_rule(leak) else by_rule[2] if by_rule else ""
    listed = _list_words(report, leak)
    more = f" Words such as {listed} tell more." if _named_words(clause) else ""
    some = []
    if rule in RULES and rule not in _rules_along(clause):
        if is_rule(leak) or not (by_rule and by_rule[1]):
            return f"{RULES[rule].cause}{more if is_rule(leak) else ''}"
        partly_by = re.findall(rf"{PARTLY}by the rule (\w+) alone", clause)
        some += [RULES[name].choice for name in partly_by if name in RULES]
    for phrase, sentence in SIMPLE.items():
        if re.search(rf"{PARTLY}by {re.escape(phrase)}", clause):
            some.append(phrase)
        elif re.search(rf"\bby {re.escape(phrase)}", clause):
            return sentence
    tell = "each tell" if len(some) > 1 else "tells"
    partly = f"{capitalise(join_words(some))} {tell} part of it." if some else ""
    with_them = GOES_ALONG.search(clause)
    named = _named_words(clause) if partly or with_them else []
    if leak.reader in SEEN_BY and not named:  # who reads no word leaks by none
        return partly or SIMPLE[SEEN_BY[leak.reader][-1]]
    has_choices = "choices" in named_roles(report)
    goes = "right or with wrong choices" if has_choices else "certain labels"
    if not listed:
        return partly or f"{'Their' if has_choices else 'Its'} words go with {goes}."
    beside = f", and {with_them[1]} with them" if with_them else ""
    beside = beside.replace("its ", "their ") if has_choices else beside
    if leak.reader == PLACE:  # the answer is of the place, which words come beside
        return f"{SIMPLE[SEEN_BY[PLACE][-1]]} Words such as {listed} tell more."
    return f"Words such as {listed} go with {goes}{beside}. {partly}".rstrip()


def _rules_along(clause: str) -> tuple[str, ...]:
    """The rules that are right only because certain words tell."""
    along = GOES_ALONG.search(clause)
    named = [rules for what, rules in ALONG.items() if along and what in along[1]]
    return tuple(name for rules in named for name in rules)


def _named_words(reason: str) -> list[str]:
    """The words that the reason of a verdict names.

    >>> _named_words("claim leaks, by words such as 'no', 'never' (seen by all)")
    ['no', 'never']
    """
    listed = reason[:MOST_REASON].partition("by words such as ")[2]
    found = QUOTED.match(listed)
    return [a or b for a, b in WORD.findall(found[0])] if found else []


def _list_words(report: Report, leak: Finding) -> str:
    """The words that tell most, in quotes; empty where none are known."""
    part = condition_column(leak.condition)
    words = top_words(report, part) or _named_words(_clause_of(report, leak))
    return join_words([f"“{plain_text(word, 24)}”" for word in words[:MOST_TOKENS]])


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
        if f.statistic == "over_majority" and not _is_aside(f) and f.reader != "lookup"
    ]
    if not gains:
        return best_reader(report)
    most = max(gains, key=lambda f: f.estimate.high)
    change = say_change(most.estimate, "more right", "fewer right")
    is_luck = LUCK in report.verdict.reason or (
        most.estimate.low > 0 and most.decision == "undecided"
    )
    luck = f" One such interval {LUCK}." if is_luck else ""
    return f"{capitalise(name_leak(most))} alone against guessing: {change}.{luck}"


def kept_files(report: Report) -> list[str]:
    """The files that list the items of a repaired subset."""
    return sorted(name for name in report.files if name.startswith("repair/kept_"))


def leaking_rules(report: Report) -> list[Finding]:
    """The rules that surely find the right choice more often than chance.

    Where the right choice is mostly the longest, it is seldom the shortest: that one
    can be struck out goes without saying.
    """
    rules = [f for f in report.findings if is_rule(f) and f.decision == "leaks"]
    pointing = [f.estimate.value for f in rules if f.statistic in POINTING]
    told = [
        f
        for f in rules
        if f.statistic not in STRIKING or f.estimate.value > max(pointing, default=0.0)
    ]
    return sorted(told, key=lambda f: -f.estimate.value)


def _rules_to_mend(report: Report, leak: Finding | None) -> list[str]:
    """The rules that leak, the most telling first; of a known cause, its own alone."""
    clause = _clause_of(report, leak)
    along = _rules_along(clause)
    if leak is not None and is_rule(leak) and leak.statistic not in along:
        return [leak.statistic]
    rules = [f for f in leaking_rules(report) if f.statistic not in along]
    cause = re.search(rf"({PARTLY})?\bby (?:its length|the rule (\w+)) alone", clause)
    if cause is None or cause[1]:
        return [f.statistic for f in rules]
    own = (cause[2],) if cause[2] else OF_LENGTH
    return [f.statistic for f in rules if f.statistic in own]


def _repair_steps(report: Report, leak: Finding | None) -> tuple[str, ...]:
    """What the report has at hand for who repairs."""
    steps = []
    by_place = [f for f in report.findings if PLACE in (f.statistic, f.reader)]
    if any(f.decision == "leaks" for f in by_place):
        steps.append(DEAL)
    # One step: of two rules that leak, one may ask for the opposite of the other.
    steps += [RULES[name].step for name in _rules_to_mend(report, leak)[:1]]
    if leak is not None and "choices" in named_roles(report):
        steps += _choice_steps(report, leak, steps)
    if kept_files(report):
        steps.append("Test on the repaired subset, whose items the report lists.")
    if "repair/work_list.csv" in report.files:
        steps.append("Rewrite the items on the report's work list.")
    once = tuple(dict.fromkeys(steps))
    return once or ("Rewrite the items that this part gives away.",)


def _choice_steps(report: Report, leak: Finding, before: list[str]) -> list[str]:
    """What the author of choices can do about each cause for which no rule has a step.

    Args:
        report: The report of a leak.
        leak: What leaks most.
        before: The steps there are.
    """
    clause, steps = _clause_of(report, leak), []
    if "by its length alone" in clause and not {*before} & {
        RULES[name].step for name in OF_LENGTH
    }:
        steps.append(LIKE_LENGTHS)
    if "by its form alone" in clause:
        steps.append(LIKE_FORMS)
    if any(SAME_CHOICES in warning for warning in report.warnings):
        steps.append("Let each of the choices be right as often as the others.")
    elif _named_words(clause):
        listed = _list_words(report, leak)
        steps.append(f"Use words such as {listed} in right and wrong choices alike.")
    return steps
