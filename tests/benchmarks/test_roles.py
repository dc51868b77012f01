import pytest

from measurand.benchmarks.roles import ColumnRoles, NamedColumns, infer_roles
from measurand.core.errors import AmbiguousRoles, BadInput, NoField


def parts(*columns, **given):
    return infer_roles(columns, NamedColumns(**given)).describe()


@pytest.mark.parametrize(
    ("columns", "query", "evidence", "label"),
    [
        (["premise", "hypothesis", "label"], "hypothesis", "premise", "label"),
        (
            ["Sentence1", "Sentence2", "gold_label"],
            "Sentence2",
            "Sentence1",
            "gold_label",
        ),
        (["id", "claim", "evidence", "label"], "claim", "evidence", "label"),
        (["question", "context", "answer"], "question", "context", "answer"),
        (["question", "passage", "answer", "label"], "question", "passage", "label"),
        (["question", "documents", "target"], "question", "documents", "target"),
        (["text", "class"], "text", None, "class"),
        (["sentence", "label"], "sentence", None, "label"),
    ],
)
def test_plain_names_are_understood(columns, query, evidence, label):
    roles = infer_roles(columns)
    assert (roles.query, roles.evidence, roles.label) == (query, evidence, label)


def test_the_other_parts_are_found_by_name_too():
    found = parts("text", "label", "Explanation", "pairID", "split", "group", "genre")
    assert found == {
        "query": "text",
        "label": "label",
        "rationale": "Explanation",
        "group": "group",
        "split": "split",
        "id": "pairID",
    }


def test_what_is_given_wins_and_frees_no_other():
    found = parts(
        "question",
        "context",
        "passage",
        "label",
        "kind",
        evidence="passage",
        metadata=("kind",),
    )
    assert found["evidence"] == "passage"
    assert found["metadata"] == "kind"
    assert parts("text", "claim", "label", evidence="text")["query"] == "claim"


@pytest.mark.parametrize(
    ("columns", "option"),
    [
        (["question", "context", "passage", "label"], "`evidence`"),
        (["text", "label", "gold_label"], "`label`"),
        (["claim", "text", "label"], "`query`"),
        (["text", "label", "Label"], "`label`"),
        (["text", "label", "explanation", "rationale"], "`rationale`"),
        (["text", "label", "id", "uid"], "`id`"),
        (["review", "label"], "`query`"),
        (["text", "stars"], "`label`"),
        (["a", "b"], "`query` and `label`"),
    ],
)
def test_doubt_is_refused_with_the_columns_and_the_option(columns, option):
    with pytest.raises(
        AmbiguousRoles, match=f"name (one|them) with {option}$"
    ) as caught:
        infer_roles(columns)
    assert ", ".join(columns) in str(caught.value)


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(NoField, match="did you mean 'premise'"):
        infer_roles(["premise", "hypothesis", "label"], NamedColumns(evidence="premis"))
    with pytest.raises(NoField, match="no field 'genre'"):
        infer_roles(["text", "label"], NamedColumns(metadata=("genre",)))


@pytest.mark.parametrize("role", ["query", "evidence", "label", "group", "split", "id"])
@pytest.mark.parametrize("name", ["articel", "ARTICLE"])
def test_a_wrong_name_of_any_role_is_answered_in_any_case(role, name):
    with pytest.raises(NoField, match="did you mean 'article'"):
        infer_roles(["claim", "article", "label"], NamedColumns(**{role: name}))


@pytest.mark.parametrize(
    "given",
    [
        NamedColumns(query="text", evidence="text"),
        NamedColumns(metadata=("label",), label="label"),
        NamedColumns(metadata=("text", "text")),
    ],
)
def test_one_column_plays_one_part(given):
    with pytest.raises(BadInput, match="is given more than one part"):
        infer_roles(["text", "label"], given)


def test_a_text_may_be_the_group_too():
    columns = ["question", "passage", "label"]
    for given in (NamedColumns(group="question"), NamedColumns(group="passage")):
        roles = infer_roles(columns, given)
        assert (roles.query, roles.group) == ("question", given.group)
    with pytest.raises(BadInput, match="is given more than one part"):
        infer_roles(columns, NamedColumns(group="label", label="label"))


def test_hostile_column_names_stay_in_one_line():
    with pytest.raises(AmbiguousRoles) as caught:
        infer_roles(["a\nb", "\x1b[31m", "x" * 500, "", *(f"c{i}" for i in range(100))])
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 500


def test_roles_describe_themselves():
    roles = ColumnRoles("q", "e", "l", ("a", "b"), id="i")
    assert roles.describe() == {
        "query": "q",
        "evidence": "e",
        "label": "l",
        "metadata": "a, b",
        "id": "i",
    }


def test_explanations_that_bear_a_number_are_all_found():
    columns = ["hypothesis", "label", "explanation_10", "explanation_2"]
    found = infer_roles(columns)
    assert found.rationales == ("explanation_2", "explanation_10")
    assert found.rationale == "explanation_2"


def test_evidence_may_be_its_own_explanation():
    given = NamedColumns(rationale=("evidence",))
    found = infer_roles(["claim", "evidence", "label"], given)
    assert (found.evidence, found.rationales) == ("evidence", ("evidence",))


def test_a_query_is_not_its_own_explanation():
    with pytest.raises(BadInput, match="more than one part"):
        infer_roles(
            ["claim", "label"], NamedColumns(query="claim", rationale=("claim",))
        )


@pytest.mark.parametrize("asking", ["stem", "ctx", "prompt"])
def test_a_text_beside_a_column_that_asks_is_not_taken_for_the_query(asking):
    columns = ["text", asking, "options", "answer"]
    with pytest.raises(AmbiguousRoles, match=rf"the query: text, {asking}; .*`query`"):
        parts(*columns, choices=("options",))
    named = parts(*columns, choices=("options",), query=asking, evidence="text")
    assert (named["query"], named["evidence"]) == (asking, "text")
    assert parts("text", "options", "answer", choices=("options",))["query"] == "text"
