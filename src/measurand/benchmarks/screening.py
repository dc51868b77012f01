"""Free answers, screened into choices: the gold among answers of like items.

Without a model nobody can say whether a text answers a question, but any reader can
pick one of a few. So each gold answer is put among answers that are right elsewhere: of
the same type (a number, a date, a name and so on), near in length, and equal to no
answer that its own item accepts. They are drawn as often as they are gold, so that no
answer gives itself away by being common. Yes and no have only each other.
"""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from measurand.benchmarks.cells import scalar_text
from measurand.benchmarks.flags import check_unflagged
from measurand.benchmarks.formats import TEXT
from measurand.benchmarks.nested import check_no_objects
from measurand.benchmarks.paths import is_missing, open_listed
from measurand.benchmarks.roles import ColumnRoles, NamedColumns, bare_name
from measurand.core.choices import OPPOSITE, answer_type, are_free, normalise_answer
from measurand.core.errors import BadInput, quote
from measurand.core.items import LETTERS, pack_choices, with_columns
from measurand.core.seeds import generator

OTHERS = 3  # answers of other items beside the gold
NEAR = 50  # answers of like length make a block, within which the others are drawn
PLAIN_LABELS = frozenset({"label", "gold_label", "target", "class"})


def find_answer_column(
    table: pd.DataFrame, columns: Sequence[str], named: NamedColumns
) -> str | None:
    """The column of free answers: as named, else by its plain name.

    A column `answer` is one of free answers where most of them stand once.
    """
    if named.answers is not None or named.label is not None or named.choices:
        return named.answers
    taken = named.names()
    free = [column for column in columns if column not in taken]
    if any(column.lower() in PLAIN_LABELS for column in free):
        return None
    for name in ("answers", "answer"):
        plain = [column for column in free if bare_name(column) == name]
        if len(plain) == 1 and (name == "answers" or are_free([*table[plain[0]]])):
            return plain[0]
    return None


def accepted_column(roles: ColumnRoles) -> str | None:
    """The column of the answers that each item accepts; None where there are none.

    >>> accepted_column(ColumnRoles("question", "text", "answers", answers="answers"))
    'answers (accepted)'
    """
    return None if roles.answers is None else f"{roles.answers} (accepted)"


def screen_answers(
    tables: Sequence[pd.DataFrame], roles: ColumnRoles, seed: int
) -> tuple[list[pd.DataFrame], dict[str, str], dict[str, int]]:
    """The tables with answers as choices and letters as labels, and what is counted.

    Rows without any answer are left out. The others are drawn within one table, and
    within one split where a column tells these apart.
    """
    sides = ["train", "test"] if len(tables) > 1 else [""]
    changed, dropped = [], 0
    for table, side in zip(tables, sides, strict=True):
        column = table[roles.label]
        check_unflagged(column, roles.label)
        rows = [_read_answers(cell) for cell in column]
        if not any(rows):
            check_no_objects(column, f"{side} answers".strip())
            raise BadInput(
                f"no {f'{side} row'.strip()} has an answer in column "
                f"{quote(roles.label)}; name another column with `answers`"
            )
        answered = np.flatnonzero([bool(answers) for answers in rows])
        dropped += len(rows) - len(answered)
        changed.append(
            _screen_table(
                table.iloc[answered],
                [rows[row] for row in answered],
                roles,
                (seed, side),
            )
        )
    screened = sum(map(len, changed))
    described = {
        "answers": f"{roles.label} (screened: the gold among {OTHERS + 1} answers of "
        "like items)",
        "label": f"{roles.label} (the letter of the first answer)",
    }
    notes = {"items_screened": screened}
    return (
        changed,
        described,
        notes | ({"dropped_no_answer": dropped} if dropped else {}),
    )


def _read_answers(cell: object) -> list[str]:
    """The answers that a cell accepts, the first of them the gold.

    >>> _read_answers({"text": ["Oslo", "Oslo"], "answer_start": [3, 9]})
    ['Oslo']
    >>> _read_answers([{"text": "Oslo"}, {"text": "oslo"}]), _read_answers(1903)
    (['Oslo', 'oslo'], ['1903'])
    >>> _read_answers("['Oslo', 'Aker']")
    ['Oslo', 'Aker']
    """
    opened = None if is_missing(cell) else open_listed(cell)
    if isinstance(opened, dict):
        opened = open_listed(opened.get("text"))
    found = opened if isinstance(opened, list | tuple) else [opened]
    texts = [
        answer.get("text") if isinstance(answer, dict) else answer for answer in found
    ]
    written = [scalar_text(text) for text in texts if not is_missing(text)]
    return [*dict.fromkeys(text.strip() for text in written if text and text.strip())]


def _screen_table(
    table: pd.DataFrame,
    answers: Sequence[Sequence[str]],
    roles: ColumnRoles,
    stream: tuple[int, str],
) -> pd.DataFrame:
    """One table with drawn choices; each of its splits by itself."""
    seed, side = stream
    splits = (
        table[roles.split].astype(str) if roles.split else pd.Series(side, table.index)
    )
    cells = np.empty(len(table), object)
    letters = np.empty(len(table), object)
    for split in splits.unique():
        rows = np.flatnonzero(splits == split).tolist()
        rng = generator(seed, "screening", split)
        drawn = draw_choices([answers[row] for row in rows], rng)
        for row, (choices, position) in zip(rows, drawn, strict=True):
            cells[row], letters[row] = pack_choices(choices), LETTERS[position]
    accepted = [pack_choices(texts) for texts in answers]
    columns = {
        str(roles.choices): cells,
        roles.label: letters,
        str(accepted_column(roles)): accepted,
    }
    texts = {
        name: pd.Series(values, index=table.index, dtype=TEXT)
        for name, values in columns.items()
    }
    return with_columns(table, texts)


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
    answers: Sequence[Sequence[str]], rng: np.random.Generator
) -> list[tuple[list[str], int]]:
    """The choices of each item and where its gold stands, the first of its answers."""
    by_type: defaultdict[str, list[int]] = defaultdict(list)
    for item, accepted in enumerate(answers):
        by_type[answer_type(accepted[0])].append(item)
    pools = {kind: _pool(answers, items, rng) for kind, items in by_type.items()}
    pool_of = {item: pools[kind] for kind, items in by_type.items() for item in items}
    everything = _pool(answers, range(len(answers)), rng)
    drawn = []
    for item, accepted in enumerate(answers):
        gold = accepted[0]
        if normalise_answer(gold) in OPPOSITE:
            others = [_opposite(gold)]
        else:
            barred = {normalise_answer(text) for text in accepted}
            others = pool_of[item].draw(item, barred, OTHERS, rng)
            barred |= {normalise_answer(text) for text in others}
            others += everything.draw(item, barred, OTHERS - len(others), rng)
        if not others:
            raise BadInput(
                f"all items have the answer {quote(gold)}, so it cannot be screened; "
                "give items with other answers"
            )
        position = int(rng.integers(len(others) + 1))
        drawn.append(([*others[:position], gold, *others[position:]], position))
    return drawn


def _opposite(answer: str) -> str:
    """The other of yes and no, written as this one is.

    >>> _opposite("No."), _opposite("yes")
    ('Yes.', 'no')
    """
    plain = normalise_answer(answer)
    other = OPPOSITE[plain]
    return re.sub(
        plain, other if plain in answer else other.title(), answer, flags=re.I
    )
