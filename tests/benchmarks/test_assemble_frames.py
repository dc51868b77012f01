import datasets
import pandas as pd
import pytest

from measurand.benchmarks.assemble import from_frames
from measurand.core.errors import (
    BadInput,
    BadOption,
    OneSidedColumn,
    RepeatedIds,
)

NAMES = ["entailment", "neutral"]


def rows(n=40):
    return pd.DataFrame(
        {
            "premise": [f"premise {i}" for i in range(n)],
            "hypothesis": [f"hypothesis {i}" for i in range(n)],
            "label": [i % 2 for i in range(n)],
        }
    )


def hosted(n=40, hidden=0):
    label = [-1] * hidden + [i % 2 for i in range(n - hidden)]
    features = datasets.Features(
        {
            "premise": datasets.Value("string"),
            "hypothesis": datasets.Value("string"),
            "label": datasets.ClassLabel(names=NAMES),
        }
    )
    return datasets.Dataset.from_dict(
        rows(n).assign(label=label).to_dict("list"), features
    )


def test_a_frame_becomes_a_benchmark():
    made = from_frames(rows(), name="made")
    assert (made.name, made.query, made.evidence) == ("made", "hypothesis", "premise")
    assert made.classes == ("0", "1")


def test_a_frame_is_left_as_it_was():
    frame = rows()
    from_frames(frame, name="made")
    pd.testing.assert_frame_equal(frame, rows())


def test_two_frames_share_the_columns_that_play_a_part():
    made = from_frames(rows().assign(id=range(40)), rows(20), name="made")
    assert made.test.ids[0] == "test-0"
    with pytest.raises(OneSidedColumn, match="test lacks the column 'label'"):
        from_frames(rows(), rows().drop(columns="label"), name="made")
    with pytest.raises(OneSidedColumn, match="test lacks the column 'id'"):
        from_frames(rows().assign(id=range(40)), rows(20), name="made", id="id")


def test_an_id_that_repeats_is_left_alone_unless_it_was_named():
    documents = rows().assign(id=[i // 2 for i in range(40)])
    made, plain = (from_frames(t, name="made") for t in (documents, rows()))
    assert made.train.digest == plain.train.digest
    assert "id" not in made.test.table
    assert made.roles["id"] == "row numbers, as values of column 'id' repeat"
    with pytest.raises(RepeatedIds, match="20 ids of column 'id' stand on more"):
        from_frames(documents, name="made", id="id")
    numbered = documents.assign(row=range(100, 140))
    assert from_frames(numbered, name="made", id="row").roles["id"] == "row"
    pair = from_frames(documents, rows(20).assign(id=range(20)), name="made")
    assert pair.test.ids[0] == "test-0"


def test_a_test_table_and_a_split_column_are_one_too_many():
    frame = rows().assign(split="train")
    with pytest.raises(BadOption, match="both a test table and the split column"):
        from_frames(frame, frame, name="made", split="split")
    assert from_frames(frame, frame, name="made").roles["split"] == "two tables"


def test_class_labels_get_their_names_and_hidden_ones_are_dropped():
    made = from_frames(hosted(hidden=4), name="made")
    assert made.classes == ("entailment", "neutral")
    assert made.notes["dropped_no_label"] == 4


def test_the_splits_of_a_dictionary_are_followed():
    parts = {"train": hosted(), "validation": hosted(20), "test": hosted(20)}
    made = from_frames(datasets.DatasetDict(parts), name="made")
    assert (len(made.train), len(made.test)) == (40, 20)
    assert made.notes["dropped_dev"] == 20


def test_a_test_part_with_hidden_labels_gives_way_to_validation():
    parts = {"train": hosted(), "validation": hosted(20), "test": hosted(10, hidden=10)}
    made = from_frames(datasets.DatasetDict(parts), name="made")
    assert (len(made.train), len(made.test)) == (40, 20)


def test_one_part_is_split_by_seed():
    made = from_frames(datasets.DatasetDict({"train": hosted()}), name="made")
    assert made.roles["split"].startswith("seeded")


def test_names_may_be_numbers_but_not_twice():
    made = from_frames(
        rows().set_axis([0, 1, 2], axis=1), name="made", query="1", label="2"
    )
    assert made.query == "1"
    with pytest.raises(BadInput, match="more than one column is called 'a'"):
        from_frames(rows().set_axis(["a", "a", "label"], axis=1), name="made")


@pytest.mark.parametrize("thing", [[1, 2], "path", {}, None])
def test_something_else_is_no_table(thing):
    with pytest.raises(BadInput, match="is no table; give a pandas DataFrame"):
        from_frames(thing, name="made")


def test_items_without_any_text_are_refused():
    table = rows().assign(premise=" ", hypothesis="")
    roles = {"query": "hypothesis", "evidence": "premise"}
    with pytest.raises(BadInput, match="blank in hypothesis, premise; name"):
        from_frames(table, name="b", split_by="query", **roles)
    half = table.assign(hypothesis=rows()["hypothesis"])
    assert from_frames(half, name="b", **roles).evidence == "premise"
