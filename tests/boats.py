"""Boats of a colour: the README's benchmark, whose evidence decides."""

import numpy as np
import pandas as pd


def boats(count: int = 1200) -> pd.DataFrame:
    """Claims about boats, what was seen of them, and whether it agrees."""
    rng = np.random.default_rng(0)
    colours = np.array(["red", "blue", "green", "black"])
    claimed = rng.integers(4, size=count)
    moved = (claimed + rng.integers(1, 4, count)) % 4
    seen = np.where(rng.random(count) < 0.5, claimed, moved)
    return pd.DataFrame(
        {
            "claim": [f"Boat {i} is {colours[c]}." for i, c in enumerate(claimed)],
            "evidence": [
                f"We saw boat {i}; it was {colours[c]}." for i, c in enumerate(seen)
            ],
            "label": np.where(claimed == seen, "supported", "refuted"),
            "harbour": rng.choice(["north", "south", "west"], count),
        }
    )
