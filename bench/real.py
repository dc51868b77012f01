"""Real benchmarks as the replications read them: gzipped JSON lines in a folder."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from measurand.benchmarks import files
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published import layouts as hotpot
from measurand.core.benchmark import Benchmark
from measurand.core.finding import Report


def hotpotqa(data: Path) -> Benchmark:
    """Reconstructed HotpotQA: 2,000 questions to learn from, the rest to ask about."""
    rows = hotpot.label_questions(
        files.read_table_file(str(data / "hotpotqa_context.jsonl.gz"))
    )
    rows = rows.sample(frac=1, random_state=0).reset_index(drop=True)
    train, test = rows[:2000], rows[2000:].reset_index(drop=True)
    return from_frames(
        train, test, name="hotpotqa", metadata=tuple(hotpot.HOTPOTQA_METADATA)
    )


# The exhibits that quote no item, of audits that have others.
FIGURES = {
    "leakage": ("sensitivity",),
    "explanations": ("frontier", "masks", "separation", "axes"),
}


def figures_only(report: Report) -> Report:
    """The report without what is not ours: quoted items, and where weights lay."""
    if "readers" in report.settings:
        recipes = {
            name: {key: _without_place(key, value) for key, value in recipe.items()}
            for name, recipe in report.settings["readers"].items()
        }
        report = replace(report, settings={**report.settings, "readers": recipes})
    if report.audit not in FIGURES:
        return report
    named = FIGURES[report.audit]
    kept = [e for e in report.exhibits if e.name.startswith(named)]
    return replace(report, exhibits=tuple(kept))


def _without_place(key: str, value: Any) -> Any:
    return Path(value).name if key == "model" else value


def pairs(data: Path, name: str) -> tuple[Benchmark, dict[str, int]]:
    """A benchmark, and the epochs and length that encoders read it with."""
    given = {"snli": ("snli_train_18k", "esnli_test"), "cad": ("cad_train", "cad_test")}
    given["boolq"] = ("boolq_train", "boolq_dev")
    if name in given:
        train, test = (str(data / f"{n}.jsonl.gz") for n in given[name])
        longer = {"epochs": 3, "length": 256 if name == "boolq" else 128}
        return replace(load_benchmark(train, test=test), name=name), longer
    if name == "hotpotqa":
        return hotpotqa(data), {"epochs": 4, "length": 256}
    file, by = {
        "fever": ("fever_dev", "query"),
        "mnli": ("mnli_dev_matched", "both"),
        "sick": ("sick", "both"),
        "symmetric": ("fever_symmetric", "both"),
    }[name]
    made = load_benchmark(str(data / f"{file}.jsonl.gz"), split_by=by)
    long = name in ("fever", "symmetric")
    return replace(made, name=name), {
        "epochs": 4 if long else 3,
        "length": 256 if long else 128,
    }
