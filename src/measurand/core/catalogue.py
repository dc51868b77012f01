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


@dataclass(frozen=True)
class Catalogue:
    """The known names of one kind of thing."""

    kind: str
    entries: Mapping[str, Entry]

    def __iter__(self) -> Iterator[str]:
        """The names, in the order in which they were written down."""
        return iter(self.entries)

    def load(self, name: str, **settings: Any) -> Any:
        """The thing called `name`, its settings filled in; `settings` go on top."""
        if name not in self.entries:
            raise UnknownName(self.kind, name, list(self.entries))
        entry = self.entries[name]
        module, _, attribute = entry.where.partition(":")
        try:
            thing = getattr(importlib.import_module(module), attribute)
        except ModuleNotFoundError as missing:
            if entry.extra is None or (missing.name or "").startswith("measurand"):
                raise
            raise MissingExtra(name, entry.extra) from missing
        return thing(**{**entry.settings, **settings})
