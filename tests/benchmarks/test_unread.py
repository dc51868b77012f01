"""Two tables with other columns: the message says which side lacks what."""

import pandas as pd
import pytest

from measurand.audits import AUDITS
from measurand.audits.evidence.shuffles import require_evidence
from measurand.benchmarks.assemble import from_frames
from measurand.benchmarks.load import load_benchmark
from measurand.core.errors import AmbiguousRoles, NoField, NotApplicable, OneSidedColumn


def boats(n=40, **names):
    rows = pd.DataFrame(
        {
            "claim": [f"boat {i} left port" for i in range(n)],
            "log": [{"text": f"boat {i} was seen at {i % 7}"} for i in range(n)],
            "label": ["yes", "no"] * (n // 2),
        }
    )
    return rows.rename(columns=names)


@pytest.mark.parametrize("side", ["train", "test"])
def test_the_side_that_lacks_the_label_is_named(side):
    sides = {"train": boats(), "test": boats()}
    sides[side] = sides[side].drop(columns="label")
    other = "test" if side == "train" else "train"
    line = f"{side} lacks the column 'label' .label., which {other} has; {side} has cl"
    with pytest.raises(OneSidedColumn, match=line):
        from_frames(sides["train"], sides["test"], name="boats")


def test_a_column_in_other_letters_is_to_be_renamed():
    with pytest.raises(OneSidedColumn, match=r"rename 'Claim' to 'claim'$"):
        from_frames(boats(), boats(claim="Claim"), name="boats", query="claim")


def test_all_that_lacks_is_named_at_once():
    other = pd.DataFrame({"x": range(40), "labels": range(40)})
    line = "columns 'claim' .query., 'label' .label.*'labels' to 'label', and add the r"
    with pytest.raises(OneSidedColumn, match=line):
        from_frames(boats(), other, name="boats")


def test_a_path_into_a_column_of_one_side_is_said_to_be_of_one_side():
    with pytest.raises(OneSidedColumn, match=r"test lacks the column 'log' .evidence."):
        from_frames(boats(), boats(log="diary"), name="boats", evidence="log.text")


def test_where_neither_side_is_clear_what_each_has_alone_is_said():
    sides = boats(claim="a", label="b"), boats(claim="c", label="d")
    with pytest.raises(AmbiguousRoles, match="only train has a, b; only test has c, d"):
        from_frames(*sides, name="boats")


def test_a_name_of_neither_side_is_no_field():
    sides = boats(), boats().assign(more=1)
    with pytest.raises(NoField, match=r"no field 'clam'.*; only test has more$"):
        from_frames(*sides, name="boats", query="clam")


def test_evidence_of_one_side_is_left_out_and_said():
    train = boats().assign(evidence=[f"the log of boat {i}" for i in range(40)])
    benchmark = from_frames(train, boats(), name="boats")
    assert benchmark.roles["left out"] == "only train has evidence"
    with pytest.raises(NotApplicable, match="should decide: only train has evidence"):
        require_evidence(benchmark)


def test_evidence_in_nested_cells_is_named_where_it_is_left_out():
    benchmark = from_frames(boats(), name="boats")
    assert benchmark.roles["left out"] == "'log.text' could be the evidence"
    with pytest.raises(NotApplicable, match=r"`evidence`: 'log.text' could be the ev"):
        AUDITS.thing("evidence").check_applies(benchmark)


def test_misspelt_evidence_is_named_where_it_is_left_out():
    rows = boats().drop(columns="log").assign(evidense="the log", rationale=None)
    benchmark = from_frames(rows, name="boats")
    assert benchmark.roles["left out"] == "'evidense' could be the evidence"
    with pytest.raises(NotApplicable, match="should decide: 'evidense' could be"):
        require_evidence(benchmark)


def test_hostile_names_of_columns_stay_on_one_line(tmp_path):
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    train.write_text(boats().to_json(orient="records", lines=True))
    rows = boats(label="\x1b[31m\nlabel")
    test.write_text(rows.to_json(orient="records", lines=True))
    with pytest.raises(OneSidedColumn) as raised:
        load_benchmark(str(train), test=str(test))
    assert str(raised.value).isprintable()
    assert str(raised.value).endswith(
        "; train is 'train.jsonl' and test is 'test.jsonl'"
    )
