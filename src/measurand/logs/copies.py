"""Copies of a benchmark, each with something taken or exchanged, for a harness to ask.

A row knows which export it is of, which condition, whose evidence it has, and what it
said when it was written; so answers that come back are of these rows or are refused.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.split import fold_benchmark
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
ADDED = ("choices", "gold")  # columns of rows that not every benchmark has
PLACE = "place"  # of a row in the random order of its copy
COLUMNS = ("query", "evidence", "label", "choices")  # that an export names


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
    """The whole items first, then each copy that these items allow; rows at random.

    Of a single file all items are copied, as no model of a harness learns from them.

    Args:
        benchmark: Whose items are copied: those of its test file, where it has one.
        shuffles: How often the evidence is drawn anew.
        seed: Of the draws.
    """
    items, query, evidence = _items(benchmark), benchmark.query, benchmark.evidence
    # At random, so that the first of them are a sample of all.
    items = items.rows(generator(seed, "export", "order").permutation(len(items)))
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


def _items(benchmark: Benchmark) -> Items:
    """All items of a single file, or those of the test file.

    Free answers were screened among the items of their side, and stay with them.
    """
    if benchmark.test.answers is not None:
        return benchmark.test
    return fold_benchmark(benchmark, 2, 0).test


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
            [copies[0].items.digest, seed, [c.condition for c in copies]]
        ).encode()
    ).hexdigest()[:12]
    terms = {"export": export, "seed": seed, "columns": _columns(benchmark)}
    return {
        copy.condition: [
            row | {OURS: terms | _describe(row, copy, number)}
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
            items.label: str(label),
            **dict(zip(fields, map(str, cells), strict=True)),
            "choices": choices,
            "gold": int(place),
        }


def _columns(benchmark: Benchmark) -> dict[str, str]:
    """Which column of a row plays which part."""
    columns = {"query": benchmark.query, "label": benchmark.test.label}
    if benchmark.evidence is not None:
        columns["evidence"] = benchmark.evidence
    if benchmark.test.choices is not None:
        columns |= {"label": "gold", "choices": "choices"}
    return columns


def _describe(row: Mapping[str, Any], copy: Copy, number: int) -> dict[str, Any]:
    """What is ours in a row, but for the terms of the export."""
    ours: dict[str, Any] = {"condition": copy.condition, PLACE: number}
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


def benchmark_of_logs(logs: Sequence[Answers]) -> Benchmark:
    """The benchmark that was exported, from the rows that the logs hold."""
    check_copies(logs)
    rows: dict[str, dict[str, Any]] = {}
    for log in logs:
        if log.condition == WHOLE and OURS in log.items.columns:
            for ident, row in zip(
                log.items.index, log.items.to_dict("records"), strict=True
            ):
                rows.setdefault(str(ident), {str(k): v for k, v in row.items()})
    ours: Any = next((row[OURS] for row in rows.values()), {})
    columns = ours.get("columns") if isinstance(ours, dict) else None
    if not isinstance(columns, dict) or not {*COLUMNS} >= {*columns} >= {"query"}:
        what = " and ".join(map(quote, dict.fromkeys(log.task for log in logs)))
        raise BadInput(
            f"the answers to {what} come without the items, or were made from no "
            "export of ours; name the benchmark and give them as `predictions`, or "
            "make copies for the other conditions: measurand export BENCH --to "
            "lm-eval --out copies/"
        )
    # Where items bring no choices these are their labels, and no column of theirs.
    ours_alone = {OURS, *ADDED} - {*columns.values()}
    table = pd.DataFrame([{**row, "id": ident} for ident, row in rows.items()])
    table = table.drop(columns=[c for c in table.columns if c in ours_alone])
    named: Any = {part: str(column) for part, column in columns.items()}
    name = next((log.benchmark for log in logs if log.benchmark), "benchmark")
    return from_frames(table, name=name, id="id", **named)
