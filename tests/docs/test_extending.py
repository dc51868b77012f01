"""What docs/extending.md promises to those who write parts of their own.

Its examples run in `test_examples.py`; that keys and streams hold a recipe's kind and
the settings off their default, in `tests/core/test_recipe.py`.
"""

import ast
import dataclasses
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import docs
import measurand as ms
from measurand.benchmarks.files import FORMATS
from measurand.benchmarks.formats import parse_separated_values
from measurand.core.benchmark import Benchmark
from measurand.core.catalogue import Catalogue, Entry
from measurand.core.errors import MeasurandError
from measurand.core.recipe import identity
from measurand.experiment.experiment import ask_all
from measurand.experiment.ladder import order_by_strength
from measurand.interventions import INTERVENTIONS
from measurand.interventions.shuffle import Shuffle
from measurand.readers import READERS
from measurand.selections import SELECTIONS
from tests.conftest import small_items
from tests.docs.conftest import blocks

PAGE = docs.ROOT / "docs" / "extending.md"
CLASSES = [
    node
    for _, code in blocks(PAGE, "python")
    for node in ast.walk(ast.parse(code))
    if isinstance(node, ast.ClassDef)
]
ITEMS = small_items()
BENCHMARK = Benchmark("b", ITEMS, ITEMS, "claim", "proof")


@dataclass(frozen=True)
class Shares:
    """Fitted: the same shares for every item."""

    classes: tuple[str, ...]

    def predict(self, items):
        return np.full((len(items), len(self.classes)), 1 / len(self.classes))


@dataclass(frozen=True)
class Plain:
    """A reader that keeps every promise."""

    kind: ClassVar[str] = "plain"
    setting: object = None

    def fit(self, items, rng):
        return Shares(items.classes)


@dataclass(frozen=True)
class Hasty(Plain):
    """A reader whose answers under a shuffle come from what it has read before."""

    kind: ClassVar[str] = "hasty"

    def fit(self, items, rng):
        return Reread(items.classes)


@dataclass(frozen=True)
class Reread(Shares):
    def predict(self, items):
        raise AssertionError("read again")

    def read(self, items):
        return super().predict(items)

    def predict_rearranged(self, reading, field, orders):
        yield from (reading[order] for order in orders)


@dataclass(frozen=True)
class Rotate:
    """The text of the item before, and who gave it."""

    kind: ClassVar[str] = "rotate"
    field: str

    def order(self, items, rng):
        return np.roll(np.arange(len(items)), 1)

    def __call__(self, items, rng):
        texts = items.column(self.field).to_numpy()[self.order(items, rng)]
        return items.with_field(self.field, list(texts))

    def __str__(self):
        return "rotate"


def ask(*asks):
    with ms.Workplace().open(BENCHMARK, seed=0) as experiment:
        return ask_all(experiment, asks)


@pytest.mark.parametrize("node", CLASSES, ids=lambda node: node.name)
def test_what_the_page_adds_inherits_nothing(node):
    assert not node.bases
    for catalogue in (READERS, INTERVENTIONS, SELECTIONS):
        assert node.name not in str(catalogue.entries)


@pytest.mark.parametrize("value", [1, 0.5, "a", True, None, (1, "a"), Plain()])
def test_a_setting_may_be_what_the_page_says(value):
    ms.check_reader(Plain(value))
    assert identity(Plain(value)) == identity(dataclasses.replace(Plain(value)))


@pytest.mark.parametrize("value", [{"a": 1}, {1}, object(), np.zeros(2)])
def test_another_setting_is_refused_in_one_line(value):
    with pytest.raises(MeasurandError, match="cannot be written down") as refused:
        ms.check_reader(Plain(value))
    assert "\n" not in str(refused.value)


def broken(**parts):
    """A reader whose fitted form, or which itself, does something else."""
    fitted = type("Fitted", (Shares,), {k: v for k, v in parts.items() if k != "fit"})
    learn = parts.get("fit", lambda self, items, rng: fitted(items.classes))
    made = type("Broken", (Plain,), {"kind": "broken", "fit": learn})
    return dataclasses.dataclass(frozen=True)(made)()


BROKEN = {
    "sum to": broken(predict=lambda self, items: np.ones((len(items), 2))),
    "of shape": broken(predict=lambda self, items: np.ones(len(items))),
    "draw only from the rng": broken(
        predict=lambda self, items: np.random.default_rng().dirichlet(
            np.ones(len(self.classes)), len(items)
        )
    ),
    "without classes": broken(fit=lambda self, items, rng: None),
    "no dataclass": type("Loose", (), {"fit": Plain.fit, "kind": "loose"})(),
    "does not say what it is": type("Mute", (Plain,), {})(),
}


@pytest.mark.parametrize("problem", BROKEN)
def test_a_reader_that_breaks_a_promise_gets_one_line(problem):
    with pytest.raises(MeasurandError, match=problem) as refused:
        ms.check_reader(BROKEN[problem])
    assert "\n" not in str(refused.value)


def test_a_reader_without_a_kind_can_still_be_asked():
    (answers,) = ask(ms.Ask(BROKEN["does not say what it is"]))
    assert answers.probabilities.shape == (1, 60, 2)


def test_the_ladder_goes_by_strength_whatever_a_reader_is_called():
    strengths = [ms.Strength.PRETRAINED, ms.Strength.TEXTLESS, ms.Strength.PAIRS]
    readers = {
        name: type("Some", (Plain,), {"traits": ms.Traits(strength)})()
        for name, strength in zip(("tfidf", "minilm", "cross"), strengths, strict=True)
    }
    order = order_by_strength({**readers, "own": Plain()})
    assert list(order) == ["minilm", "own", "cross", "tfidf"]


def test_a_fitted_reader_with_the_hook_never_reads_a_shuffled_field_again():
    quick, slow = ask(
        *(
            ms.Ask(reader, under=Shuffle("proof"), repeats=3)
            for reader in (Hasty(), Plain())
        )
    )
    assert (quick.probabilities == slow.probabilities).all()
    assert (quick.donors == slow.donors).all()


def test_answers_say_whose_text_each_item_received():
    ms.check_intervention(Rotate("proof"))
    (answers,) = ask(ms.Ask(Plain(), under=Rotate("proof")))
    assert (answers.donors == np.roll(np.arange(60), 1)).all()


def test_a_new_suffix_is_a_function_in_the_table_of_formats(tmp_path, monkeypatch):
    monkeypatch.setitem(FORMATS, ".psv", lambda s: parse_separated_values(s, "|"))
    rows = [f"is {i} even?|{i} is.|{i % 2}" for i in range(60)]
    path = tmp_path / "numbers.psv"
    path.write_text("\n".join(["query|evidence|label", *rows]))
    benchmark = ms.load(path)
    assert (benchmark.name, benchmark.classes) == ("numbers", ("0", "1"))


def test_an_entry_is_imported_only_when_it_is_asked_for():
    catalogue = Catalogue("thing", {"absent": Entry("nowhere.at_all:Thing", "none")})
    assert list(catalogue) == ["absent"]
    with pytest.raises(ModuleNotFoundError):
        catalogue.thing("absent")


def test_the_page_names_the_files_that_hold_the_catalogues():
    text = PAGE.read_text("utf-8")
    for catalogue in ("readers", "interventions", "selections", "benchmarks"):
        assert f"`{catalogue}/__init__.py`" in text
        path = docs.ROOT / "src" / "measurand" / catalogue / "__init__.py"
        assert f"{catalogue.upper()} = Catalogue(" in path.read_text("utf-8")
