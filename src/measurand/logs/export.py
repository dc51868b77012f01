"""Copies as files that a harness runs: tasks of lm-eval, of Inspect, or plain tables.

No code of ours is in what is written for lm-eval, and what is written for Inspect
imports Inspect alone.
"""

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword
from pathlib import Path
from typing import Any

from measurand.core.benchmark import Benchmark
from measurand.core.bounds import check_seed
from measurand.core.errors import BadInput, BadOption, quote
from measurand.disk.files import write_file
from measurand.logs.copies import OURS, SHUFFLES, make_copies, write_rows

HARNESSES = ("lm-eval", "inspect", "table")
LETTERS_A_TOKEN = 4  # of English text, about
MOST_SHUFFLES = 100
Rows = Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True)
class Exported:
    """What was written, and what it costs to run.

    Attributes:
        files: The names of the files, within the folder.
        command: What runs them; empty for plain tables.
        conditions: The copies, the whole first.
        requests: How many requests one model gets: of multiple choice in lm-eval, one
            for each choice.
        tokens: About how many tokens these hold.
    """

    files: tuple[str, ...]
    command: str
    conditions: tuple[str, ...]
    requests: int
    tokens: int


def export(
    benchmark: Benchmark,
    to: str,
    out: str | Path,
    *,
    shuffles: int = SHUFFLES,
    seed: int = 0,
    over: str | Path | None = None,
    plan: bool = False,
) -> Exported:
    """Write the items whole and with something taken, as tasks for a harness.

    Args:
        benchmark: Whose items are copied: all of a single file, else the test items.
        to: "lm-eval", "inspect" or "table".
        out: The folder for the files; it must not hold others of these names.
        shuffles: How often the evidence is drawn anew.
        seed: Of the draws.
        over: A task of the user's for lm-eval: its prompt and filters are kept, and
            its rows replaced by ours.
        plan: Whether nothing is written, and only its cost is said.

    Returns:
        The files, the command that runs them, and what that costs.
    """
    check_seed(seed)
    if not isinstance(benchmark, Benchmark):
        raise BadInput(
            f"a {type(benchmark).__name__} is no benchmark; load it first: "
            "measurand.load says how"
        )
    if to not in HARNESSES:
        raise BadOption(f"`to` is {quote(str(to))}; choose {', '.join(HARNESSES)}")
    if not 1 <= shuffles <= MOST_SHUFFLES:
        raise BadOption(f"`shuffles` is {shuffles}; allowed are 1 to {MOST_SHUFFLES}")
    if over is not None and to != "lm-eval":
        raise BadOption("`over` names a task of lm-eval; leave it out, or export to it")
    if over is not None and not Path(over).is_file():
        raise BadInput(f"cannot read {quote(str(over), 200)}: no such file")
    rows = write_rows(benchmark, make_copies(benchmark, shuffles, seed), seed)
    folder, name = Path(out).absolute(), _plain_name(benchmark.name)
    fields = [f for f in benchmark.test.fields if f != benchmark.test.choices]
    files = {
        f"{name}_{condition}.jsonl": "".join(
            json.dumps(row, ensure_ascii=True) + "\n" for row in each
        )
        for condition, each in rows.items()
    }
    command, said = "", shlex.quote(str(folder))
    logs = f"{said}/logs"
    if to == "lm-eval":
        files |= _lm_eval_files(name, fields, rows, folder, over)
        command = (
            f"lm_eval --model hf --model_args pretrained=MODEL --tasks {name}_audit "
            f"--include_path {said} --output_path {logs} --log_samples"
        )
    elif to == "inspect":
        # The task by its name, as Inspect takes no other path that is absolute.
        files[f"{name}.py"] = _inspect_file(name, fields, [*rows])
        command = "; ".join(
            f"inspect eval {said}/{name}.py@{name} -T condition={condition} "
            "--model MODEL "
            f"--log-dir {logs}"
            for condition in rows
        )
    if not plan:
        _write(folder, files)
    requests, tokens = _count_cost(rows, per_choice=to == "lm-eval")
    return Exported(tuple(sorted(files)), command, tuple(rows), requests, tokens)


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """Write all files, or none where one of them is there."""
    there = [name for name in sorted(files) if (folder / name).exists()]
    if there:
        raise BadInput(
            f"{quote(str(folder), 200)} holds {quote(there[0])} already; name another "
            "folder"
        )
    for name, text in files.items():
        write_file(folder / name, text.encode())


