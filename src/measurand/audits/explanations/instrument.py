"""The judge as an instrument: which one it is, and what it takes for the same.

R, the paraphrases and h4 are the judge's word. So every report says which files it was
read from, on what it was trained, and which of the packaged minimal pairs it accepts: a
judge that takes another meaning for the same is named.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np

from measurand.audits.explanations.perturbations import accept_pairs
from measurand.core.explainer import Judge
from measurand.core.finding import Finding
from measurand.disk.digests import path_digest
from measurand.experiment.experiment import Experiment
from measurand.stats.scores import wilson_share

MOST_CHANGED = 0.05  # of pairs with another meaning that a filter may accept
LEAST_SAME = 0.8  # of true paraphrases that it must
HELD_OUT = ", held out"
SAME, CHANGED = "same meaning", "changed meaning"
NOT_STATED = "not stated; name it with `judge_data`"


def model_title(model: str) -> str:
    """What a report calls a judge or a model; never a path.

    >>> names = ("lexical", "causal:/models/small/", "someone/small")
    >>> [model_title(name) for name in names]
    ['lexical', 'small', 'small']
    """
    return model.rstrip("/").rpartition("/")[2] or model


def judge_record(judge: str, judge_data: str | None) -> dict[str, object]:
    """The name of the judge, the digest of its files, and what it was trained on."""
    name = model_title(judge)
    if judge == "lexical":
        return {"name": name, "digest": None, "trained on": "nothing: it counts words"}
    folder = Path(judge)
    stated = judge_data or _card_data(folder) or NOT_STATED
    digest = path_digest(judge) if folder.is_dir() else None
    return {"name": name, "digest": digest, "trained on": stated}


def _card_data(folder: Path) -> str:
    """The data sets that a model card names at its head; empty where it names none."""
    card = folder / "README.md"
    if not card.is_file():
        return ""
    lines = iter(card.read_text("utf-8", errors="replace").splitlines()[:200])
    found = []
    for line in lines:
        if line.startswith("datasets:"):
            for entry in lines:
                if not entry.startswith(("- ", "  - ")):
                    break
                found.append(entry.strip("- ").strip())
            break
    return ", ".join(found)


@dataclass(frozen=True)
class MinimalPair:
    """Two sentences that say the same, or differ in one thing, which `change` names.

    A third of them is held out: no rule of ours was written with them in view.
    """

    first: str
    second: str
    change: str
    held_out: bool


@cache
def minimal_pairs() -> tuple[MinimalPair, ...]:
    """All packaged pairs, in order.

    >>> pair = minimal_pairs()[2]
    >>> pair.first, pair.second, pair.change
    ('A man bites a dog.', 'A dog bites a man.', 'roles')
    """
    text = (files("measurand.judges") / "minimal_pairs.txt").read_text("utf-8")
    pairs, first, held_out = [], "", False
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        if not line:
            first, held_out = "", False
        elif line == "held":
            held_out = True
        elif line.startswith("= "):
            pairs.append(MinimalPair(first, line[2:], "", held_out))
        elif line.startswith("! "):
            change, _, second = line[2:].partition(": ")
            pairs.append(MinimalPair(first, second, change, held_out))
        else:
            first = line
    return tuple(pairs)


def minimal_pair_findings(
    experiment: Experiment, judge: Judge, name: str, preset: str
) -> list[Finding]:
    """The share of minimal pairs that the run's filter accepts, by what they are."""
    pairs = minimal_pairs()
    texts = [(pair.first, pair.second) for pair in pairs]
    accepted = accept_pairs(experiment, judge, texts, preset)
    rows: Mapping[str, list[bool]] = {
        f"{kind}{part}": [
            ((pair.change == "") == (kind == SAME)) and (pair.held_out or not part)
            for pair in pairs
        ]
        for kind in (CHANGED, SAME)
        for part in ("", HELD_OUT)
    }
    changes = dict.fromkeys(pair.change for pair in pairs if pair.change)
    rows = {
        **rows,
        **{change: [pair.change == change for pair in pairs] for change in changes},
    }
    return [
        Finding(
            "pairs_accepted",
            name,
            condition,
            wilson_share(int(accepted[np.array(mask)].sum()), sum(mask)),
        )
        for condition, mask in rows.items()
    ]


def judge_warnings(findings: list[Finding]) -> list[str]:
    """What a judge that fails on minimal pairs is said to do."""
    shares = {f.condition: f for f in findings if f.statistic == "pairs_accepted"}
    lines = []
    changed, same = shares[CHANGED], shares[SAME]
    if changed.estimate.low > MOST_CHANGED:
        lines.append(
            f"the judge {changed.reader} takes {changed.estimate.value:.0%} of minimal "
            f"pairs of {CHANGED} for paraphrases"
        )
    if same.estimate.high < LEAST_SAME:
        lines.append(
            f"the judge {same.reader} takes only {same.estimate.value:.0%} of true "
            "paraphrases for such"
        )
    return lines
