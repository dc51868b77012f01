"""What Inspect writes is read, zipped or not, and cannot fill the memory."""

import json
import zipfile

import pytest

from measurand.core.errors import BadInput
from measurand.logs.inspect_ai import answers_of
from measurand.logs.read import read_answers
from tests.logs.written import inspect_log, inspect_sample, write_eval, zip_zstandard


def test_letters_and_numbers_are_scores():
    values = ["C", "I", "P", "N", 0.25, True]
    samples = [inspect_sample(n, value) for n, value in enumerate(values)]
    log = answers_of(inspect_log(samples))
    assert log.scores.tolist() == [1.0, 0.0, 0.5, 0.0, 0.25, 1.0]
    assert (log.model, log.task, log.condition, log.metric) == (
        "tiny",
        "boats",
        "full",
        "choice",
    )


def test_epochs_of_an_item_are_averaged():
    samples = [inspect_sample(n, "CI"[e], e) for n in range(3) for e in range(2)]
    log = answers_of(inspect_log(samples))
    assert log.scores.tolist() == [0.5] * 3
    assert log.notes == ("3 items answered 2 times: averaged",)


def test_samples_that_failed_are_left_out_and_counted():
    failed = inspect_sample(1, "C") | {"error": {"message": "timeout"}}
    unscored = inspect_sample(2, {"a": 1})
    log = answers_of(inspect_log([inspect_sample(0, "C"), failed, unscored]))
    assert len(log) == 1
    assert log.notes == ("2 items without a score left out",)


def test_a_run_that_did_not_end_says_so():
    log = inspect_log([inspect_sample(0, "C")]) | {"status": "cancelled"}
    assert answers_of(log).notes == ("the run ended with status 'cancelled'",)


def test_the_condition_may_stand_in_the_metadata():
    ours = {"measurand": {"intervention": "shuffled0"}}
    log = inspect_log([inspect_sample(0, "C")], task_args={}, metadata=ours)
    assert answers_of(log).condition == "shuffled0"


def test_zip_and_json_say_the_same(tmp_path):
    log = inspect_log([inspect_sample(n, "CI"[n % 2]) for n in range(6)])
    zipped = write_eval(tmp_path / "a.eval", log)
    plain = tmp_path / "a.json"
    plain.write_text(json.dumps(log))
    (one,), (other,) = read_answers(zipped), read_answers(plain)
    assert one.table.equals(other.table)
    # The same run twice in a folder is one log.
    (both,) = read_answers(tmp_path)
    assert both.notes == ()


def test_a_member_that_is_larger_than_the_zip_says_is_refused(tmp_path):
    header = json.dumps({k: v for k, v in inspect_log([]).items() if k != "samples"})
    path = tmp_path / "a.eval"
    path.write_bytes(zip_zstandard({"header.json": header}, lie=-5))
    with pytest.raises(BadInput, match=r"'header\.json' is not of the size"):
        read_answers(path)


def test_a_bomb_is_refused(tmp_path):
    path = tmp_path / "a.eval"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive,
        archive.open("header.json", "w", force_zip64=True) as member,
    ):
        for _ in range(300):
            member.write(b" " * 2**20)
    with pytest.raises(BadInput, match="unpacks to more than 250 times"):
        read_answers(path)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"PK\x03\x04", "no whole zip"),
        (zip_zstandard({"other.json": "{}"}), "without header.json"),
        (zip_zstandard({"header.json": "[]"}), "holds no object"),
        (zip_zstandard({"header.json": "{"}), "is no JSON"),
        (zip_zstandard({"header.json": "{}"}), "holds no samples"),
        (
            zip_zstandard({"header.json": "{}", "samples/a_epoch_1/sample.json": "{}"}),
            "inspect log convert",
        ),
    ],
)
def test_what_is_no_log_is_one_line(tmp_path, content, why):
    path = tmp_path / "a.eval"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=why):
        read_answers(path)


def test_a_zip_that_is_cut_off_is_one_line(tmp_path):
    path = write_eval(tmp_path / "a.eval", inspect_log([inspect_sample(0, "C")]))
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(BadInput, match="no whole zip"):
        read_answers(path)


@pytest.mark.parametrize("part", ["scores", "metadata", "target", "id"])
@pytest.mark.parametrize("value", [None, 3, "text", [], {}])
def test_wrong_types_in_a_sample_raise_nothing_else(part, value):
    samples = [inspect_sample(0, "C"), inspect_sample(1, "C") | {part: value}]
    assert len(answers_of(inspect_log(samples))) in (1, 2)
