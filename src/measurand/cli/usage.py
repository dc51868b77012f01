"""Wrong usage in one line: what was given, what is allowed, what to do."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import typer

from measurand.core.errors import BadOption, MeasurandError, UnknownName, quote

# What the parser raises; which package it is from depends on typer's version.
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
# What the parser's type of fault asks for.
ALLOWED = {
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than_equal": "{ge:g} or more",
    "less_than_equal": "{le:g} or less",
}


def describe_usage(
    error: Any, words: Sequence[str], verbs: Mapping[str, Any]
) -> MeasurandError:
    """The error of ours for what the parser could not make sense of."""
    verb = words[0] if words and not words[0].startswith("-") else None
    if verb is not None and verb not in verbs:
        return UnknownName("verb", verb, list(verbs))
    parameter = getattr(error, "param", None)
    option: str = getattr(error, "option_name", "")
    if parameter is not None and hasattr(error, "param_type"):
        line = f"{verb} needs {_name(parameter)}: {_sentence(parameter.help)}"
    elif parameter is not None:
        line = f"{_name(parameter)} {_describe_value(error)}"
    elif hasattr(error, "possibilities"):
        owner = f"{verb} has no option" if verb else "before a verb there is no option"
        line = f"{owner} {quote(option)}{_hint(option, verb, verbs)}"
    elif option:
        line = f"{option} {_describe_misuse(option, words)}"
    else:
        parameters = verbs[verb].params if verb else []
        arguments = [_name(p) for p in parameters if not _flags(p)]
        takes = f"{verb or 'measurand'} takes {' '.join(arguments) or 'no argument'}"
        line = f"{_sentence(str(error))}; {takes}"
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
    return str(next(iter(_flags(parameter)), parameter.name.upper()))


def _describe_value(error: Any) -> str:
    """What was given for an option, and what it takes."""
    faults: list[Any] = getattr(error.__cause__, "errors", list)()
    if not faults:
        return f"is not allowed: {_sentence(str(error))}"
    fault = faults[0]
    given = f"is {quote(str(fault['input']))}"
    if fault["type"] not in ALLOWED:
        return f"{given}, but {_sentence(fault['msg'])}"
    return (
        f"{given}; allowed is {ALLOWED[fault['type']].format(**fault.get('ctx', {}))}"
    )


def _describe_misuse(option: str, words: Sequence[str]) -> str:
    """What is wrong about an option that is there: no value, or one too many."""
    given = next((w for w in words if w.startswith(f"{option}=")), None)
    if given is not None:
        return f"takes no value, and {quote(given)} gives one; write {option}"
    return f"is given without a value; write {option} VALUE"


def _hint(option: str, verb: str | None, verbs: Mapping[str, Any]) -> str:
    """The option that was meant: the nearest here, or the same one of other verbs."""
    owners = [name for name in verbs if option in _options(verbs[name])]
    if owners:
        return f"; {', '.join(owners)} {'has' if len(owners) == 1 else 'have'} it"
    own = _options(verbs[verb]) if verb else ["--version", "--help"]
    close = get_close_matches(option.strip("-"), [o.strip("-") for o in own], n=1)
    return f"; did you mean --{close[0]}?" if close else ""


def _options(command: Any) -> list[str]:
    """The options of a verb, as they are written."""
    return ["--help", *(flag for p in command.params for flag in _flags(p))]
