"""Everything that has a name, with a line about it."""

from measurand.audits import AUDITS
from measurand.benchmarks import BENCHMARKS
from measurand.core.catalogue import Catalogue
from measurand.explainers import EXPLAINERS
from measurand.interventions import INTERVENTIONS
from measurand.judges import JUDGES
from measurand.readers import READERS
from measurand.selections import SELECTIONS


def audits() -> dict[str, str]:
    """Every audit by name, with what it asks."""
    return _about(AUDITS)


def benchmarks() -> dict[str, str]:
    """Every benchmark that is known by name, with a line about it."""
    return _about(BENCHMARKS)


def readers() -> dict[str, str]:
    """Every reader by name, from weak to strong, with what it is.

    >>> readers()["majority"]
    'always the commonest label'
    """
    return _about(READERS)


def interventions() -> dict[str, str]:
    """Every intervention by name, with what it does to the items."""
    return _about(INTERVENTIONS)


def selections() -> dict[str, str]:
    """Every selection by name, with the rows that it takes."""
    return _about(SELECTIONS)


def explainers() -> dict[str, str]:
    """Every explainer by name, with the rationales that it gives."""
    return _about(EXPLAINERS)


def judges() -> dict[str, str]:
    """Every judge by name, with what it judges by."""
    return _about(JUDGES)


def _about(catalogue: Catalogue) -> dict[str, str]:
    return {name: entry.about for name, entry in catalogue.entries.items()}
