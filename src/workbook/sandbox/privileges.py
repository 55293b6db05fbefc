"""What a Linux process may do beyond its own affairs, given up for good."""

from __future__ import annotations

import ctypes
import os
import signal

from workbook.sandbox import syscalls

NOBODY = 65534  # whom the workers of root run as

_CAPABILITY_VERSION = 0x20080522  # the third: three words twice, of which the first three are the low halves
_DAC_READ_SEARCH, _SETGID, _SETUID = 1 << 2, 1 << 6, 1 << 7


def set_dumpable(allowed: bool) -> None:
    """Whether other processes of the same user may look into this one; its children inherit that. Raises OSError."""
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, int(allowed))


def becomes_nobody() -> bool:
    """Whether `renounce` can change this process's user: it is root, may do so, and can read all the same."""
    needed = _DAC_READ_SEARCH | _SETGID | _SETUID
    try:
        return (
            os.geteuid() == 0
            and _capabilities("capget", [0] * 6)[1] & needed == needed
            and _read("setgroups").strip() == "allow"
            and all(_maps(name, NOBODY) for name in ("uid_map", "gid_map"))
        )
    except OSError:
        return False


def renounce(as_nobody: bool) -> None:
    """Give up every capability, new privileges by running programs, and a life after the parent's. Raises OSError.

    `as_nobody` is for root, where `becomes_nobody` says so: a user whom the limit on processes binds and who owns
    nothing. It keeps one capability, to read what nobody could not (a Python below /root, a learner's folder);
    Landlock says how far.
    """
    kept = 0
    if as_nobody:
        syscalls.prctl(syscalls.PR_SET_KEEPCAPS, 1)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kept = _DAC_READ_SEARCH
    _capabilities("capset", [kept, kept, 0, 0, 0, 0])
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    set_dumpable(False)
    syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)


def _maps(name: str, number: int) -> bool:
    """Whether this process's user namespace has that user or group."""
    ranges = [[int(field) for field in line.split()] for line in _read(name).splitlines()]
    return any(first <= number < first + count for first, _, count in ranges)


def _read(name: str) -> str:
    descriptor = os.open(f"/proc/self/{name}", os.O_RDONLY)
    try:
        return os.read(descriptor, 4096).decode("ascii")
    finally:
        os.close(descriptor)


def _capabilities(call: str, words: list[int]) -> list[int]:
    """Get or set the effective, permitted and inheritable capabilities: low halves, then high halves."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)  # 0: this process
    sets = (ctypes.c_uint32 * 6)(*words)
    syscalls.call(call, header, sets)
    return list(sets)
