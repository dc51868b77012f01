"""Whether a Ray cluster can be joined: asked before Ray is, which tries for minutes."""

import socket
import subprocess
import sys
from urllib.parse import urlsplit

from measurand.core.errors import BadOption, shown

CONNECTING = 5.0  # seconds in which a port must open
ANSWERING = 15.0  # seconds in which a cluster must let a process join
PROBE = "import sys, ray; ray.init(sys.argv[1], log_to_driver=False); ray.shutdown()"


def reached(address: str) -> None:
    """Nothing, where a cluster lets another process join."""
    why = "" if address == "auto" else closed(address)
    why = why or refused(address)
    if not why:
        return
    raise BadOption(
        f"no Ray cluster can be joined at {shown(address, 80)}: {why}; "
        "--address takes auto, HOST:PORT or ray://HOST:PORT of one that runs"
    )


def closed(address: str) -> str:
    """Why nothing can be there; empty where a port is open.

    >>> closed("nowhere")
    'no host and port'
    """
    try:
        place = urlsplit(address if "://" in address else f"//{address}")
        if not place.hostname or not place.port:
            return "no host and port"
        socket.create_connection((place.hostname, place.port), CONNECTING).close()
    except (OSError, ValueError) as failure:
        why = getattr(failure, "strerror", None) or str(failure)
        return why.lower()
    return ""


def refused(address: str) -> str:
    """Why another process cannot join; empty where it can."""
    command = [sys.executable, "-P", "-c", PROBE, address]
    try:
        said = subprocess.run(  # noqa: S603
            command, capture_output=True, timeout=ANSWERING, check=False
        )
    except subprocess.TimeoutExpired as late:
        if b"InvalidAuthToken" in (late.stderr or b""):
            return "it wants its token, and RAY_AUTH_MODE=token"
        return f"nothing that is one answers within {ANSWERING:.0f} seconds"
    if said.returncode == 0:
        return ""
    last = said.stderr.decode(errors="replace").strip().split("\n")[-1]
    return last.partition(": ")[2].partition(". ")[0].rstrip(".") or last
