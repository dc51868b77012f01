"""Baseline rationales for REV: they say nothing that the query or the label does not.

REV conditions on such a baseline, so what it measures depends on which: one that
states the label leaves a rationale nothing to add. All three are therefore reported.
"""

from functools import lru_cache

from measurand.core.items import Items
from measurand.interventions.paraphrase import propose_paraphrases

RESTATED, STATED, PARAPHRASED = "restated", "label stated", "paraphrased"
BASELINES = (RESTATED, STATED, PARAPHRASED)


def rev_baselines(items: Items, query: str) -> dict[str, list[str]]:
    """One text an item of each baseline: the query again, with the label, reworded."""
    queries = items.column(query).tolist()
    pairs = zip(queries, items.labels, strict=True)
    return {
        RESTATED: [f"this is about the following: {text}" for text in queries],
        STATED: [f"{text} the answer to this is {label}" for text, label in pairs],
        PARAPHRASED: list(_reword_by_rule(tuple(queries))),
    }


@lru_cache(maxsize=4)  # every explainer of a benchmark needs the same
def _reword_by_rule(texts: tuple[str, ...]) -> tuple[str, ...]:
    """The texts in other words, by rule; one that no rule fits stays."""
    return tuple(next(iter(propose_paraphrases(text)), text) for text in texts)
