"""measurand list: everything that has a name."""

from typing import TYPE_CHECKING, Annotated

from measurand.cli.app import verb
from measurand.core.setting import Setting

if TYPE_CHECKING:
    from measurand.core.catalogue import Catalogue


@verb
def run_list(
    kind: Annotated[
        str | None,
        Setting(
            "audits, benchmarks, readers, interventions, selections, explainers or "
            "judges.",
            option="KIND",
        ),
    ] = None,
) -> None:
    """List the audits, benchmarks, readers and other things that have a name."""
    from measurand.core.errors import UnknownName
    from measurand.wording.text import lay_out_columns

    catalogues_by_kind = _catalogues()
    if kind is not None and kind not in catalogues_by_kind:
        raise UnknownName("kind of thing", kind, list(catalogues_by_kind))
    for name, catalogue in catalogues_by_kind.items():
        if kind in (None, name):
            rows = [
                (f"  {entry_name}", entry.about)
                for entry_name, entry in catalogue.entries.items()
            ]
            print(name, *lay_out_columns(rows), sep="\n")


def _catalogues() -> "dict[str, Catalogue]":
    """Everything that has a name."""
    from measurand.audits import AUDITS
    from measurand.benchmarks import BENCHMARKS
    from measurand.explainers import EXPLAINERS
    from measurand.interventions import INTERVENTIONS
    from measurand.judges import JUDGES
    from measurand.readers import READERS
    from measurand.selections import SELECTIONS

    return {
        "audits": AUDITS,
        "benchmarks": BENCHMARKS,
        "readers": READERS,
        "interventions": INTERVENTIONS,
        "selections": SELECTIONS,
        "explainers": EXPLAINERS,
        "judges": JUDGES,
    }
