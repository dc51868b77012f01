"""Tables of the fuzzer: small ones that are sound, and ways to spoil them."""

import copy
import csv
import io
import json
import random
from typing import Any

from bench.fuzz_dice import Dice

CITIES = ("paris", "rome", "oslo", "lima", "cairo", "quito", "tunis", "dakar")
FORMATS = ("jsonl", "json", "csv", "tsv", "parquet")
CLAIMS = ("claim", "evidence", "label", "kind")


def claims(rng: random.Random, n: int = 40) -> list[dict[str, Any]]:
    """Claims whose evidence decides; `kind` says nothing."""
    rows = []
    for number in range(n):
        claimed, other = rng.sample(CITIES, 2)
        yes = rng.random() < 0.5
        place = f"{claimed} indeed" if yes else f"{other} instead"
        rows.append(
            {
                "claim": f"Trip {number} went to {claimed}",
                "evidence": f"Report {number} says the team flew to {place}",
                "label": "yes" if yes else "no",
                "kind": "abc"[number % 3],
            }
        )
    return rows


def questions(rng: random.Random, n: int = 40) -> list[dict[str, Any]]:
    """Questions with choices of which the passage tells one."""
    rows = []
    for number in range(n):
        cities = rng.sample(CITIES, rng.choice((2, 3, 4, 4, 4)))
        gold = rng.randrange(len(cities))
        rows.append(
            {
                "question": f"Where did trip {number} go?",
                "passage": f"It was wet. Report {number} says: to {cities[gold]}.",
                "options": cities,
                "answer": gold,
                "topic": "abc"[number % 3],
                "title": f"book {number // 8}",
            }
        )
    return rows


def encode(rows: list[dict[str, Any]], ending: str) -> bytes:
    """The rows as a file of this format; as JSON lines where that cannot hold them."""
    if ending == "json":
        return json.dumps(rows).encode()
    if ending in ("csv", "tsv"):
        text = io.StringIO()
        columns = list(dict.fromkeys(column for row in rows for column in row))
        writer = csv.writer(text, delimiter="\t" if ending == "tsv" else ",")
        writer.writerow(columns)
        writer.writerows([row.get(column, "") for column in columns] for row in rows)
        return text.getvalue().encode("utf-8", "surrogatepass")
    if ending == "parquet":
        return _encode_parquet(rows)
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def _encode_parquet(rows: list[dict[str, Any]]) -> bytes:
    import pandas as pd

    try:
        return pd.DataFrame(rows).to_parquet() or b""
    except Exception:  # whatever the library does not like about odd cells
        texts = [{_plain(c): _plain(v) for c, v in row.items()} for row in rows]
        return pd.DataFrame(texts).to_parquet() or b""


