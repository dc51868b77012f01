"""Free answers, screened into choices: the gold among answers of like items.

Without a model nobody can say whether a text answers a question, but any reader can
pick one of a few. So each gold answer is put among answers that are right elsewhere: of
the same type (a number, a date, a name and so on), near in length, and equal to no
answer that its own item accepts. They are drawn as often as they are gold, so that an
answer hardly gives itself away by being common, unless a few make up most golds: no
item has one twice. Yes and no have only each other.

They are drawn after the split, and again after the items are cut into folds, within
what is asked about together. A wrong answer that is right in training would be known
from there, and the gold never: whoever learned would be wrong more than by chance.
"""

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import with_texts, word_text
from measurand.benchmarks.flags import check_unflagged
from measurand.benchmarks.nested import check_no_objects
from measurand.benchmarks.paths import is_missing, open_listed
from measurand.benchmarks.printed import check_printed
from measurand.benchmarks.roles import ColumnRoles
from measurand.core.choices import OPPOSITE, answer_type, normalise_answer
from measurand.core.errors import BadInput, quote
from measurand.core.items import LETTERS, Items, pack_choices

OTHERS = 3  # answers of other items besides the gold
NEAR = 50  # answers of like length make a block, within which the others are drawn


def take_answers(
    tables: Sequence[pd.DataFrame], roles: ColumnRoles
) -> tuple[list[pd.DataFrame], dict[str, str], dict[str, int]]:
    """The tables with the gold as the only choice as yet, and what is counted.

    Rows without any answer are left out.
    """
    sides = ["train", "test"] if len(tables) > 1 else [""]
    changed, dropped = [], 0
    for table, side in zip(tables, sides, strict=True):
        column = table[roles.label]
        check_unflagged(column, roles.label)
        rows = [_read_answers(cell, row) for row, cell in enumerate(column, 1)]
        if not any(rows):
            check_no_objects(column, f"{side} answers".strip())
            raise BadInput(
                f"no {f'{side} row'.strip()} has an answer in column "
                f"{quote(roles.label)}; name another column with `answers`"
            )
        answered = np.flatnonzero([bool(answers) for answers in rows])
        dropped += len(rows) - len(answered)
        answers = [rows[row] for row in answered]
        accepted = {str(roles.accepted): [*map(pack_choices, answers)]}
        alone = [([texts[0]], 0) for texts in answers]
        columns = accepted | _choice_cells(alone, str(roles.choices), roles.label)
        changed.append(with_texts(table.iloc[answered], columns))
    described = {
        "answers": f"{roles.label} (screened: the gold among up to {OTHERS + 1} "
        "answers of like items)",
        "label": f"{roles.label} (the letter of the first answer)",
    }
    notes = {"items_screened": sum(map(len, changed))}
    return (
        changed,
        described,
        notes | ({"dropped_no_answer": dropped} if dropped else {}),
    )


def screen_side(
    table: pd.DataFrame, roles: ColumnRoles, rng: np.random.Generator
) -> pd.DataFrame:
    """One side of the split with drawn choices, and letters as labels."""
    answers = [json.loads(cell) for cell in table[str(roles.accepted)]]
    cells = _choice_cells(draw_choices(answers, rng), str(roles.choices), roles.label)
    return with_texts(table, cells)


def screen_parts(items: Items, parts: Sequence[int], rng: np.random.Generator) -> Items:
    """The items with choices drawn again, from their own part as far as it goes."""
    drawn = draw_choices(items.accepted_answers, rng, parts)
    cells = _choice_cells(drawn, str(items.choices), items.label)
    return items.with_table(with_texts(items.table, cells))


def _choice_cells(
    drawn: Sequence[tuple[Sequence[str], int]], choices: str, label: str
) -> dict[str, list[str]]:
    """The cells of drawn choices, and the letters of the right ones."""
    return {
        choices: [pack_choices(texts) for texts, _ in drawn],
        label: [LETTERS[position] for _, position in drawn],
    }


def _read_answers(cell: object, row: int = 1) -> list[str]:
    """The answers that a cell accepts, the first of them the gold.

    >>> _read_answers({"text": ["Oslo", "Oslo"], "answer_start": [3, 9]})
    ['Oslo']
    >>> _read_answers([{"text": "Oslo"}, {"text": "oslo"}]), _read_answers(1903)
    (['Oslo', 'oslo'], ['1903'])
    >>> _read_answers("['Oslo', 'Aker']"), _read_answers(True)
    (['Oslo', 'Aker'], ['true'])
    """
    try:
        opened = None if is_missing(cell) else open_listed(cell)
        if isinstance(opened, dict):
            opened = open_listed(opened.get("text"))
        check_printed(opened)
    except BadInput as bad:
        raise BadInput(f"row {row} of the answers: {bad}") from None
    values = opened if isinstance(opened, list | tuple) else [opened]
    texts = [
        answer.get("text") if isinstance(answer, dict) else answer for answer in values
    ]
    written = [word_text(text) for text in texts if not is_missing(text)]
    return [*dict.fromkeys(text.strip() for text in written if text and text.strip())]


