"""Tables of the fuzzer: small ones that are sound, and ways to spoil them."""

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


def figures(dice: Dice) -> bytes:
    """Somebody else's accuracies."""
    lines = ["m,n,lm,task,subsample,acc_base,acc_extra,acc_test"]
    for task in ("one", "two"):
        for draw in range(3):
            scores = ",".join(f"{dice.random():.2f}" for _ in range(3))
            lines.append(f"50,100,pca,{task},{draw},{scores}")
    return "\n".join(lines).encode()
