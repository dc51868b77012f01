"""The analysis of an exposure study: what it costs, and whether its intervals hold.

(a) The model `released` on the published rows (m 50, n 200), against bambi with PyMC's
NUTS at 4 × (500 + 1,000): `python -m bench exposure_analysis PYTHON`, where PYTHON has
bambi; without it that part is left out. One shorter chain in the same proportions is
run and scaled. (b) 500 slices without replication. (c) The coverage of
89 % intervals over simulated studies. (d) NUTS beside nested Laplace.
"""

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench.figures import Figure, cpu
from measurand.audits.exposure.statistics.counts import (
    ArmPairs,
    pair_arms,
    study_counts,
)
from measurand.audits.exposure.statistics.hierarchical import fit_posterior
from measurand.audits.exposure.statistics.laplace import draw_by_point
from measurand.audits.exposure.statistics.nuts import sample_nuts
from measurand.audits.exposure.statistics.simulations import (
    Truth,
    simulate_studies,
    study_coverage,
)
from measurand.audits.exposure.statistics.summaries import SliceAnalysis, analyse_slices
from measurand.core.seeds import generator

BESIDE = Path(__file__).parents[2] / "shared" / "data"
ROWS = Path(os.environ.get("MEASURAND_DATA", BESIDE)) / "exposure/accuracies_m50.csv"
CHAINS, TUNE, DRAWS = 4, 500, 1_000
SHORTER = 4  # bambi runs one chain of 1 / SHORTER of the length
STUDIES = 2_000  # simulated, null and not null each
SLICES, MANY = 500, 3_000
# What was found before, in percent: outside ± 0.04, without 0, coverage.
NOTED = {(500, "plain"): (43, 52, 49), (500, "observation"): (42, 9, 91)}
WARMUP, SAMPLES = 300, 500  # of each of NUTS's four chains


def run(arguments: Sequence[str]) -> list[Figure]:
    """Every part for which there is what it needs."""
    figures = covered()
    if ROWS.is_file():
        counts = study_counts(pd.read_csv(ROWS))
        figures += speed(rows(counts, 200, "bias"), arguments)
        for n in (500, 200):
            figures += slices(rows(counts, n, "bias"), n)
        figures += agreement(rows(counts, 500, "bias"))
    return figures


def rows(counts: pd.DataFrame, n: int, contrast: str) -> ArmPairs:
    """The published pairs of one n."""
    return pair_arms(counts[counts["n"] == n], contrast)


def speed(published: ArmPairs, arguments: Sequence[str]) -> list[Figure]:
    """`released` on (50, 200) by nested Laplace, and by bambi where there is one."""
    fit_posterior(published, "released")  # what is done once a process is not counted
    ours, found = cpu(lambda: fit_posterior(published, "released"))
    drawn, _ = cpu(
        lambda: [*draw_by_point(found.grid, generator(0, "bench"), CHAINS * DRAWS)]
    )
    about = "released (50, 200)"
    figures = [
        Figure(f"{about}: nested Laplace", ours, "s"),
        Figure(f"{about}: {CHAINS * DRAWS:,} joint draws from it", drawn, "s"),
    ]
    if not arguments:
        return figures
    theirs = bambi(published, arguments[0])
    scale = CHAINS * SHORTER
    whole = theirs["built"] + scale * theirs["sampled"]
    apart = (theirs["mean"] - float(found.beta.mean)) / float(found.beta.sd)
    one = f"one chain of {TUNE // SHORTER} + {DRAWS // SHORTER}"
    return [
        *figures,
        Figure(f"{about}: bambi, {one}", theirs["sampled"], "s"),
        Figure(f"{about}: bambi, scaled to 4 × (500 + 1,000)", whole, "s"),
        Figure(f"{about}: bambi over nested Laplace", whole / ours, "times", least=50),
        Figure(f"{about}: bambi over fit and draws", whole / (ours + drawn), "times"),
        Figure(f"{about}: beta of bambi's chain less ours", apart, "posterior sd"),
    ]


