"""The system's limits on what one process may use, and the memory kept back to say that they were reached."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from collections.abc import Iterator
from dataclasses import dataclass

MEGABYTE = 2**20


SPARE_BYTES = 64 * MEGABYTE  # of address space, to tell that the rest is used up


@dataclass(frozen=True)
class Allowance:
    """What one submission may use.

    Memory beyond what a worker starts with; its files together; open files; processor time of one process (the
    grader's deadlines come first); processes and threads together.
    """

    memory_mb: int = 1024
    files_mb: int = 64
    open_files: int = 256
    cpu_seconds: int = 600
    processes: int = 64


def limit_resources(allowance: Allowance, own_count: bool) -> None:
    """Raises OSError or ValueError where the system refuses a limit or has none."""
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": allowance.cpu_seconds,
        "RLIMIT_FSIZE": allowance.files_mb * MEGABYTE,
        "RLIMIT_NOFILE": allowance.open_files,
    }
    if sys.platform == "linux":  # elsewhere the address space says little about memory in use
        wanted["RLIMIT_AS"] = _address_space() + allowance.memory_mb * MEGABYTE + SPARE_BYTES
    if own_count and _kernel() >= (5, 14):  # otherwise it counts all that this user runs anywhere
        wanted["RLIMIT_NPROC"] = allowance.processes
    for name, value in wanted.items():
        kind = getattr(resource, name)
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:
            value = min(value, ceiling)
        resource.setrlimit(kind, (value, value))


@contextlib.contextmanager
def spared_memory() -> Iterator[None]:
    """Keep the last SPARE_BYTES of the address space from what runs inside, so that its failure can be reported."""
    ceiling = resource.getrlimit(resource.RLIMIT_AS)[1] if sys.platform == "linux" else -1
    if ceiling in (-1, resource.RLIM_INFINITY):
        yield
        return
    resource.setrlimit(resource.RLIMIT_AS, (max(ceiling - SPARE_BYTES, 0), ceiling))
    try:
        yield
    finally:
        with contextlib.suppress(ValueError, OSError):  # the learner's code may have lowered the ceiling
            resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def _address_space() -> int:
    """Bytes of address space this process has mapped now (Linux)."""
    with open("/proc/self/statm", "rb") as statm:
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _kernel() -> tuple[int, ...]:
    return tuple(int("".join(filter(str.isdigit, part)) or 0) for part in os.uname().release.split(".")[:2])