def _plain(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


def mutate(dice: Dice, content: bytes) -> bytes:
    """The bytes with a few changes."""
    changed = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        at = dice.randrange(len(changed) + 1)
        to = min(len(changed), at + dice.choice((1, 4, 30, 1000)))
        how = dice.randrange(6)
        if how == 0 and at < len(changed):
            changed[at] ^= 1 << dice.randrange(8)
        elif how == 1:
            changed[at:at] = dice.odd("bytes")
        elif how == 2:
            del changed[at:to]
        elif how == 3:
            changed[at:at] = changed[at:to] * dice.choice((1, 3))
        elif how == 4:
            changed[at:to] = dice.choice(
                (b"\0", b'"', b"{", b"]", b"\n", b"\xff", b"9" * 400)
            )
        elif dice.often(0.3):
            del changed[at:]
    return bytes(changed) if changed != content else content + b"\0"


def _odd_cells(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    column, share = dice.choice(CLAIMS), dice.choice((0.02, 0.2, 1.0))
    return [
        {**row, column: dice.odd("cell")} if dice.often(share) else row for row in rows
    ]


def _odd_texts(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    column, share = dice.choice(CLAIMS[:2]), dice.choice((0.02, 0.2, 1.0))
    return [
        {**row, column: f"{dice.name()} {row.get(column)}"}
        if dice.often(share)
        else row
        for row in rows
    ]


def _same_cells(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    column = dice.choice(CLAIMS)
    values = ("", " ", None, float("nan"), float("inf"), 1, 1.5, True, [], {}, "yes")
    value = dice.choice((*values, "x" * 100_000, dice.odd("cell")))
    return [{**row, column: value} for row in rows]


def _odd_labels(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = [dice.choice((dice.name(), dice.odd("cell"))) for _ in range(2)]
    return [{**row, "label": names[len(str(row.get("label"))) % 2]} for row in rows]


def _odd_columns(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    more = {dice.name(): dice.odd("cell") for _ in range(dice.choice((1, 3, 40)))}
    return [{**row, **more} for row in rows]


def _ragged(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{c: v for c, v in row.items() if dice.often(0.9)} for row in rows]


def _split_column(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    names = dice.choice((("train", "test"), ("train", ""), ("test",), ("x", "y", None)))
    return [{**row, "split": dice.choice(names)} for row in rows]


ROW_CHANGES = (
    *(_odd_texts, _odd_texts, _odd_texts, _odd_cells, _odd_cells, _same_cells),
    *(_odd_labels, _odd_columns, _odd_columns, _ragged, _split_column),
)


def _choice_layout(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The choices as JSON, as objects, by letter, or a column each."""
    how = dice.randrange(5)
    changed = []
    for row in rows:
        texts = row.get("options")
        if not isinstance(texts, list):
            changed.append(row)
            continue
        letters = dict(zip("ABCDEFGH", texts, strict=False))
        cells: tuple[Any, ...] = (
            json.dumps(texts),
            [{"text": text, "label": mark} for mark, text in letters.items()],
            {"text": texts, "label": [*letters]},
            letters,
        )
        rest = {c: v for c, v in row.items() if c != "options"}
        changed.append(rest | letters if how == 4 else {**row, "options": cells[how]})
    return changed


def _choice_golds(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The gold as a letter, a text or an index, within the choices or beyond."""
    how, share = dice.randrange(5), dice.choice((0.0, 0.02, 1.0))
    changed = []
    for row in rows:
        texts, gold = row.get("options"), row.get("answer")
        inside = isinstance(texts, list) and gold in range(min(len(texts), 8))
        text = texts[gold] if inside else gold
        letter = "ABCDEFGH"[gold] if inside else gold
        ways = (letter, text, [text], {"text": [text]}, str(gold))
        beyond = dice.choice((-1, 99, "Z", "", None, "AB", [], dice.odd("cell")))
        value = beyond if dice.often(share) else ways[how]
        changed.append({**row, "answer": value})
    return changed


def _choice_lists(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Some lists empty, of one, too long, twice the same, nested or of no texts."""
    share = dice.choice((0.02, 0.2, 1.0))
    lists = ([], [""], ["a"], ["a", "a"], ["a"] * 40, [["a"], ["b"]], [None, "b"])
    odd = (*lists, [1, 2.5], {}, "[", '["a", "b"', "a", None, dice.odd("cell"))
    value = dice.choice(odd)
    return [{**row, "options": value} if dice.often(share) else row for row in rows]


def _choice_cells(dice: Dice, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Odd cells, or the same in all rows, in some column."""
    column = dice.choice((*QUESTIONS, *("A", "B")))
    value, share = dice.odd("cell"), dice.choice((0.02, 0.2, 1.0))
    alike = dice.often(0.5)
    return [
        {**row, column: value if alike else dice.odd("cell")}
        if dice.often(share)
        else row
        for row in rows
    ]


QUESTIONS = ("question", "passage", "options", "answer", "topic", "title")
CHOICE_CHANGES = (
    *(_choice_layout, _choice_layout, _choice_golds, _choice_golds, _choice_lists),
    *(_choice_cells, _ragged, _split_column, _odd_columns),
)


def figures(dice: Dice) -> bytes:
    """Somebody else's accuracies."""
    lines = ["m,n,lm,task,subsample,acc_base,acc_extra,acc_test"]
    for task in ("one", "two"):
        for draw in range(3):
            scores = ",".join(f"{dice.random():.2f}" for _ in range(3))
            lines.append(f"50,100,pca,{task},{draw},{scores}")
    return "\n".join(lines).encode()


def disturb(dice: Dice, document: Any) -> Any:
    """The document with a few of its parts removed, doubled or something else."""
    for _ in range(dice.choice((1, 1, 2, 5))):
        place = document
        while place:
            names = list(place) if isinstance(place, dict) else range(len(place))
            name = dice.choice(list(names))
            if isinstance(place[name], dict | list) and place[name] and dice.often(0.8):
                place = place[name]
                continue
            if dice.often(0.2):
                del place[name]
            else:
                odd = (
                    dice.odd("cell"),
                    dice.name(),
                    dice.odd("text"),
                    None,
                    [],
                    {},
                    -1,
                    0.5,
                )
                place[name] = copy.deepcopy(dice.choice(odd))
            break
    return document
