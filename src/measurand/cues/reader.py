"""The reader of rules over choices: it sees no word of them, only how they compare."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.sparse import csr_array

from measurand.core.arrays import Floats
from measurand.core.errors import NotApplicable
from measurand.core.items import Items
from measurand.core.recipe import Strength, Traits
from measurand.cues.candidates import PartTexts
from measurand.cues.choices import choice_candidates
from measurand.readers.linear import Linear, fit_linear


@dataclass(frozen=True)
class ChoiceRulesReader:
    """Logistic regression on where choices stand and how they compare.

    Attributes:
        folds: Held-out folds for the temperature; 0 leaves it at 1.
    """

    kind: ClassVar[str] = "choice-rules"
    traits: ClassVar[Traits] = Traits(Strength.FORM)
    folds: int = 3

    def fit(self, items: Items, rng: np.random.Generator) -> "FittedChoiceRules":
        """Learn which rules right choices follow."""
        marks, names = _mark_rules(items)
        linear = fit_linear(marks, items, 1.0, self.folds, rng)
        return FittedChoiceRules(items.classes, names, linear)

    def without_temperature(self) -> "ChoiceRulesReader":
        """The same answers without the folds that only the temperature needs."""
        return replace(self, folds=0)


@dataclass(frozen=True, eq=False)
class FittedChoiceRules:
    """A reader of rules that has learned."""

    classes: tuple[str, ...]
    names: tuple[str, ...]
    linear: Linear

    def predict(self, items: Items) -> Floats:
        """Class probabilities."""
        marks, names = _mark_rules(items)
        # An item with more choices than any that was learned from has other places.
        places = [names.index(name) for name in self.names if name in names]
        weights = [self.names.index(names[place]) for place in places]
        known = csr_array(marks[:, places])
        scores = known @ self.linear.weights[weights] + self.linear.bias
        return self.linear.probabilities(np.asarray(scores))


def _mark_rules(items: Items) -> tuple[csr_array, tuple[str, ...]]:
    """Which rules each choice follows; a row a choice."""
    if items.contest is None:
        raise NotApplicable("rules compare the choices of an item; give such items")
    texts = items.column(items.fields[0]).tolist()
    contests = items.column(items.contest).to_numpy(np.int64)
    unknown = np.zeros(len(texts), np.int64)
    rows = PartTexts(texts, contests, unknown, ("right", "wrong"), contests=True)
    candidates = choice_candidates(rows)
    return csr_array(candidates.marks), tuple(candidates.names)
