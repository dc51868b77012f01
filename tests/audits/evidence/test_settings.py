"""In how many folds items are tested, by who is asked."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from measurand.audits.evidence import EvidenceSettings
from measurand.core.errors import BadOption
from measurand.core.recipe import Traits
from measurand.readers.baselines import LookupReader


def test_a_server_is_asked_about_no_more_than_the_share_set_apart():
    @dataclass(frozen=True)
    class Paid(LookupReader):
        traits: ClassVar[Traits] = Traits(remote=True)

    settings = EvidenceSettings()
    assert settings.folds_for([LookupReader("evidence")]) == 3
    assert settings.folds_for([LookupReader("query"), Paid("evidence")]) == 1
    assert EvidenceSettings(folds=4).folds_for([Paid("evidence")]) == 4


def test_a_reader_that_learned_before_is_asked_about_the_share_set_apart():
    @dataclass(frozen=True)
    class Saved(LookupReader):
        traits: ClassVar[Traits] = Traits(learned=True)

    readers = [LookupReader("query"), Saved("evidence")]
    assert EvidenceSettings().folds_for(readers) == 1
    assert EvidenceSettings(folds=4).folds_for(readers) == 1


def test_controls_are_no_setting_any_more():
    with pytest.raises(TypeError, match="controls"):
        EvidenceSettings(controls="none")
    with pytest.raises(BadOption, match="`margin`"):
        EvidenceSettings(margin=0.0)
