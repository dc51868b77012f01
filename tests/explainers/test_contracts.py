"""Every explainer against the promises of its protocol."""

import dataclasses

import numpy as np
import pytest

from measurand.core.errors import BadOption, NotApplicable, UnknownName
from measurand.core.explainer import Drifting, Explainer, ExplainerRoles, Prompting
from measurand.core.recipe import identity
from measurand.explainers import EXPLAINERS, SUITE, make_explainer
from tests.explainers.reasoned import reasoned_items

ITEMS = reasoned_items()
ROLES = ExplainerRoles("claim", "evidence", "why")
LIGHT = [name for name, entry in EXPLAINERS.entries.items() if not entry.extra]
SHOWN = (
    "label-leaking",
    "circular",
    "label-swapped",
    "copy-cipher",
)  # to whom the label is shown


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("name", LIGHT)
def test_an_explainer_writes_one_text_an_item_and_leaves_the_items_alone(name):
    before = ITEMS.digest
    texts = make_explainer(name, ROLES).explain(ITEMS, rng())
    assert len(texts) == len(ITEMS)
    assert all(type(text) is str and text.strip() for text in texts)
    assert dataclasses.replace(ITEMS).digest == before


@pytest.mark.parametrize("name", LIGHT)
def test_an_explainer_depends_on_the_items_and_its_stream_alone(name):
    explainer = make_explainer(name, ROLES)
    first = explainer.explain(ITEMS, rng(3))
    explainer.explain(ITEMS, rng(4))
    assert explainer.explain(dataclasses.replace(ITEMS), rng(3)) == first


@pytest.mark.parametrize("name", list(EXPLAINERS))
def test_an_explainer_is_a_frozen_recipe(name):
    explainer = make_explainer(name, ROLES)
    assert isinstance(explainer, Explainer)
    assert identity(explainer) == identity(make_explainer(name, ROLES))
    with pytest.raises(dataclasses.FrozenInstanceError):
        explainer.anything = 1


@pytest.mark.parametrize("name", [n for n in LIGHT if n not in SHOWN])
def test_an_explainer_that_may_not_see_the_label_does_not(name):
    turned = ITEMS.table.assign(label=ITEMS.labels.tolist()[::-1])
    explainer = make_explainer(name, ROLES)
    first = explainer.explain(ITEMS, rng())
    assert explainer.explain(ITEMS.with_table(turned), rng()) == first


@pytest.mark.parametrize("name", LIGHT)
def test_an_explainer_sees_no_column_that_plays_no_part(name):
    more = ITEMS.with_table(ITEMS.table.assign(secret=[*map(str, range(len(ITEMS)))]))
    explainer = make_explainer(name, ROLES)
    assert explainer.explain(more, rng()) == explainer.explain(ITEMS, rng())


@pytest.mark.parametrize("name", LIGHT)
def test_empty_texts_are_no_trouble(name):
    gone = [""] * len(ITEMS)
    blank = ITEMS.with_field("claim", gone).with_field("evidence", gone)
    texts = make_explainer(name, ROLES).explain(blank, rng())
    assert len(texts) == len(ITEMS)
    if name in ("tfidf-1", "random-2"):
        assert set(texts) == {""}


@pytest.mark.parametrize(
    ("name", "roles", "lacks"),
    [
        ("given", ExplainerRoles("claim", "evidence"), "rationale"),
        ("label-swapped", ExplainerRoles("claim", "evidence"), "rationale"),
        ("tfidf-1", ExplainerRoles("claim", None, "why"), "evidence"),
        ("random-2", ExplainerRoles("claim", None, "why"), "evidence"),
        ("drift", ExplainerRoles("claim"), "neither a rationale nor an evidence"),
    ],
)
def test_a_part_that_no_column_plays_is_named(name, roles, lacks):
    with pytest.raises(NotApplicable, match=lacks) as refused:
        make_explainer(name, roles)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", ["vacuous", "label-leaking", "circular"])
def test_templates_need_a_query_alone(name):
    assert len(
        make_explainer(name, ExplainerRoles("claim")).explain(ITEMS, rng())
    ) == len(ITEMS)


def test_wrong_names_and_settings_are_one_line():
    with pytest.raises(UnknownName, match="did you mean 'tfidf-1'"):
        make_explainer("tfidf1", ROLES)
    with pytest.raises(BadOption, match="vacuous takes no 'model'"):
        make_explainer("vacuous", ROLES, model="smollm2")
    with pytest.raises(BadOption, match="'best'"):
        make_explainer("tfidf-1", ROLES, how="best")


def test_the_suite_has_seven_types_and_one_of_them_drifts():
    assert len(SUITE) == 7
    made = [make_explainer(name, ROLES) for name in SUITE]
    assert [isinstance(one, Drifting) for one in made].count(True) == 1
    assert not any(isinstance(one, Prompting) for one in made)
