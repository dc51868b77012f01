"""The key of an answer changes with all that the answer depends on, and only that."""

import dataclasses
import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

from measurand.core.errors import BadOption
from measurand.core.intervention import AsIs
from measurand.core.items import Items
from measurand.core.recipe import identity
from measurand.experiment.ask import Ask, ask_key, versions
from measurand.interventions.fields import DropField, Keep
from measurand.interventions.shuffle import Shuffle
from measurand.readers.baselines import MajorityReader, MetadataReader
from measurand.readers.cross import CrossReader
from measurand.readers.linear import TfidfReader
from measurand.selections.rows import Both, Everything, HoldOut, Only, Sample

ASK = Ask(TfidfReader())
OTHERS = (
    Ask(TfidfReader(least=3)),
    Ask(TfidfReader(strength=2.0)),
    Ask(TfidfReader(folds=0)),
    Ask(CrossReader()),
    Ask(MajorityReader()),
    Ask(MetadataReader()),
    Ask(MetadataReader(("kind",))),
    replace(ASK, fitted_on=HoldOut("kind", "old")),
    replace(ASK, fitted_on=HoldOut("kind", "new")),
    replace(ASK, fitted_on=Only("kind", "old")),
    replace(ASK, fitted_on=Sample(9)),
    replace(ASK, fitted_on=Both(Sample(9), Only("kind", "old"))),
    replace(ASK, fitted_on=Both(Only("kind", "old"), Sample(9))),
    replace(ASK, about=Only("kind", "old")),
    replace(ASK, fitted_under=Keep("claim")),
    replace(ASK, fitted_under=DropField("claim")),
    replace(ASK, under=Keep("claim")),
    replace(ASK, under=Shuffle("evidence")),
    replace(ASK, under=Shuffle("claim")),
    replace(ASK, under=Shuffle("evidence", "nearest")),
    replace(ASK, repeats=2),
)


def test_every_setting_changes_the_key(benchmark):
    keys = [ask_key(ask, benchmark, 0) for ask in (ASK, *OTHERS)]
    assert len({*keys}) == len(keys)


def test_the_seed_changes_the_key(benchmark):
    assert len({ask_key(ASK, benchmark, seed) for seed in range(5)}) == 5


def cell(items, column):
    values = items.table[column].tolist()
    return items.with_table(items.table.assign(**{column: ["other", *values[1:]]}))


CHANGES = {
    "a query": lambda items: cell(items, "claim"),
    "an evidence": lambda items: cell(items, "evidence"),
    "a metadata value": lambda items: cell(items, "kind"),
    "a label": lambda items: cell(items, "label"),
    "the order": lambda items: items.rows(np.arange(len(items))[::-1]),
    "a row less": lambda items: items.rows(np.arange(len(items) - 1)),
    "an id": lambda items: items.with_table(items.table.rename({items.ids[0]: "x"})),
    "the order of fields": lambda items: replace(items, fields=items.fields[::-1]),
    "the metadata": lambda items: replace(items, metadata=()),
    "the group": lambda items: replace(items, group="kind"),
    "the label column": lambda items: replace(items, label="kind"),
    "a column": lambda items: items.with_table(items.table.assign(more="")),
}


@pytest.mark.parametrize("side", ["train", "test"])
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_of_the_items_changes_the_key(benchmark, change, side):
    other = replace(benchmark, **{side: CHANGES[change](getattr(benchmark, side))})
    assert ask_key(ASK, other, 0) != ask_key(ASK, benchmark, 0)


def test_the_sides_are_not_interchangeable(benchmark):
    turned = replace(benchmark, train=benchmark.test, test=benchmark.train)
    assert ask_key(ASK, turned, 0) != ask_key(ASK, benchmark, 0)


SPEECHLESS = {
    "name": "other",
    "roles": {},
    "schema": {},
    "notes": {"duplicates": 9},
    "planted": True,
    "protocol": len,
    "renderings": {"kind": {"old": ("old",)}},
}


@pytest.mark.parametrize("part", SPEECHLESS)
def test_nothing_else_changes_the_key(benchmark, part):
    other = replace(benchmark, **{part: SPEECHLESS[part]})
    assert ask_key(ASK, other, 0) == ask_key(ASK, benchmark, 0)


def test_equal_asks_and_equal_items_have_one_key(benchmark):
    copied = Items(
        benchmark.train.table.copy(), *dataclasses.astuple(benchmark.train)[1:]
    )
    again = replace(ASK, fitted_on=Everything(), under=AsIs())
    assert ask_key(again, replace(benchmark, train=copied), 0) == ask_key(
        ASK, benchmark, 0
    )


@pytest.mark.slow
def test_a_recipe_reads_the_same_in_every_process():
    code = (
        "from tests.experiment.test_ask import OTHERS, identity\n"
        "print(identity(OTHERS), end='')"
    )
    environment = {"PYTHONHASHSEED": "1", "PYTHONPATH": ":".join(sys.path)}
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, env=environment, capture_output=True, check=True)
    assert said.stdout.decode() == identity(OTHERS)


def test_asks_that_share_a_fit_differ_only_in_what_is_asked():
    assert replace(ASK, under=Keep("claim"), repeats=3).fit == ASK.fit
    assert replace(ASK, about=Only("kind", "old")).fit == ASK.fit
    assert replace(ASK, fitted_under=Keep("claim")).fit != ASK.fit


@dataclass(frozen=True)
class Holding:
    """A recipe that holds whatever it is given."""

    what: object


NO_SETTINGS = (
    {"a": 1},
    {1, 2},
    b"bytes",
    len,
    Holding,
    object(),
    np.arange(3),
    np.random.default_rng(0),
)


@pytest.mark.parametrize("what", NO_SETTINGS, ids=lambda what: type(what).__name__)
def test_what_is_no_setting_is_refused(what):
    with pytest.raises(TypeError, match="settings only, not a"):
        identity(Holding(what))
    with pytest.raises(TypeError, match="settings only, not a"):
        identity([Holding((1, what))])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (None, "null"),
        ("1", 1),
        ((), None),
        (("a", "b"), ("a,b",)),
        ((("a",), "b"), ("a", ("b",))),
    ],
)
def test_settings_that_differ_read_differently(one, other):
    assert identity(Holding(one)) != identity(Holding(other))


def test_tuples_and_lists_are_the_same_setting():
    assert identity(Holding(("a", 1))) == identity(Holding(["a", 1]))


def test_a_package_that_a_reader_names_and_nobody_installed_is_one_clear_line():
    with pytest.raises(BadOption, match="package no-such-thing, which is not"):
        versions(("no-such-thing",))
