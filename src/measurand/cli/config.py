"""Options from a file: --config FILE, and what a file may not say."""

from pathlib import Path
from typing import Any

import typer

from measurand.cli.reader_files import check_config_reader

MOST_CONFIG_BYTES = 2**20  # of a file of options


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
            allowed = ", ".join(sorted(option_words - {"config", "help"}))
            raise BadOption(
                f"--config {path.name} sets {option!r}; allowed are {allowed}"
            )
        _check_config_value(path.name, option, value)
        check_config_reader(path.name, option, value)
        if option == "key-env":
            raise BadOption(
                f"--config {path.name} sets 'key-env'; a file may not say where a key "
                "goes: give --key-env on the command line"
            )
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


def parameter_names(parameter: Any) -> list[str]:
    """The words by which a file may set a parameter: its long options, or its name."""
    options = [option[2:] for option in parameter.opts if option.startswith("--")]
    return options or [parameter.name]


class ConfigAddress(str):
    """An address that a file named, and not the user: no key goes there unasked."""

    __slots__ = ()


def mark_address(
    context: typer.Context, parameter: typer.CallbackParam, url: str | None
) -> str | None:
    """The address, marked where it is from a file."""
    source = context.get_parameter_source(parameter.name or "")
    is_from_file = source is not None and source.name == "DEFAULT_MAP"
    return ConfigAddress(url) if url and is_from_file else url
