"""What a decoder starts from: the seeds of its parts, and its head."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from measurand.core.joint_training import TrainingJob
from measurand.core.seeds import generator

SPREAD = 0.02  # of the fresh head's weights, as decoders start theirs


def seed_for_part(seed: int, name: str) -> int:
    """The seed of one named part of a fit."""
    return int(generator(seed, name).integers(2**31))


def first_head(seed: int, classes: int, width: int) -> NDArray[np.float64]:
    """The head before it learns, classes × hidden."""
    return generator(seed, "head").normal(0, SPREAD, (classes, width))


@dataclass(frozen=True, eq=False)
class CausalSeeds:
    """The named parts of a job's stream, as `CausalReader.fit` names them."""

    adapt: int
    classify: int

    @classmethod
    def of(cls, job: TrainingJob) -> "CausalSeeds":
        """The seeds of a job; it is asked once."""
        fixed = job.reader.seed
        seed = int(job.rng.integers(2**31)) if fixed is None else fixed
        return cls(seed_for_part(seed, "adapt"), seed_for_part(seed, "classify"))
