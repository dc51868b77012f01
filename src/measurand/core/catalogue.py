"""Names that turn into things, imported only when asked for."""

import importlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from measurand.core.errors import MissingExtra, UnknownName


@dataclass(frozen=True)
class Entry:
    """Where a thing is, what it is, and what must be installed for it."""

    where: str
    about: str
    extra: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def resolve(self, name: str) -> Any:
        """The class or function itself; `name` is what an error calls it."""
        module, _, attribute = self.where.partition(":")
        try:
            return getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as missing:
            if self.extra is None or (missing.name or "").startswith("measurand"):
                raise
            raise MissingExtra(name, self.extra) from missing


@dataclass(frozen=True)
class Catalogue:
    """The known names of one kind of thing."""

    kind: str
    entries: Mapping[str, Entry]

    def __iter__(self) -> Iterator[str]:
        """The names, in the order in which they were written down."""
        return iter(self.entries)

    def load(self, name: str, **settings: Any) -> Any:
        """The thing called `name`, made with its settings and these on top."""
        thing = self.thing(name)
        return thing(**{**self.entries[name].settings, **settings})

    def thing(self, name: str) -> Any:
        """The class or function called `name`, as it is."""
        self.check(name)
        return self.entries[name].resolve(name)

    def check(self, name: str) -> None:
        """Raise where nothing has this name; nothing is imported."""
        if not isinstance(name, str) or name not in self.entries:
            raise UnknownName(self.kind, name, list(self.entries))
