"""The application: what every verb is registered with."""

from typing import Annotated

import typer

app = typer.Typer(
    help="Tells whether an NLP benchmark measures what it claims to.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback(invoke_without_command=True)
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.")
    ] = False,
) -> None:
    """Tells whether an NLP benchmark measures what it claims to."""
    if version:
        from measurand import __version__

        print(__version__)
        raise typer.Exit
