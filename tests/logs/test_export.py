"""Files that a harness runs; what it writes of them is read back as it was planted."""

import ast
import json

import pytest

import measurand as ms
from measurand.core.errors import BadInput, BadOption
from measurand.logs.contrasts import find_losses
from measurand.logs.copies import check_copies
from measurand.logs.export import export
from measurand.logs.read import read_answers
from tests.logs.test_copies import boats
from tests.logs.written import TIME, write_lines


def read_rows(folder, name):
    return [json.loads(line) for line in (folder / name).read_text().splitlines()]


def run_lm_eval(folder, out, answer, model="rule"):
    """What lm-eval would write of the exported group, for a model that is a rule."""
    group = json.loads((folder / "boats_audit.yaml").read_text())
    configs = {}
    for task in group["task"]:
        config = json.loads((folder / f"{task}.yaml").read_text())
        configs[task] = config
        place = config["dataset_kwargs"]["data_files"]["test"]
        lines = []
        for number, doc in enumerate(read_rows(folder, place)):
            logs = [
                ["-0.1" if choice == answer(doc) else "-2.0", "False"]
                for choice in doc["choices"]
            ]
            best = min(range(len(logs)), key=lambda n, logs=logs: logs[n][0])
            lines.append(
                {
                    "doc_id": number,
                    "doc": doc,
                    "target": str(doc[config["doc_to_target"]]),
                    "arguments": {},
                    "resps": [],
                    "filtered_resps": logs,
                    "filter": "none",
                    "metrics": ["acc"],
                    "acc": float(best == doc["gold"]),
                }
            )
        write_lines(out / model / f"samples_{task}_{TIME}.jsonl", lines)
    results = {"results": {}, "configs": configs, "n-shot": {}, "model_name": model}
    (out / model / f"results_{TIME}.json").write_text(json.dumps(results))


def test_a_model_that_reads_the_evidence_loses_without_it(tmp_path):
    export(boats(), "lm-eval", tmp_path / "out", shuffles=2)
    run_lm_eval(
        tmp_path / "out",
        tmp_path / "logs",
        lambda doc: "yes" if "red" in doc["premise"] else "no",
    )
    logs = read_answers(tmp_path / "logs")
    check_copies(logs)
    scores = {log.condition: log.scores.mean() for log in logs}
    assert scores["full"] == 1.0
    losses = {loss.condition: loss for loss in find_losses(logs)}
    assert losses["shuffled"].draws == 2
    assert losses["shuffled"].lost.low > 0.1
    assert losses["no_evidence"].lost.value == 1 - scores["no_evidence"]


def test_a_model_that_reads_the_query_alone_loses_nothing(tmp_path):
    export(boats(), "lm-eval", tmp_path / "out", shuffles=2)
    run_lm_eval(tmp_path / "out", tmp_path / "logs", lambda doc: "yes")
    logs = read_answers(tmp_path / "logs")
    assert all(loss.lost.value == 0 for loss in find_losses(logs))


def test_changed_files_are_refused_when_they_come_back(tmp_path):
    export(boats(), "lm-eval", tmp_path / "out")
    path = tmp_path / "out" / "boats_full.jsonl"
    path.write_text(path.read_text().replace("red", "green"))
    run_lm_eval(tmp_path / "out", tmp_path / "logs", lambda doc: "yes")
    with pytest.raises(BadInput, match="was changed after it was exported"):
        check_copies(read_answers(tmp_path / "logs"))


def test_the_users_own_task_keeps_its_prompt(tmp_path):
    task = tmp_path / "mine.yaml"
    task.write_text("task: mine\ndoc_to_text: '{{premise}}'\n")
    done = export(boats(), "lm-eval", tmp_path / "out", over=task)
    config = json.loads((tmp_path / "out" / "boats_no_query.yaml").read_text())
    assert config["include"] == str(task)
    assert "doc_to_text" not in config
    assert not [name for name in done.files if "written" in name]


def test_the_file_for_inspect_is_python_that_imports_inspect_alone(tmp_path):
    done = export(boats(), "inspect", tmp_path / "out")
    tree = ast.parse((tmp_path / "out" / "boats.py").read_text())
    imported = {
        node.module.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert imported == {"pathlib", "inspect_ai"}
    assert done.command.count("inspect eval") == len(done.conditions)


def test_a_plan_writes_nothing_and_counts_requests(tmp_path):
    done = export(boats(), "lm-eval", tmp_path / "out", shuffles=1, plan=True)
    assert not (tmp_path / "out").exists()
    items, choices = 20, 2
    assert done.requests == items * choices * len(done.conditions)
    table = export(boats(), "table", tmp_path / "out", shuffles=1, plan=True)
    assert table.requests == items * len(done.conditions)


def test_files_that_are_there_stay(tmp_path):
    export(boats(), "table", tmp_path)
    with pytest.raises(BadInput, match=r"holds 'boats_full\.jsonl' already"):
        export(boats(), "table", tmp_path)


@pytest.mark.parametrize(
    ("terms", "why"),
    [
        ({"to": "helm"}, "choose lm-eval, inspect, table"),
        ({"shuffles": 0}, "allowed are 1 to 100"),
        ({"over": "x.yaml", "to": "table"}, "`over` names a task of lm-eval"),
    ],
)
def test_wrong_options_are_one_line(tmp_path, terms, why):
    with pytest.raises(BadOption, match=why):
        export(boats(), **{"to": "lm-eval", "out": tmp_path, **terms})


def test_a_task_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        export(boats(), "lm-eval", tmp_path, over=tmp_path / "none.yaml")


def test_a_column_that_no_template_can_name_is_refused(tmp_path):
    table = boats().test.table.rename(columns={"premise": "the premise"})
    benchmark = ms.load(table, query="hypothesis", evidence="the premise")
    with pytest.raises(BadInput, match="'the premise' cannot be named in a template"):
        export(benchmark, "lm-eval", tmp_path)
    assert export(benchmark, "inspect", tmp_path)
