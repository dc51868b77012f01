"""What is chosen before a leakage audit is run."""

from dataclasses import dataclass
from typing import ClassVar

from measurand.core.bounds import LEAST_MARGIN, MOST_CLUSTERS, MOST_MARGIN
from measurand.core.setting import Settings, setting
from measurand.settings.running import Brief, Seeds


@dataclass(frozen=True)
class LeakageSettings(Settings):
    """What counts as nothing, and how items are clustered.

    Attributes:
        readers: Who is asked where nobody names others.
    """

    readers: ClassVar[tuple[str, ...]] = ("tfidf",)

    margin: float = setting(
        0.02,
        "Accuracy over permuted labels that counts as nothing.",
        *(LEAST_MARGIN, MOST_MARGIN),
    )
    seeds: Seeds = None
    k: int | None = setting(
        None, "Clusters of a part. Default: by the number of items.", 2, MOST_CLUSTERS
    )
    components: int = setting(
        50, "Principal components that are clustered; 0: all.", 0, MOST_CLUSTERS
    )
    reference: float | None = setting(
        None,
        "The accuracy of the best published model, from 0 to 1.",
        *(0, 1, True),
        unit=", not percent",
        option="--reference-accuracy",
    )
    tsne: bool | None = setting(
        None,
        "Draw the map of items. Default: up to 20,000 items.",
        option="--map/--no-map",
    )
    brief: Brief = False
    check_inference: bool = setting(
        False,
        "Ask LLMs that read choices alone to write the question: may they have "
        "inferred it?",
    )
