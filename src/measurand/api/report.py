"""Reports beside each other, and reports that were saved."""

from collections.abc import Mapping, Sequence

from measurand.compare.compare import compare as compare_reports
from measurand.core.errors import BadInput
from measurand.core.finding import Report
from measurand.report.saved import load_report

__all__ = ["compare", "load_report"]


def compare(reports: Sequence[Report] | Mapping[str, Report]) -> Report:
    """A report on reports of one audit: what differs, paired where items are shared.

    Args:
        reports: Two reports or more, the one that others are compared with first; a
            mapping says what each is called.

    Returns:
        A report whose findings are the differences.
    """
    if isinstance(reports, Report) or not isinstance(reports, Sequence | Mapping):
        raise BadInput(
            f"compare takes a list of reports, and a {type(reports).__name__} was "
            "given; write compare([first, second])"
        )
    chosen = [*reports.values()] if isinstance(reports, Mapping) else [*reports]
    for report in chosen:
        if not isinstance(report, Report):
            raise BadInput(
                f"a {type(report).__name__} is no report; give what an audit returned, "
                "or load_report(FOLDER)"
            )
    named = isinstance(reports, Mapping)
    return compare_reports(chosen, [str(name) for name in reports] if named else None)
