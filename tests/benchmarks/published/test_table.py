"""Every published format, in look-alikes of its files with invented rows."""

import json

import pandas as pd
import pytest

from measurand.benchmarks.load import load_benchmark
from measurand.benchmarks.published.layouts import label_questions
from measurand.benchmarks.published.table import PUBLISHED
from measurand.core.errors import BadInput
from tests.benchmarks.lookalikes import (
    CLAIMS,
    NLI,
    first,
    invented,
    lines,
    separated,
    sizes,
)

LANGUAGES = tuple(PUBLISHED["xnli"].parts)


@pytest.mark.parametrize("part", ["test", "dev"])
def test_snli_loses_the_pairs_on_which_nobody_agreed(tmp_path, part):
    home = tmp_path / "snli_1.0"
    lines(
        home / "snli_1.0_train.jsonl", invented(30, "train", pairID="1", captionID="a")
    )
    lines(home / "snli_1.0_test.jsonl", invented(12, "test", (*NLI, "-")))
    lines(home / "snli_1.0_dev.jsonl", invented(8, "dev", (*NLI, "-")))
    made = load_benchmark("snli", data=tmp_path, part=part)
    kept, dropped = {"test": (9, 3), "dev": (6, 2)}[part]
    assert (sizes(made), made.notes["dropped_no_label"]) == ((30, kept), dropped)
    assert first(made) == (f"{part} saying 0", f"{part} ground 0.", "entailment")
    assert (made.elicited, made.roles["elicited"]) == ("hypothesis", "hypothesis")
    assert made.roles["read from"] == f"snli_1.0_train.jsonl, snli_1.0_{part}.jsonl"
    assert made.name == ("snli" if part == "test" else "snli-dev")


@pytest.mark.parametrize("part", ["test", "dev"])
def test_esnli_brings_its_explanations(tmp_path, part):
    columns = ("Sentence1", "Sentence2", "gold_label")
    for name in ("train_1", "train_2", "dev", "test"):
        rows = invented(15, name, columns=columns, Explanation_1='so, "they" say')
        separated(tmp_path / f"esnli_{name}.csv", rows, ",")
    made = load_benchmark("esnli", data=tmp_path, part=part)
    assert (sizes(made), made.rationale) == ((30, 15), "explanation_1")
    assert made.rationales == ("explanation_1",)
    assert made.test.column("explanation_1").iloc[0] == 'so, "they" say'
    assert made.train.column("hypothesis").iloc[15] == "train_2 saying 0"


def test_esnli_keeps_its_three_explanations_where_train_has_one(tmp_path):
    columns = ("Sentence1", "Sentence2", "gold_label")
    several = {f"Explanation_{n}": f"reason {n}" for n in (1, 2, 3)}
    for name in ("train_1", "train_2", "dev", "test"):
        given = several if "train" not in name else {"Explanation_1": "one"}
        rows = invented(15, name, columns=columns, **given)
        separated(tmp_path / f"esnli_{name}.csv", rows, ",")
    made = load_benchmark("esnli", data=tmp_path, part="test")
    assert made.rationales == ("explanation_1", "explanation_2", "explanation_3")
    assert made.test.column("explanation_3").iloc[0] == "reason 3"
    assert made.train.column("explanation_2").iloc[0] == ""


@pytest.mark.parametrize("part", ["matched", "mismatched"])
def test_mnli_is_asked_about_in_its_genres_or_in_others(tmp_path, part):
    lines(tmp_path / "mnli" / "multinli_1.0_train.jsonl", invented(30, "train"))
    for side in ("matched", "mismatched"):
        name = f"multinli_1.0_dev_{side}.jsonl"
        lines(tmp_path / "mnli" / name, invented(9, side))
    made = load_benchmark("mnli", data=tmp_path, part=part)
    assert (sizes(made), first(made)[0]) == ((30, 9), f"{part} saying 0")
    assert made.roles["test part"] == part


@pytest.mark.parametrize(
    ("part", "expected"),
    [(None, (90, 36)), ("A1", (30, 12)), ("a2", (30, 12)), ("A3", (30, 12))],
)
def test_anli_has_three_rounds(tmp_path, part, expected):
    columns = ("context", "hypothesis", "label")
    for number in (1, 2, 3):
        for side, n in (("train", 30), ("test", 12)):
            rows = invented(n, f"R{number}", "enc", columns, uid="u", reason="r")
            lines(tmp_path / "anli_v1.0" / f"R{number}" / f"{side}.jsonl", rows)
    made = load_benchmark("anli", data=tmp_path, part=part)
    assert (sizes(made), made.classes) == (expected, tuple(sorted(NLI)))
    assert first(made)[1:] == (f"R{(part or 'A1')[1]} ground 0.", "entailment")


