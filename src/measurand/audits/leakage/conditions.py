"""What a reader may read: everything, one part, or only a control."""

from collections.abc import Mapping

from measurand.core.intervention import AsIs, Intervention
from measurand.interventions.fields import Keep
from measurand.interventions.words import Lengths, Mask, Overlaps, Scramble

FULL = "full"


def parts(fields: tuple[str, ...]) -> dict[str, Intervention]:
    """Each field alone; a benchmark of one field is that field against the majority."""
    return {field: Keep(field) for field in fields}


def controls(fields: tuple[str, ...]) -> Mapping[str, Intervention]:
    """What little should give nothing away, and what little should be missed."""
    made: dict[str, Intervention] = {
        "length only": Lengths(),
        "words shuffled": Scramble(),
        "negation masked": Mask("negation"),
        "function words masked": Mask("function"),
        "content words masked": Mask("content"),
    }
    return made | ({"overlap only": Overlaps()} if len(fields) > 1 else {})


def conditions(fields: tuple[str, ...]) -> dict[str, Intervention]:
    """The pair, and each part of it alone."""
    return {FULL: AsIs(), **(parts(fields) if len(fields) > 1 else {})}
