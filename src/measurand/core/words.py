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


# English words that hold a sentence together; negations stand apart.
FUNCTION = frozenset(
    words(
        """
        a an the this that these those some any each every either all both half several
        such another other others same own much many more most few fewer less least
        enough i me my mine myself we us our ours ourselves you your yours yourself
        yourselves he him his himself she her hers herself it its itself they them their
        theirs themselves oneself somebody someone something somewhere anybody anyone
        anything anywhere everybody everyone everything everywhere
        who whom whose which what when where why how whoever whatever whichever whenever
        wherever whether
        am is are was were be been being have has had having do does did doing done will
        would shall should can could may might must ought
        about above across after against along amid among amongst around as at atop
        before behind below beneath beside besides between beyond by despite down during
        except for from in inside into like near of off on onto out outside over past
        per since than through throughout till to toward towards under underneath until
        unto up upon via with within
        and but or so yet if then else because although though unless while whereas
        here there now just only also too very quite rather even still again once ever
        i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd
        it's it'll we're we've we'll we'd they're they've they'll they'd that's that'll
        there's there're here's what's who's who'll where's when's how's let's
        s re ve ll d m
        """
    )
)


def count_sentences(text: str) -> int:
    """How many sentences `text` holds: at least one, unless it is empty.

    >>> [count_sentences(text) for text in ("One. Two! Three", "猫。狗。", "")]
    [3, 2, 0]
    """
    return sum(1 for part in SENTENCE.split(text) if part.strip())


def has_negation(text: str) -> bool:
    """Whether a negation stands in `text`.

    >>> has_negation("He did not go"), has_negation("He went")
    (True, False)
    """
    return any(word in NEGATIONS for word in words(text))
