"""Round trips with lm-eval and Inspect themselves, which `make harness` installs.

They have dozens of packages of their own, so that they are in no extra of ours and run
in an environment of their own. The model is a script: it takes the choice whose owner
is named.
"""

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import docs
import measurand as ms
from measurand.benchmarks.assemble import sample_benchmark
from measurand.logs.copies import make_copies
from measurand.logs.export import export

HARNESS = docs.ROOT / ".venv-harness" / "bin" / "python"
ITEMS = {"reading": 200, "closed-book": 600}  # what is not needed takes more to show
SCRIPT = """
FIELD = {field!r}


def owner_named(prompt):
    lines = [line for line in prompt.splitlines() if line.startswith(FIELD + ": ")]
    words = lines[-1].replace(".", "").replace("?", "").split() if lines else []
    return lambda choice: choice.split()[-1] in words
"""
LM_EVAL = (
    SCRIPT
    + """
import sys

from lm_eval.api.model import LM
from lm_eval.api.registry import register_model


@register_model("scripted")
class Scripted(LM):
    def __init__(self, **terms):
        super().__init__()

    def loglikelihood(self, requests):
        asked = [request.args for request in requests]
        named = [owner_named(prompt)(choice) for prompt, choice in asked]
        return [(-0.1 if fits else -2.0, False) for fits in named]

    def generate_until(self, requests):
        raise NotImplementedError

    loglikelihood_rolling = generate_until


from lm_eval.__main__ import cli_evaluate

cli_evaluate()
"""
)
INSPECT = (
    SCRIPT
    + """
import re
import sys

from inspect_ai import eval as evaluate
from inspect_ai.model import ModelAPI, ModelOutput, get_model, modelapi


@modelapi(name="scripted")
class Scripted(ModelAPI):
    async def generate(self, input, tools, tool_choice, config):
        prompt = input[-1].text
        choices = re.findall(r"^([A-Z])\\) (.*)$", prompt, re.MULTILINE)
        fits = owner_named(prompt)
        letters = [letter for letter, choice in choices if fits(choice)] or ["A"]
        return ModelOutput.from_content("scripted", "ANSWER: " + letters[0])


file, logs, *conditions = sys.argv[1:]
for condition in conditions:
    terms = {{"task_args": {{"condition": condition}}, "log_dir": logs}}
    done = evaluate(file, model="scripted/rule", display="none", **terms)
    assert all(log.status == "success" for log in done)
"""
)


def planted(name):
    """Some items, and the field whose name decides."""
    bench = ms.load(f"synthetic:{name}")
    return sample_benchmark(bench, train=100, test=ITEMS[name], seed=1)


@dataclass(frozen=True)
class Scripted:
    """The script as a reader of measurand."""

    kind: ClassVar[str] = "scripted"
    traits: ClassVar[ms.Traits] = ms.Traits(ms.Strength.PAIRS, learned=True)
    field: str

    def fit(self, items, rng):
        raise NotImplementedError  # it reads the choices of an item together

    def fit_choices(self, items, rng):
        return FittedScript(self.field, items.classes)


@dataclass(frozen=True)
class FittedScript:
    field: str
    classes: tuple[str, ...]

    def predict(self, items):
        shares = np.zeros((len(items), len(self.classes)))
        texts = items.column(self.field)
        rows = zip(texts, items.choice_texts, strict=True)
        for row, (text, choices) in enumerate(rows):
            words = text.replace(".", "").replace("?", "").split()
            fitting = [n for n, c in enumerate(choices) if c.split()[-1] in words]
            shares[row, fitting[0] if fitting else 0] = 1.0
        return shares


def answer_directly(bench, field, shuffles=2):
    """What the script answers when measurand asks it, under each condition."""
    answers = {}
    for copy in make_copies(bench, shuffles):
        asked = replace(bench, test=copy.items)
        with ms.Workplace().open(asked, seed=0) as experiment:
            (each,) = ms.ask_all(experiment, [ms.Ask(Scripted(field))])
        answers[copy.condition] = pd.DataFrame(
            {
                "prediction": each.answers[0],
                "score": each.correct[0].astype(float),
            },
            index=pd.Index([str(i) for i in each.ids], name="id"),
        )
    return answers


def python_with(package):
    """A Python that has a package: this one, or that of `make harness`."""
    code = "import sys; from importlib.util import find_spec; "
    code += f"sys.exit(find_spec('{package}') is None)"
    for python in (sys.executable, str(HARNESS)):
        with suppress(OSError):
            if not subprocess.run([python, "-c", code], check=False).returncode:
                return python
    return pytest.skip(f"{package} is not installed; make harness installs it")


def run_script(folder, python, text, *arguments):
    script = folder / "script.py"
    script.write_text(text)
    done = subprocess.run(
        [python, str(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def run_lm_eval(folder, name, field, done):
    python = python_with("lm_eval")
    group = f"synthetic_{name.replace('-', '_')}_audit"
    run_script(
        folder,
        python,
        LM_EVAL.format(field=field),
        *("run", "--model", "scripted", "--tasks", group),
        *("--include_path", folder / "out", "--log_samples"),
        *("--output_path", folder / "logs"),
    )


def run_inspect(folder, name, field, done):
    python = python_with("inspect_ai")
    task = f"synthetic_{name.replace('-', '_')}"
    file = f"{folder / 'out' / task}.py@{task}"
    script = INSPECT.format(field=field)
    run_script(folder, python, script, file, folder / "logs", *done.conditions)


TERMS = {"brief": True, "strongest": "cross", "shuffles": 5}
PLANTED = [
    ("reading", "evidence", {"needed"}),
    ("closed-book", "question", {"not needed", "used, not needed"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "field", "labels"), PLANTED)
def test_a_table_of_answers_gives_the_planted_verdict(name, field, labels):
    bench = planted(name)
    answers = pd.concat(answer_directly(bench, field), names=["condition", "id"])
    table = answers.drop(columns="score").reset_index()
    assert ms.evidence(bench, answers=table, **TERMS).verdict.label in labels


RUNS = [  # Inspect takes minutes for the larger one
    ("lm-eval", run_lm_eval, *PLANTED[0]),
    ("lm-eval", run_lm_eval, *PLANTED[1]),
    ("inspect", run_inspect, *PLANTED[0]),
]


@pytest.mark.slow
@pytest.mark.parametrize(("to", "harness", "name", "field", "labels"), RUNS)
def test_what_a_harness_asked_gives_the_planted_verdict(
    tmp_path, to, harness, name, field, labels
):
    bench = planted(name)
    done = export(bench, to, tmp_path / "out", shuffles=2)
    harness(tmp_path, name, field, done)
    logs = ms.read_answers(tmp_path / "logs")
    direct = answer_directly(bench, field)
    assert {log.condition for log in logs} == {*done.conditions} == {*direct}
    for log in logs:  # bit for bit what measurand itself is answered
        asked = direct[log.condition]
        assert len(log) == len(asked)
        assert (log.table["score"] == asked["score"].reindex(log.table.index)).all()
    report = ms.evidence(tmp_path / "logs", **TERMS)
    assert report.verdict.label in labels
    for condition in ("full", "choices_only"):
        stated = report.finding("accuracy", logs[0].model, condition).estimate.value
        assert stated == direct[condition]["score"].mean()
