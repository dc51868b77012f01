import numpy as np
import pandas as pd
import pytest

from measurand.core.benchmark import Benchmark
from measurand.core.items import Items


def make_benchmark(queries, texts, groups=None, evidence="proof"):
    table = pd.DataFrame({"claim": queries, "proof": texts, "label": "x"}, dtype=object)
    if groups is not None:
        table["topic"] = groups
    table.index = [str(n) for n in range(len(table))]
    group = None if groups is None else "topic"
    items = Items(table, ("claim", "proof"), "label", (), group)
    return Benchmark("made", items, items, "claim", evidence)


def clusters(*columns, **settings):
    benchmark = make_benchmark(*columns, **settings)
    return benchmark.clusters(benchmark.test).tolist()


def test_items_that_share_a_query_hang_together():
    assert clusters(["p", "p", "q"], ["a", "b", "c"]) == [0, 0, 1]


def test_a_few_question_words_join_no_items_that_have_evidence_of_their_own():
    words, passages = ["cause", "effect"] * 15, [f"passage {n}" for n in range(30)]
    assert clusters(words, passages) == [*range(30)]
    several = [f"why {n % 8}?" for n in range(30)]
    assert len({*clusters(several, passages)}) == 8


def test_queries_of_their_own_leave_the_clusters_to_the_evidence():
    assert clusters(["p", "q", "r"], ["a", "a", "c"]) == [0, 0, 1]


def test_queries_and_evidence_that_cross_are_two_ways():
    crossed = clusters(["p", "p", "q", "q"], ["a", "b", "a", "b"])
    assert crossed == [[0, 0], [0, 1], [1, 0], [1, 1]]


def test_a_group_joins_items_in_both_ways():
    both = clusters(["p", "p", "q", "r"], ["a", "b", "b", "c"], groups=list("xyzz"))
    np.testing.assert_array_equal(both, [[0, 0], [0, 1], [1, 1], [1, 1]])


@pytest.mark.parametrize("queries", [["p", "p", "q"], ["p", "q", "r"]])
def test_without_evidence_the_queries_alone_hang_together(queries):
    expected = pd.factorize(pd.Series(queries))[0].tolist()
    assert clusters(queries, ["a", "a", "a"], evidence=None) == expected


def test_blank_evidence_joins_no_items():
    assert clusters(["p", "q", "r", "s"], ["", "a", " ", "a"]) == [0, 1, 2, 1]
