"""What wrong evidence costs, what does as well without it, and what to do about it."""

import re
from collections.abc import Mapping
from dataclasses import replace

from measurand.core.control import READS_SOMETHING
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding, Report
from measurand.core.names import NEW_TEXTS, is_of_some, other_part
from measurand.core.terms import VerdictWords, reader_words
from measurand.report.details import (
    Details,
    ask_for_items,
    best_reader,
    find_estimate,
    guessing,
    is_drawn,
    is_screened,
    named_roles,
    tell_inverted,
)
from measurand.report.phrases import (
    capitalise,
    join_words,
    name_part,
    round_up,
    say_change,
    say_count,
)
from measurand.report.terminal import plain_text

AS_WELL = 0.02  # accuracy under which one part alone does as well as both
TELLING = "Find out what in the evidence tells: run measurand leakage."
FORM = "surface"  # who goes by form alone
ONLY_FORM = "it reads no word"  # what a reason says of it
FORM_TELLS = (
    "Only the form of the evidence tells: with another item's, fewer answers are right."
)
FORM_CAUSE = (
    "A reader of no word loses answers: spacing, case, punctuation, digits, markup or "
    "length go with certain labels."
)
FORM_AS_WELL = (
    "With another item's evidence, fewer answers are right; but the form of the parts "
    "alone tells as much as reading them."
)
# What is decided of a loss.
DEPENDS, HELPED, NEAR_ZERO = "depends", "wrong evidence helps", "near zero"
REMEMBERS = "readers may remember rather than read"
RECALLS = "readers may remember the query rather than read"
# Where we drew the split, nobody else can draw it anew.
GROUP = "Name as group a column of which like texts of {query} have one value."
# Another test part in which readers are worse than guessing.
BELOW_IN = re.compile(
    r"surely below (?:the majority|chance) with all fields in part=(.+?), so that what"
)
# Who is right as often without the evidence, as the reason of a verdict names it.
RIVAL = re.compile(
    r"but (?:([^;(]+?) from the query alone|metadata) (may be|is) right as often"
)
# Why nobody can say whether the evidence is needed, where more items would not help:
# what the reason has, the answer, its cause, and what to do.
UNDECIDED_NEED: Mapping[str, tuple[str, str, str]] = {
    f"{REMEMBERS};": (
        "Not yet: readers may remember the evidence rather than read it.",
        "Most test evidence stands in training, so readers may just remember.",
        "Split the items anew by their evidence, and run the audit again.",
    ),
    f"{REMEMBERS}:": (
        "Not yet: readers may remember the evidence rather than read it.",
        "Without test evidence that training has with some words changed, no loss is "
        "sure.",
        "Split the items anew, so that such copies stay together, and run it again.",
    ),
    f"{RECALLS}:": (
        "Not yet: readers may remember {query} rather than read anything.",
        "Test items have {query} of training, and new ones do not show the same.",
        "Split the items anew by {query}, so that copies stay together, and run it "
        "again.",
    ),
    "only a plain shuffle can say": (
        "Not yet: this shuffle leaves part of what the evidence tells as it was.",
        "Evidence of like items was given, which may serve as well.",
        "Shuffle plainly, across all items.",
    ),
    "so what it did not read may matter": (
        "Not yet: wrong evidence costs nothing, but texts were cut off.",
        "What the reader did not read may matter.",
        "Give a reader that takes longer texts.",
    ),
    "no control shows that one could": (
        "Not yet: wrong evidence changed no answer, and none need ever change.",
        "No control shows that this reader could have noticed anything.",
        "Run it again with controls, or give a stronger reader.",
    ),
    "could have missed a dependence": (
        "Not yet: wrong evidence costs nothing, but a need could have been missed.",
        "The reader notices only a dependence in more of the items.",
        "Give more test items, or a stronger reader.",
    ),
    "it could not have seen a": (
        "Not yet: wrong evidence costs nothing, to a reader that cannot tell.",
        "It did not notice whether planted parts go together.",
        "Give a stronger reader.",
    ),
}
FACTS = "more than the reader itself"
ONE_CLASS = "of the labels are one class"
DIRECT, LATENT = "direct coupling", "latent coupling"
SHAPE = re.compile(r"; (\w+) names the right choice in")
# What to do about letters that facts about the item tell, which nobody can balance.
AGAIN = ", then run the audit again."
SHAPE_STEPS = {
    "overlap_choice": f"Take the words of the right answer out of the question{AGAIN}",
    "longest_choice": f"Write wrong choices as long as the right one{AGAIN}",
    "odd_choice": f"Write wrong choices that resemble the right one{AGAIN}",
    "position": f"Put the choices of each item in a random order{AGAIN}",
}
LIKE_CHOICES = "Put the choices of each item in a random order, and write wrong ones "
LIKE_CHOICES += f"like the right one{AGAIN}"
WRITE = "Ask a model that writes its answers: the wrong ones were drawn here."
REWRITE = "Rewrite questions whose words tell the answer, then run the audit again."
# The same of a near zero that the verdict warns of.
WARNED: Mapping[str, tuple[str, str, str]] = {
    FACTS: (
        "Look at facts about the item first: they tell more than any reading here, so "
        "that it says little that wrong evidence costs nothing.",
        "They alone are right more often than the reader.",
        "Balance the labels within each metadata value, or give a stronger reader, "
        "then run it again.",
    ),
    "not clearly more than the majority does": (
        "Look at the reader first: wrong evidence costs nothing, but that may mean "
        "nothing.",
        "Neither it nor facts about the item get far beyond the commonest label.",
        "Give a stronger reader, then run it again.",
    ),
    "above the majority, so the place": (
        "Look at the reader first: wrong evidence costs nothing, but that may mean "
        "nothing.",
        "It is hardly better than the commonest label.",
        "Give a stronger reader, then run it again.",
    ),
    ONE_CLASS: (
        "Look at the labels first: wrong evidence costs nothing, but that may mean "
        "nothing.",
        "One label is too common to tell.",
        "Balance the labels, then run it again.",
    ),
}


