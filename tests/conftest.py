"""Items that every test may use."""

import importlib.util
import os
import signal
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest

from measurand.core.items import Items
from measurand.core.recipe import OWNERS

# No test is timed: a busy machine takes its time. The wheel's tests have no hypothesis.
if importlib.util.find_spec("hypothesis"):
    from hypothesis import settings

    settings.register_profile("patient", deadline=None)
    settings.load_profile("patient")
# The top rung trains an encoder for minutes; it has tests of its own.
os.environ.setdefault("MEASURAND_STRONGEST", "cross")
# In the background or under nohup, tests and what they start ignore these signals.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # not on Windows
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="module")
def one_thread():
    """Tiny matrices are done sooner alone than after waiting for each other."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def patch_tables():
    """How to do what takes half of a leakage audit, and few tests look at, in little.

    Table 5 has two cells of twelve, and published scores are shuffled 19 times, not 99.
    """
    from measurand.audits.leakage import regions

    @contextmanager
    def patched():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(regions, "TABLE_K", (10,))
            patch.setattr(regions, "TABLE_COMPONENTS", (0, 50))
            patch.setattr(regions, "FEW", 19)
            yield

    return patched


@pytest.fixture
def small_tables(patch_tables):
    """Small tables in this process."""
    with patch_tables():
        yield


@pytest.fixture
def half_precision():
    """Where a CPU has none, torch puts its fast kernels away for the whole process.

    Later tests would then sum in another order than a new process does.
    """
    import torch

    yield
    torch.backends.mkldnn.set_flags(True)


def small_items(n: int = 60) -> Items:
    """Items with two fields, two labels, metadata and groups."""
    table = pd.DataFrame(
        {
            "claim": [f"claim about thing{i % 7} number{i}" for i in range(n)],
            "proof": [
                f"thing{i % 7} is {'good' if i % 2 else 'bad'}" for i in range(n)
            ],
            "label": ["yes" if i % 2 else "no" for i in range(n)],
            "kind": [f"kind{i % 3}" for i in range(n)],
            "group": [f"group{i // 4}" for i in range(n)],
        },
        index=[f"id-{i}" for i in range(n)],
    )
    return Items(table, ("claim", "proof"), "label", ("kind",), "group")


@pytest.fixture
def items():
    return small_items()


@pytest.fixture(autouse=True)
def _no_class_is_known():
    """Each test may define a recipe of any kind: no other test's is taken for it."""
    OWNERS.clear()
