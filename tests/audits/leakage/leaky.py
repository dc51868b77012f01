"""Pairs whose label is planted: in a word of one part, or in how the parts meet."""

import numpy as np
import pandas as pd

WORDS = [f"{a}{b}" for a in ("ba", "ke", "lo", "mi", "nu") for b in "rstvxz"]
LABELS = ("no", "yes")


def pairs(n=600, *, leak=0.0, meet=0.0, seed=0):
    """A table in which `leak` of the labels stand in a word of the hypothesis.

    In another `meet` of the items the label is whether both parts share a word.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        label = LABELS[int(rng.integers(2))]
        premise, hypothesis = (list(rng.choice(WORDS, 5, replace=False)) for _ in "ab")
        drawn = rng.random()
        if drawn < leak:
            hypothesis.append("never" if label == "no" else "maybe")
        elif drawn < leak + meet:
            same = [word for word in hypothesis if word in premise]
            if label == "yes" and not same:
                hypothesis[0] = premise[0]
            if label == "no":
                left = [word for word in WORDS if word not in premise]
                hypothesis = list(rng.choice(left, 5, replace=False))
        words = (" ".join(map(str, said)) for said in (premise, hypothesis))
        rows.append((*words, label))
    return pd.DataFrame(rows, columns=["premise", "hypothesis", "label"])


def skewed(n=600, *, seed=0):
    """A quarter is rare; a word of the hypothesis moves that from 0.03 to 0.47.

    The commonest label stays the likeliest whatever is read of one part, so that no
    accuracy shows it. That both parts share a word tells the label for certain.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        mixed = list(rng.permutation(WORDS))
        premise, hypothesis = mixed[:5], mixed[5:10]
        cued = rng.random() < 0.5
        label = "rare" if rng.random() < (0.47 if cued else 0.03) else "usual"
        if label == "rare":
            hypothesis[0] = premise[0]
        hypothesis.append("perhaps" if cued else "indeed")
        words = (" ".join(map(str, said)) for said in (premise, hypothesis))
        rows.append((*words, label))
    return pd.DataFrame(rows, columns=["premise", "hypothesis", "label"])


NAMES = ("Clara", "Peter", "Agnes", "Oscar", "Greta", "Felix", "Hilda")


def matches(n=600, *, seed=0):
    """The label is the place that the name in the query has in the evidence.

    Every name and every order is as likely whatever the label: no field alone tells.
    """
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        first, second, absent = rng.choice(NAMES, 3, replace=False)
        place = int(rng.integers(3))
        label = ("first", "second", "absent")[place]
        before, beside = (" ".join(rng.choice(WORDS, 4)) for _ in "ab")
        evidence = f"{before}. The order was {first}, then {second}."
        query = f"{beside}. This is about {(first, second, absent)[place]}."
        rows.append((evidence, query, label))
    return pd.DataFrame(rows, columns=["premise", "hypothesis", "label"])
