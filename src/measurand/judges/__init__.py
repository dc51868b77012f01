"""Judges: how far one text entails another; and how like two texts are to look at."""

import re
from os.path import isdir
from typing import TYPE_CHECKING

from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import UnknownName

if TYPE_CHECKING:  # with it would come pandas, which --help does without
    from measurand.core.judge import Judge

JUDGES = Catalogue(
    "judge",
    {
        "lexical": Entry(
            "measurand.judges.lexical:LexicalJudge",
            "the share of words that were said before; needs no model",
        ),
        "nli": Entry(
            "measurand.judges.nli:NliJudge",
            "any entailment classifier, by directory or hub id",
            "torch",
        ),
    },
)
LIKENESSES = Catalogue(
    "likeness",
    {
        "rouge_l": Entry(
            "measurand.judges.rouge:Rouge", "ROUGE-L: same words in the same order"
        ),
        "bertscore": Entry(
            "measurand.judges.bertscore:BertScore",
            "BERTScore: tokens matched by an encoder",
            "torch",
        ),
    },
)
SPACES = Catalogue(
    "space",
    {
        "encoder": Entry(
            "measurand.judges.embedding:text_embedder", "texts as vectors", "torch"
        )
    },
)
ANY_CLASSIFIER = "the directory or hub id of an entailment classifier"
HUB_ID = re.compile(r"[\w.-]+/[\w.-]+")


def load_judge(name: str) -> "Judge":
    """A judge by its name, or an entailment classifier by directory or hub id.

    >>> load_judge("lexical")
    LexicalJudge()
    """
    judge: Judge
    if name in JUDGES.entries and name != "nli":
        judge = JUDGES.load(name)
    elif isdir(name) or HUB_ID.fullmatch(name):
        judge = JUDGES.load("nli", model=name)
    else:
        raise UnknownName("judge", name, ["lexical", ANY_CLASSIFIER])
    return judge