def bambi(published: ArmPairs, python: str) -> dict[str, float]:
    """What bambi needed and found, in another Python."""
    keys = ["lm", "task", "subsample", "n"]
    arms = {"control": 0, "treatment": 1}
    long = published.table.melt(keys, list(arms), "method", "correct")
    script = str(Path(__file__).with_name("exposure_bambi.py"))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.csv")
        long.assign(method=long["method"].map(arms)).to_csv(path, index=False)
        lengths = [str(each) for each in (1, TUNE // SHORTER, DRAWS // SHORTER)]
        done = subprocess.run(
            [python, script, path, *lengths],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def slices(published: ArmPairs, n: int) -> list[Figure]:
    """The meta-analysis over slices without replication: its time, and its shares."""
    figures = []
    for model in ("plain", "observation", "paper", "released"):
        seconds, _ = cpu(lambda model=model: sliced(published, model, SLICES))
        figures.append(
            Figure(f"{SLICES} slices of (50, {n}), {model}", seconds, "s", most=10.0)
        )
    # Shares of so many slices, since those of 500 are off by 2 points by chance alone.
    for model in ("plain", "observation", "paper"):
        found = sliced(published, model, MANY)
        shares = (found.outside, found.excluding, found.coverage)
        about = f"{MANY:,} slices of (50, {n}), {model}"
        said = ("means outside ± 0.04", "89 % without 0", "89 % cover")
        goals = NOTED.get((n, model), (None,) * 3)
        for what, share, goal in zip(said, shares, goals, strict=True):
            near = {} if goal is None else {"least": goal - 3.0, "most": goal + 3.0}
            figures.append(Figure(f"{about}: {what}", 100 * share.value, "%", **near))
    return figures


def sliced(published: ArmPairs, model: str, size: int) -> SliceAnalysis:
    """The meta-analysis with the same slices for every model."""
    rng = generator(0, "bench", "slices")
    return analyse_slices(published, model, rng=rng, slices=size)


def covered() -> list[Figure]:
    """How often 89 % intervals cover, of the default model and of `paper`."""
    figures = []
    for beta in (0.0, 0.22):
        rng = generator(0, "bench", "calibration", beta)
        studies = simulate_studies(Truth(beta=beta), rng=rng, studies=STUDIES)
        for model in ("observation", "paper"):
            seconds, found = cpu(
                lambda model=model, studies=studies, beta=beta: study_coverage(
                    studies, beta, model
                )
            )
            about = f"{STUDIES:,} studies, beta {beta:g}, {model}"
            bounds = {"least": 87.0, "most": 91.0} if model == "observation" else {}
            value = 100 * found.coverage().value
            figures += [
                Figure(f"{about}: 89 % intervals cover", value, "%", **bounds),
                Figure(f"{about}: time", seconds, "s"),
            ]
    return figures


def agreement(published: ArmPairs) -> list[Figure]:
    """NUTS beside nested Laplace on (50, 500), in Monte Carlo errors of NUTS."""
    figures = []
    for model in ("observation", "released"):
        ours = fit_posterior(published, model)
        seconds, chains = cpu(
            lambda ours=ours: sample_nuts(ours, warmup=WARMUP, samples=SAMPLES)
        )
        apart = float(chains.draws["beta"].mean()) - float(ours.beta.mean)
        spread = float(chains.draws["beta"].std() / ours.beta.sd)
        about = f"NUTS, {published.contrast} (50, 500), {model}"
        figures += [
            Figure(f"{about}: time", seconds, "s"),
            Figure(
                f"{about}: beta less ours",
                apart / chains.standard_error,
                "Monte Carlo errors",
                least=-3.0,
                most=3.0,
            ),
            Figure(f"{about}: beta less ours", apart / float(ours.beta.sd), "sd"),
            Figure(f"{about}: sd over ours", spread, "times"),
            Figure(f"{about}: highest R-hat", max(chains.r_hat.values()), "", 1.02),
            Figure(f"{about}: lowest ESS", min(chains.ess.values()), "draws"),
            Figure(f"{about}: divergences", chains.divergences, "", most=0),
        ]
    return figures
