"""The model `released` in bambi, for another Python that has it: CPU seconds and beta.

`python exposure_bambi.py ROWS.csv CHAINS TUNE DRAWS` prints one line of JSON.
"""

import json
import os
import sys

import arviz
import bambi
import pandas as pd


def main(rows: str, chains: int, tune: int, draws: int) -> None:
    """Fit, and say what it cost; compilers and workers are counted too."""
    model = released(pd.read_csv(rows, dtype={"task": str, "subsample": str}))
    fit(model, 1, 1, 1)  # fills the compiler's cache
    built, _ = fit(model, 1, 1, 1)
    cpu, found = fit(model, chains, tune, draws)
    beta = found.posterior["method"]
    figures = {
        "built": built,
        "sampled": cpu - built,
        "mean": float(beta.mean()),
        "sd": float(beta.std()),
        "ess": float(arviz.ess(found, var_names=["method"])["method"]),
        "version": bambi.__version__,
    }
    print(json.dumps(figures))


def released(table: pd.DataFrame) -> bambi.Model:
    """The model, with the priors of the stored fits."""

    def normal(sigma: object) -> bambi.Prior:
        return bambi.Prior("Normal", mu=0, sigma=sigma)

    def effect(sigma: float) -> bambi.Prior:
        return normal(bambi.Prior("HalfNormal", sigma=sigma))

    return bambi.Model(
        "p(correct, n) ~ method + lm + (1|task) + (1|task:method) + (1|task:subsample)",
        table,
        family="binomial",
        priors={
            "Intercept": normal(1),
            "lm": normal(5),
            "method": normal(1),
            "1|task": effect(1),
            "1|task:method": effect(3.5355),
            "1|task:subsample": effect(1),
        },
    )


def fit(model: bambi.Model, chains: int, tune: int, draws: int) -> tuple[float, object]:
    """The CPU seconds of a fit by PyMC's NUTS, and its draws."""
    before = sum(os.times()[:4])
    found = model.fit(
        draws=draws,
        tune=tune,
        chains=chains,
        cores=1,
        random_seed=0,
        progressbar=False,
    )
    return sum(os.times()[:4]) - before, found


if __name__ == "__main__":
    main(sys.argv[1], *(int(each) for each in sys.argv[2:5]))
