"""The truth table: every benchmark whose truth is known, and what is said of it.

Rows are planted attacks, published findings about public benchmarks, and designs that
were written before the method and never looked into while it was made. A verdict is
right or wrong about the population that made the items; it is silent where a light
reader could know, justly silent where only meaning settles it, and bounded where it
states a true bound without deciding. `python -m bench truth known fresh` runs some;
with `audit`, the audits as they are are asked instead of the rules over arms, and with
`joining` also readers that join query and evidence by meaning.
"""

import importlib
import json
import multiprocessing
import sys
import time
import tomllib
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench.figures import RESULTS, Figure
from bench.truth_explanations import JUST as JUST_OF_RATIONALES
from bench.truth_explanations import TRUTHS as TRUTHS_OF_RATIONALES
from bench.truth_explanations import own_tables, review_tables
from bench.truth_rationales_odd import Odd, odd_tables
from measurand.api.auditing import evidence, explanations, leakage
from measurand.api.source import load
from measurand.arms.pool import open_pool
from measurand.audits.evidence.conclude import NeedFacts, conclude_evidence
from measurand.audits.explanations.conclude import conclude as conclude_rationales
from measurand.audits.explanations.facts import RationaleFacts
from measurand.audits.explanations.fields import rationale_input_fields
from measurand.audits.explanations.parts import measure_facts, open_judged
from measurand.audits.leakage.conclude import LeakFacts, conclude_leakage, worst_part
from measurand.core.benchmark import Benchmark
from measurand.core.clause import Name
from measurand.core.errors import MeasurandError
from measurand.core.finding import Verdict
from measurand.experiment.experiment import Experiment, open_experiment

SHARED = Path(__file__).parents[2] / "shared"
NEEDED, UNNEEDED = {"needed", "small need"}, {"used, not needed", "not needed"}
LEAKY, CLEAN = {"leaks", "small leak"}, {"none found", "none found, bounded"}
# By audit and truth: the labels that are right, and those that are wrong.
TRUTHS: Mapping[tuple[str, str], tuple[set[str], set[str]]] = {
    ("evidence", "needed"): (NEEDED, {*UNNEEDED, "misleads"}),
    ("evidence", "needed some"): (NEEDED, {*UNNEEDED, "misleads"}),
    ("evidence", "not needed"): (UNNEEDED, {*NEEDED, "misleads"}),
    ("evidence", "memory"): (UNNEEDED, {*NEEDED, "misleads"}),
    ("evidence", "nothing"): (set(), {*NEEDED, *UNNEEDED, "misleads"}),
    ("leakage", "leak"): (LEAKY, {"none found"}),
    ("leakage", "leak some"): (LEAKY, {"none found"}),
    ("leakage", "none"): (CLEAN, LEAKY),
    ("leakage", "memory"): (CLEAN, LEAKY),
    ("leakage", "nothing"): (CLEAN, LEAKY),
}
BOUNDS = {"at most small need", "none found, bounded"}
JUST = ("memory", "nothing")  # truths of which silence is as good as an answer


@dataclass(frozen=True)
class Case:
    """One benchmark and what is true of it for one audit.

    Attributes:
        name: What rows are called.
        source: One of `SOURCES`.
        audit: evidence, leakage or explanations.
        make: The benchmark.
        right: Labels that are true of it.
        wrong: Labels that are false of it.
        knowable: Whether a light reader can know.
    """

    name: str
    source: str
    audit: str
    make: Callable[[], Benchmark]
    right: frozenset[str]
    wrong: frozenset[str]
    knowable: bool = True


@dataclass(frozen=True)
class Row:
    """What was said of one case."""

    case: str
    source: str
    audit: str
    n: int
    outcome: str
    label: str
    code: str
    bound: float
    seconds: float
    facts: Mapping[str, str] = field(default_factory=dict)


def score(case: Case, label: str) -> str:
    """right, wrong, bounded, silent or justly silent."""
    if label in case.wrong:
        return "wrong"
    if label in case.right:
        return "right"
    if label in BOUNDS:
        return "bounded"
    return "silent" if case.knowable else "justly silent"


