"""Eigenvectors where LAPACK's fastest way fails."""

import sys

import numpy as np
import pytest
from scipy.linalg import LinAlgError, eigh

from measurand.core.errors import MissingExtra
from measurand.stats.vectors import projections
from measurand.stats.vectors.projections import check_tsne, has_tsne, largest_eigenpairs


def test_a_failed_search_for_some_eigenvectors_asks_for_all(monkeypatch):
    half = np.random.default_rng(0).normal(size=(20, 6))
    squares = half.T @ half

    def refuse_some(matrix, *, driver, **settings):
        if driver == "evx":
            raise LinAlgError("1 eigenvectors failed to converge.")
        return eigh(matrix, driver=driver, **settings)

    expected, _ = largest_eigenpairs(squares, 2)
    monkeypatch.setattr(projections, "eigh", refuse_some)
    values, vectors = largest_eigenpairs(squares, 2)
    assert values == pytest.approx(expected)
    assert squares @ vectors == pytest.approx(vectors * values)


def test_a_map_that_is_asked_for_needs_the_extra(monkeypatch):
    assert has_tsne()
    check_tsne()
    monkeypatch.setitem(sys.modules, "openTSNE", None)
    with pytest.raises(MissingExtra, match=r"pip install 'measurand\[figures\]'"):
        check_tsne()
