"""A reader is what it says of itself: its name, and what else it has, move nothing."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from measurand.audits import evidence, leakage
from measurand.benchmarks.assemble import from_frames
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from tests.audits.leakage.leaky import pairs


@dataclass(frozen=True)
class ReadyReader(TfidfReader):
    """The same reader, with a method of a name that once meant something."""

    kind: ClassVar[str] = "tfidf"

    def ready(self):
        """Nothing."""


# As if it were written so where it stands: a kind is only ours in our own modules.
ReadyReader.__module__ = TfidfReader.__module__
ReadyReader.__qualname__ = TfidfReader.__qualname__


def boats(n=1200):
    """The claims of the README: only `cross` can see whether the fields agree."""
    rng = np.random.default_rng(0)
    colours = np.array(["red", "blue", "green", "black"])
    said = rng.integers(4, size=n)
    seen = np.where(rng.random(n) < 0.5, said, (said + rng.integers(1, 4, n)) % 4)
    told = zip(colours[said], colours[seen], strict=True)
    texts = [
        (f"Boat {i} is {claim}.", f"We saw boat {i}; it was {sight}.")
        for i, (claim, sight) in enumerate(told)
    ]
    table = pd.DataFrame(texts, columns=["claim", "evidence"]).assign(
        label=np.where(said == seen, "supported", "refuted"),
        harbour=rng.choice(["north", "south", "west"], n),
    )
    return from_frames(table, name="boats", metadata=["harbour"])


def leaky():
    roles = {"query": "hypothesis", "evidence": "premise"}
    tables = (pairs(120, leak=0.5), pairs(80, leak=0.5, seed=1))
    return from_frames(*tables, name="leaky", label="label", **roles)


def audited(audit, benchmark, readers, **options):
    """The verdict and the numbers of an audit, and the name of the reader nowhere."""
    with open_experiment(benchmark) as running:
        chosen = {"strongest": "cross"} if audit.takes("strongest") else {}
        settings = audit.choose(**chosen, **options)
        report = audit.run(running, readers, settings)
    (name,) = readers
    assert name in {f.reader for f in report.findings}
    said = report.verdict
    return (said.label, said.region, said.bound), [
        (f.statistic, f.condition, _is_own(f, name), f.estimate, f.decision)
        for f in report.findings
    ]


def _is_own(finding, name):
    """Whether it is of the reader that was named, and not of a light model of ours."""
    ours = finding.condition == "pooled" or finding.statistic.startswith("over_blank")
    return finding.reader == name and not ours


AUDITS = {
    "evidence": lambda readers: audited(evidence.AUDIT, boats(), readers, shuffles=4),
    "screening": lambda readers: audited(
        evidence.AUDIT, boats(400), readers, shuffles=4, calibrate=False
    ),
    "leakage": lambda readers: audited(leakage.AUDIT, leaky(), readers, tsne=False),
}


@pytest.fixture(autouse=True, scope="module")
def _small_tables(patch_tables):
    with patch_tables():
        yield


@pytest.mark.slow
@pytest.mark.parametrize("name", AUDITS)
def test_neither_another_name_nor_a_method_called_ready_moves_a_number(name):
    run = AUDITS[name]
    assert run({"my-tfidf": ReadyReader()}) == run({"tfidf": TfidfReader()})


@pytest.mark.slow
def test_the_boats_call_the_next_rung_whatever_the_reader_is_called():
    quick = {"shuffles": 4, "folds": 1}
    named = {"minilm": TfidfReader()}
    verdict, findings = audited(evidence.AUDIT, boats(), named, **quick)
    assert verdict[:2] == ("needed", "evidence-sensitive")
    assert any(not own for statistic, _, own, *_ in findings if statistic == "accuracy")


def leaked(*names):
    """What the pair and each field alone reach, the fields so called."""
    columns = dict(zip(("premise", "hypothesis"), names, strict=True))
    tables = [pairs(120, leak=0.5), pairs(80, leak=0.5, seed=1)]
    tables = [table.rename(columns=columns) for table in tables]
    roles = {"evidence": names[0], "query": names[1], "label": "label"}
    benchmark = from_frames(*tables, name="leaky", **roles)
    with open_experiment(benchmark) as running:
        settings = leakage.AUDIT.choose(tsne=False)
        report = leakage.AUDIT.run(running, {"tfidf": TfidfReader()}, settings)
    figures = ("accuracy", "single_accuracy", "over_blank", "exact_bound")
    return [
        (f.statistic, f.estimate.value)
        for f in report.findings
        if f.statistic in figures
    ], [(f.statistic, f.reader, f.condition) for f in report.findings]


@pytest.mark.slow
def test_a_field_called_like_a_condition_is_read_as_itself():
    plainly, _ = leaked("premise", "hypothesis")
    oddly, keys = leaked("full", "length only")
    assert oddly == plainly
    assert len({*keys}) == len(keys)
