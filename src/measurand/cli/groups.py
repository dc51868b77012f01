"""The options that verbs share by the group, and verbs made of groups."""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, get_type_hints

from measurand.cli import options as o
from measurand.cli.reader_files import is_custom, load_custom, read_prompt

if TYPE_CHECKING:
    from measurand.core.benchmark import Benchmark


@dataclass(frozen=True)
class SourceOptions:
    """Where a benchmark is, and which of its columns plays which part."""

    source: o.Source
    test: o.Test = None
    data: o.Data = None
    part: o.Part = None
    query: o.Query = None
    evidence: o.Evidence = None
    label: o.Label = None
    choices: o.Choices = None
    answers: o.Answers = None
    metadata: o.Metadata = None
    rationale: o.Rationale = None
    group: o.Group = None
    subject: o.Subject = None
    document: o.Document = None
    split: o.Split = None
    id_: o.Id = None
    split_by: o.SplitBy = "both"
    join: o.Join = " "
    roles: o.Roles = None

    @property
    def files(self) -> list[str]:
        """The files that the benchmark may be read from."""
        return [self.source, *(self.test or ())]

    def benchmark(self, seed: int, fields: tuple[str, ...] = ()) -> "Benchmark":
        """The benchmark that these options describe."""
        from measurand.benchmarks.load import load_parts
        from measurand.benchmarks.roles import Columns
        from measurand.benchmarks.task_files import add_task_roles

        columns = Columns(
            query=self.query,
            evidence=self.evidence,
            label=self.label,
            choices=tuple(self.choices or ()),
            answers=self.answers,
            metadata=tuple(self.metadata or ()),
            rationale=tuple(self.rationale or ()),
            group=self.group,
            subject=self.subject,
            document=self.document,
            split=self.split,
            id=self.id_,
            fields=fields,
        )
        return load_parts(
            self.source,
            tests=self.test or [],
            parts=self.part or [],
            data=published_folder(self.source, self.data),
            split_by=self.split_by,
            seed=seed,
            join=self.join,
            **(add_task_roles(columns, self.roles) if self.roles else columns),
        )


@dataclass(frozen=True)
class LadderOptions:
    """How far the ladder of readers is climbed."""

    calibrate: o.Calibrate = True
    strongest: o.Strongest = "minilm"
    seeds: o.Seeds = None


@dataclass(frozen=True)
class RunOptions:
    """Seed, workers and where things go."""

    seed: o.Seed = 0
    workers: o.Workers = None
    budget: o.Budget = "10m"
    store: o.StoreIn = None
    out: o.Out = None
    overwrite: o.Overwrite = False
    json: o.Json = False
    verbose: o.Verbose = False
    fail_on: o.FailOn = None
    config: o.Config = None


@dataclass(frozen=True)
class EngineOptions:
    """What runs the trials, and what it gives them."""

    engine: o.Engine = "local"
    address: o.Address = None
    gpu_share: o.GpuShare = None

    def __post_init__(self) -> None:
        """Refuse what only a cluster takes, before anything is read."""
        if self.address is not None or self.gpu_share is not None:
            from measurand.experiment.experiment import cluster_terms

            cluster_terms(self.engine, address=self.address, gpu_share=self.gpu_share)


THIS_MACHINE = EngineOptions()  # in processes on this machine


@dataclass(frozen=True)
class EndpointOptions:
    """A model behind a server, and what it may cost."""

    url: o.Url = None
    shots: o.Shots = 0
    orders: o.Orders = None
    price_in: o.PriceIn = 0.0
    price_out: o.PriceOut = 0.0
    cap_tokens: o.CapTokens = None
    cap_money: o.CapMoney = None
    key_env: o.KeyEnv = None
    timeout_s: o.Timeout = 120.0
    retries: o.Retries = 6
    prompt: o.Prompt = None
    temperature: o.Temperature = 0.0

    def readers(
        self, names: list[str] | None, usual: tuple[str, ...]
    ) -> dict[str, Any]:
        """The readers of these names; the usual ones where none is named."""
        from measurand.models.server.endpoint import Terms
        from measurand.readers import make_reader

        terms = {field.name: getattr(self, field.name) for field in fields(self)}
        asking = {n: terms.pop(n) for n in ("shots", "orders", "temperature")}
        asking["form"] = read_prompt(terms.pop("prompt"))
        Terms(**terms)  # refuses what cannot be, whether or not a reader needs it
        readers: dict[str, Any] = {}
        for name in names or usual:
            if is_custom(name):
                title, reader = load_custom(name)
                while readers.get(title, reader) != reader:  # of another folder
                    title += " (2)"
            else:
                title, reader = name, make_reader(name, **asking, **terms)
            readers[title] = reader
        return readers


def published_folder(source: str, data: str | None) -> str | None:
    """The folder of published benchmarks, where `source` is one of their names."""
    from measurand.benchmarks.published.table import PUBLISHED

    return data if source in PUBLISHED else None


def expand_groups(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb as typer should see it: every field of its groups an option."""
    parameters = inspect.signature(verb).parameters
    hints = get_type_hints(verb, include_extras=True)
    groups: dict[str, Any] = {
        n: hint for n, hint in hints.items() if is_dataclass(hint)
    }
    flat: list[inspect.Parameter] = []
    for name, parameter in parameters.items():
        if name not in groups:
            flat.append(parameter.replace(annotation=hints[name]))
            continue
        kinds = get_type_hints(groups[name], include_extras=True)
        for field in fields(groups[name]):
            default = (
                inspect.Parameter.empty if field.default is MISSING else field.default
            )
            keyword = inspect.Parameter.KEYWORD_ONLY
            flat.append(
                inspect.Parameter(
                    field.name, keyword, default=default, annotation=kinds[field.name]
                )
            )

    @wraps(verb)
    def command(**options: Any) -> None:
        arguments = {
            name: group(**{f.name: options.pop(f.name) for f in fields(group)})
            for name, group in groups.items()
        }
        verb(**arguments, **options)

    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in flat]
    command.__signature__ = inspect.Signature(keyword_only)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in keyword_only}
    del command.__wrapped__
    return command
