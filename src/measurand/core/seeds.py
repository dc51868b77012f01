"""Named random streams: adding a reader moves no other number."""

import zlib

import numpy as np


def generator(seed: int, *path: object) -> np.random.Generator:
    """A generator that depends on `seed` and `path` and on nothing that ran before.

    >>> bool(generator(0, "a").random() == generator(0, "a").random())
    True
    """
    return np.random.default_rng([seed, *(zlib.crc32(str(p).encode()) for p in path)])
