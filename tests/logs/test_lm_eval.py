"""What lm-eval writes is read field by field."""

import json
from pathlib import Path

import pytest

from measurand.core.errors import BadInput
from measurand.logs.lm_eval import read_samples
from measurand.logs.read import read_answers
from tests.logs.written import (
    ROWS,
    TIME,
    lm_eval_line,
    write_lines,
    write_lm_eval,
)

ALL = [True] * 6
SOME = [True, False, True, False, False, False]


def test_a_run_has_its_model_and_conditions_from_the_results(tmp_path):
    run = write_lm_eval(tmp_path, {"full": ALL, "shuffled0": SOME}, model="org/tiny")
    full, shuffled = read_answers(run)
    assert [full.model, full.task, full.condition] == [
        "org/tiny",
        "boats_full",
        "full",
    ]
    assert shuffled.condition == "shuffled0"
    assert shuffled.scores.tolist() == [float(each) for each in SOME]
    assert [*full.table.index] == [row["id"] for row in ROWS]


def test_the_answer_of_multiple_choice_is_the_likelier_choice(tmp_path):
    run = write_lm_eval(tmp_path, {"full": SOME})
    (log,) = read_answers(run)
    assert log.table["answer"].tolist()[:2] == ["refuted", "refuted"]
    assert log.table["gold"].tolist()[:2] == ["refuted", "supported"]


def answer_of(tmp_path, arguments, logs, target="1"):
    """The answer and the gold of one line with these requests."""
    pairs = [[str(log), "False"] for log in logs]
    line = lm_eval_line(0, True, arguments=arguments, filtered_resps=pairs)
    path = write_lines(tmp_path / "samples_boats.jsonl", [{**line, "target": target}])
    (log,) = read_samples(path)
    return log.table["answer"].item(), log.table["gold"].item()


@pytest.mark.parametrize(
    ("metric", "logs", "answer"),
    [
        ("acc", [-2, -3], "no"),
        ("acc_norm", [-2, -3], "indeed"),
        ("acc_bytes", [-2, -7], "no"),
        ("acc_mutual_info", [-2, -3, -1, -4], "indeed"),
    ],
)
def test_the_answer_is_the_choice_that_the_metric_takes(tmp_path, metric, logs, answer):
    texts = [["Red?", " no"], ["Red?", " indeed"], ["", "no"], ["", "indeed"]]
    more = {"arguments": texts[: len(logs)], "metrics": [metric], metric: 1.0}
    pairs = [[str(log), "False"] for log in logs]
    line = lm_eval_line(0, True, filtered_resps=pairs, **more)
    (log,) = read_samples(write_lines(tmp_path / "samples_boats.jsonl", [line]))
    assert (log.metric, log.table["answer"].item()) == (metric, answer)


def test_choices_that_are_asked_again_without_a_prompt_are_no_answers(tmp_path):
    texts = ["Red?", " yes"], ["Red?", " no"], ["", "yes"], ["", "no"]
    asked = {
        f"gen_args_{n}": dict(zip(("arg_0", "arg_1"), pair, strict=True))
        for n, pair in enumerate(texts)
    }
    assert answer_of(tmp_path, asked, [-2, -1, -0.1, -0.2]) == ("no", "no")


def test_requests_of_older_logs_are_lists(tmp_path):
    asked = [["Red?", " yes"], ["Red?", " no"]]
    assert answer_of(tmp_path, asked, [-1, -2], "0") == ("yes", "yes")


def test_choices_that_stand_in_the_prompt_go_by_their_number(tmp_path):
    asked = [["The boat is red", " and old."], ["The kite is red", " and old."]]
    assert answer_of(tmp_path, asked, [-2, -1]) == ("1", "1")


def test_a_pair_is_no_score(tmp_path):
    (log,) = read_answers(write_lm_eval(tmp_path, {"full": ALL}))
    assert log.metric == "acc"


def test_no_metric_of_one_number_is_refused(tmp_path):
    line = lm_eval_line(0, True, metrics=["f1"])
    path = write_lines(tmp_path / "samples_boats.jsonl", [line])
    with pytest.raises(BadInput, match="no metric is one number"):
        read_answers(path)


def test_each_filter_is_a_log_of_its_own(tmp_path):
    lines = [
        lm_eval_line(n, right, filter=name)
        for n in range(4)
        for name, right in (("strict", False), ("flexible", True))
    ]
    path = write_lines(tmp_path / f"samples_boats_{TIME}.jsonl", lines)
    by_metric = {log.metric: log.scores.mean() for log in read_samples(path)}
    assert by_metric == {"acc, strict": 0.0, "acc, flexible": 1.0}


def test_fewer_lines_than_the_results_count_are_told(tmp_path):
    (log,) = read_answers(write_lm_eval(tmp_path, {"full": ALL[:4]}))
    assert log.notes == ("4 of the 6 rows that the results count",)


def test_documents_without_an_id_go_by_their_number(tmp_path):
    lines = [lm_eval_line(n, True) for n in range(3)]
    for line in lines:
        line["doc"] = {"id": "same"}
    path = write_lines(tmp_path / "samples_boats.jsonl", lines)
    assert [*read_samples(path)[0].table.index] == ["0", "1", "2"]


def test_results_that_are_a_link_are_not_followed(tmp_path):
    run = write_lm_eval(tmp_path, {"full": ALL}, model="org/tiny")
    results = run / f"results_{TIME}.json"
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_bytes(results.read_bytes())
    results.unlink()
    results.symlink_to(elsewhere)
    (log,) = read_answers(run)
    assert (log.model, log.condition) == (Path(run).name, "")


@pytest.mark.parametrize("said", [None, 7, "text", [], [[]], [["x", "False"]], [{}]])
def test_odd_answers_are_kept_as_they_are(tmp_path, said):
    path = write_lines(
        tmp_path / "samples_boats.jsonl", [lm_eval_line(0, True, filtered_resps=said)]
    )
    (log,) = read_samples(path)
    assert log.scores.tolist() == [1.0]


def test_only_the_newest_of_several_runs_counts(tmp_path):
    write_lm_eval(tmp_path, {"full": SOME}, time="2026-11-14T00-00-00.000000")
    write_lm_eval(tmp_path, {"full": ALL}, time="2026-11-15T00-00-00.000000")
    (log,) = read_answers(tmp_path)
    assert log.scores.mean() == 1.0
    assert log.notes == ("1 older run of it left out",)


def test_results_alone_hold_no_answers(tmp_path):
    run = write_lm_eval(tmp_path, {"full": ALL})
    with pytest.raises(BadInput, match="totals and no answers"):
        read_answers(run / f"results_{TIME}.json")


def test_a_long_line_is_read(tmp_path):
    line = lm_eval_line(0, True, note="<script>alert(1)</script>" * 50_000)
    path = write_lines(tmp_path / "samples_boats.jsonl", [line])
    assert len(read_samples(path)[0]) == 1
    assert json.loads(path.read_text())["doc_id"] == 0
