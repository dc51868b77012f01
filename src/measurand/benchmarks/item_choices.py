"""The choices of one item as they are compared, and to which of them a gold leads."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from measurand.benchmarks.paths import Place
from measurand.core.items import LETTERS

# The ways in which a gold may be given.
INDEX, INDEX_FROM_1, LETTER, TEXT_OF = "index", "index from 1", "letter", "text"
MARK = "as its choices are marked"
NAMED = re.compile(r"[(\[]?(\w+)(?:[)\].:]+(?:\s+(.+))?)?", re.DOTALL)


@dataclass(frozen=True)
class ItemChoices:
    """The choices of one item.

    Attributes:
        texts: The choices.
        marks: How they are marked where the item says so, by what marks them.
    """

    texts: list[str]
    marks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @property
    def keys(self) -> list[str]:
        """The texts as they are compared: without case and spare space."""
        return [text_key(text) for text in self.texts]


def text_key(text: str) -> str:
    """A text as it is compared with another: without case and spare space.

    >>> text_key(" A  Boat")
    'a boat'
    """
    return _squeeze(text).casefold()


def _squeeze(text: str) -> str:
    """A text without spare space."""
    return " ".join(text.split())


def choice_keys(texts: Sequence[str]) -> list[str]:
    """The choices of an item as they are compared.

    Those that only case or spacing tells apart, as genes or code, stay apart.

    >>> choice_keys(["RR", "Rr", "None "]), choice_keys(["Oak", "Oak", "Ash"])
    (['RR', 'Rr', 'none'], ['oak', 'oak', 'ash'])
    """
    forms: dict[str, set[str]] = {}
    for text in texts:
        forms.setdefault(text_key(text), set()).add(text.strip())
    keys = [text_key(text) for text in texts]
    return [
        key if len(forms[key]) == 1 else text.strip()
        for key, text in zip(keys, texts, strict=True)
    ]


def mark_key(text: str) -> str:
    """A mark as it is compared: without case, brackets and points.

    >>> mark_key(" (B)"), mark_key("1."), mark_key("opt-2")
    ('b', '1', 'opt-2')
    """
    return text.strip().strip("()[].:").strip().lower()


def gold_place(gold: object, item: ItemChoices, way: str) -> int | None:
    """The position of the right choice; None where the gold leads to none.

    >>> item = ItemChoices(["a boat", "A mast"], {MARK: ["1", "2"]})
    >>> [gold_place(*gold) for gold in (
    ...     ("1", item, INDEX), ("b", item, LETTER), ("a  mast", item, TEXT_OF),
    ...     ("2", item, MARK), ("2", item, INDEX), (Place(1), item, MARK))]
    [1, 1, 1, 1, None, 1]
    """
    if isinstance(gold, Place):
        return int(gold)
    text = str(gold)
    if way == TEXT_OF:
        return _text_place(text, item)
    if way in (INDEX, INDEX_FROM_1):
        is_number = re.fullmatch(r"\d{1,9}", text.strip(), re.ASCII)
        position = int(text) - (way == INDEX_FROM_1) if is_number else -1
        return position if 0 <= position < len(item.texts) else None
    letters = [*LETTERS.lower()[: len(item.texts)]]
    return _named_place(text, item, item.marks.get(way) or letters)


def _text_place(text: str, item: ItemChoices) -> int | None:
    """The position of the choice that is most alike; None where that is not one.

    >>> item = ItemChoices(["Rr", "rr", "none"])
    >>> [_text_place(gold, item) for gold in ("rr", " rr", "RR", "None", "no")]
    [1, 1, None, 2, None]
    """
    for form in (str, _squeeze, text_key):
        wanted = form(text)
        places = [n for n, choice in enumerate(item.texts) if form(choice) == wanted]
        if places:
            return places[0] if len({item.texts[n] for n in places}) == 1 else None
    return None


def _named_place(text: str, item: ItemChoices, names: Sequence[str]) -> int | None:
    """The position of a letter or mark, bare or bracketed; its choice may follow.

    >>> item = ItemChoices(["a boat", "a mast"])
    >>> golds = ("b", "(B)", "B)", "B.", "B. A mast", "B. a boat", "B mast", "C", "be")
    >>> [_named_place(gold, item, "ab") for gold in golds]
    [1, 1, 1, 1, 1, None, None, None, None]
    """
    match = NAMED.fullmatch(text.strip())
    name = match[1].lower() if match and match[2] else mark_key(text)
    if name not in [*names]:
        return None
    place = names.index(name)
    agrees = not match or not match[2] or text_key(match[2]) == item.keys[place]
    return place if agrees else None
