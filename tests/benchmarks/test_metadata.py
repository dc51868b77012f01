import pandas as pd
import pytest

from measurand.benchmarks.metadata import (
    derive_metadata,
    fold_rare_forms,
    metadata_schema,
    query_form,
    query_type,
)
from measurand.core.errors import BadInput
from measurand.text.words import words

PHRASES = {
    "Who wrote Hamlet?": ("who", "person"),
    "who sang it first": ("who", "person"),
    "In which year did the war end?": ("which", "date"),
    "What is the capital of Peru?": ("what", "place"),
    "when did he leave": ("when", "date"),
    "Where is it?": ("where", "place"),
    "Why is the sky blue?": ("why", "other"),
    "How many cats are there?": ("how", "number"),
    "How does it work?": ("how", "other"),
    "Is the earth flat?": ("yes-no", "yes-no"),
    "did they win": ("yes-no", "yes-no"),
    "Name the river?": ("other-question", "place"),
    "When he came, they left.": ("other-claim", "person"),
    "A whale is a mammal.": ("definition", "other"),
    "Iron is heavier than cork.": ("comparison", "other"),
    "It sold 40 copies.": ("quantity", "number"),
    "It was built in 1890.": ("quantity", "date"),
    "The dog did not bark.": ("negated", "other"),
    "They met Ada Lovelace.": ("other-claim", "name"),
    "谁写了这本书？": ("who", "person"),
    "他什么时候来": ("other-claim", "person"),
    "什么时候开门？": ("when", "date"),
    "为什么天是蓝的？": ("why", "other"),
    "有多少苹果？": ("how", "number"),
    "你好吗": ("yes-no", "yes-no"),
    "鲸是一种哺乳动物。": ("definition", "other"),
    "铁比木头重。": ("comparison", "other"),
    "狗没叫。": ("negated", "other"),
    "": ("other-claim", "other"),
    "?!": ("other-claim", "other"),
    "???": ("other-question", "other"),
    "Où est le chat ?": ("other-question", "other"),
}


@pytest.mark.parametrize("query", PHRASES)
def test_form_and_type_follow_the_words(query):
    read = words(query)
    shape = query_form(query, read)
    assert (shape, query_type(query, read, shape)) == PHRASES[query]


def test_there_are_never_more_than_ten_forms():
    forms = [query_form(query, words(query)) for query in PHRASES]
    assert len(set(forms)) > 10
    assert len(set(fold_rare_forms(forms, forms))) == 10


def table(queries, evidence=None):
    columns = {"q": queries} if evidence is None else {"q": queries, "e": evidence}
    return pd.DataFrame(columns)


def test_cuts_come_from_train_alone():
    train = table(["a", "a b", "a b c"])
    for test in (table(["a b"]), table(["a b", "a b c d e f g h"])):
        seen, asked = derive_metadata(train, test, "q", None)
        assert list(seen["query_length"]) == ["short", "medium", "long"]
        assert asked["query_length"].iloc[0] == "medium"


def test_evidence_columns_count_words_and_sentences():
    evidence = ["x. y.", "a cat", "A cat sat. It slept. It woke. Then", ""]
    train = table(["a cat sat"] * 4, evidence)
    seen, _ = derive_metadata(train, train, "q", "e")
    assert list(seen["evidence_sentences"]) == ["2", "1", "3+", "0"]
    assert list(seen["evidence_overlap"]) == ["low", "medium", "high", "low"]


def test_the_schema_names_what_is_derived():
    train = table(["一", "二"], ["三", "四"])
    for evidence in (None, "e"):
        seen, _ = derive_metadata(train, train, "q", evidence)
        assert list(seen.columns) == ["q", "e", *metadata_schema(evidence)]


def test_chinese_is_measured_in_characters():
    train = table(["猫吃鱼", "狗不吃", "鸟"], ["猫吃鱼。", "天。地。", "人。"])
    seen, _ = derive_metadata(train, train, "q", "e")
    assert list(seen["query_negation"]) == ["no", "yes", "no"]
    assert list(seen["evidence_sentences"]) == ["1", "2", "1"]


def test_a_derived_name_in_use_is_refused():
    train = table(["a"]).rename(columns={"q": "query_form"})
    with pytest.raises(BadInput, match="query_form would be derived"):
        derive_metadata(train, train, "query_form", None)


def test_how_a_query_is_written_is_measured():
    train = table(
        ["Boats sail.", "boats sail", "Boats , sail .", "船开了。", "(Do they?"]
    )
    seen, _ = derive_metadata(train, train, "q", None)
    expected = ["capital, stop", "small, no mark", "capital, stop, spaced"]
    assert list(seen["query_writing"]) == [
        *expected,
        "other, stop",
        "capital, question",
    ]
