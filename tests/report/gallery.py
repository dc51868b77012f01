"""Exhibits and reports of the kinds that a leakage audit states."""

import json

import numpy as np
import pandas as pd

from measurand.core.estimate import Estimate
from measurand.core.finding import Exhibit, Finding, Report, Verdict

BAD = (
    "</script><img src=x onerror=\"document.title='pwned'\">",
    "<b>bold</b><!--",
    "javascript:document.title='pwned'",
    "\u2028\u202e\x1b[31m{{7*7}}${7*7}",
    "__proto__",
)


def mapped(count=300, names=("yes", "no"), clusters=6, **settings):
    """Points with a place each; the last one stands alone in the top right corner."""
    rng = np.random.default_rng(0)
    cluster = np.arange(count) % clusters
    table = pd.DataFrame(
        {
            "id": [f"item {i}" for i in range(count)],
            "x": np.append(rng.random(count - 1), 3.0),
            "y": np.append(rng.random(count - 1), 3.0),
            "label": [names[i // clusters % len(names)] for i in range(count)],
            "cluster": cluster,
            "weight": cluster / clusters,
            "text": [f"what item {i} says" for i in range(count)],
        }
    )
    return Exhibit(
        "map", "map", table, "Where items stand", {"cards": "cards", **settings}
    )


def carded(clusters=6, biased=2, names=("yes", "no"), words=("nobody",)):
    rows = [
        {
            "cluster": cluster,
            "size": 40 + cluster,
            "effect": 0.3 / (1 + cluster),
            "p": 1e-9,
            "q": 2e-8,
            "answered": np.nan if cluster else 0.75,
            "labels": json.dumps({name: 30 + i for i, name in enumerate(names)}),
            "words": json.dumps([*words, f"word{cluster}"]),
            "examples": json.dumps([*words, f"An example of {cluster}."]),
            "biased": cluster >= clusters - biased,
        }
        for cluster in range(clusters)
    ]
    return Exhibit("cards", "cards", pd.DataFrame(rows), "What they share")


def planes(names):
    """One exhibit of each kind that is drawn over two axes, with these names."""
    rng = np.random.default_rng(1)
    curves = pd.DataFrame(
        [
            {"series": name, "x": x, "y": x * i, "low": x * i - 1, "high": x * i + 1}
            for i, name in enumerate(names)
            for x in range(9)
        ]
    )
    values = pd.DataFrame(
        {"series": [*names] * 20, "value": rng.random(20 * len(names))}
    )
    places = rng.random((2, len(names)))
    dots = pd.DataFrame(
        {"name": names, "series": names, "group": "g", "x": places[0], "y": places[1]}
    ).assign(x_low=0.1, x_high=0.9, y_low=0.2, y_high=0.8)
    lines = {"vertical": {names[0]: 3}, "horizontal": {names[-1]: 2}, "step": True}
    return (
        Exhibit("curve", "curve", curves, "Curves", {"x_title": names[0], **lines}),
        Exhibit("histogram", "histogram", values, "Values", {"bins": 10}),
        Exhibit("scatter", "scatter", dots, "Dots", {"trend": True, "diagonal": True}),
        mapped(names=names, x_title=names[-1], weight_title=names[0]),
    )


def leaky(name="snli", parts=("hypothesis",), exhibits=(), reader="tfidf", **stated):
    """A report as the leakage audit makes it; `stated` moves the statistics."""
    numbers = {
        "single_accuracy": 0.6,
        "over_majority": 0.26,
        "recovered": 0.75,
        "nba": 0.6,
        "tra_full": 0.5,
        "peco": 2.8,
        **stated,
    }
    findings = [
        Finding("accuracy", reader, "full", _estimate(stated.get("accuracy", 0.8))),
        Finding("majority", "majority", "full", _estimate(0.34)),
        *(
            Finding(statistic, reader, part, _estimate(value + 0.01 * place))
            for place, part in enumerate(parts)
            for statistic, value in numbers.items()
            if statistic not in ("accuracy", "reference_accuracy")
        ),
    ]
    reference = {k: v for k, v in stated.items() if k == "reference_accuracy"}
    return Report(
        audit="leakage",
        benchmark={"name": name},
        verdict=Verdict("leaks", "hypothesis", reader, "one part gives the label away"),
        findings=tuple(findings),
        settings={"seed": 0, **reference},
        exhibits=tuple(exhibits),
    )


def _estimate(value):
    return Estimate(value, value - 0.02, value + 0.02, 0.95, 1000, "bootstrap")
