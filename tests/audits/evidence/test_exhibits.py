"""What the rows of a figure are called."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from measurand.audits.evidence.exhibits import (
    _misled_warnings,
    _name_row,
    _still_warning,
)
from measurand.core.estimate import Estimate
from measurand.core.finding import Finding


def test_rows_of_one_reader_are_told_apart_by_their_part():
    some = Estimate(0.1, 0.0, 0.2, 0.95, 40, "by hand")
    whole = Finding("delta_evi", "tfidf", "part=all items", some)
    plain = Finding("delta_evi", "tfidf", "plain", some)
    assert _name_row(plain, "reader") == "tfidf"
    assert _name_row(whole, "reader") == "tfidf, all items"
    assert _name_row(whole, "condition") == "part=all items"


def test_answers_that_change_in_another_part_are_not_said_never_to():
    moved = Estimate(0.5, 0.4, 0.6, 0.95, 40, "by hand")
    other = Finding("delta_evi", "cross", "part=second", moved, "depends")
    still = SimpleNamespace(name="cross", written=(), findings=())
    assert "ever changed" in _still_warning(still)
    still.findings = (other,)
    assert _still_warning(still) == (
        "no answer of cross changed with the evidence in the first test part; in "
        "second some did"
    )


def test_who_is_below_guessing_on_wrong_evidence_is_said_to_be_misled():
    ids = [f"q{i}" for i in range(200)]
    chance = pd.Series(0.25, ids)
    lost = SimpleNamespace(
        interval=lambda level: Estimate(0.7, 0.6, 0.8, level, 200, "")
    )
    none = SimpleNamespace(
        interval=lambda level: Estimate(0.0, -0.1, 0.1, level, 9, "")
    )
    right = pd.Series(1.0, ids)
    reading = SimpleNamespace(name="cross", written=(), right=right, effect=lost)
    baselines = SimpleNamespace(majority=chance, clusters=np.arange(200), margin=0.02)
    for share, count in ((0.05, 1), (0.25, 0)):
        kept = (np.arange(200) < share * 200).astype(float)
        reading.shuffled = pd.Series(kept, ids)
        messages = _misled_warnings([reading], baselines)
        assert len(messages) == count
        assert all("of its loss at most 0.750 shows" in text for text in messages)
    # Who is below guessing whatever it is shown was not misled by wrong evidence.
    reading.shuffled, reading.effect = pd.Series(0.0, ids), none
    assert _misled_warnings([reading], baselines) == []
