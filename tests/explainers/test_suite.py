"""The adversarial suite: each type is bad in its own way, and in no other."""

import numpy as np
import pytest

from measurand.core.errors import Undefined
from measurand.core.explainer import ExplainerRoles
from measurand.explainers import make_explainer
from measurand.explainers.adversarial import (
    CIRCULAR,
    LEAKING,
    PSEUDO_SPECIFIC,
    VACUOUS,
    find_entity,
)
from measurand.explainers.distortions import Drift, Swapped, negate_text
from tests.explainers.reasoned import reasoned_items

ITEMS = reasoned_items()
ROLES = ExplainerRoles("claim", "evidence", "why")
FLIPS = {
    "he did not go": "he did go",
    "Not all dogs bark": "All dogs bark",
    "he can not be in": "he can be in",
    "he cannot be in": "he can be in",
    "she isn't in": "she is in",
    "she doesn’t and is not": "she does and is not",
    "it does n't fit": "it does fit",
    "they won't, can't": "they will, can't",
    "it doesnt fit": "it does fit",
    "I want different plants": "It is not true that I want different plants",
    "A dog is an animal.": "A dog is not an animal.",
    "dogs MAY bark": "dogs MAY not bark",
    "Dogs bark.": "It is not true that Dogs bark.",
    "The dogs bark.": "It is not true that the dogs bark.",
    "": "",
    "?": "?",
}


def rng(seed=0):
    return np.random.default_rng(seed)


def explain(name, items=ITEMS, roles=ROLES):
    return make_explainer(name, roles).explain(items, rng())


def labelled(*labels):
    many = [labels[i % len(labels)] for i in range(len(ITEMS))]
    return ITEMS.with_table(ITEMS.table.assign(label=many))


@pytest.mark.parametrize("templates", [VACUOUS, LEAKING, CIRCULAR, PSEUDO_SPECIFIC])
def test_there_are_several_templates_a_type(templates):
    assert len(set(templates)) >= 4


@pytest.mark.parametrize("name", ["vacuous", "label-leaking", "circular"])
def test_a_template_stays_with_its_item_when_texts_change(name):
    other = ITEMS.with_field("claim", ["other"] * len(ITEMS))
    assert explain(name, other) == explain(name)
    assert len({*explain(name)}) >= 4


LABELS = [("0", "1"), ("NOT_ENOUGH_INFO", "{x}"), ("no", "yes"), ("A b", "c-d")]


@pytest.mark.parametrize("name", ["label-leaking", "circular"])
@pytest.mark.parametrize("labels", LABELS, ids=str)
def test_any_label_is_named_and_no_other(name, labels):
    items = labelled(*labels)
    forms = {label: {label, label.lower().replace("_", " "), "c d"} for label in labels}
    forms[labels[0]] -= {"c d"}
    for text, label in zip(explain(name, items), items.labels, strict=True):
        assert any(form in text for form in forms[label]), text


def test_a_label_becomes_a_state_where_one_is_known():
    texts = {*explain("label-leaking"), *explain("circular")}
    assert {"This is supported.", "This is refuted.", "The label is REFUTES."} <= texts


def test_vacuous_and_pseudo_specific_templates_say_nothing_of_the_label():
    for name in ("vacuous", "pseudo-specific"):
        assert explain(name) == explain(name, labelled("0", "1"))


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        (["The film stars Ada Lovelace and Bob."], "Ada Lovelace"),
        (["is it a song", "It is. A song of New York."], "New York"),
        (["Paris is big."], "Paris"),
        (["The dog sleeps", "Two men of -LRB- a -RRB-"], "sleeps"),
        (["He is running quickly to the station"], "station"),
        (["", ""], "this"),
        (["it is not"], "this"),
    ],
)
def test_a_name_of_the_item_is_found(texts, name):
    assert find_entity(texts, {}, 1) == name