def attack_cases() -> Iterator[Case]:
    """The planted benchmarks of earlier attacks, where they are at hand."""
    if not (SHARED / "attacks").is_dir():
        return
    sys.modules.setdefault("run", types.SimpleNamespace(go=lambda *_, **__: None))  # type: ignore[arg-type]
    folders = "attacks/evidence_leakage", "sketches/rules"
    sys.path[:0] = [str(SHARED / folder) for folder in folders]
    rows: Mapping[str, Any] = importlib.import_module("cases").B
    names = {"e": "evidence", "l": "leakage"}
    for name, (make, truths) in rows.items():
        for short, (truth, _) in truths.items():
            right, wrong = TRUTHS[names[short], truth]
            yield Case(
                name,
                "attacks",
                names[short],
                partial(_load_claims, make),
                frozenset(right),
                frozenset(wrong),
                truth not in JUST,
            )


def _load_claims(make: Callable[[], pd.DataFrame]) -> Benchmark:
    table = make()[["claim", "evidence", "label"]].astype(str)
    return load(table, query="claim", evidence="evidence", label="label")


# The seed of each set of designs.
FRESH = {
    "fresh": 20261118,
    "fresh2": 20261119,
    "hostile": 20261120,
    "meaning": 20261121,
}


def fresh_cases(source: str = "fresh") -> Iterator[Case]:
    """Designs that the method was not made on."""
    for design in importlib.import_module(f"bench.truth_{source}").DESIGNS:
        yield Case(
            design.name,
            source,
            design.audit,
            partial(_load_design, design, FRESH[source]),
            design.truth,
            design.wrong,
            design.knowable,
        )


def _load_design(design: Any, seed: int) -> Benchmark:
    number = int("".join(c for c in design.name if c.isdigit()) or 0)
    table = design.make(np.random.default_rng([seed, number]))
    roles = {k: v for k, v in design.roles.items() if v}
    if "split" in table and (table["split"] == "").all():
        table = table.drop(columns="split")
    else:
        roles.setdefault("split", "split")
    return load(table, **roles)


PUBLIC = Path(__file__).with_name("truth_public.toml")
MOST_ROWS = 5_000  # of a public benchmark, drawn at random from its files
MOST_RATIONALES = 2_000  # of one with rationales
WEAK = {"small leak", *CLEAN}, set[str]()  # a leak that is there, and small


def known_cases() -> Iterator[Case]:
    """Public benchmarks with a published finding, where their files are at hand."""
    if not (SHARED / "data").is_dir():
        return
    rows = tomllib.loads(PUBLIC.read_text("utf-8"))
    for name, row in rows.items():
        if row["audit"] == "explanations":
            right, wrong = TRUTHS_OF_RATIONALES[row["truth"]]
        else:
            truth = TRUTHS.get((row["audit"], row["truth"]), WEAK)
            right, wrong = map(frozenset, truth)
        make = partial(_load_files, row["files"], row["roles"])
        knowable = row.get("knowable", True)
        yield Case(name, "known", row["audit"], make, right, wrong, knowable)


def _load_files(files: Sequence[str], roles: Mapping[str, Any]) -> Benchmark:
    table = pd.concat([_read(SHARED / "data" / name) for name in files])
    most = MOST_RATIONALES if "rationale" in roles else MOST_ROWS
    if len(table) > most:
        table = table.sample(most, random_state=0)
    named = [*(roles[r] for r in ("query", "evidence", "label") if r in roles)]
    for role in ("choices", "rationale"):
        columns = roles.get(role, ())
        named += [columns] if isinstance(columns, str) else [*columns]
    return load(table[named].reset_index(drop=True), split_by="query", **roles)


def _read(path: Path) -> pd.DataFrame:
    if ".json" in path.name:
        return pd.read_json(path, lines=".jsonl" in path.name)
    if "codah" in path.name:
        table = pd.read_csv(path, sep="\t", header=None, quoting=3)
        return table.set_axis([f"c{n}" for n in range(table.shape[1])], axis="columns")
    separator = "," if "cosmosqa" in path.name else "\t"
    return pd.read_csv(path, sep=separator, quoting=0 if separator == "," else 3)


def rationale_cases() -> Iterator[Case]:
    """Planted rationales: those of a review, and twenty written apart."""
    for name, truth, make in (*review_tables(), *own_tables()):
        right, wrong = TRUTHS_OF_RATIONALES[truth]
        knowable = truth not in JUST_OF_RATIONALES
        where = "explanations", "explanations"
        load_table = partial(_load_rationales, make)
        yield Case(name, *where, load_table, right, wrong, knowable)


def _load_rationales(make: Callable[[], pd.DataFrame]) -> Benchmark:
    table = make()
    beside = {"evidence": "evidence"} if "evidence" in table else {}
    columns = [name for name in table if name.startswith("why")]
    return load(table, query="claim", label="label", rationale=columns, **beside)


