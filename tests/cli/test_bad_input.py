"""Whatever is wrong with the input: one line that says what to do, and exit code 1."""

import json
import os
import subprocess
import sys

import pytest

from tests.cli.commands import QUICK, made, process, written


def one_line(outcome, *parts):
    assert outcome.code == 1
    assert outcome.out == ""
    assert outcome.last.startswith("measurand: ")
    assert outcome.last.isprintable()
    assert sum(line.startswith("measurand: ") for line in outcome.err.split("\n")) == 1
    assert "Traceback" not in outcome.err
    for part in parts:
        assert part in outcome.last


def changed(**changes):
    """Sixty rows of which some hold something else: {column: {row: value}}."""
    rows = made()
    for column, cells in changes.items():
        for row, value in cells.items():
            rows[row][column] = value
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def same(**columns):
    return changed(**{c: dict.fromkeys(range(60), v) for c, v in columns.items()})


NAN = float("nan")
WHOLE = changed()
FILES = {
    "empty.jsonl": (b"", "the file is empty"),
    "binary.jsonl": (bytes(range(1, 256)) * 9, "cannot read"),
    "nul.jsonl": (b"\x00\x01" * 99, "byte 0 is NUL"),
    "broken.jsonl": (WHOLE[:300] + b"\n", "line 3, column"),
    "latin.jsonl": (WHOLE + b'{"claim": "\xe9"}', f"byte {len(WHOLE) + 11} is not UTF"),
    "none.jsonl": (changed(label={2: None, 5: None}), "2 of 60", "first in rows 3, 6"),
    "nan.jsonl": (changed(label={9: NAN}), "1 of 60 label cells", "first in rows 10;"),
    "blank.jsonl": (changed(label={0: " "}), "1 of 60 label cells", "first in rows 1;"),
    "gap.jsonl": (changed(evidence={7: None}), "1 of 60 evidence cells", "rows 8;"),
    "one_class.jsonl": (same(label="yes"), "one class only, 'yes'", "--label"),
    "one_item.jsonl": (changed(label={4: "maybe"}), "1 of 3 classes", "'maybe'"),
    "few.jsonl": (b"\n".join(WHOLE.split(b"\n")[:19]), "19 items; at least 20"),
    "ragged.csv": (b"claim,evidence,label\na,b,c\na,b\n", "line 3 has 2 fields"),
    "one.csv": (b"claim,label\na b,yes\n", "there is 1 item; at least 20 are needed"),
    "lable.csv": (
        b"claim,evidence,lable\n" + b"a,b,c\n" * 30,
        "no column is plainly the label; the columns are claim, evidence, lable; name "
        "them with --label; did you mean --label lable?",
    ),
    "both.csv": (b"Qestion,gold_labels\na,b\n", "--query Qestion and --label gold_la"),
    "roles.csv": (b"a,b\n" + b"x,y\n" * 30, "the columns are a, b", "--query"),
    "suffix.txt": (WHOLE, "the suffix '.txt'", ".jsonl"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_bad_file_is_refused_in_one_line(tmp_path, run, name):
    content, *parts = FILES[name]
    (tmp_path / name).write_bytes(content)
    one_line(run("evidence", tmp_path / name, *QUICK), *parts)


OPTIONS = {
    "--query clam": ("no field 'clam'", "did you mean 'claim'?"),
    "--metadata sort": ("no field 'sort'", "claim, evidence, label, kind"),
    "--reader tfdf": ("no reader called 'tfdf'", "did you mean 'tfidf'?"),
    "--shuffle plane": ("no shuffle called 'plane'", "plain, within-label"),
    "--margin 0": ("--margin is 0.0", "allowed are 0.0001 to 0.5"),
    "--margin -0.1": ("--margin is -0.1",),
    "--margin nan": ("--margin is nan",),
    "--margin 1e-200": ("--margin is 1e-200",),
    "--margin 1": ("--margin is 1.0",),
    "--margin 0.99999999": ("--margin is 0.99999999", "allowed are 0.0001 to 0.5"),
    "--shuffles 0": ("--shuffles is 0", "allowed are 1 to 100,000"),
    "--shuffles 100000000000000000000": ("--shuffles is 100000000000000000000",),
    "--workers 1000000": ("--workers is 1000000", "on this machine"),
    f"--seed {10**32}": ("--seed is a number of more than 30 digits", "64 bits"),
    "--seeds 100000000000000000000": ("--seeds is 1", "allowed are 1 to 100"),
    "--strongest foo": (
        "no rung of the ladder called 'foo'",
        "tfidf, cross, aligned, frozen, minilm",
    ),
    "--engine foo": ("no engine called 'foo'", "local, ray"),
    "--split-by colour": ("'colour'", "query, evidence, both, group"),
    "--split-by group": ("no column is the group", "--group"),
    "--id kind": ("3 ids of column 'kind'", "'a', 'b', 'c'"),
    "--query claim --label claim": ("'claim' is given more than one part",),
    "--fail-on near-zero": (
        "--fail-on is 'near-zero'",
        "used, not needed",
        "inconclusive",
    ),
    "--config lost.toml": ("cannot read --config lost.toml", "no such file"),
    "--test lost.jsonl": ("cannot read 'lost.jsonl': no such file",),
}


@pytest.mark.parametrize("options", OPTIONS)
def test_a_bad_option_is_refused_in_one_line(file, run, options):
    one_line(run("evidence", file, *QUICK, *options.split()), *OPTIONS[options])


FIRST = {
    "evidence --strongest foo": "no rung of the ladder called 'foo'",
    "evidence --shuffle foo": "no shuffle called 'foo'",
    "evidence --reader foo": "no reader called 'foo'",
    "leakage --strongest foo": "leakage has no option '--strongest'; evidence, audit",
    "leakage --reader foo": "no reader called 'foo'",
    "leakage --k 1000000000": "--k is 1000000000; allowed are 2 to 100,000",
    "leakage --components 1000000000": "--components is 1000000000; allowed are 0 to",
    "exposure --m 10000000000": "--m is 10000000000; allowed are 1 to",
    "exposure --repeats 1000000000": "--repeats is 1000000000; allowed are 2 to",
    "exposure --arm foo": "no arm called 'foo'",
    "exposure --margin 99": "--margin is 99.0; allowed are above 0, up to 50 perc",
    "exposure --reader foo": "no reader called 'foo'",
    "explanations --explainer foo": "no explainer called 'foo'",
    "explanations --judge foo": "no judge called 'foo'",
    "explanations --similarity foo": "no similarity called 'foo'",
    "explanations --preset foo": "no preset called 'foo'",
    "explanations --changes 1000000": "--changes is 1000000; allowed are 1 to 100",
    "explanations --seeds 1000": "--seeds is 1000; allowed are 1 to 100",
    "audit --reader endpoint:x": "--reader endpoint:x asks a server, whose cost is",
    "audit --strongest foo": "no rung of the ladder called 'foo'",
    "audit --with foo": "no audit called 'foo'",
    "evidence --budget soon": "--budget is 'soon'; give a time such as 90s, 10m or 2h",
    "audit --budget soon": "--budget is 'soon'; give a time such as 90s, 10m or 2h",
    "leakage --split-by foo": "--split-by is 'foo'; allowed are query, evidence, both",
    "audit --gpu-share 0.5": "--gpu-share is for a cluster; give --engine ray too",
    "exposure --address auto": "--address is for a cluster; give --engine ray too",
    "evidence --reader endpoint:x": "no server is set; give its address with --url",
    "leakage --reader endpoint:x --url ftp://x": "the server's address is no http",
    "leakage --reader endpoint:x --url http://127.0.0.1:1 --key-env NO_SUCH_KEY": (
        "the variable that --key-env names is not set"
    ),
    **{
        f"{verb} --store /proc/measurand": "cannot write to /proc/measurand"
        for verb in ("audit", "evidence", "leakage", "exposure", "explanations")
    },
    "evidence --reader encoder:./lost": "no model directory './lost'; name a directory",
    "leakage --reader causal:/lost/x": "no model directory '/lost/x'; name a directory",
    "audit --query text --evidence text": "column 'text' is given more than one part",
    "leakage --label x --metadata x": "column 'x' is given more than one part; name",
    "suite --out x --seed 99999999999999999999": "--seed is 99999999999999999999",
}


@pytest.mark.parametrize("command", FIRST)
def test_names_and_numbers_are_refused_before_the_file_is_read(run, command):
    verb, *options = command.split()
    one_line(run(verb, "lost.jsonl", *options), FIRST[command])


def test_shuffles_are_bounded_by_the_memory(file, run, monkeypatch):
    monkeypatch.setattr("os.sysconf", lambda name: 1_000)  # a megabyte of memory
    command = ("evidence", file, *QUICK, "--shuffles", "9000")
    one_line(run(*command), "--shuffles is 9000, and each takes", "memory")


SOURCES = {
    "synthetic:qn": ("no benchmark called 'synthetic:qn'", "'synthetic:nq'"),
    "synthetic": ("no benchmark or file called 'synthetic'",),
    "hf:": ("names no dataset",),
    ".": ("it is a folder",),
}


@pytest.mark.parametrize("source", SOURCES)
def test_an_unknown_source_is_refused_in_one_line(run, source):
    one_line(run("evidence", source, *QUICK), *SOURCES[source])


def test_a_missing_file_is_answered_with_the_nearest_name(file, run):
    outcome = run("evidence", file.parent / "fact.jsonl", *QUICK)
    one_line(outcome, "no such file; did you mean 'facts.jsonl'?")


@pytest.mark.parametrize("options", [(), ("--split-by", "query"), ("--dry-run",)])
def test_evidence_that_is_the_same_everywhere_decides_nothing(tmp_path, run, options):
    (tmp_path / "a.jsonl").write_bytes(same(evidence="the same"))
    outcome = run("evidence", tmp_path / "a.jsonl", *QUICK, *options)
    one_line(
        outcome,
        "every item has the same evidence, by column 'evidence', so labels cannot "
        "depend on it; give the evidence of each item, or run leakage",
    )
    assert outcome.err.count("\n") == 1


def test_a_split_that_cannot_be_fair_names_one_that_can(tmp_path, run):
    claims = dict.fromkeys(range(40), "Is it so?")
    (tmp_path / "a.jsonl").write_bytes(changed(claim=claims))
    refusal = (
        "40 of 60 items hang together by claim, evidence, so no fair split exists; "
        "give a test file, or choose --split-by evidence"
    )
    one_line(run("evidence", tmp_path / "a.jsonl", *QUICK), refusal)
    one_line(run("show", tmp_path / "a.jsonl"), refusal)
    fair = "--split-by", "evidence"
    assert run("evidence", tmp_path / "a.jsonl", *QUICK, *fair).code == 0
    shown = run("show", tmp_path / "a.jsonl", *fair)
    assert "split: seeded, by evidence, 30 % test\n" in shown.err
    (tmp_path / "b.jsonl").write_bytes(same(claim="Is it so?", evidence="the same"))
    outcome = run("evidence", tmp_path / "b.jsonl", *QUICK)
    one_line(outcome, "60 of 60 items hang together")
    assert outcome.last.endswith("; give a test file")


def test_a_label_that_train_lacks_is_refused(tmp_path, file, run):
    (tmp_path / "test.jsonl").write_bytes(changed(label={0: "maybe", 1: "maybe"}))
    outcome = run("evidence", file, "--test", tmp_path / "test.jsonl", *QUICK)
    one_line(outcome, "1 labels of test are not in train, such as 'maybe'")


def test_an_audit_of_evidence_needs_evidence(tmp_path, run):
    rows = [{"claim": row["claim"], "label": row["label"]} for row in made()]
    outcome = run("evidence", written(tmp_path / "a.jsonl", rows), *QUICK)
    one_line(outcome, "a names no evidence field", "--evidence")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("shuffles = ", "cannot read --config a.toml"),
        ("\x00", "cannot read --config a.toml"),
        (
            "shufles = 3",
            "'shufles'; allowed are answers, brief, budget, calibrate",
        ),
        ("shuffles = " + "[" * 10_000, "nested too deeply; allowed are 64"),
        ("shuffles = " + "[" * 500 + "]" * 500, "nested too deeply"),
        ("shuffles = [[1]]", "to a table or a list of lists"),
        ("[shuffles]\na = 1", "to a table or a list of lists"),
        ("shuffles = " + "9" * 5000, "a number is too long"),
        ("shuffles = " + "9" * 400, "a number in it is too large"),
        ("shuffles = 1979-05-27", "a date"),
        ("#" * 2**14 + "\n", "more than 16,384 bytes"),
        ("a." * 8_000 + "b = 1", "nested too deeply"),
    ],
    ids=lambda text: text[:20],
)
def test_a_bad_config_is_refused_in_one_line(tmp_path, file, run, text, part):
    (tmp_path / "a.toml").write_text(text)
    outcome = run("evidence", file, *QUICK, "--config", tmp_path / "a.toml")
    one_line(outcome, part)


