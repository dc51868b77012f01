"""What a condition costs a model, over the items that both logs hold."""

import numpy as np
import pandas as pd
import pytest

from measurand.core.errors import BadInput
from measurand.logs.contrasts import find_losses, lose, mean_of_log
from measurand.logs.read import read_answers
from measurand.stats.paired import mean_share_difference


def logs(**scores: list[float]):
    rows = [
        {"id": f"q{n}", "condition": condition, "model": "tiny", "score": score}
        for condition, each in scores.items()
        for n, score in enumerate(each)
    ]
    return read_answers(pd.DataFrame(rows))


def test_a_loss_is_the_paired_difference():
    full, shuffled = [1.0] * 30, [1.0] * 18 + [0.0] * 12
    (loss,) = find_losses(logs(full=full, shuffled0=shuffled))
    assert (loss.condition, loss.draws) == ("shuffled", 1)
    gained = mean_share_difference([pd.Series(shuffled)], pd.Series(full))
    assert (loss.lost.low, loss.lost.high) == (-gained.high, -gained.low)
    assert loss.lost.low > 0.2


def test_draws_of_one_condition_are_averaged_by_item():
    half = [1.0] * 15 + [0.0] * 15
    (loss,) = find_losses(logs(full=[1.0] * 30, shuffled0=half, shuffled1=half[::-1]))
    assert (loss.lost.value, loss.lost.n, loss.draws) == (0.5, 30, 2)


def test_items_that_only_one_holds_are_counted():
    (loss,) = find_losses(logs(full=[1.0] * 30, shuffled0=[0.0] * 20))
    assert loss.lost.n == 20
    assert loss.left_out == 10


def test_logs_without_a_condition_are_not_compared():
    assert not [*find_losses(logs(other=[1.0] * 5, shuffled0=[0.0] * 5))]


def test_scores_between_right_and_wrong_have_a_t_interval():
    full = np.linspace(0.5, 0.9, 30).tolist()
    (loss,) = find_losses(logs(full=full, shuffled0=[0.2] * 30))
    assert loss.lost.value == pytest.approx(0.5)
    assert loss.lost.low < 0.5 < loss.lost.high


def test_ids_that_do_not_match_are_refused():
    full, other = (
        logs(full=[1.0] * 3)[0],
        read_answers(pd.DataFrame({"id": ["x"], "score": [1.0]}))[0],
    )
    with pytest.raises(BadInput, match="no id of 'table' stands in"):
        lose(full, [other], "other")


def test_a_mean_of_shares_stays_within_them():
    (log,) = logs(full=[1.0] * 9 + [0.0])
    estimate = mean_of_log(log)
    assert 0 <= estimate.low < 0.9 < estimate.high <= 1
