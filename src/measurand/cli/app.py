"""The application: each verb stands in the file of its name and takes what it declares.

A verb is a function whose parameters are dataclasses of settings, or single settings:
one that is named as a setting of most verbs, such as `seed`, is that one. Its options,
their help, their defaults and what a file of options may set follow from what these
declare.
"""

import inspect
from collections.abc import Callable
from dataclasses import MISSING, is_dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import click

from measurand.audits import AUDITS
from measurand.core.setting import Declaration, Setting, declarations, declare
from measurand.settings.running import Run
from measurand.settings.source import Source

VERBS = {  # in the order of the help; the question of an audit is its own
    "demo": "Find three faults planted in a small benchmark about boats, in a minute.",
    **dict.fromkeys(("evidence", "leakage", "exposure", "explanations"), ""),
    "audit": "Run every audit that the columns permit.",
    "list": "List the audits, benchmarks, readers and other things that have a name.",
    "show": "Show a saved report, how a benchmark would be read, or what a log holds.",
    "explain": "Explain a word of a report in one plain sentence; without one, list "
    "them.",
    "render": "Write a saved report as Markdown, for a data card.",
    "figure": "Draw one figure of a saved report for a paper.",
    "index": "Write a page that lists all reports of a folder by what they answer.",
    "compare": "Lay reports beside each other; paired where they share items.",
    "export": "Write a benchmark whole and with parts taken, as tasks for your own "
    "harness.",
    "fit": "Fit a reader to a benchmark and keep it: audits take its folder as a name.",
    "suite": "Write bad rationales of six known kinds, with changed queries, for every "
    "item.",
}
# A person's file has some hundred; a name of parts with dots takes Python's parser
# time by the square of its length.
MOST_CONFIG_BYTES = 2**14
SENT, CODE, WRITTEN = "what is sent where", "which code is run", "what is written where"
USERS_ALONE = {  # what a file would say by setting an option
    "url": SENT,
    "prompt": SENT,
    "key-env": "where a key goes",
    "engine": CODE,
    "address": CODE,
    "store": WRITTEN,  # and which answers are taken as computed
    "out": WRITTEN,
    "overwrite": WRITTEN,
}
LAYOUT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Number(click.ParamType[Any]):
    """A number; what is none is refused in our words."""

    name = "number"

    def __init__(self, kind: type, words: str) -> None:
        self.kind, self.words = kind, words
        self.name = kind.__name__

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The number that a word represents."""
        if type(value) is self.kind:
            return value
        try:
            return self.kind(value)
        except ValueError:
            self.fail(f"is {value!r}; allowed is {self.words}", param, ctx)


TYPES: dict[Any, Any] = {
    int: Number(int, "a whole number"),
    float: Number(float, "a number"),
    str: click.STRING,
    Path: click.Path(path_type=Path),
    bool: click.BOOL,
}


class Option(click.Option):
    """An option whose help shows its panel and bounds."""

    panel, bounds = "Options", ""

    def get_help_extra(self, ctx: click.Context) -> Any:
        """What stands in brackets: variable, default and bounds."""
        extra = super().get_help_extra(ctx)
        if self.bounds:
            extra["range"] = self.bounds
        return extra


class Verb(click.Command):
    """A verb whose help shows its options by panel."""

    def format_options(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write a section for each panel, that of the verb's own options first."""
        panels: dict[str, list[tuple[str, str]]] = {"Options": []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (
                record := parameter.get_help_record(ctx)
            ):
                panel = getattr(parameter, "panel", "Options")
                panels.setdefault(panel, []).append(record)
        for panel, rows in panels.items():
            with formatter.section(panel):
                formatter.write_dl(rows)


class Verbs(click.Group):
    """All verbs, each imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of the help, then audits without a file."""
        return [*VERBS, *(name for name in AUDITS if name not in VERBS)]

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> Any:
        """The parser of a verb; None where no verb has this name."""
        if cmd_name in VERBS:
            module = import_module(f"measurand.cli.{cmd_name}")
            return getattr(module, f"run_{cmd_name}")
        if cmd_name not in AUDITS.entries:
            return None
        plain = import_module("measurand.cli.run").plain_verb
        return make_verb(cmd_name, plain(cmd_name))

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write a line for each verb; none is imported for it."""
        with formatter.section("Commands"):
            formatter.write_dl([(n, describe_verb(n)) for n in self.list_commands(ctx)])


def describe_verb(name: str) -> str:
    """What a verb does, in one line; of an audit, what it asks."""
    line = VERBS.get(name) or AUDITS.entries[name].about
    return line[:1].upper() + line[1:]


def verb(function: Callable[..., None]) -> Verb:
    """The parser of the verb in whose file the function `run_…` is."""
    return make_verb(function.__module__.rpartition(".")[2], function)


def make_verb(name: str, function: Callable[..., None]) -> Verb:
    """The parser of a verb: what its parameters declare becomes options."""
    hints = get_type_hints(function, include_extras=True)
    hints.pop("return", None)
    signature = inspect.signature(function).parameters
    defaults = {
        n: MISSING if p.default is p.empty else p.default for n, p in signature.items()
    }
    groups = {
        n: {name: _complete(d) for name, d in declarations(hint).items()}
        for n, hint in hints.items()
        if is_dataclass(hint)
    }
    single = {
        n: _complete(declare(n, hint, defaults[n]))
        for n, hint in hints.items()
        if n not in groups and hint is not click.Context
    }
    taken = {n: groups.get(n) or {n: single[n]} for n in hints if n in groups | single}

    @click.pass_context
    def call(context: click.Context, /, **values: Any) -> None:
        arguments: dict[str, Any] = {}
        for n, declared in taken.items():
            chosen = {
                name: values[name]
                for name, d in declared.items()
                if d.setting.option is not None and not (d.several and not values[name])
            }
            if n in groups:
                arguments[n] = hints[n](**chosen)
            else:
                arguments[n] = chosen.get(n, defaults[n])
                single[n].check(arguments[n])
        if click.Context in hints.values():
            arguments["context"] = context
        function(**arguments)

    parameters = [
        to_parameter(d, getattr(hints[group], "panel", ""))
        for group, declared in taken.items()
        for d in declared.values()
        if d.setting.option is not None
    ]
    return Verb(
        name,
        callback=call,
        params=parameters,
        help=describe_verb(name),
        context_settings=LAYOUT,
    )


def _complete(d: Declaration) -> Declaration:
    """The declaration; what says no more than a name is meant as for most verbs."""
    for group in (Run, Source):
        if d.setting == Setting() and d.name in declarations(group):
            setting = declarations(group)[d.name].setting
            panel = setting.panel or group.panel
            return replace(d, setting=replace(setting, panel=panel))
    return d


def to_parameter(d: Declaration, panel: str) -> click.Parameter:
    """The option or argument by which the command line takes a setting."""
    setting, kind = d.setting, TYPES[d.part]
    needed = d.default is MISSING
    if not d.words[0].startswith("-"):
        return click.Argument(
            [d.name],
            type=kind,
            required=needed,
            nargs=-1 if d.several else 1,
            help=setting.help,
            metavar=d.words[0] if needed and not d.several else None,
        )
    text = setting.help
    extra: dict[str, Any] = {} if needed or d.several else {"default": d.default}
    if d.several and not needed and d.default:  # several are shown as they are typed
        listed = d.default if isinstance(d.default, tuple) else (d.default,)
        text += f" Default: {', '.join(map(str, listed))}."
    if d.name == "config":
        extra |= {"callback": read_config, "is_eager": True}
    if d.name == "join":
        extra |= {"callback": _read_escapes, "show_default": False}
    if d.part is bool:
        extra["is_flag"] = True
        kind = None
    option = Option(
        [d.name, "/".join(d.words)],
        type=kind,
        required=needed,
        multiple=d.several,
        envvar=setting.env,
        show_envvar=True,
        help=text,
        **{"show_default": d.part is not bool or d.default is True, **extra},
    )
    option.panel = setting.panel or panel or option.panel
    option.bounds = setting.bounds
    return option


def _read_escapes(_: click.Context, __: Any, text: str) -> str:
    r"""The text, in which \n is a new line and \t a tab: few shells write them."""
    return text.replace(r"\n", "\n").replace(r"\t", "\t")


def _print_version(context: click.Context, _: Any, value: bool) -> None:
    """Print the version, and stop."""
    if value:
        from measurand import __version__

        print(__version__)
        context.exit()


@click.pass_context
def _print_help(context: click.Context) -> None:
    """Print the help where no verb is given."""
    if context.invoked_subcommand is None:
        print(context.get_help())


app = Verbs(
    "measurand",
    callback=_print_help,
    help="Tells whether an NLP benchmark measures what it claims to.",
    invoke_without_command=True,
    no_args_is_help=False,
    context_settings=LAYOUT,
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_print_version,
            help="Print the version.",
        )
    ],
)


def verb_commands() -> dict[str, Verb]:
    """The parser of each verb by its name."""
    names = app.list_commands(click.Context(app))
    return {name: app.get_command(None, name) for name in names}


def read_config(context: click.Context, _: Any, path: Path | None) -> Path | None:
    """Take defaults for the verb's options from a TOML file.

    It may have come with a stranger's benchmark. It says how the benchmark is read and
    counted; what leaves this machine, which code is run and what is written where is
    the user's to say.
    """
    if path is None:
        return None
    from measurand.core.errors import BadInput, BadOption
    from measurand.disk.files import read_toml

    try:
        settings = read_toml(path, MOST_CONFIG_BYTES)
    except (OSError, BadInput) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot read --config {path.name}: {why.lower()}") from error
    options = {word: p for p in context.command.params for word in parameter_names(p)}
    defaults: dict[str, Any] = {}
    for option, value in settings.items():
        if option not in options:
            allowed = ", ".join(sorted({*options} - {"config", "help", *USERS_ALONE}))
            raise BadOption(
                f"--config {path.name} sets {option!r}; allowed are {allowed}"
            )
        texts = _option_texts(path.name, option, value)
        _check_users_alone(path.name, option, texts)
        parameter = options[option]
        many = getattr(parameter, "multiple", False) or parameter.nargs == -1
        plain = value if isinstance(value, bool) else texts[0] if texts else None
        defaults[str(parameter.name)] = texts if many else plain
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def _option_texts(file: str, option: str, value: Any) -> list[str]:
    """The values as words of a command line; an error where none could be."""
    from measurand.core.errors import BadOption
    from measurand.disk.files import depth

    values = value if isinstance(value, list) else [value]
    if depth(values) > 1:
        what = "a table or a list of lists"
    elif not all(isinstance(part, str | int | float) for part in values):
        what = "a date or a time"
    else:
        return [str(part) for part in values]
    raise BadOption(
        f"--config {file} sets {option!r} to {what}; allowed are a value or a list of "
        "values"
    )


def _check_users_alone(file: str, option: str, texts: list[str]) -> None:
    """Raise where a file says what only the user may."""
    from measurand.core.errors import BadOption, quote
    from measurand.models.generate import is_endpoint
    from measurand.readers import is_endpoint_reader
    from measurand.readers.custom import is_reader_file

    what, words = USERS_ALONE.get(option), repr(option)
    for text in texts:
        # The name alone decides: only for one of a file is more than that loaded.
        is_code = ".py:" in text.lower() and is_reader_file(text)
        if is_code or is_endpoint(text) or is_endpoint_reader(text):
            what = CODE if is_code else SENT
            words = f"{option!r} to {quote(text)}"
    if what is not None:
        raise BadOption(
            f"--config {file} sets {words}; a file may not say {what}: give --{option} "
            "on the command line"
        )


def parameter_names(parameter: click.Parameter) -> list[str]:
    """The words by which a file may set a parameter: its long options, or its name."""
    options = [option[2:] for option in parameter.opts if option.startswith("--")]
    return options or [str(parameter.name)]
