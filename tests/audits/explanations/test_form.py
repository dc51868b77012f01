"""What form gives away: found where planted, its simplest part named."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from measurand.audits.explanations.form import (
    LENGTH,
    PRESENCE,
    SURFACE,
    WRITING,
    column_leak,
    leak_findings,
    read_form,
)
from measurand.audits.explanations.information import information_arms
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items
from measurand.experiment.experiment import open_experiment
from measurand.readers.linear import TfidfReader
from tests.audits.explanations.planted import FILLERS, planted


def read(change, kind="idle", n=200):
    """The form of rationales that are changed by their label."""
    benchmark, *texts = planted(kind, n)
    sides = zip(texts, (benchmark.train, benchmark.test), strict=True)
    told = [
        [change(t, y == "yes") for t, y in zip(side, items.labels, strict=True)]
        for side, items in sides
    ]
    with open_experiment(benchmark) as running:
        return read_form(running, *told)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        (lambda text, yes: text if yes else "", PRESENCE),
        (lambda text, yes: "\U0001f44d" if yes else "\U0001f44e", WRITING),
        (lambda text, yes: f"{text}{' !' if yes else ' .'}", WRITING),
        (lambda text, yes: text.upper() if yes else text, WRITING),
        (lambda text, yes: f"{text} {text}" if yes else text, LENGTH),
    ],
)
def test_form_that_tells_the_label_is_found_and_its_part_named(change, cause):
    found = read(change)
    assert found.leak.accuracy.low > 0.95
    assert found.cause == cause


@pytest.mark.parametrize("kind", ["idle", "completing"])
def test_a_form_that_is_the_same_for_every_label_tells_nothing(kind):
    found = read(lambda text, yes: text, kind)
    assert not found.leak.is_sure
    assert found.cause == ""


def test_honest_forms_of_every_kind_are_not_called_leaks():
    """Lengths, capitals, numbers and marks by lot, in twenty small sets."""
    sure = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        sides = [_by_lot(rng, 80, start) for start in (0, 80)]
        benchmark = Benchmark("lot", sides[0][0], sides[1][0], "claim")
        with open_experiment(benchmark) as running:
            sure += read_form(running, sides[0][1], sides[1][1]).leak.is_sure
    assert sure == 0


def _by_lot(rng, n, start):
    """Items of two labels, and rationales of any form."""
    texts = []
    for length in rng.integers(0, 20, n):
        words = rng.choice(FILLERS, length).tolist()
        words = [w.upper() if rng.random() < 0.1 else w for w in words]
        texts.append(" ".join(words) + str(rng.choice([".", "", " !", " 12"])))
    labels = rng.choice(["no", "yes"], n)
    ids = [f"i{start + k}" for k in range(n)]
    table = pd.DataFrame({"claim": "a claim", "label": labels}, ids)
    return Items(table, ("claim",)), texts


@pytest.mark.parametrize("role", ["label", "group"])
def test_a_label_or_a_group_called_rationale_stays_what_it_is(role):
    plain, seen, asked = planted("stating", 60)
    sides = []
    for items in (plain.train, plain.test):
        table = items.table.assign(rationale=items.labels)
        sides.append(dataclasses.replace(items, table=table, **{role: "rationale"}))
    benchmark = Benchmark("named", *sides, "claim")
    with open_experiment(benchmark) as running:
        leak = column_leak(running, TfidfReader(), seen, asked)
    assert leak.accuracy.value == 1
    arms = information_arms(benchmark, seen, asked, ("claim",))
    assert arms.explained.test.table["rationale"].equals(plain.test.labels)


def test_findings_state_both_figures_with_what_they_say():
    found = read(lambda text, yes: text if yes else "")
    named = {
        f.statistic: f for f in leak_findings(found.leak, "form", SURFACE, "given")
    }
    assert {*named} == {"form_only", "form_bits"}
    assert named["form_only"].decision == "leaks"
    assert named["form_only"].estimate == found.leak.accuracy
