"""Planted rationales whose truth is known, as rows of the truth table.

Thirty-six are those of a review of the audit, where its files are at hand; twenty were
written apart. Each says what rationales are by how they were made: whether they tell
something of their item that the input does not, and whether they tell the label alone.
"""

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from bench.truth_fresh.grammar import word_list

Rng = np.random.Generator
Row = Mapping[str, str]
SHARED = Path(__file__).parents[2] / "shared"
SIZES = (200, 1000, 4000)
INFORMS = frozenset({"informative", "slightly informative"})
BOTH, LEAKY = frozenset({"informative and leaky"}), frozenset({"leaky"})
EMPTY = frozenset({"uninformative"})
# By truth: the labels that are right, and those that are wrong. What tells the label
# in every item leaves no room, so that no model could see that it informs as well.
TRUTHS: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "informs": (INFORMS, EMPTY | LEAKY | BOTH),
    "leaks": (LEAKY, INFORMS | EMPTY | BOTH),
    "both": (BOTH, INFORMS | EMPTY),
    "both, no room": (BOTH | LEAKY, INFORMS | EMPTY),
    "nothing": (EMPTY, INFORMS | LEAKY | BOTH),
    "hidden leak": (BOTH, EMPTY),
    "adds": (INFORMS | BOTH, EMPTY),
}
JUST = ("nothing", "hidden leak")  # of which silence is as good as an answer

REVIEW: Mapping[str, str] = {
    **dict.fromkeys(
        word_list(
            "informative informative_syn informative_short mixed_inf_random "
            "mixed_inf20 annot_3_ok skew_inf"
        ),
        "informs",
    ),
    **dict.fromkeys(
        word_list(
            "label_restated label_in_specific cipher_words punct_bland length_bland "
            "order_bland parity_words mixed_leak30 presence skew_leak"
        ),
        "leaks",
    ),
    **dict.fromkeys(
        ["informative_halfleak", "inf3", "annot_2_leak", "annot_2_form"], "both"
    ),
    **dict.fromkeys(
        word_list(
            "informative_punct informative_cap informative_zw informative_order "
            "informative_fullleak neg_hint homoglyph doublespace"
        ),
        "both, no room",
    ),
    **dict.fromkeys(
        word_list("copy copy_reworded random bland other_item skew_bland"), "nothing"
    ),
    "informative_parity": "hidden leak",
}


def review_tables() -> Iterator[tuple[str, str, Callable[[], pd.DataFrame]]]:
    """Name, truth and maker of each case of the review; none where it is absent."""
    folder = SHARED / "attacks" / "exposure_explanations"
    if not folder.is_dir():
        return
    sys.path.insert(0, str(folder))
    plant = importlib.import_module("plant")
    for name, truth in REVIEW.items():
        for size in SIZES:

            def make(name: str = name, size: int = size) -> pd.DataFrame:
                table: pd.DataFrame = plant.make(name, size, 0)
                return table.drop(columns="id")

            yield f"{name}, {size}", truth, make


SAILORS = word_list("Ada Bo Cy Dee Eli Fay Gus Hal Ida Jo Kim Lou Max Ned Oz Pia")
PORTS = word_list(
    "Riga Kiel Cadiz Bari Split Brest Lagos Izmir Varna Sines Aveiro Tromso"
)
SAILS = word_list("red blue green white black yellow")
CARGO = word_list("salt rope tar oak wool tin amber grain silk cork lime clay")
FILLER = [
    f"{a}{b}" for a in ("mo", "ti", "ra", "lu", "se") for b in ("dan", "vek", "pol")
]


def one(rng: Rng, words: list[str]) -> str:
    """A word at random."""
    return words[int(rng.integers(len(words)))]


def voyage(rng: Rng) -> dict[str, str]:
    """A voyage, and a sail that was seen: the claim's own in half of all."""
    sail, seen = one(rng, SAILS), one(rng, SAILS)
    seen = sail if rng.random() < 0.5 else seen
    return {
        "who": f"{one(rng, SAILORS)} {one(rng, SAILORS)}son",
        "port": one(rng, PORTS),
        "cargo": one(rng, CARGO),
        "sail": sail,
        "seen": seen,
        "label": "yes" if sail == seen else "no",
        "day": str(rng.integers(1, 29)),
    }


def claim(v: Row) -> str:
    """What is claimed of a voyage."""
    return f"{v['who']} sailed from {v['port']} under a {v['sail']} sail."


def telling(v: Row, rng: Rng) -> str:
    """What tells the sail that was seen."""
    forms = (
        f"The log of {v['port']} notes a {v['seen']} sail on day {v['day']}.",
        f"On day {v['day']} a {v['seen']} sail left with {v['cargo']}.",
        f"With {v['cargo']} aboard, the sail was {v['seen']}, says {v['who']}.",
    )
    return one(rng, list(forms))


def bland(v: Row, rng: Rng) -> str:
    """What tells nothing that decides."""
    forms = (
        f"The log of {v['port']} notes {v['cargo']} on day {v['day']}.",
        f"On day {v['day']} {v['who']} left with {v['cargo']}.",
        f"With {v['cargo']} aboard, the crew was calm, says {v['who']}.",
    )
    return one(rng, list(forms))


def is_yes(v: Row) -> bool:
    """Whether the label is yes."""
    return v["label"] == "yes"


Write = Callable[[Row, Rng], str]


def table(
    write: Write, *, evidence: Write | None = None
) -> Callable[[int], pd.DataFrame]:
    """The maker of a table of voyages with such rationales."""

    def make(size: int) -> pd.DataFrame:
        rng = np.random.default_rng([20261121, size])
        rows = []
        for _ in range(size):
            v = voyage(rng)
            beside = {"evidence": evidence(v, rng)} if evidence else {}
            rows.append(
                {"claim": claim(v), **beside, "why": write(v, rng)}
                | {"label": v["label"]}
            )
        return pd.DataFrame(rows)

    return make


