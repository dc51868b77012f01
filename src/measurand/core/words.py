"""What counts as a word, in every script.

Scripts that write no spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan)
are read a character at a time, so that word n-grams become character n-grams
wherever words are counted.
"""

import re

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u0f00-\u0fff"  # Tibetan
    "\u1000-\u109f"  # Burmese
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+(?:['’][^\W{UNSPACED}]+)?")
SENTENCE = re.compile(r"[.!?]+(?=\s|$)|[。！？]+")
NEGATIONS = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "nobody",
        "nothing",
        "nowhere",
        "neither",
        "nor",
        "cannot",
        "without",
        "isn't",
        "aren't",
        "wasn't",
        "weren't",
        "don't",
        "doesn't",
        "didn't",
        "won't",
        "can't",
        "couldn't",
        "shouldn't",
        "wouldn't",
        "hasn't",
        "haven't",
        "hadn't",
        "n't",
        "nt",
        "不",
        "没",
        "無",
        "无",
        "未",
        "非",
    ]
)


def words(text: str) -> list[str]:
    """The lower-cased words of `text`, or its characters where no spaces are written.

    >>> words("Don't PANIC, 42!"), words("猫吃鱼 ok")
    (["don't", 'panic', '42'], ['猫', '吃', '鱼', 'ok'])
    """
    return WORD.findall(text.lower())


def sentences(text: str) -> int:
    """How many sentences `text` holds: at least one, unless it is empty.

    >>> sentences("One. Two! Three"), sentences("猫。狗。"), sentences("")
    (3, 2, 0)
    """
    return sum(1 for part in SENTENCE.split(text) if part.strip())


def negated(text: str) -> bool:
    """Whether a negation stands in `text`.

    >>> negated("He did not go"), negated("He went")
    (True, False)
    """
    return any(word in NEGATIONS for word in words(text))
