"""Options from a file: --config FILE, and what a file may not say.

A settings file may have come with a stranger's benchmark. It says how the benchmark is
read and counted; what leaves this machine, which code is run and what is written where
is the user's to say.
"""

from pathlib import Path
from typing import Any

import typer

from measurand.cli.reader_files import is_custom

# A person's file has some hundred; a name of parts with dots takes Python's parser
# time by the square of its length.
MOST_CONFIG_BYTES = 2**14
SENT, RUN, WRITTEN = "what is sent where", "which code is run", "what is written where"
USERS_ALONE = {  # what a file would say by setting an option
    "url": SENT,
    "prompt": SENT,
    "key-env": "where a key goes",
    "engine": RUN,
    "address": RUN,
    "store": WRITTEN,  # and which answers are taken as computed
    "out": WRITTEN,
    "overwrite": WRITTEN,
}


def read_config(context: typer.Context, path: Path | None) -> Path | None:
    """Take defaults for the verb's options from a TOML file."""
    if path is None:
        return None
    from measurand.core.errors import BadInput, BadOption
    from measurand.core.files import read_toml

    try:
        settings = read_toml(path, MOST_CONFIG_BYTES)
    except (OSError, BadInput) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"cannot read --config {path.name}: {why.lower()}") from error
    option_words = {name for p in context.command.params for name in parameter_names(p)}
    defaults: dict[str, Any] = {}
    for option, value in settings.items():
        if option not in option_words:
            allowed = ", ".join(sorted(option_words - {"config", "help", *USERS_ALONE}))
            raise BadOption(
                f"--config {path.name} sets {option!r}; allowed are {allowed}"
            )
        _check_config_value(path.name, option, value)
        _check_users_alone(path.name, option, value)
        defaults.update(
            {
                p.name: value
                for p in context.command.params
                if option in parameter_names(p) and p.name
            }
        )
    context.default_map = {**(context.default_map or {}), **defaults}
    return path


def _check_config_value(file: str, option: str, value: Any) -> None:
    """Raise where a file gives an option what no command line could."""
    from measurand.core.errors import BadOption
    from measurand.core.files import depth

    values = value if isinstance(value, list) else [value]
    if depth(values) > 1:
        what = "a table or a list of lists"
    elif not all(isinstance(part, str | int | float) for part in values):
        what = "a date or a time"
    else:
        return
    raise BadOption(
        f"--config {file} sets {option!r} to {what}; allowed are a value or a list of "
        "values"
    )


def _check_users_alone(file: str, option: str, value: Any) -> None:
    """Raise where a file says what only the user may."""
    from measurand.core.errors import BadOption, quote
    from measurand.models.generate import is_endpoint
    from measurand.readers import is_endpoint_reader

    texts = [str(part) for part in (value if isinstance(value, list) else [value])]
    what, words = USERS_ALONE.get(option), repr(option)
    for text in texts:
        if is_custom(text) or is_endpoint(text) or is_endpoint_reader(text):
            what = RUN if is_custom(text) else SENT
            words = f"{option!r} to {quote(text)}"
    if what is not None:
        raise BadOption(
            f"--config {file} sets {words}; a file may not say {what}: give --{option} "
            "on the command line"
        )


def parameter_names(parameter: Any) -> list[str]:
    """The words by which a file may set a parameter: its long options, or its name."""
    options = [option[2:] for option in parameter.opts if option.startswith("--")]
    return options or [parameter.name]
