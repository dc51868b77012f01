"""A setting is declared once, and refused in one line."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest

from measurand.core.errors import BadOption
from measurand.core.setting import Setting, Settings, declarations, setting

Size = Annotated[int | None, Setting("How many.", 1, 10)]


@dataclass(frozen=True)
class Chosen(Settings):
    """Settings of every kind."""

    size: Size = None
    share: float = setting(0.5, "A share.", 0, 1, True, unit=", not percent")
    sizes: tuple[int, ...] | int = setting(3, "Sizes.", 2, option="--several")
    kind: str = setting("plain", "A kind.", allowed=("plain", "odd"))
    seed: int = setting(0, check="core.bounds:check_seed")
    flag: bool | None = None
    others: Mapping[str, str] | None = setting(None, option=None)


def test_a_declaration_says_all_that_options_and_pages_show():
    declared = declarations(Chosen)
    assert declared["size"].setting.bounds == "1 to 10"
    assert declared["share"].setting.bounds == "above 0, up to 1"
    assert (declared["sizes"].several, declared["sizes"].part) == (True, int)
    assert declared["sizes"].words == ["--several"]
    assert (declared["flag"].part, declared["flag"].default) == (bool, None)
    assert declared["others"].setting.option is None


WRONG = {
    "`size` is 11; allowed are 1 to 10": {"size": 11},
    "`size` is 'x', a str; give int or None": {"size": "x"},
    "`size` is 'True', a bool; give int or None": {"size": True},
    "`share` is 0; allowed are above 0, up to 1, not percent": {"share": 0},
    "`share` is nan; allowed are": {"share": float("nan")},
    "`sizes` is 1; allowed are 2 or more": {"sizes": (4, 1)},
    "`sizes` is 2.5; give whole numbers": {"sizes": (2.5,)},
    "`seed` is -1; allowed are 0 to": {"seed": -1},
}


@pytest.mark.parametrize("line", WRONG)
def test_what_is_not_allowed_is_refused_in_one_line(line):
    with pytest.raises(BadOption) as refused:
        Chosen(**WRONG[line])
    assert str(refused.value).startswith(line)


def test_a_word_that_is_nearly_right_is_proposed():
    with pytest.raises(
        BadOption, match="`kind` is 'od'; allowed: plain, odd; did you mean"
    ):
        Chosen(kind="od")


def test_lists_and_numbers_of_numpy_become_pythons_own():
    chosen = Chosen(size=np.int64(3), sizes=[4, 5], share=np.float64(0.25))
    assert (chosen.size, type(chosen.size)) == (3, int)
    assert (chosen.sizes, type(chosen.share)) == ((4, 5), float)