@pytest.mark.parametrize("kind", ["pipe", "zero", "folder"])
def test_a_config_that_is_no_ordinary_file_is_refused(tmp_path, file, run, kind):
    path = tmp_path / "a.toml"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "zero":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    outcome = run("evidence", file, *QUICK, "--config", path)
    cause = "is a directory" if kind == "folder" else "it is no ordinary file"
    one_line(outcome, f"cannot read --config a.toml: {cause}")


def test_a_config_sets_options_and_the_command_line_wins(tmp_path, file, run):
    (tmp_path / "a.toml").write_text('shuffles = 0\nmargin = 0.3\nlabel = "kind"\n')
    config = ("--config", tmp_path / "a.toml")
    outcome = run("evidence", file, *QUICK, *config, "--label", "label", "--json")
    settings = json.loads(outcome.out)["settings"]
    assert (settings["shuffles"], settings["margin"]) == (3, 0.3)


@pytest.mark.parametrize("verb", ["show", "render", "compare"])
@pytest.mark.parametrize(
    "content",
    [None, "{", "[]", '{"schema": 99}', '{"schema": 1}', '{"schema": 3}'],
)
def test_a_folder_without_a_report_is_refused(tmp_path, run, verb, content):
    if content is not None:
        (tmp_path / "report.json").write_text(content)
    one_line(run(verb, tmp_path), "report.json" if "3" not in str(content) else "items")


