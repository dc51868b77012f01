"""Roles from tasks of lm-eval and from eval.yaml."""

import subprocess
import sys

import pandas as pd
import pytest

import measurand as ms
from measurand.benchmarks.task_files import add_task_roles
from measurand.core.errors import BadInput

N = 24
TEXTS = [[f"boat {i}", f"mast {i}"] for i in range(N)]
TASKS = {
    "arc": (
        'doc_to_text: "Question: {{question}}\\nAnswer:"\n'
        'doc_to_target: "{{choices.label.index(answerKey)}}"\n'
        'doc_to_choice: "{{choices.text}}"',
        {"query": "question", "label": "answerKey", "choices": "choices.text"},
    ),
    "openbookqa": (
        "doc_to_text: question_stem\n"
        'doc_to_target: "{{choices.label.index(answerKey.lstrip())}}"\n'
        'doc_to_choice: "{{choices.text}}"',
        {"query": "question_stem", "label": "answerKey", "choices": "choices.text"},
    ),
    "piqa": (
        'doc_to_text: "Question: {{goal}}\\nAnswer:"\n'
        'doc_to_target: label\ndoc_to_choice: "{{[sol1, sol2]}}"',
        {"query": "goal", "label": "label", "choices": ["sol1", "sol2"]},
    ),
    "sciq": (
        'doc_to_text: "{{question}}"\ndoc_to_target: 1\n'
        'doc_to_choice: "{{[distractor1, correct_answer]}}"',
        {
            "query": "question",
            "label": "correct_answer",
            "choices": ["distractor1", "correct_answer"],
        },
    ),
    "classes": (
        'doc_to_text: "{{question}}"\ndoc_to_target: label\n'
        'doc_to_choice: ["no", "yes"]',
        {"query": "question", "label": "label"},
    ),
    "free": (
        'doc_to_text: "{{question}}"\ndoc_to_target: "{{answer}}"\n'
        "output_type: generate_until",
        {"query": "question", "answers": "answer"},
    ),
    "eval.yaml": (
        "name: boats\ntasks:\n- id: boats\n  split: test\n  field_spec:\n"
        "    input: stem\n    target: key\n    choices: options",
        {"query": "stem", "label": "key", "choices": "options"},
    ),
    "eval.yaml with columns": (
        "tasks:\n- id: boats\n  field_spec:\n    input: q\n    target: literal:A\n"
        "    choices: [right, wrong]",
        {"query": "q", "label": "right", "choices": ["right", "wrong"]},
    ),
    "eval.yaml of answers": (
        "tasks:\n- id: boats\n  field_spec: {input: q, target: reply}",
        {"query": "q", "answers": "reply"},
    ),
}


def written(tmp_path, text):
    path = tmp_path / "task.yaml"
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("name", TASKS)
def test_roles_are_read(name, tmp_path):
    text, roles = TASKS[name]
    assert add_task_roles({}, written(tmp_path, text)) == roles


def test_a_benchmark_loads_by_the_roles_of_a_file(tmp_path):
    table = pd.DataFrame(
        {
            "asked": [f"What floats on lake {i}?" for i in range(N)],
            "replies": TEXTS,
            "key": [i % 2 for i in range(N)],
        }
    )
    text = 'doc_to_text: "{{asked}}"\ndoc_to_choice: "{{replies}}"\ndoc_to_target: key'
    loaded = ms.load(table, roles=written(tmp_path, text))
    assert loaded.roles["choices"] == "replies (2 each)"
    assert loaded.query == "asked"


def test_named_columns_come_first_and_need_nothing_of_the_file(tmp_path):
    text = "doc_to_text: !function utils.ask\ndoc_to_target: key"
    columns = {"query": "mine"}
    roles = add_task_roles(columns, written(tmp_path, text))
    assert roles == {"query": "mine", "label": "key"}


