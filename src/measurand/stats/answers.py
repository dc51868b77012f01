"""How right a written answer is: by exact match and by the words it shares.

As SQuAD (Rajpurkar et al. 2016) scores: without case, punctuation, articles and spare
space, and by the best of the answers that an item accepts.
"""

import re
import string
from collections import Counter
from collections.abc import Sequence

import numpy as np

from measurand.core.arrays import Floats

ARTICLES = re.compile(r"\b(?:a|an|the)\b")
NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_form(text: str) -> str:
    """An answer as SQuAD compares it.

    >>> squad_form("The  Great Gatsby."), squad_form("U.S."), squad_form("an A-Z")
    ('great gatsby', 'us', 'az')
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(NO_PUNCTUATION)).split())


def exact_match(answer: str, accepted: Sequence[str]) -> float:
    """1 where the answer is one of those accepted, else 0.

    >>> exact_match("the Eiffel tower", ["Paris", "Eiffel Tower"])
    1.0
    """
    return float(squad_form(answer) in {squad_form(text) for text in accepted})


def token_f1(answer: str, accepted: Sequence[str]) -> float:
    """The F1 of the words shared with the accepted answer that shares most.

    >>> token_f1("in Paris, France", ["Paris"]), token_f1("Rome", ["Paris"])
    (0.5, 0.0)
    """
    words = squad_form(answer).split()
    return max(_word_f1(words, squad_form(text).split()) for text in accepted)


def _word_f1(words: Sequence[str], gold: Sequence[str]) -> float:
    """The F1 of the words; of none, whether both have none."""
    if not words or not gold:
        return float(not words and not gold)
    shared = (Counter(words) & Counter(gold)).total()
    return 2 * shared / (len(words) + len(gold))


def commonest_answer_scores(accepted: Sequence[Sequence[str]]) -> Floats:
    """Which items are right by the one answer that most of them accept.

    >>> commonest_answer_scores([["two", "2"], ["Oslo"], ["Two"]]).tolist()
    [1.0, 0.0, 1.0]
    """
    forms = [{squad_form(text) for text in texts} for texts in accepted]
    counts = Counter(form for row in forms for form in row)
    best = min(counts, key=lambda form: (-counts[form], form))
    return np.array([best in row for row in forms], float)
