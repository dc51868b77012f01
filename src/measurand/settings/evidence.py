"""What is chosen before an evidence audit is run."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from measurand.core.bounds import (
    LEAST_MARGIN,
    MOST_FOLDS,
    MOST_MARGIN,
    MOST_SHUFFLES,
)
from measurand.core.setting import setting
from measurand.settings.running import Brief, Climb

if TYPE_CHECKING:
    from measurand.core.reader import Reader

FOLDS = 3  # folds of a single file: each item is tested by who learned from two


@dataclass(frozen=True)
class EvidenceSettings(Climb):
    """How the evidence is shuffled, what counts as nothing, how far to climb.

    Attributes:
        readers: Who is asked where nobody names others.
    """

    readers: ClassVar[tuple[str, ...]] = ("tfidf", "cross")

    shuffles: int = setting(20, "How many shuffles of the evidence.", 1, MOST_SHUFFLES)
    shuffle: str = setting(
        "plain",
        "Their kind: plain, within-label, within-length, within-subject, "
        "within-document or nearest.",
        check="interventions.shuffle:check_variant",
    )
    margin: float = setting(
        0.02, "Accuracy lost that still counts as nothing.", LEAST_MARGIN, MOST_MARGIN
    )
    interventions: tuple[str, ...] = setting(
        (),
        "What else readers are asked under, by name (see `measurand list "
        "interventions`); in Python also an object; repeatable.",
        option="--intervention",
        check="interventions:check_interventions",
    )
    brief: Brief = False
    folds: int | None = setting(
        None,
        f"Folds in which all items of a single file are tested, {FOLDS} if not "
        "given; 1 tests the share set apart, as a server's model with --shots "
        "does.",
        *(1, MOST_FOLDS),
    )
    judge: str | None = setting(
        None,
        "Also judges answers that a reader wrote: lexical, or an entailment "
        "classifier by directory or hub id.",
        check="judges:check_judge",
    )

    def folds_for(self, readers: Iterable["Reader"]) -> int:
        """The folds of a single file that these readers are asked about."""
        from measurand.core.recipe import traits_of

        traits = {reader: traits_of(reader) for reader in readers}
        if any(trait.learned for trait in traits.values()):
            return 1  # what it learned from may well be what was set apart as train
        # A server's model that is shown examples is paid for those of every fold; one
        # that is shown none needs no training part, and can be asked about all items.
        shots = [getattr(r, "shots", None) for r in traits if traits[r].remote]
        usual = FOLDS if all(shot == 0 for shot in shots) else 1
        return usual if self.folds is None else self.folds
