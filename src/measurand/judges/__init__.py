"""Judges: how far one text entails another; and how like two texts are to look at."""

import re
from os.path import isdir
from typing import TYPE_CHECKING

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import UnknownName

if TYPE_CHECKING:  # with it would come pandas, which --help does without
    from measurand.core.explainer import Judge

JUDGES = Catalogue(
    "judge",
    {
        "lexical": Entry(
            "measurand.judges.lexical:LexicalJudge",
            "the share of words that were said before; needs no model",
        ),
        "nli": Entry(
            "measurand.judges.neural:NliJudge",
            "any entailment classifier, by directory or hub id",
            "torch",
        ),
    },
)
LIKENESSES = Catalogue(
    "likeness",
    {
        "rouge_l": Entry(
            "measurand.judges.lexical:Rouge", "ROUGE-L: same words in the same order"
        ),
        "bertscore": Entry(
            "measurand.judges.neural:BertScore",
            "BERTScore: tokens matched by an encoder",
            "torch",
        ),
    },
)
SPACES = Catalogue(
    "space",
    {
        "encoder": Entry(
            "measurand.judges.neural:text_embedder", "texts as vectors", "torch"
        )
    },
)
NAMED_SPACES = ("tfidf", "minilm")
ANY_ENCODER = "the directory or hub id of an encoder"
ANY_CLASSIFIER = "the directory or hub id of an entailment classifier"
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


def load_judge(name: str) -> "Judge":
    """A judge by its name, or an entailment classifier by directory or hub id.

    >>> load_judge("lexical")
    LexicalJudge()
    """
    check_judge(name)
    judge: Judge
    judge = JUDGES.load(name) if _is_known(name) else JUDGES.load("nli", model=name)
    return judge


def check_judge(name: str) -> None:
    """Raise where no judge has this name, and it cannot be a classifier."""
    if not _is_known(name) and not _is_model(name):
        raise UnknownName("judge", name, ["lexical", ANY_CLASSIFIER])


def check_space(name: str) -> None:
    """Raise where texts cannot be compared by what has this name.

    >>> check_space("tfidf")
    """
    if name not in NAMED_SPACES and not _is_model(name):
        raise UnknownName("similarity", name, [*NAMED_SPACES, ANY_ENCODER])


def _is_known(name: str) -> bool:
    """Whether a judge has this name."""
    return name in JUDGES.entries and name != "nli"


def _is_model(name: str) -> bool:
    """Whether a name is a directory, or could be one of the hub."""
    return isdir(name) or HUB_ID.fullmatch(name) is not None
