"""The exposure study with draws that are learned together: the same, and sooner."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pytest

from measurand.audits.exposure.plan import plan_study
from measurand.audits.exposure.study import Design, ask_draws, pool_rows, run_study
from measurand.benchmarks.assemble import from_frames
from measurand.core.reader import Reader
from measurand.core.task import Task
from measurand.experiment.experiment import open_experiment
from measurand.models.causal_training import Adaptation, Training
from measurand.readers.causal import CausalReader
from measurand.readers.encoder import EncoderReader
from tests.audits.exposure.test_audit import texts
from tests.experiment.running import files
from tests.models import tiny_decoders, tiny_families

OVERTRAINED = ("base", "extra", "test", "overtrained")


@dataclass(frozen=True)
class StackedEncoder(EncoderReader):
    """An encoder that is stacked wherever it runs."""

    def joint_size(self):
        return 2


@dataclass(frozen=True)
class StackedDecoder(CausalReader):
    """A decoder that is stacked wherever it runs."""

    def joint_size(self):
        return self.stacked


@dataclass(frozen=True)
class Study:
    """A reader that learns draws together, its twin, and what both are asked."""

    stacked: Reader
    alone: Reader
    design: Design
    about: Mapping[str, Task]


def study_encoder(folder):
    place = tiny_families.save(folder, "bert")
    chosen = {"rate": 3e-3, "adapt_rate": 3e-3}
    return Study(
        StackedEncoder(place, **chosen),
        EncoderReader(place, **chosen),
        Design(8, 12, 5),
        {"made": Task(epochs=2, batch=16, length=16)},
    )


def study_decoder(folder):
    place = tiny_decoders.save(folder, "llama")
    how = Adaptation(Training(1, rate=3e-3, decay=0.0, warmup=0.0))
    return Study(
        StackedDecoder(place, rate=3e-3, adaptation=how, stacked=2),
        CausalReader(place, rate=3e-3, adaptation=how),
        Design(8, 12, 3, OVERTRAINED),
        {"made": Task(epochs=2, batch=16, length=48)},
    )


pytestmark = [pytest.mark.usefixtures("one_thread"), pytest.mark.slow]
KINDS = {"encoder": study_encoder, "decoder": study_decoder}
OF_ENCODERS = pytest.mark.parametrize("study", ["encoder"], indirect=True)


@pytest.fixture(scope="module")
def task():
    return from_frames(texts(200), name="made", query="text", label="label")


@pytest.fixture(scope="module", params=list(KINDS))
def study(request, tmp_path_factory):
    return KINDS[request.param](tmp_path_factory.mktemp(request.param))


def ran(task, study, *, design=None, seen=lambda *what: None, **settings):
    """The rows of a study, the files of its store, and how many were computed."""
    design = design or study.design
    asked = {"made": task}, {"one": study.stacked}, design
    with open_experiment(task, **settings) as running:
        told = run_study(running, *asked, about=study.about, progress=seen)
        return told.counts, files(running.store), dict(running.tally)


@pytest.fixture(scope="module")
def once(task, study):
    return ran(task, study)


def check_overtrained(counts):
    for side in ("extra", "test"):
        more = counts[f"lm_loss_overtrained_{side}"]
        assert (more < counts[f"lm_loss_{side}"]).all()
    assert "lm_loss_base" not in counts


def test_draws_learned_together_answer_as_those_learned_one_by_one(task, study):
    """One batch an epoch and no dropout: nothing is left to the neighbours."""
    with open_experiment(pool_rows(task)) as running:
        said = [
            [*ask_draws(running, each.for_task(study.about["made"]), study.design)]
            for each in (study.stacked, study.alone)
        ]
    for (draw, stacked), (same, alone) in zip(*said, strict=True):
        assert (draw, [*stacked]) == (same, [*alone])
        for arm, answer in stacked.items():
            gap = answer.probabilities - alone[arm].probabilities
            assert abs(gap).max() < 1e-4
            assert [*answer.remarks] == [*alone[arm].remarks]


def test_a_study_that_was_killed_within_a_group_ends_with_the_same_bytes(
    task, study, once, tmp_path
):
    ran(task, study, store=tmp_path)
    lost = sorted(path for path in once[1] if path.suffix == ".json")[::4]
    for path in lost:
        (tmp_path / path).unlink()
    _, found, tally = ran(task, study, store=tmp_path)
    assert found == once[1]
    assert len(lost) <= tally["computed"] < 15


@pytest.mark.parametrize("study", ["decoder"], indirect=True)
def test_overtrained_decoders_have_a_lower_loss_and_base_has_none(once):
    check_overtrained(once[0])


@OF_ENCODERS
def test_overtrained_draws_are_learned_together_too(task, study):
    check_overtrained(ran(task, study, design=Design(8, 12, 2, OVERTRAINED))[0])


@OF_ENCODERS
def test_any_number_of_workers_gives_the_same_bytes(task, study, once):
    counts, found, _ = ran(task, study, workers=2)
    assert found == once[1]
    assert counts.equals(once[0])


@OF_ENCODERS
def test_a_study_of_more_draws_keeps_the_groups_that_were_whole(task, study, tmp_path):
    ran(task, study, store=tmp_path)
    more = replace(study.design, repeats=6)
    *_, tally = ran(task, study, store=tmp_path, design=more)
    assert tally == {"reused": 12, "computed": 6}


@OF_ENCODERS
def test_draws_done_are_shown_as_groups_end(task, study):
    seen = []
    ran(task, study, seen=lambda *what: seen.append(what[2:]))
    assert seen[0] == (0, 5)
    assert seen[-1] == (5, 5)
    assert np.diff([done for done, _ in seen]).min() >= 0


@OF_ENCODERS
def test_a_plan_runs_whole_groups_and_loses_none(task, study):
    asked = {"made": task}, {"one": study.stacked}, study.design
    with open_experiment(task) as running:
        plan = plan_study(running, *asked, study.about)
        assert plan.trials == 3  # of 15: two groups of two draws and three arms ran
        run_study(running, *asked, about=study.about)
        assert running.tally == {"computed": 15, "reused": 12}
