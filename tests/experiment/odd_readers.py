"""Readers that sleep, fail or kill their own process; workers can import them."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from measurand.core.reader import FittedReader, JointPrediction
from measurand.core.recipe import TORCH, Strength, Traits
from measurand.readers.baselines import MajorityReader

LOG = "MEASURAND_TEST_LOG"  # names a file to which each fit adds who began and ended it


@dataclass(frozen=True)
class Sleepy:
    """Takes its time, and says when it begins and ends."""

    number: int
    seconds: float = 0.3

    def fit(self, items, rng) -> FittedReader:
        self.said("began")
        time.sleep(self.seconds)
        self.said("ended")
        return MajorityReader().fit(items, rng)

    def said(self, what):
        with Path(os.environ[LOG]).open("a") as log:
            log.write(f"{self.number} {what} {os.getppid()}\n")


@dataclass(frozen=True)
class Weighty:
    """An encoder by what it says of itself; it tells which GPUs it may use."""

    traits: ClassVar[Traits] = Traits(Strength.PRETRAINED, TORCH)
    number: int

    def fit(self, items, rng) -> FittedReader:
        with Path(os.environ[LOG]).open("a") as log:
            log.write(f"{self.number} {os.environ['CUDA_VISIBLE_DEVICES']}\n")
        return MajorityReader().fit(items, rng)


@dataclass(frozen=True)
class Deadly:
    """Kills the process that fits it."""

    def fit(self, items, rng) -> FittedReader:
        with Path(os.environ[LOG]).open("a") as log:
            log.write("died\n")
        os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class Broken:
    """Has a mistake in its code."""

    def fit(self, items, rng) -> FittedReader:
        raise ZeroDivisionError("by nothing")


@dataclass(frozen=True)
class Asking:
    """Asks a server, and fits in the process of the test alone."""

    traits: ClassVar[Traits] = Traits(remote=True)
    process: int

    def fit(self, items, rng) -> FittedReader:
        assert os.getpid() == self.process
        return MajorityReader().fit(items, rng)


@dataclass(frozen=True)
class Sociable:
    """Answers in a group, and says how many were beside it."""

    number: int

    def joint_size(self):
        return 2

    def fit(self, items, rng) -> FittedReader:
        return MajorityReader().fit(items, rng)

    def predict_jointly(self, jobs, size):
        for place, job in enumerate(jobs):
            classes = job.train.classes[::-1]  # an order of its own
            shares = np.tile([1.0, *[0.0] * (len(classes) - 1)], (len(job.test), 1))
            said = {"beside": len(jobs), "size": size, "place": place}
            yield JointPrediction(classes, shares, {**said, "lot": job.rng.random()})