@pytest.mark.parametrize("language", LANGUAGES)
def test_xnli_is_one_language_at_a_time(tmp_path, language):
    both = [
        {"language": each, **row}
        for each in LANGUAGES
        for row in invented(12, f'"{each}')
    ]
    separated(tmp_path / "XNLI-1.0" / "xnli.test.tsv", both, quoted=False)
    separated(tmp_path / "XNLI-1.0" / "xnli.dev.tsv", both, quoted=False)
    if language == "de":
        rows = invented(
            30,
            "MT",
            ("entailment", "neutral", "contradictory"),
            ("premise", "hypo", "label"),
        )
        home = tmp_path / "XNLI-MT-1.0" / "multinli"
        separated(home / "multinli.train.de.tsv", rows, quoted=False)
    made = load_benchmark("xnli", data=tmp_path, part=language)
    assert sizes(made) == (30 if language == "de" else 12, 12)
    assert first(made)[0] == f'"{language} saying 0'
    assert made.classes == tuple(sorted(NLI))


def test_ocnli_leaves_out_what_its_authors_leave_out(tmp_path):
    columns = ("sentence1", "sentence2", "label")
    votes = {"label0": "neutral", "genre": "lit", "id": 0}
    rows = invented(40, "训练", (*NLI, "-"), columns, **votes)
    lines(tmp_path / "OCNLI" / "train.50k.json", rows)
    lines(tmp_path / "OCNLI" / "dev.json", invented(9, "验证", NLI, columns, **votes))
    made = load_benchmark("ocnli", data=tmp_path)
    assert (sizes(made), made.notes["dropped_no_label"]) == ((30, 9), 10)
    assert first(made)[0] == "验证 saying 0"


@pytest.mark.parametrize(("part", "expected"), [("test", (24, 12)), ("dev", (24, 6))])
def test_sick_tells_its_parts_apart_by_a_column(tmp_path, part, expected):
    columns = ("sentence_A", "sentence_B", "entailment_label")
    loud = [label.upper() for label in NLI]
    rows = [
        row
        for side, n in (("TRAIN", 24), ("TRIAL", 6), ("TEST", 12))
        for row in invented(n, f'5" {side}', loud, columns, SemEval_set=side)
    ]
    separated(tmp_path / "SICK.txt", rows, quoted=False)
    made = load_benchmark("sick", data=tmp_path, part=part)
    assert sizes(made) == expected
    assert made.notes["other_parts"] == 42 - sum(expected)
    assert first(made)[2] == "entailment"


@pytest.mark.parametrize("part", list(PUBLISHED["cad"].parts))
def test_cad_has_its_tests_in_folders_and_no_one_elicited_field(tmp_path, part):
    for folder in ("all_combined", "original", "revised_premise", "revised_hypothesis"):
        for side in ("train", "dev", "test"):
            rows = invented(30, f'{folder} "{side}"')
            separated(tmp_path / "NLI" / folder / f"{side}.tsv", rows)
    made = load_benchmark("cad", data=tmp_path, part=part)
    folder, side = {
        "test": ("all_combined", "test"),
        "dev": ("all_combined", "dev"),
    }.get(part, (part, "test"))
    assert first(made)[0] == f'{folder} "{side}" saying 0'
    assert (made.elicited, made.roles["elicited"]) == (None, "hypothesis, premise")


@pytest.mark.parametrize("name", ["snli", "mnli"])
def test_debiased_pairs_are_split_because_none_stand_apart(tmp_path, name):
    rows = invented(60, "made", NLI, ("premise", "hypothesis", "label"), type="gen")
    lines(tmp_path / f"{name}_z-aug.jsonl", rows)
    made = load_benchmark(f"{name}-debiased", data=tmp_path, part="split")
    assert sum(sizes(made)) == 60
    assert made.roles["split"].startswith("seeded, by both")


@pytest.mark.parametrize("part", ["dev", "test", "symmetric"])
def test_fever_is_read_from_pairs(tmp_path, part):
    columns = ("evidence", "claim", "label")
    for side in ("train", "dev", "test", "symmetric"):
        lines(tmp_path / f"fever_{side}.jsonl", invented(30, side, CLAIMS, columns))
    made = load_benchmark("fever", data=tmp_path, part=part)
    assert first(made) == (f"{part} saying 0", f"{part} ground 0.", "SUPPORTS")
    assert made.elicited == "claim"


