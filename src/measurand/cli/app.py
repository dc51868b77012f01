"""The application, its verbs, and the library's errors in their words.

Each verb stands in the file of its name; an audit without a file has a plain one.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from measurand.audits import AUDITS
from measurand.cli import options as o
from measurand.cli.groups import (
    EngineOptions,
    LadderOptions,
    RunOptions,
    SourceOptions,
    expand_groups,
)
from measurand.cli.run import audit_source

if TYPE_CHECKING:
    from measurand.core.audit import Audit

app = typer.Typer(
    help="Tells whether an NLP benchmark measures what it claims to.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
VERBS = (  # in the order of the help
    *("demo", "evidence", "leakage", "exposure", "explanations", "audit", "list"),
    *("show", "explain", "render", "figure", "index", "compare", "fit", "suite"),
)


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.")
    ] = False,
) -> None:
    """Tells whether an NLP benchmark measures what it claims to."""
    if version:
        from measurand import __version__

        print(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), nl=False)


def register_verbs() -> None:
    """Tell the application of every verb."""
    for name in VERBS:
        import_module(f"measurand.cli.{name}")
    for name in AUDITS:
        if name not in VERBS:
            app.command(name, help=AUDITS.entries[name].about)(_plain_verb(name))


def _plain_verb(name: str) -> Callable[..., None]:
    """A verb for an audit that has no options but those of all audits."""

    @expand_groups
    def verb(
        source: SourceOptions,
        run: RunOptions,
        where: EngineOptions,
        climb: LadderOptions,
        reader: o.Readers = None,
    ) -> None:
        def choose(audit: "Audit") -> Any:
            return audit.choose(
                **{n: value for n, value in asdict(climb).items() if audit.takes(n)}
            )

        audit_source(name, source, run, where, reader, choose)

    return verb


# The arguments of the library that have another name on the command line.
OPTION_OF_ARGUMENT = {
    "arms": "--arm",
    "count": "--changes",
    "explainers": "--explainer",
    "fields": "--field",
    "others": "--perturbed",
    "parts": "--part",
    "readers": "--reader",
    "reference": "--reference-accuracy",
    "tests": "--test",
    "timeout_s": "--timeout",
    "tsne": "--map",
}
VALUES = r"'[\w-]+'(?: or '[\w-]+')*"
# Not right after a quote: that is a value of the user's, such as a column.
ARGUMENT = re.compile(
    rf"(?:({VALUES}) (?:in|from) )?(?<!['\"])`([a-z_]+)`(?: ({VALUES}))?"
)


def name_options(message: str, options: Collection[str]) -> str:
    """The message with every argument in backticks as that one of `options`.

    Backticks around anything else stay: a server or a library may have written them.

    >>> name_options("`gpu_share` needs `engine` 'ray'", ["--gpu-share", "--engine"])
    '--gpu-share needs --engine ray'
    >>> name_options("no 'base' or 'test' in `arms`; see `help`", ["--arm"])
    'no --arm base or test; see `help`'
    """

    def write(match: re.Match[str]) -> str:
        option = option_of(match[2])
        if option not in options:
            return match[0]
        words = (option, match[1], match[3])
        return " ".join(word.replace("'", "") for word in words if word)

    return ARGUMENT.sub(write, message)


def option_of(argument: str) -> str:
    """What an argument of the library is called on the command line."""
    return OPTION_OF_ARGUMENT.get(argument, "--" + argument.replace("_", "-"))


def verb_commands() -> dict[str, Any]:
    """The parser of each verb by its name."""
    return dict(getattr(typer.main.get_command(app), "commands", {}))


def verb_options() -> set[str]:
    """The options of all verbs."""
    return {
        option
        for verb in verb_commands().values()
        for parameter in verb.params
        for option in parameter.opts
    }
