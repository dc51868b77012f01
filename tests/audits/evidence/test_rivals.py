"""A reader that depends is held against the best that has no evidence."""

import numpy as np
import pandas as pd
import pytest

import measurand as ms
from measurand.audits.evidence.reading import EvidenceBaselines
from measurand.audits.evidence.rivals import (
    NEEDLESS,
    find_rivals,
    needs_evidence,
    rival_findings,
)
from measurand.stats.decisions import ABOVE, UNDECIDED
from tests.audits.evidence.test_verdict import MARGIN, N, reading, say


def right_share(share):
    return pd.Series((np.arange(N) < share * N).astype(float))


def rivals_of(*readings, metadata=0.5):
    majority = right_share(0.5)
    baselines = EvidenceBaselines(majority, right_share(metadata), np.arange(N), MARGIN)
    return find_rivals(readings, baselines)


def test_who_is_no_better_than_the_query_alone_does_not_show_a_need():
    cross = reading("cross", 0.16, accuracy=0.76)
    form = reading("surface", 0.0, accuracy=0.8, alone={"query_only": right_share(0.8)})
    rivals = rivals_of(cross, form)
    assert list(rivals) == ["cross"]
    assert rivals["cross"].name == "surface from the query alone"
    assert not needs_evidence(cross, rivals)
    (finding,) = rival_findings(rivals)
    assert finding.decision == NEEDLESS
    assert finding.estimate.value == pytest.approx(-0.04, abs=0.001)
    told = say(cross, form, rivals=rivals)
    assert told.label == "undecided"
    assert "surface from the query alone is right as often" in told.reason


def test_metadata_are_a_rival_too():
    cross = reading("cross", 0.16, accuracy=0.76)
    rivals = rivals_of(cross, metadata=0.79)
    assert rivals["cross"].name == "metadata"
    assert rivals["cross"].is_as_good


def test_who_writes_answers_is_not_held_against_who_chooses_among_some():
    writer = reading(
        "writer",
        0.14,
        accuracy=0.15,
        alone={"query_only": right_share(0.02)},
        written=("Oslo",) * N,
    )
    chooser = reading("cross", alone={"query_only": right_share(0.4)})
    rivals = rivals_of(writer, chooser, metadata=0.38)
    assert rivals["writer"].name == "writer from the query alone"
    assert needs_evidence(writer, rivals)


def test_who_is_better_with_the_evidence_shows_a_need():
    cross = reading("cross", 0.16, accuracy=0.76)
    rivals = rivals_of(cross, metadata=0.6)
    assert needs_evidence(cross, rivals)
    assert rival_findings(rivals)[0].decision == ABOVE
    assert say(cross, rivals=rivals).label == "evidence-sensitive"


def test_every_reader_that_depends_is_named_beside_who_shows_the_need():
    seer = reading("minilm", 0.3, accuracy=0.95)
    weak = reading("cross", 0.16, accuracy=0.76)
    rivals = rivals_of(seer, weak, metadata=0.79)
    told = say(seer, weak, rivals=rivals)
    assert told.label == "evidence-sensitive"
    assert told.reason.startswith("minilm loses 0.300")
    assert "so does" not in told.reason
    assert "; cross loses 0.160" in told.reason
    assert "too, but metadata is right as often (0.790" in told.reason


def test_a_loss_shows_no_need_where_the_query_alone_may_do_as_well():
    cross = reading("cross", 0.16, accuracy=0.76)
    # Of items that either may have right, so that the interval is wide.
    other = right_share(0.76).sample(frac=1, random_state=0).reset_index(drop=True)
    rivals = rivals_of(cross, reading("tfidf", alone={"query_only": other}))
    assert rivals["cross"].gain.high > MARGIN
    assert not needs_evidence(cross, rivals)
    assert rival_findings(rivals)[0].decision == UNDECIDED
    told = say(cross, rivals=rivals)
    assert told.label == "undecided"
    assert "but tfidf from the query alone may be right as often (0.760" in told.reason
    assert "more test items, or a reader that does better" in told.reason


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 150, 400])
def test_a_passage_that_repeats_what_the_question_tells_is_not_called_needed(n):
    rng = np.random.default_rng(n)
    ports = ["Arran", "Boston", "Calais", "Dover", "Esbjerg", "Faro", "Genoa", "Hull"]
    cargo = ["apples", "bricks", "coal", "dates", "eggs", "flax", "grain", "hemp"]
    rows = []
    for number in range(n):
        kind = int(rng.integers(8))
        rows.append(
            {
                "question": f"Where does load {number} of {cargo[kind]} go?",
                "context": f"Load {number} is bound for {ports[kind]} this week.",
                "answers": [ports[kind]],
            }
        )
    report = ms.evidence(
        pd.DataFrame(rows), strongest="cross", controls="none", brief=True
    )
    assert report.verdict.label != "evidence-sensitive"


@pytest.mark.slow
def test_evidence_that_is_but_a_ruler_of_the_claim_is_not_needed():
    rng = np.random.default_rng(0)
    nouns = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("at", "en", "ol", "ip", "ug")]
    rows = []
    for _ in range(2000):
        refuted = rng.random() < 0.5
        long = refuted ^ (rng.random() > 0.8)
        cargo = ", ".join(rng.choice(nouns, rng.integers(5, 8) if long else 2))
        day, boat = rng.choice(nouns, 2)
        claim = f"On {day} the {boat} left carrying {cargo} below."
        log = f"The log of {day} has the {boat} at sea with {rng.integers(999)} crates."
        rows.append((claim, log, "refuted" if refuted else "supported"))
    table = pd.DataFrame(rows, columns=["claim", "evidence", "label"])
    report = ms.evidence(table, strongest="cross", controls="none", brief=True)
    assert report.finding("delta_evi", "cross").decision == ABOVE
    assert report.verdict.label == "undecided"
    assert "does not show that the labels need it" in report.verdict.reason