def test_comparing_takes_two_reports(made_report, run):
    one_line(run("compare", made_report), "two reports or more")


@pytest.mark.parametrize("option", ["--out", "--store"])
@pytest.mark.parametrize(
    "folder", ["file/inside", "file", "/proc/measurand", "/dev/full"]
)
def test_a_folder_that_takes_no_files_is_refused_before_the_work(
    tmp_path, file, store, run, option, folder
):
    (tmp_path / "file").write_text("")
    outcome = run("evidence", file, *QUICK, option, tmp_path / folder)
    one_line(outcome, "cannot write to", "name another folder")
    assert not list(store.glob("*/*"))


@pytest.mark.parametrize("args", ["evidence no.jsonl", "evidence"])
def test_a_real_process_exits_with_1(args):
    outcome = process(*args.split())
    assert (outcome.code, outcome.out) == (1, "")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("into", "said"),
    [
        ("> /dev/full", "measurand: cannot read or write: no space left on device\n"),
        ("| true", ""),
    ],
)
def test_output_that_nobody_takes_is_no_traceback(into, said):
    shell = f"{sys.executable} -m measurand list {into}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True)
    assert done.stderr == said
    assert done.returncode == 1 or not said


def test_letters_that_cannot_be_shown_are_no_traceback(made_report):
    outcome = process("render", made_report, PYTHONIOENCODING="ascii")
    assert (outcome.code, outcome.err) == (0, "")
    assert "evidence audit" in outcome.out
