"""The analysis of the published accuracies, held against the published figures."""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from measurand.audits.exposure.statistics.counts import (
    mean_differences,
    pair_arms,
    study_counts,
)
from measurand.audits.exposure.statistics.hierarchical import fit_posterior
from measurand.audits.exposure.statistics.summaries import (
    analyse_slices,
    differences_by_task,
)
from tests.shared_data import needs_data, path

pytestmark = needs_data

# Table 1 for m = 50: boost to one decimal and bias to two, in percentage points.
TABLE_1 = {
    (50, "bert"): (4.1, 0.19),
    (50, "gpt2"): (3.8, 0.18),
    (100, "bert"): (3.9, 0.18),
    (100, "gpt2"): (4.1, 0.11),
    (200, "bert"): (3.9, -0.39),
    (200, "gpt2"): (4.4, -0.05),
    (500, "bert"): (3.5, 0.48),
    (500, "gpt2"): (4.6, -0.08),
}
# Mean and sd of beta in stored NUTS fits, m = 50.
STORED = {
    ("paper", 200, "bias"): (-0.0113, 0.0044),
    ("paper", 200, "boost"): (0.2191, 0.0047),
    ("paper", 500, "bias"): (0.0105, 0.0046),
    ("paper", 500, "boost"): (0.2154, 0.0046),
    ("released", 200, "bias"): (-0.0109, 0.0095),
    ("released", 200, "boost"): (0.2295, 0.0554),
    ("released", 500, "bias"): (0.0128, 0.0162),
    ("released", 500, "boost"): (0.2233, 0.0536),
    ("observation", 200, "bias"): (-0.0117, 0.0081),
    ("observation", 500, "bias"): (0.0114, 0.0119),
}
# Mean and 95 % of the predictive difference of `released`, in percentage points.
PREDICTED = {
    (50, "boost"): (3.98, 3.65, 4.31),
    (50, "bias"): (0.18, -0.12, 0.52),
    (500, "boost"): (4.06, 3.82, 4.30),
    (500, "bias"): (0.21, -0.03, 0.44),
}
# Of slices of (50, 500): means outside ± 0.04, intervals without 0, coverage, in %.
SLICES = {"plain": (43, 52, 49), "observation": (42, 9, 91)}


@cache
def counts():
    return study_counts(pd.read_csv(path("exposure/accuracies_m50.csv")))


@cache
def fitted(model, n, contrast):
    return fit_posterior(published(n, contrast), model)


def published(n, contrast):
    return pair_arms(counts()[counts()["n"] == n], contrast)


@pytest.mark.parametrize("cell", TABLE_1, ids=str)
def test_the_cells_of_table_1_are_met(cell):
    boost, bias = mean_differences(counts()).loc[(50, *cell)]
    printed_boost, printed_bias = TABLE_1[cell]
    assert boost == pytest.approx(printed_boost, abs=0.05)  # half its last digit
    assert bias == pytest.approx(printed_bias, abs=0.01)


@pytest.mark.parametrize("case", STORED, ids=str)
def test_beta_is_that_of_the_stored_fits(case):
    mean, sd = STORED[case]
    beta = fitted(*case).beta
    assert float(beta.mean) == pytest.approx(mean, abs=0.15 * sd)
    assert float(beta.sd) == pytest.approx(sd, rel=0.06)


@pytest.mark.parametrize("case", PREDICTED, ids=str)
def test_predictive_differences_are_the_published_ones(case, rng):
    drawn = fitted("released", *case).predictive(rng, 4_000)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert (drawn.mean(), low, high) == pytest.approx(PREDICTED[case], abs=0.05)


@pytest.mark.parametrize("n", [200, 500])
def test_the_evidence_is_for_the_observation_effect(n):
    gain = fitted("observation", n, "bias").log_evidence
    assert 870 < gain - fitted("paper", n, "bias").log_evidence < 1_830


@pytest.mark.parametrize("model", SLICES)
@pytest.mark.slow
def test_slices_without_replication_turn_out_as_published(model):
    found = analyse_slices(
        published(500, "bias"),
        model,
        rng=np.random.default_rng(0),
        slices=1_000,
        notable=0.04,  # as the paper has it
    )
    shares = (found.outside, found.excluding, found.coverage)
    assert [100 * share.value for share in shares] == pytest.approx(
        SLICES[model], abs=3
    )


def test_no_task_shows_bias_and_most_show_a_boost(rng):
    bias = differences_by_task(published(200, "bias"), rng=rng)
    boost = differences_by_task(published(200, "boost"), rng=rng)
    assert (bias.table["p_adjusted"] > 0.05).all()
    assert (boost.table["p_adjusted"] < 0.005).sum() >= 14
    assert boost.negative == 4
