"""The style sheet and the script that a page carries inside it."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files


def page_resource(name: str) -> str:
    """The text of a file of this package, with the line ends a browser would read."""
    text = files("measurand.report").joinpath(name).read_text("utf-8")
    return text.replace("\r\n", "\n")


def script_digest(script: str) -> str:
    """What a Content-Security-Policy calls this very script.

    >>> script_digest("1")
    'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='
    """
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"
