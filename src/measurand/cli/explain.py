"""measurand explain: what a word of a report means."""

from typing import Annotated

from measurand.cli.app import verb
from measurand.core.setting import Setting


@verb
def run_explain(
    term: Annotated[
        tuple[str, ...],
        Setting("A verdict, a statistic or another word of a report.", option="TERM"),
    ] = (),
) -> None:
    """Explain a word of a report in one plain sentence; without one, list them."""
    from measurand.wording.terms import explain_term, list_terms

    if not term:
        print(*list_terms(), sep="\n")
        return
    for explanation in explain_term(" ".join(term)):
        print(f"{' '.join(term)} ({explanation.kind}): {explanation.text}")