def fill_evidence(report: Report, words: VerdictWords) -> Details:
    """The loss on wrong evidence, what does as well without it, and other parts."""
    details = _fill_first_part(report, words)
    says = {
        DEPENDS: "In {}, wrong evidence costs answers.",
        HELPED: "In {}, wrong evidence helps.",
        NEAR_ZERO: "In {}, wrong evidence costs nothing.",
    }
    elsewhere: dict[str, list[str]] = {}
    for finding in contrary_losses(report):
        part = plain_text(other_part(finding.condition), 40)
        elsewhere.setdefault(str(finding.decision), []).append(part)
    added = [
        says[decision].format(join_words([*dict.fromkeys(parts)]))
        for decision, parts in elsewhere.items()
    ]
    below = [plain_text(part, 40) for part in BELOW_IN.findall(report.verdict.reason)]
    if below:
        where = join_words([*dict.fromkeys(below)])
        added.append(
            f"In {where}, readers are worse than guessing: look whether labels are "
            "inverted there."
        )
    return replace(details, sentence=" ".join([details.sentence, *added]))


def contrary_losses(report: Report) -> list[Finding]:
    """What other test parts surely show of wrong evidence, and the first does not."""
    stage = report.verdict.stage
    if report.verdict.reason.startswith(REMEMBERS):
        return []  # of no other part was it asked what readers may remember there
    losses = [f for f in report.findings if f.statistic == "delta_evi"]
    first = [f for f in losses if f.reader == stage and not is_of_some(f.condition)]
    decided = first[0].decision if first else None
    contrary = {DEPENDS: (HELPED, NEAR_ZERO), HELPED: (DEPENDS,)}
    faulty = {f.reader for f in report.findings if f.decision == READS_SOMETHING}
    return [
        f
        for f in losses
        if other_part(f.condition)
        and f.decision in contrary.get(str(decided), (DEPENDS, HELPED))
        and f.reader not in faulty
        # Where one reader depends, another that does not undoes nothing.
        and (decided != DEPENDS or f.reader == stage)
    ]


