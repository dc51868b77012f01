"""A memory of texts."""

import numpy as np
import pandas as pd

from measurand.benchmarks.assemble import from_frames
from measurand.readers.baselines import LookupReader


def test_a_lookup_knows_texts_again_by_their_words():
    frame = pd.DataFrame(
        {
            "query": ["A dog , barks!", "a cat sleeps"] * 6,
            "evidence": [f"text {i}" for i in range(12)],
            "label": ["yes", "no"] * 6,
        }
    )
    other = frame.assign(query=["a dog, barks", "a bird flies"] * 6)
    benchmark = from_frames(frame, other, name="lookup")
    fitted = LookupReader("query").fit(benchmark.train, np.random.default_rng(0))
    shares = fitted.predict(benchmark.test)
    assert shares[0].argmax() == fitted.classes.index("yes")
    assert shares[1].tolist() == [0.5, 0.5]
