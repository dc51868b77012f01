"""Several reports of one audit, side by side, and what is not alike.

An audit's own `Comparison` says what stands in the table, what is plotted against what
and which changes are stated; for any audit there are paired differences of accuracy
between reports about the same items.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from measurand.audits import AUDITS
from measurand.compare import exhibits, pairing, worsening
from measurand.compare.changes import Changes, judged_condition, report_changes
from measurand.compare.pairing import LEAST_SHARED, LEVEL
from measurand.compare.versions import items_by_id
from measurand.core.audit import Audit, Comparison, findings_by_reader
from measurand.core.errors import BadInput, BadOption
from measurand.core.finding import Exhibit, Finding, Report, Verdict
from measurand.report.answer import answer_report
from measurand.report.differences import order_findings
from measurand.wording import say_verdict
from measurand.wording.details import named_roles


def compare(reports: Sequence[Report], names: Sequence[str] | None = None) -> Report:
    """A report on the reports, in the order given, each called as its benchmark is.

    Args:
        reports: Two or more, of one audit.
        names: What they are called instead, where they have names of their own.
    """
    if len(reports) < 2:
        raise BadOption(
            f"comparing takes two reports or more; {len(reports)} was given"
        )
    audits = sorted({report.audit for report in reports})
    if len(audits) > 1 or audits == ["compare"]:
        raise BadInput(
            f"these reports are of {', '.join(audits)}; give reports of one audit"
        )
    names = _report_names(reports) if names is None else names
    named = [*zip(names, reports, strict=True)]
    comparison, unlike = exhibits.comparable_statistics(
        names, reports, comparison_of(audits[0])
    )
    entries = exhibits.report_entries(names, reports, comparison)
    correlations, too_few = exhibits.correlations(entries, comparison)
    differences = pairing.accuracy_differences(names, reports)
    pairs = report_changes(names, reports, comparison)
    verdicts = Counter(report.verdict.label for report in reports)
    counts = ", ".join(f"{n} {label}" for label, n in verdicts.most_common())
    worse = worsening.list_worse(names, reports, pairs)
    # Where changes are stated, each says itself whether it is paired.
    is_stated = len(differences) or any(pair.ranking for pair in pairs)
    unpaired = {} if is_stated else {"paired differences": pairing.NOT_PAIRED}
    findings = [
        *exhibits.change_findings(pairs),
        *pairing.paired_findings(differences),
        *_restate_findings(named),
        *correlations,
    ]
    reasons = [f"{len(reports)} reports: {counts}", *axis_changes(pairs), *worse]
    label = worsening.WORSE if worse else "compared"
    return Report(
        audit="compare",
        benchmark={"name": ", ".join(names), "reports": len(reports)},
        verdict=Verdict(label, "", None, "; ".join(reasons)),
        findings=order_findings(findings),
        settings={"audit": audits[0], "least_shared": LEAST_SHARED, "level": LEVEL},
        not_run=unlike | too_few | unpaired | one_sided_parts(pairs),
        warnings=[
            *comparison_warnings(pairs),
            *(f"{n}: {w}" for n, r in named for w in r.warnings),
        ],
        exhibits=(
            *comparison.exhibits(names, reports),
            _decision_exhibit(named, comparison),
            *exhibits.change_exhibits(pairs),
            *exhibits.statistic_exhibits(entries, comparison),
            *pairing.paired_exhibits(differences),
        ),
    )


def comparison_of(audit: str) -> Comparison:
    """What reports of an audit are compared by; of one not known here, verdicts."""
    if audit not in AUDITS.entries:
        return Comparison()
    record: Audit = AUDITS.thing(audit)
    return record.comparison


def _report_names(reports: Sequence[Report]) -> list[str]:
    names = [str(report.benchmark.get("name", "benchmark")) for report in reports]
    totals, counter = Counter(names), Counter[str]()
    for position, name in enumerate(names):
        counter[name] += 1
        if totals[name] > 1:
            names[position] = f"{name} ({counter[name]})"
    return names


def _decision_exhibit(
    named: Sequence[tuple[str, Report]], comparison: Comparison
) -> Exhibit:
    rows = []
    for name, report in named:
        tone = answer_report(report).tone.name
        row = {"benchmark": name, "verdict": report.verdict.label, "tone": tone}
        if comparison.axes:
            failing = filter(report.verdict.fails, comparison.axes)
            row["fails"] = ", ".join(failing) or "–"
        for statistic in comparison.headlines:
            stated = findings_by_reader(report, statistic, comparison.preferred).items()
            row |= {
                statistic: ", ".join(f"{r} {f.estimate.value:z.3f}" for r, f in stated)
            }
        rows.append({**row, "why": say_verdict(report.verdict)})
    return Exhibit("decisions", "table", pd.DataFrame(rows), DECISIONS_CAPTION)


def _restate_findings(named: Sequence[tuple[str, Report]]) -> Iterator[Finding]:
    for name, report in named:
        for finding in report.findings:
            if finding.decision:
                yield replace(finding, condition=f"{name}, {finding.condition}")


DECISIONS_CAPTION = "What each report decided, and why"


def axis_changes(pairs: Sequence[Changes]) -> Iterator[str]:
    """Which axes fail in a later report and not in the first, and the other way."""
    for pair in pairs:
        first, second = (
            [*filter(report.verdict.fails, pair.comparison.axes)]
            for report in pair.reports
        )
        unknown = [
            [
                word
                for word in pair.comparison.axes
                if not _rests_on_axis(pair, side, word)
            ]
            for side in (0, 1)
        ]
        parts = {
            "newly": [w for w in second if w not in (*first, *unknown[0])],
            "still": [w for w in second if w in first],
            "no longer clearly": [w for w in first if w not in (*second, *unknown[1])],
            f"not judged in {pair.names[0]}:": [w for w in second if w in unknown[0]],
            f"not judged in {pair.names[1]}:": [w for w in first if w in unknown[1]],
        }
        phrases = [f"{how} {', '.join(words)}" for how, words in parts.items() if words]
        if phrases:
            yield f"{pair.names[1]} after {pair.names[0]}: {', '.join(phrases)}"


def one_sided_parts(pairs: Sequence[Changes]) -> dict[str, str]:
    """What stands in one of two reports only."""
    missing: dict[str, str] = {}
    for pair in pairs:
        # The reader of a claim is what it is stated by, not somebody who can lack.
        changes = [c for c in pair.ranking if not pair.claims(c)]
        sides = ([c.first for c in changes], [c.second for c in changes])
        for side, opposite in ((0, 1), (1, 0)):
            phrases = [
                f"the {what}s {' · '.join(names)}"
                for what in ("condition", "reader")
                if (names := _unmatched_names(what, sides[side], sides[opposite]))
            ]
            if phrases:
                key = f"changes of what {pair.names[opposite]} lacks"
                missing[key] = f"only {pair.names[side]} has {'; '.join(phrases)}"
    return missing


def comparison_warnings(pairs: Sequence[Changes]) -> Iterator[str]:
    """What a reader of differences should know: other items, other settings."""
    for pair in pairs:
        first, second = pair.names
        if not pair.share:
            yield (
                f"{second} and {first} are not known to share items: what differs may "
                "be the items"
            )
        sizes = [len(items_by_id(report)) for report in pair.reports]
        if pair.paired and pair.items < max(sizes):
            yield (
                f"{second} and {first} share {pair.items} of {sizes[1]} and {sizes[0]} "
                "items: what is paired is of these"
            )
        settings = [report.settings for report in pair.reports]
        differences = [
            *_setting_differences(settings[0], settings[1], pair.comparison.outcomes),
            *_input_differences(*pair.reports),
        ]
        if differences:
            yield f"{second} was run otherwise than {first}: {'; '.join(differences)}"


def _rests_on_axis(pair: Changes, side: int, word: str) -> bool:
    """Whether the verdict of this side rests on a reader and on this axis."""
    report, statistic = pair.reports[side], pair.comparison.axes[word]
    condition = judged_condition(report, pair.comparison)
    return report.verdict.stage is not None and any(
        finding.statistic == statistic and condition in (None, finding.condition)
        for finding in report.findings
    )


def _unmatched_names(
    what: str,
    own_findings: Sequence[Finding | None],
    other_findings: Sequence[Finding | None],
) -> list[str]:
    has, lacks = (
        dict.fromkeys(str(getattr(finding, what)) for finding in side if finding)
        for side in (own_findings, other_findings)
    )
    return [name for name in has if name not in lacks]


def _setting_differences(
    first: Mapping[str, object], second: Mapping[str, object], outcomes: Sequence[str]
) -> Iterator[str]:
    for key in dict.fromkeys([*first, *second]):
        first_value, second_value = first.get(key), second.get(key)
        if first_value == second_value or key in outcomes:
            continue
        if isinstance(first_value, Mapping) and isinstance(second_value, Mapping):
            # What only one of them has is said to be lacking there.
            if any(
                first_value[name] != second_value[name]
                for name in first_value
                if name in second_value
            ):
                yield f"other {key}"
        elif isinstance(first_value, list | tuple) and isinstance(
            second_value, list | tuple
        ):
            yield from _list_difference(
                key, [*map(str, first_value)], [*map(str, second_value)]
            )
        else:
            yield f"{key} {second_value}, not {first_value}"


def _list_difference(key: str, first: list[str], second: list[str]) -> Iterator[str]:
    parts = {
        "with": [name for name in second if name not in first],
        "without": [name for name in first if name not in second],
    }
    phrases = [f"{how} {' · '.join(names)}" for how, names in parts.items() if names]
    if first != second:
        yield f"{key} {', '.join(phrases) or 'in another order'}"


def _input_differences(first_report: Report, second_report: Report) -> Iterator[str]:
    """What a reader was given that is not the same: its input, and its training."""
    first, second = (_input_roles(report) for report in (first_report, second_report))
    if first and second and first != second:
        yield f"input {second}, not {first}"
    digests = [
        report.benchmark.get("digest") for report in (first_report, second_report)
    ]
    trained = [d.get("train") for d in digests if isinstance(d, Mapping)]
    if len(trained) == 2 and None not in trained and trained[0] != trained[1]:
        yield "train not the same cell for cell"


def _input_roles(report: Report) -> str:
    """The roles that are read, whatever their columns are called."""
    roles, fields = named_roles(report), report.benchmark.get("input")
    role_names = {str(roles.get(role)): role for role in ("query", "evidence")}
    columns = fields.split(", ") if isinstance(fields, str) else []
    return " + ".join(role_names.get(field, field) for field in columns)
