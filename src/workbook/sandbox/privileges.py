"""What a Linux process may do beyond its own affairs, given up for good. Nothing here imports a module of ours."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import signal

NOBODY = 65534  # whom the workers of root run as

_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS = 1, 4, 8, 38
_CAPABILITY_CALLS = {"x86_64": (125, 126), "aarch64": (90, 91)}  # system calls capget and capset
_CAPABILITY_VERSION = 0x20080522  # the third: three words twice, of which the first three are the low halves
_DAC_READ_SEARCH, _SETGID, _SETUID = 1 << 2, 1 << 6, 1 << 7


def set_dumpable(allowed: bool) -> None:
    """Whether other processes of the same user may look into this one; its children inherit that. Raises OSError."""
    _prctl(_PR_SET_DUMPABLE, int(allowed))


def becomes_nobody() -> bool:
    """Whether `renounce` can change this process's user: it is root, may do so, and can read all the same."""
    needed = _DAC_READ_SEARCH | _SETGID | _SETUID
    try:
        return (
            os.geteuid() == 0
            and _capabilities(0, [0] * 6)[1] & needed == needed
            and _read("setgroups").strip() == "allow"
            and all(_maps(name, NOBODY) for name in ("uid_map", "gid_map"))
        )
    except OSError:
        return False


def renounce(as_nobody: bool) -> None:
    """Give up every capability, new privileges by running programs, and a life after the parent's. Raises OSError.

    `as_nobody` is for root, where `becomes_nobody` says so: a user whom the limit on processes binds and who owns nothing, under /proc/sys least of all. It keeps
    one capability, to read what nobody could not (a Python below /root, a learner's folder); Landlock says how far.
    """
    kept = 0
    if as_nobody:
        _prctl(_PR_SET_KEEPCAPS, 1)
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        kept = _DAC_READ_SEARCH
    _capabilities(1, [kept, kept, 0, 0, 0, 0])
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    set_dumpable(False)
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


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


def _capabilities(call: int, words: list[int]) -> list[int]:
    """Get (0) or set (1) the effective, permitted and inheritable capabilities: low halves, then high halves."""
    number = _CAPABILITY_CALLS.get(platform.machine())
    if number is None:
        raise OSError(f"the number of the system call is not known for {platform.machine()}")
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)  # 0: this process
    sets = (ctypes.c_uint32 * 6)(*words)
    if _libc().syscall(number[call], header, sets) != 0:
        raise _error("capabilities")
    return list(sets)


def _prctl(option: int, value: int) -> None:
    arguments = [ctypes.c_ulong(number) for number in (value, 0, 0, 0)]
    if _libc().prctl(option, *arguments) != 0:
        raise _error("prctl")


@functools.cache  # made in the zygote, for all workers
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _error(what: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"{what}: {os.strerror(number)}")
