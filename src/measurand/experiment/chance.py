"""A report in the words of items that bring their own choices.

Who reads nothing guesses one of them, and so reaches chance and not the majority; and
who reads a part alone reads it with the choices, since nobody could choose otherwise.
"""

from collections.abc import Mapping
from dataclasses import replace

from measurand.core.finding import Report
from measurand.experiment.ladder import INVERTED

MAJORITY, CHANCE = "the majority", "chance"
# Why readers may be below it: of choices, texts that training has called right.
TURNED = (
    "as where choices that are right in training are wrong in the test items: look "
    "which texts they share"
)


def say_chance(report: Report, names: Mapping[str, str]) -> Report:
    """The report with chance for the majority, and other names for some statistics."""
    names = {"majority": "chance", **names}
    findings = [
        replace(
            finding,
            statistic=names.get(finding.statistic, finding.statistic),
            reader="chance" if finding.reader == "majority" else finding.reader,
        )
        for finding in report.findings
    ]
    verdict = report.verdict
    reason = verdict.reason.replace(MAJORITY, CHANCE).replace(INVERTED, TURNED)
    return replace(
        report,
        verdict=replace(verdict, reason=reason),
        findings=tuple(findings),
        exhibits=tuple(
            replace(
                exhibit,
                caption=exhibit.caption.replace(MAJORITY, CHANCE),
                settings={k: _say_in(v) for k, v in exhibit.settings.items()},
            )
            for exhibit in report.exhibits
        ),
        warnings=tuple(line.replace(MAJORITY, CHANCE) for line in report.warnings),
    )


def _say_in(setting: object) -> object:
    """What a chart is told, in these words: the titles of its axes among it.

    >>> _say_in("accuracy over the majority"), _say_in("over majority"), _say_in(0.25)
    ('accuracy over chance', 'over chance', 0.25)
    """
    if not isinstance(setting, str):
        return setting
    return setting.replace(MAJORITY, CHANCE).replace("majority", CHANCE)
