"""Files of the user's that make a reader: its code, or the prompt of a model."""

from pathlib import Path
from typing import Any

MOST_PROMPT_BYTES = 2**16  # of a file with a prompt, which is sent with every item


def is_custom(name: str) -> bool:
    """Whether a reader stands in a file of the user's; the file is not looked at."""
    if ".py:" not in name.lower():
        return False
    from measurand.readers.custom import is_reader_file

    return is_reader_file(name)


def load_custom(name: str) -> tuple[str, Any]:
    """A reader from a file, after the user is told that its code is run."""
    from measurand.cli.console import notice
    from measurand.readers.custom import load_reader_file

    notice(f"--reader {name} runs the code of that file")
    return load_reader_file(name)


def read_prompt(path: Path | None) -> str:
    """The text of a file with a prompt; none where none is named."""
    from measurand.core.errors import BadInput, quote
    from measurand.core.files import read_bounded

    if path is None:
        return ""
    try:
        text = read_bounded(path, MOST_PROMPT_BYTES).decode()
    except (OSError, UnicodeDecodeError, BadInput) as failed:
        why = getattr(failed, "strerror", None) or str(failed)
        line = f"cannot read --prompt {quote(path.name)}: {why.lower()}"
        raise BadInput(line) from failed
    if not text.strip():
        raise BadInput(f"--prompt {quote(path.name)} is empty; give a question")
    return text.strip("\n")