def _fill_first_part(report: Report, words: VerdictWords) -> Details:
    """What the first test part says."""
    stage = report.verdict.stage
    loss = find_estimate(report, "delta_evi", stage) if stage else None
    if loss is None:
        inverted = tell_inverted(report) or (words.answer, "", ())
        return Details(*inverted[:2], best_reader(report), inverted[2])
    change = say_change(loss, "answers lost", "answers gained")
    certainty = f"With wrong evidence, {change}{_cap_loss(report, str(stage), loss)}."
    certainty += _say_kinless(report, str(stage))
    if report.verdict.label == "undecided" and (why := _why_undecided(report)):
        sentence, cause, step = why
        tone = "fix" if report.verdict.reason.startswith((REMEMBERS, RECALLS)) else ""
        return Details(sentence, cause, certainty, (step,), tone)
    role, cause = _one_part_does(report, str(stage))
    if report.verdict.label == "warning" and (known := _why_warned(report)):
        sentence, first, step = known
        return Details(sentence, f"{first} {cause}".rstrip(), certainty, (step,))
    if stage == FORM and ONLY_FORM in report.verdict.reason:
        # That labels hang on how evidence is set is no sign that it must be read.
        cause = f"{FORM_CAUSE} {cause}".rstrip()
        return Details(FORM_TELLS, cause, certainty, (TELLING,), "fix")
    if words.tone.name == "fine" and (form := _form_does_as_well(report)):
        return Details(FORM_AS_WELL, form, certainty, (TELLING,), "fix")
    if role == "evidence" and words.tone.name == "fine":
        # It may be the task itself, and where wrong answers were drawn, their doing.
        return Details(words.answer, cause, certainty, _need_query(report))
    steps = ask_for_items(report, "test items")
    if report.verdict.label == DIRECT and (step := _mend_shape(report)):
        steps = (step,)
    if report.verdict.label == LATENT and is_screened(report):
        steps = (REWRITE,)  # leakage has no choices to read but those drawn here
    return Details(words.answer, cause, certainty, steps)


def _mend_shape(report: Report) -> str:
    """What to do where metadata tell the letter of a choice; empty where labels are.

    Where wrong answers were drawn here, no author wrote them, or chose their order.
    """
    shape = SHAPE.search(report.verdict.reason)
    named = shape[1] if shape else ""
    if is_screened(report):
        return SHAPE_STEPS[named] if named == "overlap_choice" else WRITE
    if "choices" in named_roles(report):
        return SHAPE_STEPS.get(named, LIKE_CHOICES)
    return ""


def _cap_loss(report: Report, stage: str, loss: Estimate) -> str:
    """How much of a loss the evidence can account for, where more was surely lost.

    Whoever is shown none is right as often as the best without evidence, or as by
    guessing among choices: a reader that falls below that was misled.
    """
    right = find_estimate(report, "accuracy", stage, "full")
    if right is None:
        return ""
    caps = []
    if chance := find_estimate(report, "chance"):
        caps.append((right.high - chance.value, chance.value))
    if gain := find_estimate(report, "evidence_gain", stage):
        caps.append((gain.high, right.value - gain.value))
    owed, kept = min(caps, default=(1.0, 0.0))
    if loss.low <= owed:
        return ""
    return (
        f"; the evidence accounts for {round_up(max(owed, 0.0))} at most, as about "
        f"{say_count(kept)} are right without: wrong evidence misleads"
    )


def _say_kinless(report: Report, stage: str) -> str:
    """What is lost where evidence has no copy in training, where copies tell more."""
    losses = [
        f.estimate
        for f in report.findings
        if (f.statistic, f.reader) == ("delta_evi", stage)
        and f.condition.endswith(NEW_TEXTS)
    ]
    if not losses:
        return ""
    change = say_change(losses[0], "lost", "gained")
    return f" Of the {losses[0].n:,} whose evidence has no copy in training: {change}."


def _why_undecided(report: Report) -> tuple[str, str, str] | None:
    """The answer, its cause and what to do; None where more items would decide."""
    reason = report.verdict.reason
    query = name_part(plain_text(named_roles(report).get("query", "query"), 40))
    for phrase, known in UNDECIDED_NEED.items():
        memory = phrase.startswith((REMEMBERS, RECALLS))
        if not (reason.startswith(phrase) if memory else phrase in reason):
            continue
        sentence, cause, step = (text.format(query=query) for text in known)
        if phrase.startswith(RECALLS) and is_drawn(report):
            step = GROUP.format(query=query)
        return sentence, cause, step
    rival = RIVAL.search(reason)
    return _name_rival(report, rival[1], sure=rival[2] == "is") if rival else None


