"""Random choices of the fuzzer: names with some ill will, and odd values.

Odd values come from hypothesis, in blocks that the number of a case names; all else
from a stream of random numbers that its kind and number seed.
"""

import codecs
import os
import random
from functools import cache
from typing import Any

import hypothesis
from hypothesis import strategies as st

BLOCK = 100  # cases that share what hypothesis drew
# Words of ours, ways out of a folder, and what some other program would obey.
OUR_WORDS = (
    *("side", "rewrite", "aim", "cluster", "label", "query", "evidence", "split"),
    *("right:pair:tfidf", "correct:tfidf", "without_evidence", "remove:answered"),
    *("measurand:side", "measurand:label", "measurand:", "index", "id", "item", "key"),
    *("report.json", "items.parquet", "run.json", "figures", "repair", "store"),
    *("tfidf", "cross", "majority", "minilm:", "encoder:.", "endpoint:", "saved"),
    *("synthetic:nq", "hf:", "hf:../x", "snli", "train", "test", "train+test"),
    *("verdict", "findings", "statistic", "None", "nan", "null", "true", "__class__"),
)
ATTACKS = (
    *("../pwned", "../../pwned", "../../../../../../pwned", "..", ".", "", " ", "~/x"),
    *("/tmp/../pwned", "remove:../../../pwned", "a/b", "a\\..\\b", "C:\\x", "CON"),
    *("\x1b[31mred\x1b[0m", "\x1b]0;x\x07", "a\nb", "a\rb", "a\tb", "\x85", "\u2028"),
    *("\u202egnp.exe", "\ufeff", "\u200b", "e\u0301", "İı", "\ud800", "\udcff\udc80"),
    *(
        "<script>alert(1)</script>",
        "</script><b>",
        "{{7*7}}",
        "${HOME}",
        "%s%n",
        "$HOME",
    ),
    *("`rm`", "$(id)", "=1+1", "@SUM(1)", "[bold]x[/bold]", "[/]", "'", '"', "a,b;c"),
    *("x" * 300, "x" * 5_000, "🤷" * 70, "-", "--", "--out", "-h", "--version"),
)
NUMBERS = (
    *("0", "-1", "1", "2", "3", "0.5", "1000000000", "1" + "0" * 20, "9" * 400),
    *("9" * 5_000, "nan", "inf", "-inf", "1e-300", "1e308", "1e400", "1_0", " 1 "),
    *("0x10", "٣", "1,5", "", "18446744073709551615", "18446744073709551616", "-0.0"),
)


class Dice(random.Random):
    """Random choices of one case, and odd values."""

    def __init__(self, kind: str, number: int) -> None:
        super().__init__(f"{kind}:{number}")
        self.block = number // BLOCK

    def odd(self, what: str) -> Any:
        """A value that hypothesis drew."""
        return self.choice(_odd_values(what, self.block))

    def often(self, share: float) -> bool:
        """True so often."""
        return self.random() < share

    def name(self) -> str:
        """What could be called so, with some ill will."""
        pick = self.random()
        if pick < 0.35:
            return self.choice(OUR_WORDS)
        if pick < 0.7:
            return self.choice(ATTACKS)
        if pick < 0.8:
            return self.choice(OUR_WORDS) + self.choice(ATTACKS)
        return str(self.odd("text"))

    def argument(self, text: str) -> str:
        """The text as a shell can hand it on."""
        whole = text.replace("\0", "").encode("utf-8", "surrogateescape_or_mark")
        return os.fsdecode(whole)


def _mark_half_letters(error: UnicodeError) -> tuple[str | bytes, int]:
    """Half letters that no shell can write become a question mark."""
    assert isinstance(error, UnicodeEncodeError)
    letters = error.object[error.start : error.end]
    codes = [ord(letter) for letter in letters]
    marks = [code - 0xDC00 if 0xDC80 <= code <= 0xDCFF else ord("?") for code in codes]
    return bytes(marks), error.end


codecs.register_error("surrogateescape_or_mark", _mark_half_letters)


@cache
def _odd_values(what: str, block: int) -> list[Any]:
    """What hypothesis draws for a block of cases."""
    letters = st.text(st.characters(exclude_categories=()), max_size=30)
    numbers = st.integers() | st.floats() | st.sampled_from((10**20, -(2**63), 2**64))
    plain = st.none() | st.booleans() | numbers | letters
    nested = st.recursive(
        plain,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(letters, inner, max_size=3)
        ),
        max_leaves=5,
    )
    strategy: st.SearchStrategy[Any] = {
        "text": letters,
        "bytes": st.binary(max_size=300),
        "cell": nested,
    }[what]
    drawn: list[Any] = []

    @hypothesis.seed(block)
    @hypothesis.settings(
        max_examples=60,
        database=None,
        deadline=None,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def take(value: Any) -> None:
        drawn.append(value)

    take()
    return drawn
