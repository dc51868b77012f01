"""What a reader may read: everything, one part, or only a control."""

from collections.abc import Mapping

from measurand.core.intervention import AsIs, Intervention
from measurand.interventions.fields import Keep
from measurand.interventions.words import Lengths, Mask, Overlaps, Scramble

FULL = "full"


def _single_parts(fields: tuple[str, ...]) -> dict[str, Intervention]:
    """Each field alone; a benchmark of one field is that field against the majority."""
    return {field: Keep(field) for field in fields}


def control_interventions(fields: tuple[str, ...]) -> Mapping[str, Intervention]:
    """What little should give nothing away, and what little should be missed."""
    interventions: dict[str, Intervention] = {
        "length only": Lengths(),
        "words shuffled": Scramble(),
        "negation masked": Mask("negation"),
        "function words masked": Mask("function"),
        "content words masked": Mask("content"),
    }
    return interventions | ({"overlap only": Overlaps()} if len(fields) > 1 else {})


def reading_conditions(fields: tuple[str, ...]) -> dict[str, Intervention]:
    """The pair, and each part of it alone."""
    return {FULL: AsIs(), **(_single_parts(fields) if len(fields) > 1 else {})}