def _why_warned(report: Report) -> tuple[str, str, str] | None:
    """The answer, its cause and what to do, by why a near zero says little."""
    reason = report.verdict.reason
    known = (texts for phrase, texts in WARNED.items() if phrase in reason)
    sentence, cause, step = next(known, ("", "", ""))
    if not sentence:
        return None
    full = find_estimate(report, "accuracy", report.verdict.stage, "full")
    facts = find_estimate(report, "accuracy", "metadata", "full")
    if full is not None and facts is not None and FACTS in reason:
        counts = say_count(facts.value), say_count(full.value)
        cause = "They alone get {} of 100 right, the reader {}.".format(*counts)
    if FACTS in reason:
        step = _mend_shape(report) or step
    elif ONE_CLASS in reason and "choices" in named_roles(report):
        step = SHAPE_STEPS["position"]
    return sentence, cause, step


def _name_rival(
    report: Report, reader: str | None, *, sure: bool
) -> tuple[str, str, str]:
    """Who is as good without evidence: a reader of the query, or facts of the item."""
    named = named_roles(report)
    query = name_part(plain_text(named.get("query", "query"), 40))
    alone = find_estimate(report, "query_only", reader, "full") if reader else None
    what = f"{query} alone"
    who = f", by {reader_words(plain_text(reader, 40))}" if reader else ""
    if reader is None:
        alone = find_estimate(report, "accuracy", "metadata", "full")
        what = "facts about the item"
    does = "do" if reader is None else "does"
    does = does if sure else "may do"
    full = find_estimate(report, "accuracy", report.verdict.stage, "full")
    cause = f"{capitalise(what)} {does} as well as who lost{who}."
    if alone is not None and full is not None:
        stage = reader_words(plain_text(report.verdict.stage, 40))
        cause = (
            f"{capitalise(stage)} loses answers on wrong evidence, and gets "
            f"{say_count(full.value)} of 100 right; from {what}, "
            f"{say_count(alone.value)} are right{who}."
        )
    return (
        f"Not yet: wrong evidence costs answers, but {what} {does} as well.",
        cause,
        "Give a reader that does better with the evidence than without."
        if sure
        else "Give more test items, or a reader that does better with the evidence.",
    )


def _form_does_as_well(report: Report) -> str:
    """How right form alone is where it depends on the evidence, and reading adds none.

    Empty where it does not: where any reader that depends is right more often.
    """
    right = {
        f.reader: find_estimate(report, "accuracy", f.reader, "full")
        for f in report.findings
        if f.statistic == "delta_evi"
        and f.decision == DEPENDS
        and not is_of_some(f.condition)
    }
    form = right.pop(FORM, None)
    read = {name: one.value for name, one in right.items() if one is not None}
    if form is None or not read or form.value < max(read.values()):
        return ""
    best = max(read, key=lambda name: read[name])
    return (
        f"Who reads no word is right in {say_count(form.value)} of 100, "
        f"{reader_words(plain_text(best, 40))} in {say_count(read[best])}: spacing, "
        "case, punctuation, digits, markup or length go with certain labels."
    )


def _need_query(report: Report) -> tuple[str, ...]:
    """What to do where the evidence alone tells, whatever is asked."""
    if is_screened(report):
        return (WRITE,)
    if "choices" in named_roles(report):  # leakage reads the choices, and no evidence
        return ("Add wrong choices that the evidence speaks of too.",)
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
                drawn = role == "evidence" and is_screened(report)
                why = ", maybe because wrong answers were drawn" if drawn else ""
                gain = find_estimate(report, "evidence_gain", stage)
                nearly = role == "query" and gain is not None and gain.low > 0
                as_well = "nearly as well" if nearly else "as well"
                return role, f"{capitalise(part)} alone does {as_well} as both{why}."
    return "", ""
