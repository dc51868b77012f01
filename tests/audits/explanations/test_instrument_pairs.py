"""The packaged minimal pairs: how many, of which kinds, and each only once."""

from measurand.audits.explanations.instrument import minimal_pairs
from measurand.judges.lexical import LexicalJudge

PAIRS = minimal_pairs()


def test_there_are_several_hundred_of_all_kinds():
    kinds = {pair.change for pair in PAIRS}
    assert kinds == {
        *("", "roles", "number", "date", "quantifier", "negation", "order", "word")
    }
    assert len(PAIRS) >= 300
    assert len({(pair.first, pair.second) for pair in PAIRS}) == len(PAIRS)
    assert all(pair.first and pair.second != pair.first for pair in PAIRS)


def test_a_third_is_held_out_sentence_by_sentence():
    held = {pair.first for pair in PAIRS if pair.held_out}
    seen = {pair.first for pair in PAIRS if not pair.held_out}
    assert not held & seen
    assert 0.25 < sum(pair.held_out for pair in PAIRS) / len(PAIRS) < 0.4


def test_shared_words_alone_take_most_changes_for_paraphrases():
    """D14: what the filter was, before the rules."""
    judge = LexicalJudge()
    found = judge.entails([(pair.first, pair.second) for pair in PAIRS]) > 0.5
    changed = [bool(pair.change) for pair in PAIRS]
    assert found[changed].mean() > 0.5