def test_a_word_that_stands_everywhere_is_no_name():
    assert (
        find_entity(["the elephant has a trunk"], {"elephant": 9, "trunk": 1}, 1)
        == "trunk"
    )
    assert find_entity(["the elephant walk"], {"elephant": 9, "walk": 8}, 1) == "walk"


def test_pseudo_specific_rationales_mention_their_item():
    for i, text in enumerate(explain("pseudo-specific")):
        assert f"R{i // 2}" in text


@pytest.mark.parametrize("text", FLIPS)
def test_a_flip_is_minimal(text):
    assert negate_text(text) == FLIPS[text]


def test_a_drift_is_the_flip_of_its_origin():
    drift = Drift("claim", "evidence", "why")
    assert drift.origin(ITEMS, rng()) == ITEMS.column("why").tolist()
    assert drift.explain(ITEMS, rng())[0] == "river R0 is 2 miles"


def test_without_a_rationale_column_the_likeliest_sentence_drifts():
    drift = Drift("claim", "evidence")
    assert drift.origin(ITEMS, rng())[2] == "River R1 flows."
    assert drift.explain(ITEMS, rng())[2] == "It is not true that River R1 flows."


def test_a_swap_takes_the_rationale_of_the_other_label_for_the_same_evidence():
    texts = explain("label-swapped")
    why = ITEMS.column("why").tolist()
    assert texts == [why[i + 1 - 2 * (i % 2)] for i in range(len(ITEMS))]


def test_without_shared_evidence_the_nearest_query_of_another_label_gives():
    apart = ITEMS.with_field("evidence", [f"Text {i}." for i in range(len(ITEMS))])
    assert explain("label-swapped", apart) == explain("label-swapped")
    assert explain(
        "label-swapped", ITEMS, ExplainerRoles("claim", None, "why")
    ) == explain("label-swapped")


def test_where_the_evidence_is_the_rationale_another_text_is_received():
    texts = explain(
        "label-swapped", ITEMS, ExplainerRoles("claim", "evidence", "evidence")
    )
    own = ITEMS.column("evidence").tolist()
    assert all(one != two for one, two in zip(texts, own, strict=True))
    assert set(texts) <= set(own)


def test_donors_always_have_another_label_and_something_to_give(rng):
    gone = ITEMS.with_field("why", ["", *ITEMS.column("why").tolist()[1:]])
    why = gone.column("why").tolist()
    donors = Swapped("claim", None, "why").donors(gone, why, rng)
    gold = gone.labels.to_numpy()
    assert (gold[donors] != gold).all()
    assert 0 not in donors


def test_ties_are_broken_by_the_stream():
    same = ITEMS.with_field("claim", ["the same"] * len(ITEMS))
    swap = Swapped("claim", None, "why")
    one, two = (swap.explain(same, np.random.default_rng(seed)) for seed in (0, 1))
    assert one != two


def test_one_label_or_one_rationale_leaves_nothing_to_swap():
    with pytest.raises(Undefined, match="one label"):
        explain("label-swapped", labelled("only"))
    alike = ITEMS.with_field("why", ["so it is"] * len(ITEMS))
    assert explain("label-swapped", alike) == [""] * len(ITEMS)


@pytest.mark.parametrize(
    ("name", "templates"), [("vacuous", VACUOUS), ("pseudo-specific", PSEUDO_SPECIFIC)]
)
def test_a_trace_tells_the_template(name, templates):
    traces = make_explainer(name, ROLES).traces(ITEMS, rng())
    for trace, text in zip(traces, explain(name), strict=True):
        start, _, end = templates[trace["template"]].partition("{entity}")
        assert text.startswith(start)
        assert text.endswith(end)


def test_a_trace_tells_the_donor():
    traces = make_explainer("label-swapped", ROLES).traces(ITEMS, rng())
    why = ITEMS.column("why")
    assert [why[trace["donor"]] for trace in traces] == explain("label-swapped")