def _plain_name(name: str) -> str:
    """A name that harnesses, shells and Python take as one word.

    >>> _plain_name("SNLI 1.0 (test)"), _plain_name("20q")
    ('snli_1_0_test', 'bench_20q')
    """
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if plain.isidentifier() and not iskeyword(plain) else f"bench_{plain}"


def _count_cost(rows: Rows, *, per_choice: bool) -> tuple[int, int]:
    """How many requests one model gets, and about how many tokens."""
    requests = letters = 0
    for each in rows.values():
        for row in each:
            times = len(row["choices"]) if per_choice else 1
            said = {k: v for k, v in row.items() if k not in (OURS, "id", "gold")}
            requests += times
            letters += times * sum(len(str(cell)) for cell in said.values())
    return requests, -(-letters // LETTERS_A_TOKEN)


def _prompt(fields: Sequence[str]) -> str:
    """A template that names each text, where there is one."""
    lines = [f"{{% if {f} %}}{f}: {{{{{f}}}}}\n{{% endif %}}" for f in fields]
    return "".join(lines) + "answer:"


def _lm_eval_files(
    name: str,
    fields: Sequence[str],
    rows: Rows,
    folder: Path,
    over: str | Path | None,
) -> dict[str, str]:
    """A task for each condition, by likelihood and by writing, and groups of them.

    A file of YAML may be JSON, which needs no quoting of ours.
    """
    odd = [f for f in fields if not f.isidentifier() or iskeyword(f)]
    if odd and over is None:
        raise BadInput(
            f"the column {quote(odd[0])} cannot be named in a template of lm-eval; "
            "rename it, or give a task of yours with `over`"
        )
    shared: dict[str, Any] = {
        "dataset_path": "json",
        "test_split": "test",
        "doc_to_text": _prompt(fields),
    }
    ways: dict[str, dict[str, Any]] = {
        "": {
            **shared,
            "output_type": "multiple_choice",
            "doc_to_choice": "{{choices}}",
            "doc_to_target": "gold",
            "metric_list": [{"metric": "acc"}],
        },
        "_written": {
            **shared,
            "output_type": "generate_until",
            "doc_to_text": "{{choices | join(' / ')}}\n" + _prompt(fields),
            "doc_to_target": "{{choices[gold]}}",
            "generation_kwargs": {"until": ["\n"], "do_sample": False},
            "metric_list": [
                {
                    "metric": "exact_match",
                    "ignore_case": True,
                    "ignore_punctuation": True,
                }
            ],
        },
    }
    if over is not None:
        ways = {"": {"include": str(Path(over).absolute()), "dataset_path": "json"}}
        ways[""] |= {"test_split": "test", "dataset_name": None}
    files = {}
    for way, terms in ways.items():
        tasks = [f"{name}{way}_{condition}" for condition in rows]
        for task, condition in zip(tasks, rows, strict=True):
            ours = {"benchmark": name, "intervention": condition}
            files[f"{task}.yaml"] = _json(
                {
                    **terms,
                    "task": task,
                    "dataset_kwargs": {
                        "data_files": {
                            "test": str(folder / f"{name}_{condition}.jsonl")
                        }
                    },
                    "metadata": {"version": 1.0, OURS: ours},
                }
            )
        files[f"{name}{way}_audit.yaml"] = _json(
            {"group": f"{name}{way}_audit", "task": tasks}
        )
    return files


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


INSPECT = '''"""{name}: the whole items, and copies with something taken from them."""

import json
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice

FIELDS = {fields}
CONDITIONS = {conditions}


def sample(row):
    texts = [f"{{field}}: {{row[field]}}" for field in FIELDS if row[field]]
    return Sample(
        input="\\n".join(texts) or "Choose.",
        choices=row["choices"],
        target=chr(65 + row["gold"]),
        id=row["id"],
        metadata=row,
    )


@task
def {name}(condition="full"):
    if condition not in CONDITIONS:
        raise ValueError(f"condition is {{condition!r}}; choose of {{CONDITIONS}}")
    lines = (Path(__file__).parent / f"{name}_{{condition}}.jsonl").read_text("utf-8")
    samples = [sample(json.loads(line)) for line in lines.splitlines()]
    return Task(
        dataset=MemoryDataset(samples, name=f"{name}_{{condition}}"),
        solver=multiple_choice(),
        scorer=choice(),
        metadata={{
            "measurand": {{"benchmark": "{name}", "intervention": condition}}
        }},
    )
'''


def _inspect_file(name: str, fields: Sequence[str], conditions: Sequence[str]) -> str:
    """The Python of a task whose condition is a parameter."""
    return INSPECT.format(name=name, fields=[*fields], conditions=[*conditions])
