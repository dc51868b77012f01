"""Errors in the words of the command line: what was given, what is allowed, what to do.

The library speaks of arguments, and a shell's user of options.
"""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click

from measurand.cli.app import Verb
from measurand.core.errors import BadOption, MeasurandError, UnknownName, quote

VALUES = r"'[\w-]+'(?: or '[\w-]+')*"
# Not right after a quote: that is a value of the user's, such as a column.
ARGUMENT = re.compile(
    rf"(?:({VALUES}) (?:in|from) )?(?<!['\"])`([a-z_]+)`(?: ({VALUES}))?"
)


def option_names(verbs: Mapping[str, Verb]) -> dict[str, str]:
    """What the command line calls each argument of the library."""
    options = {
        parameter.opts[0]: str(parameter.name)
        for command in verbs.values()
        for parameter in command.params
        if parameter.opts[0].startswith("--")
    }
    # What may be repeated has a plural name, and the library may take one of it.
    single = {option[2:].replace("-", "_"): option for option in options}
    return single | {name: option for option, name in options.items()}


def name_options(message: str, options: Mapping[str, str]) -> str:
    """The message with every argument in backticks as that one of `options`.

    Backticks around anything else stay: a server or a library may have written them.

    >>> name_options("`gpu_share` needs `engine` 'ray'", {"engine": "--engine"})
    '`gpu_share` needs --engine ray'
    >>> name_options("no 'base' or 'test' in `arms`; see `help`", {"arms": "--arm"})
    'no --arm base or test; see `help`'
    """

    def write(match: re.Match[str]) -> str:
        if match[2] not in options:
            return match[0]
        words = (options[match[2]], match[1], match[3])
        return " ".join(word.replace("'", "") for word in words if word)

    return ARGUMENT.sub(write, message)


def describe_usage(
    error: click.UsageError, words: Sequence[str], verbs: Mapping[str, Verb]
) -> MeasurandError:
    """The error of ours for what the parser could not make sense of."""
    verb = words[0] if words and not words[0].startswith("-") else None
    if verb is not None and verb not in verbs:
        return UnknownName("verb", verb, list(verbs))
    if isinstance(error, click.MissingParameter) and error.param is not None:
        meaning = _sentence(getattr(error.param, "help", ""))
        line = f"{verb} needs {_name(error.param)}: {meaning}"
    elif isinstance(error, click.BadParameter) and error.param is not None:
        line = f"{_name(error.param)} {_sentence(error.message)}"
    elif isinstance(error, click.NoSuchOption):
        owner = f"{verb} has no option" if verb else "before a verb there is no option"
        line = f"{owner} {quote(error.option_name)}"
        line += _hint(error.option_name, verb, verbs)
    elif isinstance(error, click.BadOptionUsage):
        line = f"{error.option_name} {_describe_misuse(error.option_name, words)}"
    else:
        parameters = verbs[verb].params if verb else []
        arguments = [_name(p) for p in parameters if not _flags(p)]
        takes = f"{verb or 'measurand'} takes {' '.join(arguments) or 'no argument'}"
        line = f"{_sentence(error.message)}; {takes}"
    sign = "" if line.endswith("?") else ";"
    command = f"measurand {verb}" if verb else "measurand"
    return BadOption(f"{line}{sign} see {command} --help")


def _sentence(text: str) -> str:
    """The text as a part of a line: in lower case, without a full stop."""
    return text[:1].lower() + text[1:].rstrip(".")


def _flags(parameter: Any) -> list[str]:
    """The words for an option; an argument has none."""
    words = [*parameter.opts, *parameter.secondary_opts]
    return [word for word in words if word.startswith("-")]


def _name(parameter: Any) -> str:
    """An option as it is written, an argument as the help calls it."""
    name = parameter.metavar or parameter.name.upper()
    return str(next(iter(_flags(parameter)), name))


def _describe_misuse(option: str, words: Sequence[str]) -> str:
    """What is wrong about an option that is there: no value, or one too many."""
    word = next((w for w in words if w.startswith(f"{option}=")), None)
    if word is not None:
        return f"takes no value, and {quote(word)} gives one; write {option}"
    return f"is given without a value; write {option} VALUE"


def _hint(option: str, verb: str | None, verbs: Mapping[str, Verb]) -> str:
    """The option that was meant: the nearest here, or the same one of other verbs."""
    options = {
        name: ["--help", *(flag for p in command.params for flag in _flags(p))]
        for name, command in verbs.items()
    }
    owners = [name for name in verbs if option in options[name]]
    if owners:
        return f"; {', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it"
    names = options[verb] if verb else ["--version", "--help"]
    close = get_close_matches(option.strip("-"), [o.strip("-") for o in names], n=1)
    return f"; did you mean --{close[0]}?" if close else ""
