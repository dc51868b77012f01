"""What reading the texts twice as often does: to the loss, to boost and to bias."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from measurand.audits.exposure.analysis import SizeAnalysis
from measurand.audits.exposure.study import LOSS, OVERTRAINED, OVERTRAINED_ARMS
from measurand.core.finding import Exhibit, Finding
from measurand.core.seeds import generator
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import wilson_share


def _loss_pairs(counts: pd.DataFrame) -> pd.DataFrame:
    """The loss of the ordinary and of the overtrained reader, a row a pair of them."""
    pairs = [
        counts[["m", "n", "lm", "task", "subsample"]].assign(
            texts=side,
            ordinary=counts[f"{LOSS}_{side}"],
            overtrained=counts[f"{LOSS}_{over}"],
        )
        for side, over in OVERTRAINED_ARMS.items()
    ]
    return pd.concat(pairs, ignore_index=True).dropna()


def loss_findings(counts: pd.DataFrame, seed: int) -> list[Finding]:
    """In how many pairs the overtrained reader has the lower loss, and how much."""
    findings = []
    for (m, n, lm), part in _loss_pairs(counts).groupby(["m", "n", "lm"]):
        condition = f"m={m},n={n}"
        lower = int((part["overtrained"] < part["ordinary"]).sum())
        rows = part[["overtrained", "ordinary"]].to_numpy(float)
        change = bootstrap(
            lambda sums: 100 * (np.asarray(sums)[..., 0] / sums[..., 1] - 1),
            rows,
            rng=generator(seed, "exposure", "lm loss", m, n),
        )
        findings += [
            Finding(
                "lm_loss_lower", str(lm), condition, wilson_share(lower, len(part))
            ),
            Finding("lm_loss_change", str(lm), condition, change),
        ]
    return findings


def overtraining_findings(analyses: Sequence[SizeAnalysis]) -> list[Finding]:
    """Boost and bias of the overtrained arms."""
    findings = []
    for size in analyses:
        condition = f"{size.name},{OVERTRAINED}"
        for name, contrast in size.contrasts.items():
            model = contrast.posterior.model
            findings += [
                Finding(name, model, condition, contrast.estimate),
                Finding(
                    f"beta_{name}", model, condition, contrast.posterior.estimate()
                ),
            ]
    return findings


def exhibit_overtraining(
    ordinary: Sequence[SizeAnalysis], overtrained: Sequence[SizeAnalysis], margin: float
) -> Exhibit:
    """Boost and bias of the ordinary and the overtrained arms."""
    rows = [
        {
            "group": size.name,
            "name": f"{name}, {training}",
            "value": contrast.estimate.value,
            "low": contrast.estimate.low,
            "high": contrast.estimate.high,
            "decision": "",
        }
        for analyses in zip(ordinary, overtrained, strict=True)
        for training, size in zip(("ordinary", OVERTRAINED), analyses, strict=True)
        for name, contrast in size.contrasts.items()
    ]
    titles = {"margin": margin, "x_title": "percentage points"}
    caption = "Boost and bias after reading the texts twice as often"
    return Exhibit(OVERTRAINED, "intervals", pd.DataFrame(rows), caption, titles)


def exhibit_losses(counts: pd.DataFrame) -> Exhibit:
    """The losses, a row a model, task and kind of text."""
    pairs = _loss_pairs(counts)
    lower = pairs["overtrained"] < pairs["ordinary"]
    table = (
        pairs.assign(lower=lower, pairs=1)
        .groupby(["lm", "task", "texts"], sort=True)
        .agg(
            ordinary=("ordinary", "mean"),
            overtrained=("overtrained", "mean"),
            lower=("lower", "sum"),
            pairs=("pairs", "sum"),
        )
        .reset_index()
    )
    caption = "Language-model loss on the texts, and in how many pairs it is lower"
    return Exhibit("lm_loss", "table", table, caption)
