"""Copies of a benchmark, each with something taken or exchanged, for a harness to ask.

A row knows which export it is of, which condition, whose evidence it has, and what it
said when it was written; so answers that come back are of these rows or are refused.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from measurand.core.benchmark import Benchmark
from measurand.core.errors import BadInput, quote
from measurand.core.items import Items
from measurand.core.seeds import generator
from measurand.interventions.shuffle import Shuffle
from measurand.logs.answers import Answers
from measurand.logs.contrasts import WHOLE

OURS = "measurand"  # the column with what we must know when answers come back
SHUFFLES = 3  # draws of another item's evidence: each costs as much as the whole
NO_EVIDENCE, NO_QUERY, CHOICES = "no_evidence", "no_query", "choices_only"
SHUFFLED = "shuffled"


@dataclass(frozen=True, eq=False)
class Copy:
    """The test items under one condition.

    Attributes:
        condition: What was done to them.
        items: The items as they are to be asked.
        donors: Whose evidence each has; empty where it has its own.
    """

    condition: str
    items: Items
    donors: tuple[str, ...] = ()


def make_copies(
    benchmark: Benchmark, shuffles: int = SHUFFLES, seed: int = 0
) -> list[Copy]:
    """The whole items first, then each copy that these items allow.

    Args:
        benchmark: Whose test items are copied.
        shuffles: How often the evidence is drawn anew.
        seed: Of the draws.
    """
    items, query, evidence = benchmark.test, benchmark.query, benchmark.evidence
    copies = [Copy(WHOLE, items)]
    if evidence is not None:
        shuffle = Shuffle(evidence)
        shuffle.check(items)
        texts = items.column(evidence).to_numpy(object)
        for number in range(shuffles):
            order = shuffle.order(items, generator(seed, "export", number))
            changed = items.with_field(evidence, texts[order].tolist())
            donors = tuple(str(items.ids[place]) for place in order)
            copies.append(Copy(f"{SHUFFLED}{number}", changed, donors))
        copies.append(Copy(NO_EVIDENCE, _blank(items, evidence)))
    if evidence is not None or items.choices is not None:
        copies.append(Copy(NO_QUERY, _blank(items, query)))
    if evidence is not None and items.choices is not None:
        copies.append(Copy(CHOICES, _blank(items, query, evidence)))
    if len(copies) == 1:
        raise BadInput(
            f"{benchmark.name} has one text an item and no choices, so that there is "
            "nothing to take or exchange; name `evidence` or `choices`"
        )
    return copies


def _blank(items: Items, *fields: str) -> Items:
    """The items with nothing in these fields."""
    for field in fields:
        items = items.with_field(field, [""] * len(items))
    return items


def write_rows(
    benchmark: Benchmark, copies: Sequence[Copy], seed: int
) -> dict[str, list[dict[str, Any]]]:
    """The rows of each copy, by condition: texts, choices, gold and what is ours.

    Where items bring no choices, the labels are the choices.
    """
    export = hashlib.sha256(
        json.dumps(
            [benchmark.test.digest, seed, [c.condition for c in copies]]
        ).encode()
    ).hexdigest()[:12]
    return {
        copy.condition: [
            row | {OURS: _describe(row, copy, export, seed, number)}
            for number, row in enumerate(_plain_rows(benchmark, copy.items))
        ]
        for copy in copies
    }


def _plain_rows(benchmark: Benchmark, items: Items) -> Iterator[dict[str, Any]]:
    """What a template of the user's may name: id, texts, choices, and the gold."""
    classes = [*benchmark.classes]
    fields = [field for field in items.fields if field != items.choices]
    texts = zip(*(items.column(field) for field in fields), strict=True)
    places = items.gold(items.classes if items.choices else benchmark.classes)
    listed = items.choice_texts if items.choices else [classes] * len(items)
    rows = zip(items.ids, texts, listed, places, items.labels, strict=True)
    for ident, cells, choices, place, label in rows:
        yield {
            "id": str(ident),
            **dict(zip(fields, map(str, cells), strict=True)),
            "choices": choices,
            "gold": int(place),
            items.label: str(label),
        }


def _describe(
    row: Mapping[str, Any], copy: Copy, export: str, seed: int, number: int
) -> dict[str, Any]:
    """What is ours in a row."""
    ours = {"export": export, "condition": copy.condition, "seed": seed}
    if copy.donors:
        ours["evidence_from"] = copy.donors[number]
    return ours | {"digest": digest_row(row)}


def digest_row(row: Mapping[str, Any]) -> str:
    """A fingerprint of all that a row says, but for what is ours.

    >>> digest_row({"id": "q1", OURS: {}}) == digest_row({"id": "q1"})
    True
    """
    said = {key: cell for key, cell in row.items() if key != OURS}
    text = json.dumps(said, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def check_copies(logs: Sequence[Answers]) -> None:
    """Raise where rows of ours came back changed, mixed, or of several exports."""
    exports: dict[str, str] = {}
    for log in logs:
        if OURS not in log.items.columns:
            continue
        for ident, row in zip(
            log.items.index, log.items.to_dict("records"), strict=True
        ):
            ours = row[OURS]
            if not isinstance(ours, dict):
                continue
            if ours.get("condition") != log.condition:
                raise BadInput(
                    f"item {quote(str(ident))} of {quote(log.task)} is of the "
                    f"condition {quote(str(ours.get('condition')))}, and the log of "
                    f"{quote(log.condition)}; run the tasks as they were exported"
                )
            whole = {str(key): cell for key, cell in row.items()}
            if "gold" in whole and ours.get("digest") != digest_row(whole):
                raise BadInput(
                    f"item {quote(str(ident))} of {quote(log.task)} was changed after "
                    "it was exported; export again and run that"
                )
            exports[str(ours.get("export"))] = log.task
    if len(exports) > 1:
        raise BadInput(
            f"the logs are of {len(exports)} exports, such as "
            f"{' and '.join(map(quote, [*exports.values()][:2]))}; give those of one"
        )
