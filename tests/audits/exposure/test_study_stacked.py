"""The exposure study with draws that are learned together: the same, and sooner."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from measurand.audits.exposure.plan import plan_study
from measurand.audits.exposure.study import Design, ask_draws, pool_rows, run_study
from measurand.benchmarks.assemble import from_frames
from measurand.core.task import Task
from measurand.experiment.experiment import open_experiment
from measurand.readers.encoder import EncoderReader
from tests.audits.exposure.test_audit import texts
from tests.experiment.running import files
from tests.models import tiny_families

DESIGN = Design(8, 12, 5)
ABOUT = {"made": Task(epochs=2, batch=16, length=16)}


@dataclass(frozen=True)
class Stacked(EncoderReader):
    """An encoder that is stacked wherever it runs."""

    def joint_size(self):
        return 2


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def task():
    return from_frames(texts(200), name="made", query="text", label="label")


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    place = tiny_families.save(tmp_path_factory.mktemp("encoder"), "bert")
    return Stacked(place, rate=3e-3, adapt_rate=3e-3)


def ran(task, reader, *, design=DESIGN, seen=lambda *what: None, **settings):
    """The rows of a study, and the files of its store."""
    with open_experiment(task, **settings) as running:
        told = run_study(
            running, {"made": task}, {"one": reader}, design, about=ABOUT, progress=seen
        )
        return told, files(running.store), dict(running.tally)


@pytest.fixture(scope="module")
def once(task, reader):
    return ran(task, reader)


@pytest.mark.slow
def test_draws_learned_together_answer_as_those_learned_one_by_one(task, reader):
    """One batch an epoch and no dropout: nothing is left to the neighbours."""
    one = EncoderReader(reader.model, rate=3e-3, adapt_rate=3e-3)
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
def test_any_number_of_workers_gives_the_same_bytes(task, reader, once):
    told, found, _ = ran(task, reader, workers=2)
    assert found == once[1]
    assert told.counts.equals(once[0].counts)


@pytest.mark.slow
def test_a_study_that_was_killed_within_a_group_ends_with_the_same_bytes(
    task, reader, once, tmp_path
):
    ran(task, reader, store=tmp_path)
    lost = sorted(path for path in once[1] if path.suffix == ".json")[::4]
    for path in lost:
        (tmp_path / path).unlink()
    _, found, tally = ran(task, reader, store=tmp_path)
    assert found == once[1]
    assert len(lost) <= tally["computed"] < 15


@pytest.mark.slow
def test_a_study_of_more_draws_keeps_the_groups_that_were_whole(task, reader, tmp_path):
    ran(task, reader, store=tmp_path)
    *_, tally = ran(task, reader, store=tmp_path, design=replace(DESIGN, repeats=6))
    assert tally == {"reused": 12, "computed": 6}


@pytest.mark.slow
def test_overtrained_draws_are_learned_together_too(task, reader):
    design = Design(8, 12, 2, ("base", "extra", "test", "overtrained"))
    counts = ran(task, reader, design=design)[0].counts
    for side in ("extra", "test"):
        more = counts[f"lm_loss_overtrained_{side}"]
        assert (more < counts[f"lm_loss_{side}"]).all()
    assert "lm_loss_base" not in counts


@pytest.mark.slow
def test_draws_done_are_shown_as_groups_end(task, reader):
    seen = []
    ran(task, reader, seen=lambda *what: seen.append(what[2:]))
    assert seen[0] == (0, 5)
    assert seen[-1] == (5, 5)
    assert np.diff([done for done, _ in seen]).min() >= 0


@pytest.mark.slow
def test_a_plan_runs_whole_groups_and_loses_none(task, reader):
    with open_experiment(task) as running:
        plan = plan_study(running, {"made": task}, {"one": reader}, DESIGN, ABOUT)
        assert plan.trials == 3  # of 15: two groups of two draws and three arms ran
        run_study(running, {"made": task}, {"one": reader}, DESIGN, about=ABOUT)
        assert running.tally == {"computed": 15, "reused": 12}
