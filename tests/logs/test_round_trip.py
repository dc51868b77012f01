"""Round trips with lm-eval and Inspect themselves, where these are installed.

They have dozens of packages of their own, so that they are in no extra of ours: see
`docs/harness.md`. The model is a script: it takes the choice whose owner is named.
"""

import subprocess
import sys

import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.assemble import sample_benchmark
from measurand.logs.copies import make_copies
from measurand.logs.export import export

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


def answer_directly(bench, field, model):
    """What the script answers, without any harness."""
    rows = []
    for copy in make_copies(bench, shuffles=2):
        texts = copy.items.column(field)
        for ident, text, choices in zip(
            copy.items.ids, texts, copy.items.choice_texts, strict=True
        ):
            words = text.replace(".", "").replace("?", "").split()
            fitting = [c for c in choices if c.split()[-1] in words] or choices
            terms = {"condition": copy.condition, "model": model}
            rows.append({"id": ident, "prediction": fitting[0], **terms})
    return pd.DataFrame(rows)


def run_script(folder, text, *arguments):
    script = folder / "script.py"
    script.write_text(text)
    done = subprocess.run(
        [sys.executable, str(script), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def run_lm_eval(folder, name, field, done):
    pytest.importorskip("lm_eval", reason="lm_eval is not installed")
    group = f"synthetic_{name.replace('-', '_')}_audit"
    run_script(
        folder,
        LM_EVAL.format(field=field),
        *("run", "--model", "scripted", "--tasks", group),
        *("--include_path", folder / "out", "--log_samples"),
        *("--output_path", folder / "logs"),
    )


def run_inspect(folder, name, field, done):
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    task = f"synthetic_{name.replace('-', '_')}"
    file = f"{folder / 'out' / task}.py@{task}"
    script = INSPECT.format(field=field)
    run_script(folder, script, file, folder / "logs", *done.conditions)


PLANTED = [
    ("reading", "evidence", {"needed"}),
    ("closed-book", "question", {"not needed", "used, not needed"}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "field", "labels"), PLANTED)
def test_a_table_of_answers_gives_the_planted_verdict(name, field, labels):
    bench = planted(name)
    answers = answer_directly(bench, field, "scripted")
    assert ms.evidence(bench, answers=answers).verdict.label in labels


@pytest.mark.slow
@pytest.mark.parametrize(
    ("to", "harness"), [("lm-eval", run_lm_eval), ("inspect", run_inspect)]
)
@pytest.mark.parametrize(("name", "field", "labels"), PLANTED)
def test_what_a_harness_asked_gives_the_planted_verdict(
    tmp_path, to, harness, name, field, labels
):
    bench = planted(name)
    done = export(bench, to, tmp_path / "out", shuffles=2)
    harness(tmp_path, name, field, done)
    logs = ms.read_answers(tmp_path / "logs")
    assert {log.condition for log in logs} == {*done.conditions}
    direct = answer_directly(bench, field, logs[0].model)
    report = ms.evidence(tmp_path / "logs")
    assert report.verdict.label in labels
    table = ms.evidence(bench, answers=direct)
    assert table.verdict.label in labels
    model = logs[0].model
    for condition in ("full", "shuffled", "choices_only"):
        figure = report.finding("accuracy", model, condition).estimate.value
        assert figure == table.finding("accuracy", model, condition).estimate.value