@dataclass(frozen=True)
class _Pool:
    """The gold answers of one type, by length, as they are drawn for other items."""

    texts: list[str]
    keys: list[str]
    position: Mapping[int, int]

    def draw(
        self, item: int, barred: set[str], count: int, rng: np.random.Generator
    ) -> list[str]:
        """So many answers near in length, or fewer where there are no more.

        The blocks are the same for all items, so that the gold is the longest of its
        choices, or the second, as often as any other.
        """
        blocks = max(1, len(self.texts) // NEAR)
        block = self.position[item] * blocks // len(self.texts)
        bounds = [-(-edge * len(self.texts) // blocks) for edge in (block, block + 1)]
        chosen: dict[str, str] = {}
        for start, end in (bounds, (0, len(self.texts))):
            for position in rng.permutation(np.arange(start, end)):
                if self.keys[position] not in barred and len(chosen) < count:
                    chosen.setdefault(self.keys[position], self.texts[position])
            if len(chosen) == count:
                break
        return [*chosen.values()]


def _pool(
    answers: Sequence[Sequence[str]], items: Sequence[int], rng: np.random.Generator
) -> _Pool:
    """The gold answers of these items by length; those as long in any order."""
    shuffled = [items[position] for position in rng.permutation(len(items))]
    golds = {item: answers[item][0] for item in items}
    order = sorted(shuffled, key=lambda i: (len(golds[i].split()), len(golds[i])))
    texts = [golds[item] for item in order]
    position = {item: number for number, item in enumerate(order)}
    return _Pool(texts, [normalise_answer(text) for text in texts], position)


def draw_choices(
    answers: Sequence[Sequence[str]],
    rng: np.random.Generator,
    parts: Sequence[int] | None = None,
) -> list[tuple[list[str], int]]:
    """The choices of each item and where its gold stands, the first of its answers.

    Args:
        answers: What each item accepts.
        rng: Draws the others, and the places.
        parts: Items with one number are asked about together; None where all are.
    """
    pools = _pools_by_item(answers, rng, parts)
    drawn = []
    for item, accepted in enumerate(answers):
        gold = accepted[0]
        others: list[str] = []
        if normalise_answer(gold) in OPPOSITE:
            others = [_opposite(gold)]
        else:
            barred = {normalise_answer(text) for text in accepted}
            for pool, count in zip(pools[item], (OTHERS, 1, 1), strict=False):
                others = others or pool.draw(item, barred, count, rng)
        if not others:
            raise BadInput(
                f"all items have the answer {quote(gold)}, so it cannot be screened; "
                "give items with other answers"
            )
        position = int(rng.integers(len(others) + 1))
        drawn.append(([*others[:position], gold, *others[position:]], position))
    return drawn


def _pools_by_item(
    answers: Sequence[Sequence[str]],
    rng: np.random.Generator,
    parts: Sequence[int] | None,
) -> list[list[_Pool]]:
    """The pools that the others of an item are drawn from, where one before has none.

    An item has fewer others where its part has few of its type: an answer of another
    type would give itself away, and one of another part be known from there. Only where
    there is none of its type is there one of another.
    """
    types = [answer_type(accepted[0]) for accepted in answers]
    keys: list[Sequence[object]] = [types, [0] * len(answers)]
    if parts is not None:
        keys = [[*zip(types, parts, strict=True)], parts, keys[-1]]
    pools: list[list[_Pool]] = [[] for _ in answers]
    for names in keys:
        members: defaultdict[object, list[int]] = defaultdict(list)
        for item, name in enumerate(names):
            members[name].append(item)
        for items in members.values():
            pool = _pool(answers, items, rng)
            for item in items:
                pools[item].append(pool)
    return pools


def _opposite(answer: str) -> str:
    """The other of yes and no, written as this one is.

    >>> _opposite("No."), _opposite("yes")
    ('Yes.', 'no')
    """
    plain = normalise_answer(answer)
    opposite = OPPOSITE[plain]
    return re.sub(
        plain, opposite if plain in answer else opposite.title(), answer, flags=re.I
    )
