"""Errors of the library in the words of the command line."""

import re
from collections.abc import Collection

import typer

from measurand.cli.app import app

# The arguments of the library that have another name on the command line.
OPTION_OF_ARGUMENT = {
    "arms": "--arm",
    "count": "--changes",
    "draws": "--fold-seeds",
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


def verb_options() -> set[str]:
    """The options of all verbs."""
    verbs = getattr(typer.main.get_command(app), "commands", {})
    return {
        option
        for verb in verbs.values()
        for parameter in verb.params
        for option in parameter.opts
    }
