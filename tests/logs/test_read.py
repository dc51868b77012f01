"""Logs are known by content, in files and folders; plain tables by their columns."""

import json

import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.harness import recognise
from measurand.core.errors import BadInput
from measurand.logs.read import read_answers
from tests.logs.written import (
    inspect_log,
    inspect_sample,
    instance,
    write_eval,
    write_lines,
    write_lm_eval,
)
from tests.shared_data import BESIDE

FIXTURES = BESIDE / "fixtures"
needs_fixtures = pytest.mark.skipif(
    not FIXTURES.is_dir(), reason="real logs are not part of the project"
)


def test_a_table_needs_an_id_and_a_score():
    table = pd.DataFrame({"id": ["a", "b"], "score": [1, 0.5]})
    (log,) = ms.read_answers(table)
    assert log.scores.tolist() == [1.0, 0.5]
    with pytest.raises(BadInput, match="answers need id and score"):
        ms.read_answers(table.drop(columns="score"))


def test_a_prediction_is_right_where_it_is_the_label():
    table = pd.DataFrame(
        {"id": [1, 2], "prediction": ["yes ", "no"], "label": ["yes", "yes"]}
    )
    (log,) = read_answers(table)
    assert log.scores.tolist() == [1.0, 0.0]
    assert log.metric == "accuracy"


def test_gaps_are_left_out_and_make_no_number_another():
    table = pd.DataFrame({"id": list("abc"), "prediction": [1, 0, None]})
    (log,) = read_answers(table.assign(label=[1, 0, 1]))
    assert log.table["score"].to_dict() == {"a": 1.0, "b": 1.0}
    assert "1 item without a score left out" in log.notes
    shares = pd.DataFrame({"id": ["a", "b"], "p_no": [0.9, None], "p_yes": [0.1, None]})
    (log,) = read_answers(shares.assign(label="no"))
    assert log.table["score"].to_dict() == {"a": 1.0}


def test_rows_without_a_condition_or_a_model_are_kept():
    table = pd.DataFrame({"id": ["a", "b", "a"], "score": [1, 0, 1]})
    whole, part = read_answers(table.assign(condition=[None, None, "no_evidence"]))
    assert (whole.condition, len(whole), part.condition) == ("", 2, "no_evidence")
    (log,) = read_answers(table.iloc[:2].assign(model=[None, None]))
    assert (log.model, len(log)) == ("", 2)
    with pytest.raises(BadInput, match="no rows"):
        read_answers(table.iloc[:0])


@pytest.mark.parametrize("column", ["id", "prediction", "score", "model", "condition"])
@pytest.mark.parametrize("cell", [[], [1.0, 2.0], {"a": 1}, [[1]]])
def test_a_table_with_lists_in_its_cells_is_refused(column, cell):
    rows = [{"id": name, "score": 1, "prediction": "a"} for name in "ab"]
    rows[1][column] = cell
    with pytest.raises(BadInput, match=f"cells of '{column}' hold lists"):
        read_answers(pd.DataFrame(rows))


def test_half_a_surrogate_pair_becomes_a_letter_that_files_can_hold(tmp_path):
    lines = [{"id": "a\ud800", "score": 1, "model": "\udd89", "prediction": "\ud801"}]
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(lines))
    (log,) = read_answers(path)
    assert [*log.table.index, log.model, *log.table["answer"]] == [
        "a\ufffd",
        "\ufffd",
        "\ufffd",
    ]


def test_models_conditions_and_repeats_of_a_table(tmp_path):
    rows = [
        {"id": i, "model": m, "condition": c, "repeat": r, "score": float(r == 0)}
        for i in range(3)
        for m in ("a", "b")
        for c in ("full", "shuffled0")
        for r in range(2)
    ]
    path = tmp_path / "answers.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    logs = read_answers(path)
    assert [(log.model, log.condition) for log in logs] == [
        ("a", "full"),
        ("a", "shuffled0"),
        ("b", "full"),
        ("b", "shuffled0"),
    ]
    assert logs[0].scores.tolist() == [0.5] * 3


def test_nothing_scored_is_refused():
    table = pd.DataFrame({"id": ["a", "b"], "score": ["", "x"]})
    with pytest.raises(BadInput, match="none of the 2 answers has a score"):
        read_answers(table)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(BadInput, match="holds no log that can be read"):
        read_answers(tmp_path)


def test_a_broken_log_in_a_folder_is_named_and_the_others_are_read(tmp_path):
    write_eval(tmp_path / "a.eval", inspect_log([inspect_sample(0, "C")]))
    (tmp_path / "b.eval").write_bytes(b"PK\x03\x04")
    (log,) = read_answers(tmp_path)
    assert len(log) == 1
    assert any("no whole zip" in note for note in log.notes)


def test_a_link_in_a_folder_is_passed_over(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    run = write_lm_eval(outside, {"full": [True] * 6})
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "run").symlink_to(run)
    for file in run.iterdir():
        (inside / file.name).symlink_to(file)
    assert recognise(inside) is None


def write_all(folder):
    """One file of each kind that is known."""
    log = inspect_log([inspect_sample(0, "C")])
    (folder / "log.json").write_text(json.dumps(log))
    write_eval(folder / "log.eval", log)
    write_lines(folder / "x_samples.jsonl", [instance(0, 1.0)])
    beside = {"file_path": "x_samples.jsonl"}
    total = {"evaluation_id": "x", "evaluation_results": []}
    total["detailed_evaluation_results"] = beside
    (folder / "x.json").write_text(json.dumps(total))
    run = write_lm_eval(folder, {"full": [True] * 6})
    files = [folder / n for n in ("log.json", "log.eval", "x_samples.jsonl", "x.json")]
    return [*files, *sorted(run.iterdir()), run]


def test_no_audit_takes_answers_for_a_benchmark(tmp_path):
    for path in write_all(tmp_path):
        with pytest.raises(BadInput, match=r"written by .*, and no benchmark"):
            ms.load(path)


def test_a_benchmark_is_no_log(tmp_path):
    rows = [
        {"id": n, "doc": "A boat.", "results": "x", "eval": "y", "label": "ab"[n % 2]}
        for n in range(4)
    ]
    path = write_lines(tmp_path / "bench.jsonl", rows)
    assert recognise(path) is None
    whole = tmp_path / "bench.json"
    whole.write_text(json.dumps(rows))
    assert recognise(whole) is None


@needs_fixtures
def test_every_real_log_is_read():
    found = {
        (log.task, log.condition): len(log)
        for folder in ("lm_eval/out", "lm_eval/outg", "inspect", "every_eval_ever")
        for log in read_answers(FIXTURES / folder)
    }
    assert found == {
        ("boats_full", "full"): 6,
        ("boats_shuffled0", "shuffled0"): 6,
        ("boats_gen", ""): 2,
        ("boats", "full"): 6,
        ("boats", "shuffled0"): 6,
        ("demo-source.demo_bench", ""): 1,
        ("inspect_evals/arc_easy", ""): 3,
        ("math_perturbed_full", ""): 10,
    }
