"""Audits of leakage without what no test here looks at."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def _small_tables(patch_tables):
    with patch_tables():
        yield
