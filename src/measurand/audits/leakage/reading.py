"""Everything about one reader: what it answered, where it places items, why."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from measurand.audits.leakage.answered import (
    Answered,
    Bench,
    answered,
    embedding,
    epochs,
    relevances,
    runs,
)
from measurand.audits.leakage.cards import cartography
from measurand.audits.leakage.regions import Cut, Regions, regions
from measurand.audits.leakage.scores import Ground, collapsed, part, scored
from measurand.audits.leakage.verdict import Stage
from measurand.core.finding import Estimate, Finding
from measurand.core.reader import Reader
from measurand.core.recipe import identity, traits_of
from measurand.core.seeds import generator
from measurand.stats.paired import mean
from measurand.stats.relevance import relevance_agreement
from measurand.stats.resampling import bootstrap


@dataclass(frozen=True, eq=False)
class Read:
    """Everything about one reader."""

    name: str
    said: Answered
    regions: Mapping[str, Regions]
    map: pd.DataFrame | None
    stage: Stage
    findings: tuple[Finding, ...]
    not_run: Mapping[str, str]


def read(
    place: Bench,
    name: str,
    reader: Reader,
    base: Ground,
    cut: Cut,
    seeds: int | None,
    margin: float,
    *,
    controlled: bool,
) -> Read:
    """Everything about one reader; the controls only where they are wanted."""
    said = answered(place, reader, seeds, controlled=controlled)
    rng = generator(place.split.seed, "leakage", identity(reader))
    parts = {
        field: part(one, base, len(said.alone), rng)
        for field, one in said.alone.items()
    }
    findings, not_run = scored(name, said, parts, base, margin, rng)
    not_run |= {f"{what} of {name}": why for what, why in said.refused.items()}
    member = runs(place, reader, seeds)[0]
    test = place.settled.benchmark.test
    labels = test.gold(place.settled.benchmark.classes)
    groups = pd.factorize(test.column(test.group))[0] if test.group else None
    found: dict[str, Regions] = {}
    for field in place.settled.fields:
        near, far = embedding(place, member, field)
        if near.shape[1] == 0:
            not_run[f"peco of {field} by {name}"] = "this reader embeds no items"
            continue
        found[field] = regions(
            name, reader, field, near, far, labels, groups, cut, place.split.seed
        )
        findings += found[field].findings
    if len(place.settled.fields) > 1:
        findings += agreeing(place, name, member, not_run, rng)
    drawn = mapped(place, name, member, labels, found, findings, not_run, rng)
    stage = Stage(
        name,
        traits_of(reader).near_zero_stands,
        collapsed(said.pair, base, rng),
        parts,
        {field: one.biased for field, one in found.items()},
    )
    return Read(name, said, found, drawn, stage, tuple(findings), not_run)


def agreeing(
    place: Bench,
    name: str,
    reader: Reader,
    not_run: dict[str, str],
    rng: np.random.Generator,
) -> list[Finding]:
    """Whether the readers of the pair and of one part look at the same tokens."""
    findings = []
    for number, field in enumerate(place.settled.fields):
        pair, single = relevances(place, reader, field)
        if 0 in (pair.values.shape[2], single.values.shape[2]):
            not_run[f"tra of {field} by {name}"] = "this reader attributes nothing"
            continue
        found = relevance_agreement(
            pair.values[0],
            pair.values[1],
            single.values[0],
            single.values[1],
            number,
        )
        for what, values in found._asdict().items():
            known = pd.Series(np.asarray(values, float), list(pair.ids)).dropna()
            if known.empty:
                not_run[f"tra_{what} of {field} by {name}"] = "no token is relevant"
            else:
                findings.append(
                    Finding(f"tra_{what}", name, field, mean(known, rng=rng))
                )
    return findings


def mapped(
    place: Bench,
    name: str,
    reader: Reader,
    labels: NDArray[np.int64],
    found: Mapping[str, Regions],
    findings: list[Finding],
    not_run: dict[str, str],
    rng: np.random.Generator,
) -> pd.DataFrame | None:
    """The cartography of the test items, and how biased clusters stand in it."""
    seen = epochs(place, reader)
    if seen is None:
        not_run[f"cartography by {name}"] = "this reader learns in no epochs"
        return None
    table = cartography(seen.values, labels, seen.ids)
    for field, one in found.items():
        inside = np.isin(one.clusters, one.biased)
        table[f"biased:{field}"] = inside
        if inside.any() and not inside.all():
            apart = contrasted(table["confidence"], inside, rng)
            findings.append(Finding("confidence_of_biased", name, field, apart))
    return table


def contrasted(
    values: "pd.Series[float]", inside: NDArray[np.bool_], rng: np.random.Generator
) -> Estimate:
    """The mean inside less the mean outside."""
    rows = np.column_stack([values * inside, inside, values * ~inside, ~inside]).astype(
        float
    )
    return bootstrap(
        lambda s: s[..., 0] / s[..., 1] - s[..., 2] / s[..., 3], rows, rng=rng
    )
