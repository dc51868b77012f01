"""What is not alike in two reports beside their numbers: verdicts, runs, contents."""

import re
from collections.abc import Iterator, Mapping, Sequence

from measurand.core.finding import Finding, Report
from measurand.report.comparing.changes import Changes, judged
from measurand.report.comparing.comparisons import Comparison
from measurand.report.comparing.sharing import rows


def failing(report: Report, comparison: Comparison) -> list[str]:
    """The axes that the verdict says fail.

    >>> from measurand.core.finding import Verdict
    >>> said = Verdict("off", "off", "tfidf", "given is off: leaky (alone 0.9)")
    >>> axes = {"unstable": "robustness", "leaky": "rationale_only"}
    >>> failing(Report("", {}, said, (), {}), Comparison(axes=axes))
    ['leaky']
    """
    reason = report.verdict.reason
    return [word for word in comparison.axes if re.search(rf"\b{word} \(", reason)]


def turned(many: Sequence[Changes]) -> Iterator[str]:
    """Which axes fail in a later report and not in the first, and the other way."""
    for one in many:
        first, second = (failing(report, one.comparison) for report in one.reports)
        unknown = [
            [word for word in one.comparison.axes if not _weighed(one, side, word)]
            for side in (0, 1)
        ]
        parts = {
            "newly": [w for w in second if w not in (*first, *unknown[0])],
            "still": [w for w in second if w in first],
            "no longer clearly": [w for w in first if w not in (*second, *unknown[1])],
            f"not judged in {one.names[0]}:": [w for w in second if w in unknown[0]],
            f"not judged in {one.names[1]}:": [w for w in first if w in unknown[1]],
        }
        said = [f"{how} {', '.join(words)}" for how, words in parts.items() if words]
        if said:
            yield f"{one.names[1]} after {one.names[0]}: {', '.join(said)}"


def lacking(many: Sequence[Changes]) -> dict[str, str]:
    """What stands in one of two reports only."""
    said: dict[str, str] = {}
    for one in many:
        # The reader of a claim is what it is stated by, not somebody who can lack.
        held = [c for c in one.made if not one.claims(c)]
        sides = ([c.first for c in held], [c.second for c in held])
        for own, other in ((0, 1), (1, 0)):
            alone = [
                f"the {what}s {' · '.join(names)}"
                for what in ("condition", "reader")
                if (names := _alone(what, sides[own], sides[other]))
            ]
            if alone:
                key = f"changes of what {one.names[other]} lacks"
                said[key] = f"only {one.names[own]} has {'; '.join(alone)}"
    return said


def warnings(many: Sequence[Changes]) -> Iterator[str]:
    """What a reader of differences should know: other items, other settings."""
    for one in many:
        first, second = one.names
        if not one.share:
            yield (
                f"{second} and {first} are not known to share items: what differs may "
                "be the items"
            )
        sizes = [len(rows(report)) for report in one.reports]
        if one.paired and one.items < max(sizes):
            yield (
                f"{second} and {first} share {one.items} of {sizes[1]} and {sizes[0]} "
                "items: what is paired is of these"
            )
        settings = [report.settings for report in one.reports]
        unlike = [
            *_unlike(settings[0], settings[1], one.comparison.outcomes),
            *_read(*one.reports),
        ]
        if unlike:
            yield f"{second} was run otherwise than {first}: {'; '.join(unlike)}"


def _weighed(one: Changes, side: int, word: str) -> bool:
    """Whether the verdict of this side rests on a reader and on this axis."""
    report, statistic = one.reports[side], one.comparison.axes[word]
    condition = judged(report, one.comparison)
    return report.verdict.stage is not None and any(
        found.statistic == statistic and condition in (None, found.condition)
        for found in report.findings
    )


def _alone(
    what: str, own: Sequence[Finding | None], other: Sequence[Finding | None]
) -> list[str]:
    has, lacks = (
        dict.fromkeys(str(getattr(found, what)) for found in side if found)
        for side in (own, other)
    )
    return [name for name in has if name not in lacks]


def _unlike(
    first: Mapping[str, object], second: Mapping[str, object], outcomes: Sequence[str]
) -> Iterator[str]:
    for key in dict.fromkeys([*first, *second]):
        one, two = first.get(key), second.get(key)
        if one == two or key in outcomes:
            continue
        if isinstance(one, Mapping) and isinstance(two, Mapping):
            # What only one of them has is said to be lacking there.
            if any(one[name] != two[name] for name in one if name in two):
                yield f"other {key}"
        elif isinstance(one, list | tuple) and isinstance(two, list | tuple):
            yield from _listed(key, [*map(str, one)], [*map(str, two)])
        else:
            yield f"{key} {two}, not {one}"


def _listed(key: str, first: list[str], second: list[str]) -> Iterator[str]:
    parts = {
        "with": [name for name in second if name not in first],
        "without": [name for name in first if name not in second],
    }
    said = [f"{how} {' · '.join(names)}" for how, names in parts.items() if names]
    if first != second:
        yield f"{key} {', '.join(said) or 'in another order'}"


def _read(one: Report, two: Report) -> Iterator[str]:
    """What a reader was given that is not the same: its input, and its training."""
    first, second = (_input(report) for report in (one, two))
    if first and second and first != second:
        yield f"input {second}, not {first}"
    digests = [report.benchmark.get("digest") for report in (one, two)]
    trained = [d.get("train") for d in digests if isinstance(d, Mapping)]
    if len(trained) == 2 and None not in trained and trained[0] != trained[1]:
        yield "train not the same cell for cell"


def _input(report: Report) -> str:
    """The roles that are read, whatever their columns are called."""
    roles, fields = (report.benchmark.get(key) for key in ("roles", "input"))
    roles = roles if isinstance(roles, Mapping) else {}
    called = {str(roles.get(role)): role for role in ("query", "evidence")}
    listed = fields.split(", ") if isinstance(fields, str) else []
    return " + ".join(called.get(field, field) for field in listed)