BROKEN = {
    "doc_to_text: !function utils.ask": "name the column with `query`",
    'doc_to_text: "{{a}} and {{b}}"': "doc_to_text is '{{a}} and {{b}}', which",
    'doc_to_text: "{% if a %}{{a}}{% endif %}"': "no column or simple template",
    'doc_to_choice: "{{choices[:2]}}"': "name the column with `choices`",
    'doc_to_target: "{{label + 1}}"': "name the column with `label`",
    "output_type: generate_until\ndoc_to_target: '{{answers.text[0]}}'": (
        "name the column with `answers`"
    ),
    "doc_to_choice: '{{mc1.choices}}'\ndoc_to_target: 0": (
        "which is right with `label`, such as 'mc1.labels'"
    ),
    "include: other.yaml": "it includes another file: give that one",
    "- a\n- b": "it holds no keys",
    "a: [": "it is no YAML",
    "a: !!python/object/apply:os.system [ls]": "it is no YAML",
    "tasks: []": "has no field_spec",
    "tasks:\n- field_spec: {input: a}\n- field_spec: {input: b}": "other field_specs",
    "tasks:\n- field_spec: {input: a, input_image: b}": "only texts are read",
    "tasks:\n- field_spec: {input: a, target: literal:A}": "target is 'literal:A'",
}


@pytest.mark.parametrize("text", BROKEN)
def test_what_cannot_be_read_is_one_line(text, tmp_path):
    with pytest.raises(BadInput) as refused:
        add_task_roles({}, written(tmp_path, text))
    assert BROKEN[text] in str(refused.value)
    assert "\n" not in str(refused.value)


DOUBLED = ["a0: &a0 {k: v}"]
DOUBLED += [f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 40)]
MERGED = ["a0: &a0 {k: v}"]
MERGED += [f"a{i}: &a{i} {{<<: [*a{i - 1}, *a{i - 1}]}}" for i in range(1, 40)]
WITHOUT_END = {
    "aliases under a tag": [*DOUBLED, "doc_to_text: !function [*a39, *a39]"],
    "merge keys": [*MERGED, "doc_to_text: a"],
    "compared": [*DOUBLED, "tasks:", *("- field_spec: {input: *a39}",) * 2],
    "merged without an alias": ["doc_to_text: a", "<<: {doc_to_target: b}"],
    "base 60": ["doc_to_target: " + "1:" * 120_000 + "1"],
    "spaces": ['doc_to_choice: "{{[a' + " " * 200_000 + '}}"'],
    "keys in keys": ["? " * 60 + "a"],
    "hexadecimal": ["doc_to_text: 0x" + "f" * 200_000],
    "points": ["doc_to_target: " + "1:" * 100_000 + "1.5"],
    "nothing in a tag": ['doc_to_text: !!int ""'],
}


def test_small_files_that_would_never_end_are_a_line_each(tmp_path):
    script = (
        "import sys; from measurand.benchmarks.task_files import add_task_roles\n"
        "from measurand.core.errors import BadInput\n"
        "for path in sys.argv[1:]:\n"
        "    try: print(*add_task_roles({}, path), flush=True)\n"
        "    except BadInput as bad: print(bad, flush=True)\n"
    )
    paths = [tmp_path / f"{number}.yaml" for number in range(len(WITHOUT_END))]
    for path, lines in zip(paths, WITHOUT_END.values(), strict=True):
        path.write_text("\n".join(lines))
    command = [sys.executable, "-c", script, *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-300:]
    assert len(done.stdout.splitlines()) == len(paths)
    assert max(map(len, done.stdout.splitlines())) < 1000


@pytest.mark.parametrize("name", ["aliases under a tag", "merge keys", "compared"])
def test_an_alias_is_refused(name, tmp_path):
    with pytest.raises(BadInput, match=r"an alias \(\*a0\) stands in it.*write out"):
        add_task_roles({}, written(tmp_path, "\n".join(WITHOUT_END[name])))


def test_a_file_that_is_not_there_is_one_line(tmp_path):
    with pytest.raises(BadInput, match=r"cannot read `roles` .*no such file"):
        add_task_roles({}, tmp_path / "none.yaml")
    with pytest.raises(BadInput, match="`roles` is a dict; give the path of a file"):
        add_task_roles({}, {"query": "question"})