def sometimes(share: float, first: Write, second: Write) -> Write:
    """The first in this share of the items, else the second."""
    return lambda v, rng: (first if rng.random() < share else second)(v, rng)


def marked(write: Write, yes: str, no: str, share: float = 1.0) -> Write:
    """A text with one end where the label is yes, and with another where it is no."""

    def marks(v: Row, rng: Rng) -> str:
        end = (yes if is_yes(v) else no) if rng.random() < share else ""
        return write(v, rng) + end

    return marks


def far_pair(v: Row, rng: Rng) -> str:
    """Two marks that agree where the label is yes; each alone tells nothing."""
    first = rng.random() < 0.5
    second = first == is_yes(v)
    opening = "Today" if first else "Then"
    return f"{opening} {bland(v, rng)[:-1]}, {'as told' if second else 'so to say'}."


def three_ways(size: int) -> pd.DataFrame:
    """Three labels by what claim and rationale say together; neither tells alone."""
    rng, rows = np.random.default_rng([20261122, size]), []
    for _ in range(size):
        v, a, b = voyage(rng), int(rng.integers(3)), int(rng.integers(3))
        text = f"{v['who']} sailed under a {SAILS[a]} sail."
        why = f"On day {v['day']} a {SAILS[b]} sail left with {v['cargo']}."
        label = ("same", "next", "other")[(a - b) % 3]
        rows.append({"claim": text, "why": why, "label": label})
    return pd.DataFrame(rows)


def unknown(size: int) -> pd.DataFrame:
    """A third label whose rationales are of another form."""
    made = table(telling)(size)
    rng = np.random.default_rng([20261123, size])
    open_ = rng.random(size) < 0.3
    why = [
        f"No log of that day is left in {one(rng, PORTS)}." if o else text
        for o, text in zip(open_, made["why"], strict=True)
    ]
    return made.assign(why=why, label=np.where(open_, "unknown", made["label"]))


def another_item(size: int) -> pd.DataFrame:
    """Every item has the rationale of another."""
    made = table(telling)(size)
    return made.assign(why=np.roll(made["why"].to_numpy(object), 7))


def skew(size: int) -> pd.DataFrame:
    """Four in five are yes."""
    made = table(telling)(3 * size)
    yes = made[made["label"] == "yes"].head(round(0.8 * size))
    no = made[made["label"] == "no"].head(size - len(yes))
    return pd.concat([yes, no]).sample(frac=1, random_state=0).reset_index(drop=True)


def amounts(size: int) -> pd.DataFrame:
    """Whether the rationale's number is at least the claim's."""
    rng, rows = np.random.default_rng([20261124, size]), []
    for _ in range(size):
        v, asked, seen = voyage(rng), *rng.integers(10, 99, 2)
        text = f"{v['who']} brought at least {asked} tons of {v['cargo']}."
        why = f"The log of {v['port']} notes {seen} tons."
        rows.append(
            {"claim": text, "why": why, "label": "yes" if seen >= asked else "no"}
        )
    return pd.DataFrame(rows)


VAGUE = [
    "The answer follows from the text.",
    "The text supports the conclusion.",
    "This can be seen from what was said.",
    "It is clear from the context.",
]
OWN: Mapping[str, tuple[str, Callable[[int], pd.DataFrame]]] = {
    "x01 a word that completes": ("informs", table(telling)),
    "x02 four in ten complete": ("informs", table(sometimes(0.4, telling, bland))),
    "x03 the evidence says it": ("nothing", table(telling, evidence=telling)),
    "x04 half stands in the evidence": (
        "informs",
        table(telling, evidence=sometimes(0.5, telling, bland)),
    ),
    "x05 an ending in 30 %": (
        "leaks",
        table(marked(bland, " Surely.", " Hardly.", 0.3)),
    ),
    "x06 a smile or none": ("leaks", table(marked(bland, " :)", ""))),
    "x07 longer where yes": (
        "both, no room",
        table(marked(telling, " It was a calm day with little wind.", "")),
    ),
    "x08 capitals": (
        "leaks",
        table(lambda v, rng: bland(v, rng).upper() if is_yes(v) else bland(v, rng)),
    ),
    "x09 two marks that agree": ("leaks", table(far_pair)),
    "x10 the label in another language": (
        "both, no room",
        table(marked(telling, " Ja.", " Nein.")),
    ),
    "x11 a third label of its own form": ("both", unknown),
    "x12 three labels together": ("informs", three_ways),
    "x13 made words": (
        "nothing",
        table(lambda v, rng: " ".join(one(rng, FILLER) for _ in range(8))),
    ),
    "x14 the claim reworded": (
        "nothing",
        table(lambda v, rng: f"It is said that {claim(v)[:-1]}, as can be read."),
    ),
    "x15 of another item": ("nothing", another_item),
    "x16 one text for all": ("nothing", table(lambda v, rng: VAGUE[0])),
    "x17 one of four vague texts": ("nothing", table(lambda v, rng: one(rng, VAGUE))),
    "x18 four in five are yes": ("informs", skew),
    # A large number is often enough: it tells by itself as well.
    "x19 numbers that are compared": ("both", amounts),
    "x20 half end with the label": (
        "both",
        table(marked(telling, " So yes.", " So no.", 0.5)),
    ),
}


def own_tables() -> Iterator[tuple[str, str, Callable[[], pd.DataFrame]]]:
    """Name, truth and maker of each case of ours."""
    for name, (truth, make) in OWN.items():
        for size in SIZES:
            yield f"{name}, {size}", truth, lambda make=make, size=size: make(size)
