"""The judge as an instrument: who it is, and what it takes for the same."""

from dataclasses import dataclass

import numpy as np
import pytest

from measurand.audits.explanations.instrument import (
    judge_record,
    judge_warnings,
    minimal_pair_findings,
)
from measurand.experiment.experiment import open_experiment
from measurand.judges.lexical import LexicalJudge
from tests.audits.explanations.handmade import benchmark


@dataclass(frozen=True)
class Credulous:
    """A judge that takes everything for entailed."""

    kind = "credulous"

    def entails(self, pairs):
        return np.ones(len(pairs))


def measured(judge, preset="default"):
    with open_experiment(benchmark(2)) as running:
        found = minimal_pair_findings(running, judge, "one", preset)
    return {one.condition: one.estimate for one in found}, judge_warnings(found)


def test_the_default_filter_refuses_what_changes_the_meaning():
    """D14: at most 5 % of changed meanings, at least 80 % of true paraphrases."""
    shares, warnings = measured(LexicalJudge())
    assert shares["changed meaning"].value <= 0.05
    assert shares["same meaning"].value >= 0.8
    assert shares["changed meaning, held out"].value <= 0.05
    assert warnings == []


def test_a_judge_that_fails_is_named():
    shares, warnings = measured(Credulous(), "paper")
    assert {e.value for e in shares.values()} == {1.0}
    assert warnings == [
        "the judge one takes 100% of minimal pairs of changed meaning for paraphrases"
    ]


@pytest.mark.parametrize("kind", ["number", "date", "quantifier", "negation", "order"])
def test_facts_are_held_against_any_judge(kind):
    shares, _ = measured(Credulous())
    assert shares[kind].value <= 0.1


def test_a_judge_is_recorded_by_the_digest_of_its_files_and_its_data(tmp_path):
    """D19: reports said `judge`, whatever the directory held."""
    folder = tmp_path / "small-nli"
    folder.mkdir()
    (folder / "weights").write_bytes(b"one")
    first = judge_record(f"{folder}/", None)
    assert first["name"] == "small-nli"
    assert str(first["trained on"]).startswith("not stated")
    (folder / "weights").write_bytes(b"two")
    assert judge_record(str(folder), None)["digest"] != first["digest"]
    assert judge_record(str(folder), "some pairs")["trained on"] == "some pairs"
    (folder / "README.md").write_text(
        "---\ndatasets:\n- snli\n- mnli\nlicense: x\n---\n"
    )
    assert judge_record(str(folder), None)["trained on"] == "snli, mnli"
    assert judge_record("lexical", None)["digest"] is None
