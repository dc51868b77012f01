"""What the fuzzer counts as a break, in how a call ended and what it left."""

import base64
import gzip
import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

MEANT = (0, 1, 3)  # done, an error, a verdict that must not be
KEYS = {
    "MEASURAND_API_KEY": "sk-own-7Qd2vXk9LmT4wZr8Bn3H",
    "OPENAI_API_KEY": "sk-proj-5Jf8yPc1GsW6uEa0Vx9K",
}
LOCAL = ("127.0.0.1", "::1")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGES = {"os.mkdir", "os.remove", "os.rmdir", "os.rename", "os.truncate", "os.chmod"}
CHANGES |= {"os.link", "os.symlink", "shutil.rmtree"}


@dataclass
class Watch:
    """What is written and called while an input is tried; hooks cannot be taken off."""

    root: str = ""
    seen: list[str] = field(default_factory=list)

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note a change outside of the folder, or a call to another machine."""
        if not self.root:
            return
        if event == "open":
            path, _, flags = arguments
            if isinstance(path, str | bytes) and int(flags or 0) & WRITING:
                self.check(event, path)
        elif event in CHANGES:
            for path in arguments[: 2 if event == "os.rename" else 1]:
                if isinstance(path, str | bytes | os.PathLike):
                    self.check(event, path)
        elif event == "socket.connect" and isinstance(arguments[1], tuple):
            host = arguments[1][0]
            self.seen += [] if host in LOCAL else [f"connected to {host}"]

    def check(self, event: str, path: Any) -> None:
        """Note a path that lies elsewhere."""
        real = os.path.realpath(os.fsdecode(path))
        if not real.startswith((self.root, "/dev/")):
            self.seen.append(f"{event} outside: {real}")


def fingerprints(root: Path) -> dict[str, str]:
    """What every file and folder below is like."""
    prints = {}
    for folder, folders, files in os.walk(root):
        prints.update({os.path.join(folder, name): "folder" for name in folders})
        for name in files:
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                prints[path] = hashlib.file_digest(file, "sha256").hexdigest()
    return prints


def find_changes(
    before: Mapping[str, str], after: Mapping[str, str], new: Sequence[str]
) -> list[str]:
    """What was there and is not as it was, and what is new where nothing may be."""
    roots = [os.path.realpath(path) for path in new]
    gone = [path for path in before if after.get(path) != before[path]]
    strays = [
        path
        for path in after
        if path not in before
        and not any(path == root or path.startswith(f"{root}/") for root in roots)
        and not any(root.startswith(f"{path}/") for root in roots)
    ]
    return [f"changed or gone: {path}" for path in gone] + [
        f"new: {path}" for path in strays
    ]


def find_breaks(code: int | None, said: tuple[str, str]) -> list[str]:
    """What is wrong about how a call ended."""
    out, err = said
    breaks = [] if code in MEANT else [f"exit code {code}: {err[-300:]}"]
    if "Traceback (most recent call last)" in out + err:
        breaks.append(f"traceback: {err.strip().splitlines()[-1]}")
    lines = err.splitlines()
    ours = [line for line in lines if line.startswith("measurand: ")]
    if code == 1 and (len(ours) != 1 or lines[-1:] != ours):
        breaks.append(f"not one line: {lines[-3:]}")
    if "\x1b" in out + err:
        breaks.append("an escape sequence was printed")
    return breaks


def find_keys(written: Sequence[str], said: tuple[str, str]) -> list[str]:
    """Where a key stands, in any of several forms."""
    places = {"stdout": said[0].encode(), "stderr": said[1].encode()}
    for path in written:
        if os.path.isfile(path):
            places[path] = plain_bytes(path)
    return [
        f"a key in {place}"
        for place, content in places.items()
        if any(form in content or form in content.lower() for form in key_forms())
    ]


def plain_bytes(path: str) -> bytes:
    """What a file holds, unpacked where it is packed."""
    content = Path(path).read_bytes()
    if path.endswith(".parquet"):
        import pyarrow.parquet as pq

        with suppress(Exception):  # an input that is no table
            return content + repr(pq.read_table(path).to_pydict()).encode(
                "utf-8", "backslashreplace"
            )
    if content[:2] == b"\x1f\x8b":
        with suppress(Exception):
            return content + gzip.decompress(content)
    return content


@cache
def key_forms() -> tuple[bytes, ...]:
    """The keys as somebody could write them."""
    forms: list[bytes] = []
    escapes: tuple[Callable[[int], str], ...] = (
        lambda byte: f"\\u{byte:04x}",
        lambda byte: f"\\\\u{byte:04x}",
        lambda byte: f"\\x{byte:02x}",
        lambda byte: f"%{byte:02x}",
        lambda byte: f"&#{byte};",
        lambda byte: f"{chr(byte)} ",
    )
    for key in KEYS.values():
        content = key.encode()
        forms += [content, content.lower(), content[::-1], content.hex().encode()]
        forms += [base64.b64encode(b"x" * n + content)[4:-4] for n in range(3)]
        forms.append(base64.b32encode(content)[:-8])
        forms += ["".join(map(escape, content)).strip().encode() for escape in escapes]
        forms += [content[:16], content[-16:]]
    return tuple(forms)
