"""One score an arm and task: a mean over tasks, a bound, and no more."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure import analyse_accuracies
from measurand.audits.exposure.single import means_of_tasks
from measurand.core.errors import BadInput
from tests.audits.exposure.planted_counts import codes, even

N = 200


def test_one_score_an_arm_and_task_has_a_bound_and_says_what_it_lacks():
    """X6: two checkpoints with one score each were refused without a pointer."""
    table = even([0.0, 0.5, -0.5, 0.2, 0.0, -0.2, 0.1, -0.1], draws=1)
    report = analyse_accuracies(table, name="one")
    assert report.verdict.label == "not inflated, bounded"
    assert {"draws.single", "tasks.apart"} <= {*codes(report.verdict)}
    assert "bias.power" not in codes(report.verdict)
    assert "hierarchical model" in report.not_run
    assert report.finding("bias").estimate.method == (
        "differences of tasks, t over tasks"
    )


def test_a_clear_mean_over_tasks_is_an_inflation():
    report = analyse_accuracies(
        even([4.0, 5.0, 4.5, 5.5, 4.2], tasks=5, draws=1), name="one"
    )
    assert report.verdict.label == "inflated"


def test_one_score_of_one_task_is_refused_with_what_to_run():
    with pytest.raises(BadInput, match="train on more draws"):
        analyse_accuracies(even(0.0, tasks=1, draws=1), name="one")


@pytest.mark.parametrize("tasks", [3, 12])
def test_intervals_over_tasks_cover(tasks, rng):
    means = rng.normal(1.0, 2.0, (2000, tasks))
    inside = [
        abs(float(cells.average) - 1.0) <= float(cells.half_width(0.95))
        for cells in (means_of_tasks(one, N) for one in means)
    ]
    assert 0.93 <= np.mean(inside) <= 0.97


def test_sizes_of_one_draw_are_judged_together():
    sizes = [even(4.0, draws=1), even(0.0, draws=1).assign(n=1000)]
    sizes[1][["correct_base", "correct_extra", "correct_test"]] //= 2
    report = analyse_accuracies(pd.concat(sizes), name="two")
    assert report.verdict.clauses[0].facts["size"].text == "m=50,n=2000"
