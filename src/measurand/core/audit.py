"""Audit: a question about a benchmark, and everything the house needs to ask it.

One record says it all: the verbs, `measurand.audit`, `--fail-on`, `compare`, `demo`,
`list` and the tests of the pages read it, so that a new audit is a folder, a line in
the catalogue and a page.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from numbers import Integral, Real
from typing import Any, get_args, get_origin, get_type_hints

from measurand.core.benchmark import Benchmark
from measurand.core.comparison import Comparison
from measurand.core.errors import BadOption, NotApplicable, quote
from measurand.core.finding import Report


@dataclass(frozen=True)
class Audit:
    """What an audit is.

    Attributes:
        name: What it is called everywhere.
        question: What it asks, in one line.
        needs: The parts of a benchmark it cannot do without: evidence, rationale.
        labels: Every word that its verdict can be.
        readers: The readers it asks where nobody names others.
        settings: The frozen dataclass of its settings, every one with a default.
        run: `run(experiment, readers, settings)`; readers are named.
        comparison: What reports of it are compared by.
        usual: Whether `measurand audit` runs it unasked.
        pooled: Whether several benchmarks are the tasks of one study.
        adjustable: Settings to choose otherwise where there are too few rows for it.
        demo: The planted benchmarks that show it, with settings for each; None takes
            all that have evidence.
    """

    name: str
    question: str
    labels: tuple[str, ...]
    readers: tuple[str, ...]
    settings: type[Any]
    run: Callable[..., Report]
    needs: tuple[str, ...] = ()
    comparison: Comparison = field(default_factory=Comparison)
    usual: bool = True
    pooled: bool = False
    demo: Mapping[str, Mapping[str, Any]] | None = None
    adjustable: tuple[str, ...] = ()

    def choose(self, **chosen: Any) -> Any:
        """The settings with these chosen; a wrong name is an error that lists all."""
        names = [setting.name for setting in fields(self.settings)]
        for name in chosen:
            if name not in names:
                raise BadOption(
                    f"{self.name} has no setting {name!r}; it has {', '.join(names)}"
                )
        hints = get_type_hints(self.settings)
        return self.settings(
            **{name: _fit_type(name, chosen[name], hints[name]) for name in chosen}
        )

    def takes(self, name: str) -> bool:
        """Whether there is a setting of this name."""
        return name in {setting.name for setting in fields(self.settings)}

    def check_applies(self, benchmark: Benchmark) -> None:
        """Raise where the benchmark lacks a part that the audit is about."""
        for part in self.needs:
            if getattr(benchmark, part) is None:
                raise NotApplicable(
                    f"{benchmark.name} names no {part} field; name its column with "
                    f"`{part}`"
                )


def _fit_type(name: str, value: Any, hint: Any) -> Any:
    """The value as its setting wants it; one of another type is an error.

    >>> _fit_type("arms", ["base"], tuple[str, ...]), _fit_type("n", 2, int | None)
    (('base',), 2)
    """
    kinds = [get_origin(kind) or kind for kind in get_args(hint) or (hint,)]
    if get_origin(hint) in (tuple, Mapping):
        kinds = [get_origin(hint)]
    if tuple in kinds and isinstance(value, list | str):
        value = tuple(value) if isinstance(value, list) else (value,)
    # Numbers of numpy are numbers too; a boolean is none.
    wider: dict[Any, Any] = {int: Integral, float: Real}
    allowed = tuple(wider.get(kind, kind) for kind in kinds)
    if isinstance(value, allowed) and (bool in kinds or not isinstance(value, bool)):
        # Keys and reports are made of Python's own numbers.
        return value.item() if hasattr(value, "item") else value
    words = " or ".join("None" if k is type(None) else k.__name__ for k in kinds)
    raise BadOption(
        f"`{name}` is {quote(str(value))}, a {type(value).__name__}; give {words}"
    )
