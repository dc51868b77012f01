"""How a text is written down: case, punctuation, digits, markup, spacing."""

import pandas as pd

from measurand.core.items import Items
from measurand.cues.candidates import Candidates, PartTexts
from measurand.cues.words import LEAST
from measurand.readers.baselines import surface_items
from measurand.readers.pairs import fit_pairs


def form_candidates(rows: PartTexts) -> Candidates:
    """The signs of form that stand in at least four texts."""
    table = pd.DataFrame({"text": list(rows.texts), "label": ""})
    form = surface_items(Items(table, ("text",)), length_only=False)
    known, marks = fit_pairs(form.column("text"), 0, LEAST)
    return Candidates(marks, known.names)
