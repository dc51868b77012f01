"""How much memory this process may still take."""

import os
from pathlib import Path

MEMINFO = Path("/proc/meminfo")
GROUP = Path("/sys/fs/cgroup")  # where a container's limit stands
UNKNOWN = 2**32  # where the system does not tell


def available_memory() -> int:
    """Bytes that are free, for the machine, the container and the process."""
    return max(0, min([_machine_memory(), *_group_memory(), *_process_memory()]))


def _machine_memory() -> int:
    """What the machine can give without swapping."""
    try:
        for line in MEMINFO.read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass  # another system: half of what is built in
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def _group_memory() -> list[int]:
    """What the container leaves, where it sets a limit."""
    try:
        limit = int((GROUP / "memory.max").read_text("ascii"))
        return [limit - int((GROUP / "memory.current").read_text("ascii"))]
    except (OSError, ValueError):  # no container, or the limit is "max"
        return []


def _process_memory() -> list[int]:
    """What `ulimit -v` leaves of the address space, where it is set."""
    try:
        import resource
    except ImportError:
        return []
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return []
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        return [limit - pages * resource.getpagesize()]
    except (OSError, ValueError):
        return [limit]
