"""What `measurand show` says of nested files, and that its advice can be followed."""

import json
import shlex
import subprocess

import pytest

from tests.cli.commands import QUICK, made, written
from tests.logs.written import lm_eval_line, write_lines


def move_evidence(row):
    """The row with its evidence inside a list of objects."""
    text = row.pop("evidence")
    return {**row, "sources": [{"page": 3, "text": text}, {"page": 4, "text": "End."}]}


@pytest.fixture
def nested(tmp_path):
    return written(tmp_path / "nested.jsonl", [move_evidence(row) for row in made()])


def advice(outcome):
    """The options that are suggested, as a shell would read them."""
    lines = [line for line in outcome.err.splitlines() if line.startswith("try ")]
    return [word for line in lines for word in shlex.split(line)[1:]]


def test_paths_are_shown_and_one_is_suggested(nested, run):
    outcome = run("show", nested)
    assert outcome.code == 0
    assert "path sources[].text: Report 0 says" in outcome.err
    assert "path sources[].page: 3\n" in outcome.err
    assert advice(outcome) == ["--evidence", "sources[].text"]
    followed = run("show", nested, *advice(outcome), "--join", r"\n\t")
    assert (followed.code, advice(followed)) == (0, [])
    assert "evidence: sources[].text\n" in followed.err
    assert r"join: '\n\t'" in followed.err
    assert "  sources[].text: Report" in followed.out


def test_a_flat_file_is_shown_as_ever(file, run):
    outcome = run("show", file)
    assert "path " not in outcome.err
    assert advice(outcome) == []


def test_what_cannot_be_read_yet_is_shown_all_the_same(tmp_path, run):
    rows = [{"qa": {"question": row.pop("claim"), **row}} for row in made()]
    path = written(tmp_path / "qa.jsonl", rows)
    outcome = run("show", path)
    assert outcome.code == 1
    assert "path qa.question: Trip 0 went" in outcome.err
    assert outcome.last.endswith("--query 'qa.question' and --label 'qa.label'")
    [line] = [line for line in outcome.err.splitlines() if "for example: " in line]
    words = shlex.split(line.removeprefix("for example: "))[2:]
    assert words[:3] == [str(path), "--evidence", "qa.evidence"]
    assert run("show", *words).code == 0


def test_of_what_cannot_be_read_no_choice_and_no_query_is_proposed(tmp_path, run):
    texts = dict.fromkeys(("goal", "sol1", "sol2", "facts"), "an oar and a mast")
    path = written(tmp_path / "goals.jsonl", [texts] * 40)
    outcome = run("show", path)
    assert outcome.code == 1
    assert advice(outcome) == ["--evidence", "facts"]


def test_a_wrong_path_and_a_column_of_objects_are_one_line(nested, run):
    outcome = run("evidence", nested, "--evidence", "sources[].txt", *QUICK)
    assert outcome.code == 1
    assert outcome.err.splitlines() == [outcome.last]
    assert outcome.last.endswith("did you mean 'sources[].text'?")
    outcome = run("evidence", nested, "--evidence", "sources", *QUICK)
    assert outcome.err.splitlines() == [outcome.last]
    assert "such as --evidence 'sources[].text'; found are" in outcome.last


@pytest.mark.slow
def test_a_report_on_a_path_states_it_and_is_written(nested, run, tmp_path):
    path = ("--evidence", "sources[].text", "--metadata", "sources[0].page")
    out = tmp_path / "out"
    outcome = run("evidence", nested, *path, *QUICK, "--json", "--out", out)
    roles = json.loads(outcome.out)["benchmark"]["roles"]
    assert (roles["evidence"], roles["metadata"]) == (path[1], path[3])
    assert (out / "report.html").exists()


UNPLAIN = {"claim": "stmt 'txt'; touch planted", "evidence": "abstract snip"}
UNPLAIN |= {"label": "verdict\n"}


@pytest.mark.parametrize("verb", [("show",), ("--", "show")], ids=["plain", "dashes"])
def test_a_name_that_no_line_can_hold_is_in_no_command(tmp_path, run, verb):
    new = {"claim": "a  claim", "evidence": "a text", "label": "verdict"}
    rows = [{new[old]: row[old] for old in new} for row in made()]
    outcome = run(*verb, written(tmp_path / "claims.jsonl", rows))
    assert outcome.code == 1
    assert "for example" not in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("names", [{}, UNPLAIN], ids=["words", "signs"])
@pytest.mark.parametrize("verb", ["show", "audit"])
def test_one_whole_command_is_said_where_columns_are_not_plain(
    tmp_path, run, verb, names
):
    plain = {"claim": "stmt_txt", "evidence": "abstract_snip", "label": "verdict"}
    called = {**plain, **names}
    rows = [{new: row[old] for old, new in called.items()} for row in made()]
    path = written(tmp_path / "the claims.jsonl", rows)
    outcome = run(verb, path)
    assert outcome.code == 1
    assert advice(outcome) == []
    [line] = [text for text in outcome.err.splitlines() if "for example: " in text]
    script = f"printf '%s\\n' {line.partition('measurand ')[2]}"
    said = subprocess.check_output(["bash", "-c", script], cwd=tmp_path, text=True)
    named = {"query": "claim", "evidence": "evidence", "label": "label"}
    words = [word for part, c in named.items() for word in (f"--{part}", called[c])]
    assert said == "\n".join(["audit", str(path), *words, ""])
    assert not (tmp_path / "planted").exists()


