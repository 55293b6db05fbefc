"""What a worker gives up before it runs a learner's code. Each layer is optional and reported by name.

The operating system's own limits stand here; a layer that a system lacks is left out and named as missing, never
pretended. The grader keeps deadlines and a memory watch of its own, since root ignores some limits.
"""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass

MEGABYTE = 2**20
LAYERS = {
    "process": "a process of its own, which never holds a reference or a result",
    "session": "a process group of its own, killed as a whole",
    "rlimits": "the system's limits on memory, file size, open files and core dumps",
    "namespaces": "no network, no sight of other processes (Linux)",
    "landlock": "no files but the submission's and the libraries' (Linux)",
}
FULL = tuple(LAYERS)  # what --require-sandbox asks for


@dataclass(frozen=True)
class Allowance:
    """What one worker may use: memory beyond what it starts with, the largest file it may write, open files."""

    memory_mb: int = 1024
    file_mb: int = 64
    open_files: int = 256


def enter(allowance: Allowance) -> tuple[str, ...]:
    """Apply every layer to this process and return the names of those that hold. Called in the worker, once."""
    active = []
    with contextlib.suppress(AttributeError, OSError):
        os.setsid()  # a group of its own, so that one kill reaches all that it starts
        active.append("session")
    if _limit_resources(allowance):
        active.append("rlimits")
    return tuple(active)


def _limit_resources(allowance: Allowance) -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": allowance.file_mb * MEGABYTE,
        "RLIMIT_NOFILE": allowance.open_files,
    }
    if sys.platform == "linux":  # elsewhere the address space says little about memory in use
        wanted["RLIMIT_AS"] = _address_space() + allowance.memory_mb * MEGABYTE
    for name, value in wanted.items():
        kind = getattr(resource, name)
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:
            value = min(value, ceiling)
        try:
            resource.setrlimit(kind, (value, value))
        except (OSError, ValueError):
            return False
    return True


def _address_space() -> int:
    """Bytes of address space this process has mapped now (Linux)."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def resident_bytes(pid: int) -> int | None:
    """Memory in use by a process that is not its file mappings, or None where the system does not tell."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as statm:
            fields = statm.read().split()
    except OSError:
        return None
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGE_SIZE")
