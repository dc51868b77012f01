"""What the checks say of things that break a promise."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import measurand as ms
from measurand.audits import AUDITS
from measurand.core.errors import BadInput, UnknownName
from measurand.core.recipe import Strength, Traits


@dataclass(frozen=True)
class Fitted:
    classes: tuple[str, ...]
    shares: np.ndarray

    def predict(self, items):
        return np.tile(self.shares, (len(items), 1))


@dataclass(frozen=True)
class Even:
    """Every class is as likely; subclasses break a promise each."""

    kind: ClassVar[str] = "even"

    def fit(self, items, rng):
        return Fitted(items.classes, np.ones(len(items.classes)) / len(items.classes))


class Nameless(Even):
    pass


@dataclass
class Thawed:
    kind: ClassVar[str] = "thawed"
    fit = Even.fit


class Traitless(Even):
    kind: ClassVar[str] = "traitless"
    traits: ClassVar[str] = "strong"


class Unanswering(Even):
    kind: ClassVar[str] = "unanswering"

    def fit(self, items, rng):
        return items


class Narrow(Even):
    kind: ClassVar[str] = "narrow"

    def fit(self, items, rng):
        return Fitted(items.classes, np.ones(1))


class Loud(Even):
    kind: ClassVar[str] = "loud"

    def fit(self, items, rng):
        return Fitted(items.classes, np.ones(len(items.classes)))


class Lost(Even):
    kind: ClassVar[str] = "lost"

    def fit(self, items, rng):
        return Fitted(items.classes, np.full(len(items.classes), np.nan))


class Foreign(Even):
    kind: ClassVar[str] = "foreign"

    def fit(self, items, rng):
        return Fitted(("ja", "nein"), np.ones(2) / 2)


class Moody(Even):
    kind: ClassVar[str] = "moody"
    drawn: ClassVar[np.random.Generator] = np.random.default_rng(0)

    def fit(self, items, rng):
        return Fitted(items.classes, self.drawn.dirichlet(np.ones(len(items.classes))))


class Meddling(Even):
    kind: ClassVar[str] = "meddling"

    def fit(self, items, rng):
        items.table[items.fields[0]] = "gone"
        return super().fit(items, rng)


class Peeking(Even):
    kind: ClassVar[str] = "peeking"

    def fit(self, items, rng):
        return Peeked(items.classes, np.eye(len(items.classes)))


class Peeked(Fitted):
    def predict(self, items):
        return self.shares[items.gold(self.classes)]


class Hasty(Even):
    kind: ClassVar[str] = "hasty"

    def fit(self, items, rng):
        return Shortened(items.classes, np.ones(len(items.classes)))


class Shortened(Fitted):
    def predict(self, items):
        return np.eye(len(self.classes))[np.zeros(len(items), int)]

    def read(self, items):
        return len(items)

    def predict_rearranged(self, reading, field, orders):
        for _ in orders:
            yield np.eye(len(self.classes))[np.full(reading, len(self.classes) - 1)]


class Strict(Even):
    kind: ClassVar[str] = "strict"

    def fit(self, items):
        return super().fit(items, None)


class Stuttering(Even):
    kind: ClassVar[str] = "stuttering"

    def fit(self, items, rng):
        return Fitted((items.classes[0],) * 2, np.ones(2) / 2)


WRONG_READERS = {
    "answered otherwise when the gold labels were others": Peeking(),
    "predict_rearranged gives other answers than predict": Hasty(),
    "Strict.fit raised TypeError: ": Strict(),
    "the classes of Fitted are no, no": Stuttering(),
    "Even is a class and no reader yet": Even,
    "Thawed is no frozen dataclass": Thawed(),
    "Nameless does not say what it is; write kind": Nameless(),
    "Traitless are a str; give a measurand.Traits": Traitless(),
    "fit of Unanswering returned a Items without predict": Unanswering(),
    r"gave an array of shape \(60, 1\) for 60 items and 2 classes": Narrow(),
    "sum to 2 to 2; give shares": Loud(),
    "gave numbers that are none": Lost(),
    "the classes of Fitted are ja, nein; those that it learned from": Foreign(),
    "Moody learned twice from the same items": Moody(),
    "Meddling changed the items it was given": Meddling(),
}


@pytest.mark.parametrize("line", WRONG_READERS)
def test_a_reader_that_breaks_a_promise_is_one_line(line):
    with pytest.raises(ms.MeasurandError, match=line) as raised:
        ms.check_reader(WRONG_READERS[line])
    assert "\n" not in str(raised.value)


def test_a_reader_that_keeps_its_promises_passes():
    ms.check_reader(Even())
    traits = Traits(Strength.PAIRS)
    named = type("Named", (Even,), {"kind": "named", "traits": traits})
    ms.check_reader(named())


@dataclass(frozen=True)
class Same:
    """No change; subclasses break a promise each."""

    kind: ClassVar[str] = "same"

    def __call__(self, items, rng):
        return items

    def __str__(self):
        return "the same"


class Reversing(Same):
    kind: ClassVar[str] = "reversing"

    def __call__(self, items, rng):
        return items.rows(np.arange(len(items))[::-1])


class Relabelling(Same):
    kind: ClassVar[str] = "relabelling"

    def __call__(self, items, rng):
        return items.with_table(items.table.assign(label="yes"))


class Erasing(Same):
    kind: ClassVar[str] = "erasing"

    def __call__(self, items, rng):
        items.table[items.fields[0]] = ""
        return items


class Emptied(Same):
    kind: ClassVar[str] = "emptied"

    def __call__(self, items, rng):
        return items.table


class Restless(Same):
    kind: ClassVar[str] = "restless"
    drawn: ClassVar[np.random.Generator] = np.random.default_rng(0)

    def __call__(self, items, rng):
        texts = [str(number) for number in self.drawn.random(len(items))]
        return items.with_field(items.fields[0], texts)


@dataclass(frozen=True)
class Unsaid:
    kind: ClassVar[str] = "unsaid"

    def __call__(self, items, rng):
        return items


WRONG_CHANGES = {
    "Reversing changed the ids or their order": Reversing(),
    "Relabelling changed the labels": Relabelling(),
    "Erasing changed the items it was given": Erasing(),
    "Emptied gave a DataFrame; return Items": Emptied(),
    "Restless gave other items with the same generator": Restless(),
    "Unsaid has no name for reports; write __str__": Unsaid(),
    "Same is a class; give an instance": Same,
}


@pytest.mark.parametrize("line", WRONG_CHANGES)
def test_an_intervention_that_breaks_a_promise_is_one_line(line):
    with pytest.raises(BadInput, match=line):
        ms.check_intervention(WRONG_CHANGES[line])
    ms.check_intervention(Same())


@pytest.mark.parametrize(
    ("choice", "line"),
    [
        (Reversing(), "Reversing changed the order of the rows"),
        (Relabelling(), "Relabelling changed what stands in the rows"),
        (Unsaid(), "Unsaid has no name for reports"),
    ],
)
def test_a_selection_that_breaks_a_promise_is_one_line(choice, line):
    with pytest.raises(BadInput, match=line):
        ms.check_selection(choice)
    ms.check_selection(Same())


@dataclass
class Open:
    margin: float = 0.1


@dataclass(frozen=True)
class Undecided:
    margin: float


WRONG_RECORDS = [
    ({"question": "it depends"}, BadInput, "is no question; end it with"),
    ({"labels": ()}, BadInput, "`labels` of evidence is"),
    ({"labels": ["a"]}, BadInput, "give a tuple of names"),
    ({"readers": ("tfdf",)}, UnknownName, "no reader called 'tfdf'"),
    ({"needs": ("premise",)}, BadInput, "needs 'premise', which no benchmark has"),
    ({"run": None}, BadInput, "needs a function `run`"),
    ({"settings": Open}, BadInput, "settings of evidence are no frozen dataclass"),
    ({"settings": Undecided}, BadInput, "'margin' of evidence has no default"),
    ({"demo": {"synthetic:nope": {}}}, UnknownName, "no benchmark called"),
    ({"demo": {"synthetic:nq": {"x": 1}}}, ms.MeasurandError, "no setting 'x'"),
]


@pytest.mark.parametrize(("change", "kind", "line"), WRONG_RECORDS)
def test_an_audit_whose_record_is_wrong_is_one_line(change, kind, line):
    with pytest.raises(kind, match=line):
        ms.check_audit(replace(AUDITS.thing("evidence"), **change))


def test_what_is_no_audit_is_one_line():
    with pytest.raises(
        BadInput, match=r"a function is no audit; give a measurand\.Audit"
    ):
        ms.check_audit(AUDITS.thing("evidence").run)
