from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from measurand.benchmarks.assemble import assemble_benchmark
from measurand.benchmarks.roles import ColumnRoles
from measurand.core.errors import BadInput, BadOption

ROLES = ColumnRoles("claim", "evidence", "label")


def rows(n=40, **columns):
    made = {
        "claim": [f"claim {i}" for i in range(n)],
        "evidence": [f"evidence {i}." for i in range(n)],
        "label": ["yes", "no"] * (n // 2),
        "unused": range(n),
    }
    return pd.DataFrame({**made, **columns})


def built(train=None, test=None, roles=ROLES, **settings):
    train = rows() if train is None else train
    return assemble_benchmark(train, test, roles, name="made", **settings)


def problem(*args, error=BadInput, **settings):
    with pytest.raises(error) as caught:
        built(*args, **settings)
    assert str(caught.value).isprintable()
    return str(caught.value)


def cells(column, *bad):
    values = rows()[column].astype(object).tolist()
    for place, value in bad:
        values[place] = value
    return rows(**{column: pd.Series(values, dtype=object)})


def test_a_benchmark_keeps_the_columns_with_a_part_in_file_order():
    made = built(
        rows(genre=["a", "b"] * 20),
        roles=ColumnRoles("claim", "evidence", "label", ("genre",)),
    )
    assert list(made.train.table.columns) == ["claim", "evidence", "label", "genre"]
    assert made.train.fields == ("claim", "evidence")
    assert made.metadata == ("genre",)
    assert made.schema == {"genre": "as given"}
    assert list(made.train.ids) == sorted(made.train.ids, key=int)


@pytest.mark.parametrize("column", ["claim", "evidence"])
def test_a_text_that_is_the_group_stands_in_a_column_of_its_own(column):
    texts = [f"text {i // 2}" for i in range(40)]
    roles = replace(ROLES, group=column)
    benchmark = built(rows(**{column: texts}), roles=roles)
    assert benchmark.roles["group"] == column
    for items in (benchmark.train, benchmark.test):
        assert items.group == f"{column} (group)"
        assert items.column(items.group).equals(
            items.column(column).rename(items.group)
        )
    changed = benchmark.test.with_field(column, ["other"] * len(benchmark.test))
    assert changed.column(benchmark.test.group).nunique() > 1


def test_without_named_metadata_they_are_derived():
    made = built()
    assert made.metadata == tuple(made.schema)
    assert len(made.metadata) == 7
    assert (
        built(roles=ColumnRoles("claim", None, "label")).metadata == made.metadata[:5]
    )
    assert made.roles["metadata"].startswith("derived: query_form, ")


def test_the_split_is_seeded_and_described():
    first, again, other = built(seed=1), built(seed=1), built(seed=2)
    assert first.test.ids.equals(again.test.ids)
    assert not first.test.ids.equals(other.test.ids)
    assert len(first.test) == 12
    assert first.roles["split"] == "seeded, by both, 30 % test"
    assert (
        built(roles=ColumnRoles("claim", None, "label")).roles["split"]
        == "seeded, by query, 30 % test"
    )


@pytest.mark.parametrize("by", ["query", "evidence", "both", "group"])
def test_sides_share_nothing_of_what_they_are_split_by(by):
    part = [i % 10 for i in range(40)]
    texts = {"query": "claim", "evidence": "evidence", "both": "claim", "group": "team"}
    frame = rows(team=part).assign(**{texts[by]: [f"text {i}" for i in part]})
    frame["label"] = [str(i % 10 // 5) for i in range(40)]
    made = built(
        frame,
        roles=ColumnRoles("claim", "evidence", "label", group="team"),
        split_by=by,
    )
    column = texts[by]
    assert set(made.train.table[column]).isdisjoint(made.test.table[column])
    assert made.train.group == "team"


@pytest.mark.parametrize("share", [2, 3])
def test_a_few_question_words_are_not_what_a_split_goes_by(share):
    words = ["effect" if i % share else "cause" for i in range(40)]
    made = built(rows(claim=words, label=[*"yyn", *"ny"] * 8))
    assert made.drawn_by == ("evidence",)
    assert made.roles["split"] == (
        "seeded, by evidence, 30 % test; the 2 texts of claim stand on both sides"
    )
    for side in (made.train, made.test):
        assert {*side.column("claim")} == {"cause", "effect"}


def test_a_few_passages_stand_on_one_side_where_that_is_fair():
    fair = rows(evidence=[f"passage {i % 4}" for i in range(40)])
    fair["label"] = [*"yyyynnnn"] * 5
    assert built(fair).drawn_by == ("claim", "evidence")
    unfair = rows(evidence=[f"passage {i % 40 // 30}" for i in range(40)])
    assert built(unfair).drawn_by == ("claim",)
    many = rows(evidence=[f"passage {max(i, 29)}" for i in range(40)])
    assert "or choose `split_by` 'query'" in problem(many)


def test_a_split_needs_the_column_it_is_by():
    assert "allowed are query, evidence, both, group" in problem(
        split_by="colour", error=BadOption
    )
    assert "name one with `group`" in problem(split_by="group", error=BadOption)
    bare = ColumnRoles("claim", None, "label")
    assert "name one with `evidence`" in problem(
        roles=bare, split_by="evidence", error=BadOption
    )


def test_two_tables_get_ids_that_say_which():
    made = built(rows(), rows(20))
    assert made.train.ids[0] == "train-0"
    assert made.test.ids[-1] == "test-19"
    assert made.roles["split"] == "two tables"
    assert made.notes["overlap"] == 20


def split_rows(values):
    return rows(len(values), split=values), ColumnRoles(
        "claim", "evidence", "label", split="split"
    )


def test_the_split_column_is_followed():
    frame, roles = split_rows(["Train"] * 30 + ["dev"] * 4 + ["test "] * 6)
    made = built(frame, roles=roles)
    assert (len(made.train), len(made.test)) == (30, 6)
    assert made.notes["dropped_dev"] == 4
    assert made.roles["split"] == "column split"
    assert "split" not in made.train.table


@pytest.mark.parametrize("name", ["dev", "validation", "valid", "val", "trial"])
def test_without_test_rows_the_development_rows_play_test(name):
    frame, roles = split_rows(["train"] * 30 + [name] * 10)
    assert len(built(frame, roles=roles).test) == 10


def test_a_split_column_that_says_only_train_is_split_by_seed():
    frame, roles = split_rows(["train"] * 40)
    assert built(frame, roles=roles).roles["split"].startswith("seeded")


def test_unknown_splits_are_listed():
    frame, roles = split_rows(["train"] * 30 + ["r\n1"] * 10)
    assert r"holds 'r\n1', train; train must be there" in problem(frame, roles=roles)
    frame, roles = split_rows(["test"] * 40)
    assert "holds test; train must be there" in problem(frame, roles=roles)


def test_ids_come_from_their_column_and_must_be_unique_in_each_part():
    roles = ColumnRoles("claim", "evidence", "label", id="id")
    assert built(rows(id=range(100, 140)), roles=roles).train.ids[0].startswith("1")
    made = built(rows(id=range(40)), rows(20, id=range(20)), roles=roles)
    assert made.test.ids[0] == made.train.ids[0] == "0"
    twice = rows(id=[0, 0, 1, 1, *range(4, 40)])
    assert (
        "2 ids of column 'id' stand on more than one row, such as '0', '1'"
        in problem(twice, roles=roles)
    )
    gone = rows(id=[None, *map(str, range(39))])
    assert "lack a name or a number, first in rows 1" in problem(gone, roles=roles)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ([1, 0] * 20, {"0", "1"}),
        ([1.0, 0.0] * 20, {"0", "1"}),
        ([True, False] * 20, {"false", "true"}),
        (["1.0", "0.5"] * 20, {"1.0", "0.5"}),
        ([0.5, 2.0] * 20, {"0.5", "2"}),
        (pd.Categorical(["a", "b"] * 20), {"a", "b"}),
        (["是", "否"] * 20, {"是", "否"}),
    ],
)
def test_labels_are_text_and_whole_numbers_have_no_point(label, expected):
    assert set(built(rows(label=label)).classes) == expected


@pytest.mark.parametrize("bad", [None, np.nan, "", "  ", {"a": 1}, pd.NA])
def test_rows_without_a_label_are_refused(bad):
    message = problem(cells("label", (3, bad), (7, bad), (8, bad), (9, bad)))
    assert message.startswith(
        "4 of 40 label cells in column 'label' lack a label, first in rows 4, 8, 9;"
    )


def test_a_list_in_the_place_of_a_label_is_called_one():
    message = problem(cells("label", (3, ["yes"]), (7, ["no"])))
    assert message == (
        "2 of 40 label cells in column 'label' hold a list and not a label, first in "
        "rows 4, 8; name what is in them, such as `label` 'label[0]', or name another "
        "column"
    )


def test_the_part_of_a_bad_cell_is_named():
    assert "1 of 40 test label cells" in problem(rows(), cells("label", (0, None)))


def test_dashes_are_dropped_and_counted():
    made = built(cells("label", (0, "-"), (1, "-")))
    assert made.notes["dropped_no_label"] == 2
    assert made.classes == ("no", "yes")
    assert "0" not in {*made.train.ids, *made.test.ids}
    assert "holds one class only, '-'" in problem(rows(label=["-"] * 40))


@pytest.mark.parametrize(
    ("labels", "dropped"),
    [
        ([0, 1, 2, -1], 10),
        (["0", "1", "2", "-1"], 10),
        ([0, 1, -1, 1], 0),
        ([1, -1, 1, -1], 0),
        ([1, 2, 3, -1], 0),
        ([0, 1, 3, -1], 0),
    ],
)
def test_minus_one_below_numbered_classes_is_no_label(labels, dropped):
    made = built(rows(label=labels * 10))
    assert made.notes.get("dropped_no_label", 0) == dropped
    assert len(made.train) + len(made.test) == 40 - dropped


def test_lists_of_sentences_become_one_text():
    nested = ["A title", ["One.", "Two."]]
    made = built(
        cells(
            "evidence",
            (0, nested),
            (1, ("a", "b")),
            (2, np.array(["c", "d"])),
            (3, 5),
            (4, ""),
        )
    )
    texts = pd.concat([made.train.table, made.test.table])["evidence"]
    assert texts.loc[["0", "1", "2", "3", "4"]].tolist() == [
        "A title One. Two.",
        "a b",
        "c d",
        "5",
        "",
    ]


@pytest.mark.parametrize(
    "bad", [None, np.nan, ["a", None], [["a", 7]], {"a": "b"}, b"a"]
)
@pytest.mark.parametrize("column", ["claim", "evidence"])
def test_cells_without_text_are_refused(column, bad):
    assert "lack text or a list of texts, first in rows 2;" in problem(
        cells(column, (1, bad))
    )


def test_half_a_surrogate_pair_is_replaced():
    made = built(cells("claim", (0, "x\ud800"), (1, "\ud83d\ude00")))
    texts = pd.concat([made.train.table, made.test.table])["claim"]
    assert texts.loc[["0", "1"]].tolist() == ["x\ufffd", "\U0001f600"]
    assert made.train.digest


def test_metadata_are_text_and_gaps_say_missing():
    roles = ColumnRoles("claim", "evidence", "label", ("genre", "year"))
    made = built(
        rows(genre=["a", None, ""] * 13 + ["b"], year=[1990.0, np.nan] * 20),
        roles=roles,
    )
    table = pd.concat([made.train.table, made.test.table])
    assert set(table["genre"]) == {"a", "b", "missing"}
    assert set(table["year"]) == {"1990", "missing"}


def test_a_rationale_may_be_missing_and_is_counted():
    made = built(
        rows(why=["because", None] * 20),
        roles=ColumnRoles("claim", "evidence", "label", rationales=("why",)),
    )
    assert made.notes["no_rationale"] == 20
    assert made.rationale == "why"
    assert "why" not in made.train.fields


def test_labels_that_cannot_be_audited_are_refused():
    assert "holds one class only, 'yes'" in problem(rows(label=["yes"] * 40))
    assert "there are 18 items; at least 20 are needed" in problem(rows(18))
    assert (
        "1 of 3 classes in the label column 'label' have one item only, such as 'x'"
        in problem(cells("label", (0, "x")))
    )
    message = problem(rows(), cells("label", (0, "x\n"), (1, "x\n")))
    assert r"1 labels of test are not in train, such as 'x\n'; choose" in message
    assert "no labelled test items are left" in problem(
        rows(), rows(2, label=["-", "-"])
    )


def test_the_rows_are_counted():
    train, test = rows(), rows(20)
    train.loc[1, ["claim", "evidence", "label"]] = train.loc[
        0, ["claim", "evidence", "label"]
    ]
    train.loc[2, ["claim", "evidence"]] = train.loc[5, ["claim", "evidence"]].to_list()
    test["claim"] = [f"other {i}" for i in range(20)]
    test.loc[0, ["claim", "evidence", "label"]] = ["claim 7", "evidence 7.", "no"]
    assert built(train, test).notes == {
        "items_train": 40,
        "items_test": 20,
        "duplicates": 2,
        "conflicts": 2,
        "overlap": 1,
        "shared_queries": 1,
        "shared_evidence": 18,
    }


def test_a_benchmark_in_chinese_is_built():
    frame = rows(
        claim=[f"猫吃了{i}条鱼。" for i in range(40)],
        evidence=[f"第{i}天，天气很好。" for i in range(40)],
    )
    made = built(frame)
    assert set(made.train.table["query_form"]) == {"quantity"}


def test_hostile_column_names_are_only_names():
    names = {"claim": "__class__", "evidence": "a\nb", "label": "<script>"}
    frame = rows().rename(columns=names)
    made = built(frame, roles=ColumnRoles("__class__", "a\nb", "<script>"))
    assert made.test.labels.isin(["yes", "no"]).all()
    frame.loc[0, "a\nb"] = None
    assert r"column 'a\nb'" in problem(
        frame, roles=ColumnRoles("__class__", "a\nb", "<script>")
    )


@pytest.mark.parametrize("teams", [8, 1])
def test_a_drawn_split_keeps_groups_on_one_side_where_it_can(teams):
    team = [f"team {i % teams}" for i in range(40)]
    made = built(rows(team=team), roles=replace(ROLES, group="team"))
    sides = [set(side.column("team")) for side in (made.train, made.test)]
    assert bool(sides[0] & sides[1]) == (teams == 1)
    said = "both and group" if teams > 1 else "groups may stand on both sides"
    assert said in made.roles["split"]