def test_fever_evidence_with_titles_is_read_as_sentences(tmp_path):
    rows = invented(30, "a", CLAIMS, ("evidence", "claim", "label"))
    for row in rows:
        row["evidence"] = [["A_page", "0", "One."], ["B_page", "4", "Two."]]
    lines(tmp_path / "fever_train.jsonl", rows)
    lines(tmp_path / "fever_dev.jsonl", rows)
    assert first(load_benchmark("fever", data=tmp_path))[1] == "One. Two."


def test_fever_nli_finds_the_labels_its_authors_hide(tmp_path):
    columns, home = ("context", "query", "label"), tmp_path / "nli_fever"
    lines(home / "train_fitems.jsonl", invented(30, "train", CLAIMS, columns))
    hidden = [
        {**row, "cid": str(i)}
        for i, row in enumerate(invented(9, "dev", ("hidden",), columns))
    ]
    lines(home / "dev_fitems.jsonl", hidden)
    with pytest.raises(BadInput, match="nothing that stands apart as the part dev"):
        load_benchmark("fever-nli", data=tmp_path, part="dev")
    answers = [{"id": i, "label": CLAIMS[i % 3], "claim": ""} for i in range(8)]
    lines(home / "shared_task_dev.jsonl", answers)
    made = load_benchmark("fever-nli", data=tmp_path, part="dev")
    assert (sizes(made), made.notes["dropped_no_label"]) == ((30, 8), 1)
    assert first(made) == ("dev saying 0", "dev ground 0.", "SUPPORTS")


def questions(n, side):
    """Questions in the manner of HotpotQA: every sixth compares and is answered no."""
    return [
        {
            "_id": f"{side}{i}",
            "question": f"{side} or other {i}?",
            "answer": "no" if i % 3 == 0 else f"in 19{i}",
            "type": "comparison" if i % 2 == 0 else "bridge",
            "supporting_facts": [["A", 0], ["B", i]],
            "context": [["A", [f"{side} {i}.", " More."]], ["B", ["Other."]]],
        }
        for i in range(n)
    ]


@pytest.mark.parametrize("part", ["fullwiki", "distractor"])
def test_hotpotqa_gets_its_weak_label(tmp_path, part):
    (tmp_path / "hotpot_train_v1.1.json").write_text(json.dumps(questions(36, "t")))
    for side in ("fullwiki", "distractor"):
        text = json.dumps(questions(18, side))
        (tmp_path / f"hotpot_dev_{side}_v1.json").write_text(text)
    made = load_benchmark("hotpotqa", data=tmp_path, part=part)
    assert sizes(made) == (36, 18)
    assert made.test.labels.value_counts().to_dict() == {"full": 15, "conflict": 3}
    assert first(made)[1:] == (f"A: {part} 0. More. B: Other.", "conflict")
    assert list(made.protocol(made.test)) == list(made.test.labels)
    assert made.metadata == tuple(made.schema)


def test_hotpotqa_may_stand_by_column_as_on_the_hub():
    (row,) = questions(1, "x")
    by_column = {
        **row,
        "supporting_facts": {"title": ["A", "B"], "sent_id": [0, 0]},
        "context": {"title": ["A", "B"], "sentences": [["x 0.", " More."], ["Other."]]},
    }
    assert label_questions(pd.DataFrame([by_column])).equals(
        label_questions(pd.DataFrame([row]))
    )
    with pytest.raises(BadInput, match="is no list of titles and sentences"):
        label_questions(pd.DataFrame([{**row, "context": "plain"}]))
    with pytest.raises(BadInput, match="answer is not there"):
        label_questions(pd.DataFrame([row]).drop(columns="answer"))


def test_boolq_answers_are_labels(tmp_path):
    columns = ("passage", "question", "answer")
    rows = invented(30, "a", (True, False), columns, title="t")
    lines(tmp_path / "BoolQ" / "train.jsonl", rows)
    lines(tmp_path / "BoolQ" / "dev.jsonl", rows[:9])
    made = load_benchmark("boolq", data=tmp_path)
    assert (sizes(made), made.classes, made.elicited) == ((30, 9), ("no", "yes"), None)
    assert first(made)[2] == "yes"
