"""What reading the texts twice as often does: to the loss, to boost and to bias."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from measurand.audits.exposure.analysis import Size
from measurand.audits.exposure.arms import OVER, OVERTRAINED
from measurand.audits.exposure.study import LOSS
from measurand.core.finding import Exhibit, Finding
from measurand.core.seeds import generator
from measurand.stats.resampling import bootstrap
from measurand.stats.scores import share


def losses(counts: pd.DataFrame) -> pd.DataFrame:
    """The loss of the ordinary and of the overtrained reader, a row a pair of them."""
    pairs = [
        counts[["m", "n", "lm", "task", "subsample"]].assign(
            texts=side,
            ordinary=counts[f"{LOSS}_{side}"],
            overtrained=counts[f"{LOSS}_{over}"],
        )
        for side, over in OVER.items()
    ]
    return pd.concat(pairs, ignore_index=True).dropna()


def compared(counts: pd.DataFrame, seed: int) -> list[Finding]:
    """In how many pairs the overtrained reader has the lower loss, and how much."""
    findings = []
    for (m, n, lm), part in losses(counts).groupby(["m", "n", "lm"]):
        where = f"m={m},n={n}"
        lower = int((part["overtrained"] < part["ordinary"]).sum())
        rows = part[["overtrained", "ordinary"]].to_numpy(float)
        change = bootstrap(
            lambda sums: 100 * (np.asarray(sums)[..., 0] / sums[..., 1] - 1),
            rows,
            rng=generator(seed, "exposure", "lm loss", m, n),
        )
        findings += [
            Finding("lm_loss_lower", str(lm), where, share(lower, len(part))),
            Finding("lm_loss_change", str(lm), where, change),
        ]
    return findings


def effects(found: Sequence[Size]) -> list[Finding]:
    """Boost and bias of the overtrained arms."""
    findings = []
    for size in found:
        where = f"{size.name},{OVERTRAINED}"
        for name, one in size.contrasts.items():
            model = one.posterior.model
            findings += [
                Finding(name, model, where, one.estimate),
                Finding(f"beta_{name}", model, where, one.posterior.estimate()),
            ]
    return findings


def beside(ordinary: Sequence[Size], more: Sequence[Size], margin: float) -> Exhibit:
    """Boost and bias of the ordinary and the overtrained arms."""
    rows = [
        {
            "group": size.name,
            "name": f"{name}, {how}",
            "value": one.estimate.value,
            "low": one.estimate.low,
            "high": one.estimate.high,
            "decision": "",
        }
        for sizes in zip(ordinary, more, strict=True)
        for how, size in zip(("ordinary", OVERTRAINED), sizes, strict=True)
        for name, one in size.contrasts.items()
    ]
    titles = {"margin": margin, "x_title": "percentage points"}
    caption = "Boost and bias after reading the texts twice as often"
    return Exhibit(OVERTRAINED, "intervals", pd.DataFrame(rows), caption, titles)


def loss_table(counts: pd.DataFrame) -> Exhibit:
    """The losses, a row a model, task and kind of text."""
    pairs = losses(counts)
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
