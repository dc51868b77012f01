"""Setting: what may be chosen, declared once.

A frozen dataclass of `Settings` says of each field its type and its default and, as a
`Setting`, what it means, what is allowed and what the command line calls it: with
`setting(...)` where one field has it, in `Annotated` where a type is shared. The
options of the verbs, the checks of both front doors, the command that makes a report
again and the pages all follow from that.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from math import inf
from numbers import Integral, Real
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, ClassVar, Union, get_args, get_origin, get_type_hints

from measurand.core.bounds import check_number, describe_bounds
from measurand.core.errors import BadOption, join_names, quote


@dataclass(frozen=True)
class Setting:
    """What a setting means and may be, and how the command line calls it.

    Attributes:
        help: What it means, in a line; how help and pages describe it.
        least: The least that a number may be.
        most: The most that it may be.
        above: Whether the least itself is too little.
        unit: What is said after the bounds, such as ", not percent".
        allowed: The words that it may be; empty where they are not listed.
        check: What else refuses a value, as `module:function` below this package: it is
            loaded when a value is given, so that help waits for nothing.
        option: The word of the command line, where it is not the name: one without
            dashes is a position, and None keeps the setting from the command line.
        panel: Under which heading of the help it stands, if not under its group's.
        env: The variable of the environment that may give it.
    """

    help: str = ""
    least: float = -inf
    most: float = inf
    above: bool = False
    unit: str = ""
    allowed: tuple[str, ...] = ()
    check: str = ""
    option: str | None = ""
    panel: str = ""
    env: str | None = None

    @property
    def bounds(self) -> str:
        """What a number may be, in words; empty where it has no bound."""
        return describe_bounds(self.least, self.most, self.above)


def setting(default: Any, *meaning: Any, **keywords: Any) -> Any:
    """A field of this default; what else is given is its `Setting`."""
    return field(default=default, metadata={"setting": Setting(*meaning, **keywords)})


@dataclass(frozen=True)
class Declaration:
    """A setting with its name, its types and its default.

    Attributes:
        name: What Python calls it.
        kinds: The types that its value may have.
        part: The type of one value, where it may have several; else of the value.
        default: What it is where nobody chooses; `MISSING` where somebody must.
        setting: What it means and may be.
    """

    name: str
    kinds: tuple[type, ...]
    part: type
    default: Any
    setting: Setting

    @property
    def several(self) -> bool:
        """Whether it may have several values."""
        return tuple in self.kinds

    @property
    def words(self) -> list[str]:
        """The words by which the command line takes it; a flag may have two."""
        if self.setting.option:
            return self.setting.option.split("/")
        word = self.name.replace("_", "-")
        # What holds unasked needs a word to turn it off.
        negated = [f"--no-{word}"] if self.part is bool and self.default else []
        return [f"--{word}", *negated]

    def fit(self, value: Any) -> Any:
        """The value as its type wants it; one of another type is an error."""
        if self.several and isinstance(value, list | str):
            value = tuple(value) if isinstance(value, list) else (value,)
        # Numbers of numpy are numbers too; a boolean is none.
        wider: dict[Any, Any] = {int: Integral, float: Real}
        allowed = tuple(wider.get(kind, kind) for kind in self.kinds)
        is_flag = isinstance(value, bool) and bool not in self.kinds
        if not isinstance(value, allowed) or is_flag:
            words = " or ".join(
                "None" if k is type(None) else k.__name__ for k in self.kinds
            )
            raise BadOption(
                f"`{self.name}` is {quote(str(value))}, a {type(value).__name__}; give "
                f"{words}"
            )
        # Keys and reports are made of Python's own numbers.
        return value.item() if hasattr(value, "item") else value

    def check(self, value: Any) -> None:
        """Raise where the value is not allowed."""
        if value is None or value == self.default:
            return
        for part in value if isinstance(value, tuple) else (value,):
            self._check_part(part)
        if self.setting.check:
            load_check(self.setting.check)(value)

    def _check_part(self, part: Any) -> None:
        """Raise where one value is no number of the kind, out of bounds, or unknown."""
        setting = self.setting
        if setting.allowed and part not in setting.allowed:
            close = get_close_matches(str(part), setting.allowed, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            allowed = join_names(setting.allowed)
            raise BadOption(
                f"`{self.name}` is {quote(str(part))}; allowed: {allowed}{hint}"
            )
        if not setting.bounds:
            return
        kind, words = (Integral, "whole ") if self.part is int else (Real, "")
        if not isinstance(part, kind):
            raise BadOption(f"`{self.name}` is {part!r}; give {words}numbers")
        check_number(
            *(self.name, part, setting.least, setting.most),
            above=setting.above,
            unit=setting.unit,
        )


class Settings:
    """What all dataclasses of settings share: each of their values is checked.

    Attributes:
        panel: The heading of the help under which they stand.
    """

    panel: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Refuse what cannot be followed, before any work is done."""
        for name, declaration in declarations(type(self)).items():
            value = declaration.fit(getattr(self, name))
            declaration.check(value)
            object.__setattr__(self, name, value)
        self.check_together()

    def check_together(self) -> None:
        """Raise where values that are each allowed do not go together."""


def load_check(where: str) -> Callable[..., Any]:
    """What refuses a value, from `module:function` below this package."""
    module, _, path = where.partition(":")
    check: Callable[..., Any] = attrgetter(path)(import_module(f"measurand.{module}"))
    return check


def declarations(settings: Any) -> Mapping[str, Declaration]:
    """The settings that a dataclass declares, by name."""
    return _read_declarations(settings)


@cache
def _read_declarations(settings: Any) -> Mapping[str, Declaration]:
    """The declarations of a dataclass, read once."""
    hints = get_type_hints(settings, include_extras=True)
    declared = {}
    for f in fields(settings):
        factory = f.default_factory
        default = f.default if factory is MISSING else factory()
        declared[f.name] = declare(
            f.name, hints[f.name], default, f.metadata.get("setting")
        )
    return declared


def declare(
    name: str, hint: Any, default: Any = MISSING, meaning: Setting | None = None
) -> Declaration:
    """The declaration of a name by its type, which may be `Annotated`.

    >>> declare("m", Annotated[tuple[int, ...] | int, Setting(least=1)]).part
    <class 'int'>
    """
    if get_origin(hint) is Annotated:
        hint, *extras = get_args(hint)
        meaning = next((e for e in extras if isinstance(e, Setting)), meaning)
    several = get_origin(hint) in (Union, UnionType)
    parts = get_args(hint) if several else (hint,)
    kinds = tuple(get_origin(part) or part for part in parts)
    first = next(part for part in parts if part is not type(None))
    inner = get_args(first)[0] if get_origin(first) is tuple else first
    part = get_origin(inner) or inner
    return Declaration(name, kinds, part, default, meaning or Setting())