def odd_rationale_cases() -> Iterator[Case]:
    """Planted rationales in odd tables: few items, skewed labels, odd splits."""
    for name, odd in odd_tables():
        right, wrong = TRUTHS_OF_RATIONALES[odd.truth]
        make = partial(_load_odd, odd)
        yield Case(name, "odd", "explanations", make, right, wrong, odd.knowable)


def _load_odd(odd: Odd) -> Benchmark:
    return load(odd.make(), **odd.roles)


SOURCES: Mapping[str, Callable[[], Iterator[Case]]] = {
    "attacks": attack_cases,
    "known": known_cases,
    **{source: partial(fresh_cases, source) for source in FRESH},
    "explanations": rationale_cases,
    "odd": odd_rationale_cases,
}


def conclude_by_arms(case: Case) -> tuple[int, str, str, float, dict[str, str]]:
    """What the rules over arms say: items, label, code, bound, facts."""
    if case.audit == "explanations":
        return _conclude_rationales(case)
    pool = open_pool(case.make())
    with open_experiment(pool.benchmark, seed=0) as experiment:
        if case.audit == "leakage":
            conclusion, leaks = conclude_leakage(experiment, pool)
            figures = _leak_figures(leaks)
        else:
            conclusion, needs = conclude_evidence(experiment, pool)
            figures = _need_figures(needs)
    spelled = {**_spell(conclusion), **figures}
    assert conclusion.bound is not None, "every verdict of these has a bound"
    return (
        len(pool),
        conclusion.label,
        conclusion.code,
        conclusion.bound.value,
        spelled,
    )


def _conclude_rationales(case: Case) -> tuple[int, str, str, float, dict[str, str]]:
    """The same of rationales, which stand beside the input that they are of."""
    benchmark = case.make()
    with open_experiment(benchmark, seed=0) as experiment:
        facts = measure_planted(experiment)
    verdict = conclude_rationales(facts)
    assert verdict.bound is not None, "every verdict of these has a bound"
    count = len(benchmark.train) + len(benchmark.test)
    where = verdict.label, verdict.code, verdict.bound.value
    return count, *where, {**_spell(verdict), **_rationale_figures(facts)}


def _rationale_figures(facts: RationaleFacts) -> dict[str, str]:
    """What each column predicts alone, and what the judged one adds."""
    parts = {c.name.text: c.part for c in facts.columns if c.part is not None}
    alone = [f"{part.right(part.best[0])}" for part in parts.values()]
    return {
        "columns": ", ".join(parts),
        "alone": "; ".join(alone),
        "baseline": f"{facts.judged.baseline:.3f}",
        "gain": f"{facts.need.gain.estimate}",
        "room": f"{facts.room:.3f}",
    }


def measure_planted(experiment: Experiment) -> RationaleFacts:
    """What the given rationales of a benchmark predict alone, and what they add."""
    benchmark = experiment.benchmark
    column, *further = benchmark.rationales
    sides = benchmark.train.column(column), benchmark.test.column(column)
    texts = sides[0].tolist(), sides[1].tolist()
    fields = rationale_input_fields(benchmark)[0]
    judged = open_judged(benchmark, fields, column, texts)
    return measure_facts(experiment, judged, further, {})


def conclude_planted(experiment: Experiment) -> Verdict:
    """What the rules say of the given rationales of a benchmark."""
    return conclude_rationales(measure_planted(experiment))


def _leak_figures(facts: LeakFacts) -> dict[str, str]:
    """The part that tells most, and the surest cue, whatever the verdict."""
    if not facts.parts:
        return {}
    worst = worst_part(facts.parts)
    figures = {
        "alone": f"{worst.right(worst.best[0])}",
        "baseline": f"{facts.baseline:.3f}",
        "over": f"{worst.accuracy[worst.best[0]].interval(0.95)}",
    }
    cues = sorted((c for p in facts.parts for c in p.cues), key=lambda cue: cue.p)
    if cues:
        figures["cue"] = cues[0].name
        figures["coverage"] = f"{cues[0].coverage:.3f}"
        figures["productivity"] = f"{cues[0].productivity.value:.3f}"
    return figures


def _need_figures(facts: NeedFacts) -> dict[str, str]:
    """The gain and the loss of the model that decides, whatever the verdict."""
    need = facts.need
    majority = need.rivals["majority"]
    alone = {k: float(v.mean()) for k, v in need.rivals.items() if k != "majority"}
    loss = need.losses.get(need.gain.reader)
    figures = {
        "alone": f"{max(alone.values()):.3f}",
        "baseline": f"{float(majority.mean()):.3f}",
        "gain": f"{need.gain.estimate}",
    }
    return figures | ({"loss": f"{loss.interval(0.95)}"} if loss else {})


