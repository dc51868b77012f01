"""Words against labels where items share their texts."""

import numpy as np
import pandas as pd
import pytest

from measurand.audits.leakage.canonical import canonical_benchmark
from measurand.audits.leakage.cards import word_statistics
from measurand.core.benchmark import Benchmark
from measurand.core.items import Items


def made_benchmark(rng, told, grouped=False):
    """Premises of 8 items with a label each; where told, a word of it says which."""
    labels = rng.integers(2, size=200)
    sizes = rng.integers(10, 20, size=200)
    texts = [" ".join(f"w{w}" for w in rng.integers(200, size=n)) for n in sizes]
    if told:
        texts = [
            f"{text} sign{label}" for text, label in zip(texts, labels, strict=True)
        ]
    rows = np.repeat(np.arange(200), 8)
    premises = [
        f"{texts[row]} p{n}" if grouped else texts[row] for n, row in enumerate(rows)
    ]
    table = pd.DataFrame(
        {
            "premise": premises,
            "hypothesis": [f"h{n} g{n % 7}" for n in range(1600)],
            "label": np.array(["no", "yes"])[labels[rows]],
            "source": rows.astype(str),
        },
        index=[str(n) for n in range(1600)],
    )
    group = "source" if grouped else None
    items = Items(table, ("premise", "hypothesis"), "label", (), group)
    train, test = items.rows(np.arange(800)), items.rows(np.arange(800, 1600))
    return Benchmark("made", train, test, "hypothesis", "premise")


@pytest.mark.slow
@pytest.mark.parametrize("grouped", [False, True])
def test_a_text_that_many_items_share_makes_no_artefact_of_its_words(grouped):
    alarms = 0
    for run in range(10):
        benchmark = made_benchmark(np.random.default_rng(run), False, grouped)
        words = word_statistics(canonical_benchmark(benchmark, 0))
        alarms += len(words.surest("premise")) > 0
        length = words.features.set_index(["field", "feature"]).loc["premise"]
        assert length["n"].max() == pytest.approx(200)
    assert alarms <= 2


def test_a_word_that_tells_the_label_is_found_where_texts_are_shared(rng):
    words = word_statistics(canonical_benchmark(made_benchmark(rng, True), 0))
    assert {"sign0", "sign1"} <= set(words.surest("premise")["token"])
