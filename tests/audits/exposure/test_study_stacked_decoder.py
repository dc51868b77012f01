"""The exposure study with decoders that are learned together."""

from dataclasses import dataclass

import pytest

from measurand.audits.exposure.study import Design, ask_draws, pool_rows, run_study
from measurand.benchmarks.assemble import from_frames
from measurand.core.task import Task
from measurand.experiment.experiment import open_experiment
from measurand.models.causal_training import Adaptation, Training
from measurand.readers.causal import CausalReader
from tests.audits.exposure.test_audit import texts
from tests.experiment.running import files
from tests.models import tiny_decoders

DESIGN = Design(8, 12, 3, ("base", "extra", "test", "overtrained"))
ABOUT = {"made": Task(epochs=2, batch=16, length=48)}


@dataclass(frozen=True)
class Stacked(CausalReader):
    """A decoder that is stacked wherever it runs."""

    def joint_size(self):
        return self.stacked


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def task():
    return from_frames(texts(200), name="made", query="text", label="label")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_decoders.save(tmp_path_factory.mktemp("decoder"), "llama")
    how = Adaptation(Training(1, rate=3e-3, decay=0.0, warmup=0.0))
    return Stacked(place, rate=3e-3, adaptation=how, stacked=2)


def ran(task, reader, **settings):
    """The rows of a study, the files of its store, and how many were computed."""
    with open_experiment(task, **settings) as running:
        told = run_study(running, {"made": task}, {"one": reader}, DESIGN, about=ABOUT)
        return told.counts, files(running.store), dict(running.tally)


@pytest.fixture(scope="module")
def once(task, reader):
    return ran(task, reader)


@pytest.mark.slow
def test_draws_learned_together_answer_as_those_learned_one_by_one(task, reader):
    """One batch an epoch and no dropout: nothing is left to the neighbours."""
    one = CausalReader(reader.model, rate=3e-3, adaptation=reader.adaptation)
    with open_experiment(pool_rows(task)) as running:
        said = [
            [*ask_draws(running, each.for_task(ABOUT["made"]), DESIGN)]
            for each in (reader, one)
        ]
    for (draw, stacked), (same, alone) in zip(*said, strict=True):
        assert (draw, [*stacked]) == (same, [*alone])
        for arm, answer in stacked.items():
            gap = answer.probabilities - alone[arm].probabilities
            assert abs(gap).max() < 1e-4
            assert [*answer.remarks] == [*alone[arm].remarks]


@pytest.mark.slow
def test_overtrained_draws_have_a_lower_loss_and_base_has_none(once):
    counts = once[0]
    for side in ("extra", "test"):
        more = counts[f"lm_loss_overtrained_{side}"]
        assert (more < counts[f"lm_loss_{side}"]).all()
    assert "lm_loss_base" not in counts


@pytest.mark.slow
def test_a_study_that_lost_files_ends_with_the_same_bytes(task, reader, once, tmp_path):
    ran(task, reader, store=tmp_path)
    lost = sorted(path for path in once[1] if path.suffix == ".json")[::5]
    for path in lost:
        (tmp_path / path).unlink()
    _, found, tally = ran(task, reader, store=tmp_path)
    assert found == once[1]
    assert len(lost) <= tally["computed"] < 15
