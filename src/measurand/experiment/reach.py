"""Whether a Ray cluster can be joined: asked before Ray is, which tries for minutes."""

import socket
import subprocess
import sys
from urllib.parse import urlsplit

from measurand.core.errors import BadOption, quote

CONNECTING = 5.0  # seconds in which a port must open
ANSWERING = 15.0  # seconds in which a cluster must let a process join
PROBE = "import sys, ray; ray.init(sys.argv[1], log_to_driver=False); ray.shutdown()"


def check_reachable(address: str) -> None:
    """Nothing, where a cluster lets another process join."""
    why = "" if address == "auto" else _connection_fault(address)
    why = why or _join_fault(address)
    if not why:
        return
    raise BadOption(
        f"no Ray cluster can be joined at {quote(address, 80)}: {why}; "
        "--address takes auto, HOST:PORT or ray://HOST:PORT of one that runs"
    )


def _connection_fault(address: str) -> str:
    """Why nothing can be there; empty where a port is open.

    >>> _connection_fault("nowhere")
    'no host and port'
    """
    try:
        target = urlsplit(address if "://" in address else f"//{address}")
        if not target.hostname or not target.port:
            return "no host and port"
        socket.create_connection((target.hostname, target.port), CONNECTING).close()
    except (OSError, ValueError) as failure:
        why = getattr(failure, "strerror", None) or str(failure)
        return why.lower()
    return ""


def _join_fault(address: str) -> str:
    """Why another process cannot join; empty where it can."""
    command = [sys.executable, "-P", "-c", PROBE, address]
    try:
        outcome = subprocess.run(  # noqa: S603
            command, capture_output=True, timeout=ANSWERING, check=False
        )
    except subprocess.TimeoutExpired as late:
        if b"InvalidAuthToken" in (late.stderr or b""):
            return "it wants its token, and RAY_AUTH_MODE=token"
        return f"nothing that is one answers within {ANSWERING:.0f} seconds"
    if outcome.returncode == 0:
        return ""
    last = outcome.stderr.decode(errors="replace").strip().split("\n")[-1]
    return last.partition(": ")[2].partition(". ")[0].rstrip(".") or last
