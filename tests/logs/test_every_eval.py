"""Instances of Every Eval Ever, and the aggregate that names their file."""

import hashlib
import json

import pytest

from measurand.core.errors import BadInput
from measurand.logs.read import read_answers
from tests.logs.written import instance, write_lines


def test_instances_have_the_final_answer(tmp_path):
    lines = [instance(n, float(n > 0)) for n in range(3)]
    (log,) = read_answers(write_lines(tmp_path / "a_samples.jsonl", lines))
    assert log.scores.tolist() == [0.0, 1.0, 1.0]
    assert log.table["answer"].tolist() == ["refuted"] * 3
    assert (log.model, log.task) == ("tiny", "boats")


def test_models_in_one_file_are_told_apart(tmp_path):
    lines = [instance(n, 1.0, model_id=m) for n in range(2) for m in ("a", "b")]
    logs = read_answers(write_lines(tmp_path / "a_samples.jsonl", lines))
    assert [log.model for log in logs] == ["a", "b"]


def test_failed_instances_are_left_out(tmp_path):
    lines = [instance(0, 1.0), instance(1, 1.0, error="timeout")]
    (log,) = read_answers(write_lines(tmp_path / "a_samples.jsonl", lines))
    assert log.notes == ("1 item without a score left out",)


def write_aggregate(folder, **details):
    record = {
        "evaluation_id": "demo",
        "evaluation_results": [],
        "detailed_evaluation_results": details,
    }
    path = folder / "a.json"
    path.write_text(json.dumps(record))
    return path


def test_an_aggregate_leads_to_its_instances(tmp_path):
    samples = write_lines(tmp_path / "a_samples.jsonl", [instance(0, 1.0)])
    checksum = hashlib.sha256(samples.read_bytes()).hexdigest()
    path = write_aggregate(
        tmp_path,
        file_path="data/far/a_samples.jsonl",
        hash_algorithm="sha256",
        checksum=checksum,
    )
    assert len(read_answers(path)[0]) == 1
    # A folder that holds both holds one log.
    assert len(read_answers(tmp_path)) == 1


def test_other_instances_than_were_summed_are_refused(tmp_path):
    write_lines(tmp_path / "a_samples.jsonl", [instance(0, 1.0)])
    path = write_aggregate(
        tmp_path, file_path="a_samples.jsonl", hash_algorithm="sha256", checksum="0"
    )
    with pytest.raises(BadInput, match="checksums differ"):
        read_answers(path)


@pytest.mark.parametrize("place", ["/etc/passwd", "../../x.jsonl", "", "a.json/.."])
def test_no_other_folder_is_looked_into(tmp_path, place):
    with pytest.raises(BadInput, match="totals and no answers"):
        read_answers(write_aggregate(tmp_path, file_path=place))
