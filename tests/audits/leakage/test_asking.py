"""What is asked of a reader, and asked again where it fell."""

import pytest

from measurand.audits.leakage.asking import (
    ask_parts,
    check_change,
    is_one_class,
    open_evaluation,
)
from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import CannotIntervene
from measurand.experiment.experiment import open_experiment
from measurand.interventions.words import Mask, Scramble
from tests.audits.leakage.falling import FallingReader, SeededFallingReader
from tests.audits.leakage.leaky import pairs

ROLES = {"query": "hypothesis", "evidence": "premise", "label": "label"}


def answers_of(reader, *, cut=False):
    table = pairs(240, leak=0.6)
    sides = (table,) if cut else (table[:160], table[160:])
    benchmark = from_frames(*sides, name="made", **ROLES)
    canonical = canonical_benchmark(benchmark, 0)
    with (
        open_experiment(benchmark, seed=0) as running,
        open_evaluation(running, canonical, 2, 2) as evaluation,
    ):
        return ask_parts(
            evaluation, "reader", reader, None, with_controls=False, inspected=True
        )


@pytest.mark.parametrize("cut", [False, True])
def test_a_trained_reader_of_one_class_from_one_part_is_tried_once_more(cut):
    stands = SeededFallingReader(stands_from=2 if cut else 1)
    answers = answers_of(stands, cut=cut)
    assert not any(is_one_class(runs) for runs in answers.alone.values())
    still = answers_of(SeededFallingReader(stands_from=9), cut=cut)
    assert all(is_one_class(runs) for runs in still.alone.values())


def test_a_reader_without_seeds_is_not_tried_again():
    answers = answers_of(FallingReader())
    assert all(is_one_class(runs) for runs in answers.alone.values())
    assert not is_one_class(answers.pair)
    assert not answers.refused


def test_a_control_that_a_fold_may_not_allow_is_refused_before_any_is_asked():
    table = pairs(240, leak=0.6)
    one_english = table.assign(hypothesis=[f"wug{i}" for i in range(len(table))])
    one_english["premise"] = [f"dax{i}" for i in range(len(table))]
    one_english.loc[0, "premise"] = "it is the dax"
    benchmark = from_frames(one_english, name="made", **ROLES)
    check_change(Scramble(), benchmark)
    with pytest.raises(
        CannotIntervene, match="texts without any English function word"
    ):
        check_change(Mask("function"), benchmark)
    english = table.assign(premise="it is the " + table["premise"])
    check_change(Mask("function"), from_frames(english, name="made", **ROLES))