def _spell(verdict: Verdict) -> dict[str, str]:
    """The facts of the first clause of each code, as text."""
    spelled: dict[str, str] = {}
    for clause in reversed(verdict.clauses):
        for name, fact in clause.facts.items():
            text = fact.text if isinstance(fact, Name) else str(fact)
            spelled[f"{clause.code}.{name}"] = text[:80]
    return spelled


def conclude_by_audit(
    case: Case, strongest: str = "cross"
) -> tuple[int, str, str, float, dict[str, str]]:
    """What the audit says with light readers, without the map of its report.

    Where `strongest` says so, also with readers that join query and evidence by
    meaning, if the evidence is audited.
    """
    benchmark = case.make()
    if case.audit == "explanations":
        verdict = explanations(benchmark, explainers=("given",)).verdict
    elif case.audit == "leakage":
        verdict = leakage(benchmark, tsne=False, brief=True).verdict
    else:
        verdict = evidence(benchmark, strongest=strongest, brief=True).verdict
    assert verdict.bound is not None, "every verdict of these has a bound"
    count = len(benchmark.train) + len(benchmark.test)
    return count, verdict.label, verdict.code, verdict.bound.value, _spell(verdict)


METHODS = {
    "arms": conclude_by_arms,
    "audit": conclude_by_audit,
    "joining": partial(conclude_by_audit, strongest="frozen"),
}


def conclude(case: Case, method: str) -> Row:
    """What a method says of one case."""
    started = time.process_time()
    count, label, code, bound, facts = METHODS[method](case)
    seconds = round(time.process_time() - started, 1)
    outcome = score(case, label)
    key = case.name, case.source, case.audit
    return Row(*key, count, outcome, label, code, round(bound, 4), seconds, facts)


def conclude_named(source: str, number: int, method: str) -> Row:
    """What a method says of one case of a source, in a process of its own."""
    case = [*SOURCES[source]()][number]
    try:
        return conclude(case, method)
    except MeasurandError as error:
        return Row(
            case.name, source, case.audit, 0, "refused", "", str(error)[:100], 0.0, 0.0
        )


def run(arguments: Sequence[str]) -> list[Figure]:
    """All rows of the named sources, printed as they come and kept."""
    named = [a for a in arguments if a in SOURCES] or [*SOURCES]
    workers = next((int(a) for a in arguments if a.isdigit()), 1)
    method = next((a for a in arguments if a in METHODS), "arms")
    jobs = [(s, n, method) for s in named for n in range(len([*SOURCES[s]()]))]
    context = multiprocessing.get_context("spawn")
    rows: list[Row] = []
    with ProcessPoolExecutor(workers, context) as pool:
        for row in pool.map(conclude_named, *zip(*jobs, strict=True)):
            rows.append(row)
            print(
                f"{row.outcome:13} {row.source:8} {row.audit:8} {row.case:26}"
                f" n={row.n:5} {row.label:20} {row.code:16} bound {row.bound:.3f}"
                f" {row.seconds:5.1f} s",
                *(() if row.source in FRESH else (dict(row.facts),)),
                flush=True,
            )
    keep_rows(RESULTS / f"truth_{method}.json", rows)
    return _figures(rows)


def keep_rows(path: Path, rows: Sequence[Row]) -> None:
    """Store rows in place of those of the same cases; others stay as they are."""
    stored = json.loads(path.read_text("utf-8")) if path.exists() else []
    cases = {(row.source, row.audit, row.case) for row in rows}
    others = [r for r in stored if (r["source"], r["audit"], r["case"]) not in cases]
    every = [*others, *(vars(row) for row in rows)]
    path.write_text(json.dumps(every, indent=1, default=str) + "\n", "utf-8")


def _figures(rows: Sequence[Row]) -> list[Figure]:
    """How many of each outcome, by source and audit."""
    figures = []
    for source in dict.fromkeys(row.source for row in rows):
        for audit in ("evidence", "leakage", "explanations"):
            some = [r for r in rows if (r.source, r.audit) == (source, audit)]
            for outcome, count in sorted(Counter(r.outcome for r in some).items()):
                what = f"{source}, {audit}: {outcome} of {len(some)}"
                figures.append(Figure(what, count, "rows"))
    wrong = sum(row.outcome == "wrong" for row in rows) / max(len(rows), 1)
    return [*figures, Figure("wrong of all rows", wrong, "share", most=0.02)]