def test_the_claim_is_never_proposed_as_evidence(tmp_path, run):
    rows = [{"stmt_txt": row["claim"], "snip": row["evidence"]} for row in made()]
    outcome = run("show", written(tmp_path / "claims.jsonl", rows))
    assert (outcome.code, advice(outcome)) == (1, ["--evidence", "snip"])
    rows = [{**row, "label": i % 2} for i, row in enumerate(rows)]
    path = written(tmp_path / "labels.jsonl", rows)
    outcome = run("show", path, "--query", "stmt_txt")
    assert (outcome.code, advice(outcome)) == (0, ["--evidence", "snip"])


def test_labels_of_many_words_are_never_proposed_as_evidence(tmp_path, run):
    told = ("supported by all of the sources given", "refuted by at least one of them")
    rows = [
        {"q": row["claim"], "about": told[i % 2], "label": i % 2}
        for i, row in enumerate(made())
    ]
    outcome = run("show", written(tmp_path / "labels.jsonl", rows), "--query", "q")
    assert (outcome.code, advice(outcome)) == (0, [])


def commands(outcome):
    """The commands that are printed, as a shell would read them."""
    starts = ("for example: measurand ", "or: measurand ")
    lines = [line for line in outcome.err.splitlines() if line.startswith(starts)]
    return [shlex.split(line.partition(": measurand ")[2])[1:] for line in lines]


def test_what_was_read_is_written_and_read_again(file, run, tmp_path):
    first, second = tmp_path / "first.yaml", tmp_path / "second.yaml"
    shown = run("show", file, "--metadata", "kind", "--write", first)
    assert f"reading: {first}" in shown.err
    assert 'query: "claim"\n' in first.read_text("utf-8")
    again = run("show", file, "--roles", first, "--write", second)
    assert (again.code, again.out) == (0, shown.out)
    assert second.read_text("utf-8") == first.read_text("utf-8")
    assert "is there already" in run("show", file, "--write", first).last
    assert run("show", file, "--write", first, "--overwrite").code == 0


def test_a_reading_that_people_edit_is_taken(file, run, tmp_path):
    roles = tmp_path / "roles.yaml"
    roles.write_text("# ours\nquery: claim\nmetadata:\n- kind\n", "utf-8")
    pytest.importorskip("yaml")
    assert "metadata: kind\n" in run("show", file, "--roles", roles).err
    roles.write_text('query: claim\nmetadata: ["kind"]\n', "utf-8")
    assert "metadata: kind\n" in run("show", file, "--roles", roles).err
    assert "evidence: evidence\n" in run("show", file, "--roles", roles).err
    roles.write_text("query: nothing\n", "utf-8")
    assert "no field 'nothing'" in run("show", file, "--roles", roles).last


def test_two_readings_are_printed_as_whole_commands(tmp_path, run):
    rows = [{**row, "text": row["claim"] + "!"} for row in made()]
    path = written(tmp_path / "two.jsonl", rows)
    outcome = run("show", path)
    assert outcome.code == 1
    assert outcome.last.startswith(
        "measurand: 2 columns could be the query: claim, text"
    )
    both = commands(outcome)
    assert both == [[str(path), "--query", name] for name in ("claim", "text")]
    assert [run("show", *words).code for words in both] == [0, 0]


def test_the_first_of_two_readings_is_written_and_the_other_beside_it(tmp_path, run):
    rows = [{**row, "text": row["claim"] + "!"} for row in made()]
    path, roles = written(tmp_path / "two.jsonl", rows), tmp_path / "roles.yaml"
    outcome = run("show", path, "--write", roles)
    assert outcome.code == 1
    assert commands(outcome)[0] == [str(path), "--query", "claim"]
    written_lines = roles.read_text("utf-8").splitlines()
    assert written_lines[1:] == ['query: "claim"', "# or:", '# query: "text"']
    assert "query: claim\n" in run("show", path, "--roles", roles).err


def test_a_train_and_two_tests_are_shown_as_an_audit_reads_them(tmp_path, run):
    rows = made(90)
    sides = [
        written(tmp_path / f"{name}.jsonl", rows[start : start + 30])
        for name, start in (("train", 0), ("dev", 30), ("test", 60))
    ]
    train, dev, test = sides
    outcome = run("show", train, "--test", dev, "--test", test)
    assert (outcome.code, "30 train and 30 test items" in outcome.err) == (0, True)


def test_a_reading_of_what_is_no_benchmark_is_not_written(tmp_path, run):
    log = write_lines(tmp_path / "samples_x.jsonl", [lm_eval_line(0, True)])
    for what in (log, tmp_path):
        outcome = run("show", what, "--write", tmp_path / "roles.yaml")
        assert outcome.code == 1
        assert outcome.err.splitlines() == [outcome.last]
        assert "--write" in outcome.last
        assert "leave it out" in outcome.last
        assert not (tmp_path / "roles.yaml").exists()
