"""A filter of system calls (seccomp): refuses those that a submission has no use for and that reach out of its process.

It closes what the other layers leave open: Unix sockets with a path, memory that no process is charged for, and the
parts of the kernel where its faults are found. It also holds where a container forbids namespaces. Nothing here
imports a module of ours.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import struct
import sys

# Refused with EPERM: (x86_64, aarch64). Sockets are refused where they are made; a pair of connected ones is harmless.
_REFUSED = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    # programs, other processes
    "execve": (59, 221),
    "execveat": (322, 281),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "kcmp": (312, 272),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "pidfd_send_signal": (424, 424),
    # memory that belongs to no process, or outlives it
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # namespaces and mounts
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "quotactl": (179, 60),
    "fanotify_init": (300, 262),
    # the kernel's rarer parts
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "syslog": (103, 116),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
}
_COLUMN = {"x86_64": 0, "aarch64": 1}
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Refused with ENOSYS, since their flags cannot be seen: clone3 and openat2, in whose place come clone and openat.
_LACKING = (435, 437)
# Refused where any of these bits, or all of them, are set in one argument: (numbers, argument, bits, all).
_BY_FLAGS: tuple[tuple[tuple[int, int | None], int, int, bool], ...] = (
    ((56, 220), 0, 0x7E020000, False),  # clone: new namespaces
    ((9, 222), 3, 0x01 | 0x20, True),  # mmap: shared and anonymous, which stays when the process that filled it ends
    ((257, 56), 2, 0x400000, True),  # openat, and open: O_TMPFILE, a file without a name whose size nobody sees
    ((2, None), 1, 0x400000, True),
)
_X32 = 0x40000000

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # places in what a filter sees
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _MODE_FILTER = 38, 22, 2


def unavailable() -> str:
    """Why this system has no such filter, or "" where it may have one."""
    if sys.platform != "linux":
        return "only Linux has it"
    if platform.machine() not in _COLUMN or sys.maxsize < 2**32:
        return f"the numbers of the system calls are not known for {platform.machine()}"
    return ""


def program() -> bytes:
    """The filter for this architecture, to be made once."""
    _libc()
    column = _COLUMN[platform.machine()]
    refuse, lacking = (_step(_RETURN, k=_ERROR | number) for number in (errno.EPERM, errno.ENOSYS))
    allow = _step(_RETURN, k=_ALLOW)
    steps = [
        _step(_LOAD, k=_ARCHITECTURE),
        _step(_EQUAL, 1, 0, _AUDIT[platform.machine()]),  # 32-bit calls have other numbers
        _step(_RETURN, k=_KILL),
        _step(_LOAD, k=_NUMBER),
    ]
    if column == 0:
        steps += [_step(_AT_LEAST, 0, 1, _X32), refuse]
    for number in _LACKING:
        steps += [_step(_EQUAL, 0, 1, number), lacking]
    for numbers in _REFUSED.values():
        steps += [_step(_EQUAL, 0, 1, numbers[column]), refuse]
    for either, argument, bits, every in _BY_FLAGS:
        flagged = either[column]
        if flagged is not None:
            test = _step(_EQUAL, 0, 1, bits) if every else _step(_AT_LEAST, 0, 1, 1)
            look = [_step(_LOAD, k=_ARGUMENTS + 8 * argument), _step(_AND, k=bits), test]
            steps += [_step(_EQUAL, 0, 5, flagged), *look, refuse, allow]
    steps.append(allow)
    return b"".join(steps)


def install(filter_program: bytes) -> None:
    """Lay the filter on this process and all that it starts, for ever. Raises OSError where the system refuses."""
    libc = _libc()
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    header = struct.pack("@HP", len(filter_program) // 8, ctypes.addressof(buffer))
    if (
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        or libc.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.c_char_p(header), 0, 0) != 0
    ):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {os.strerror(number)}")


@functools.cache  # made in the zygote, for all workers
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _step(code: int, yes: int = 0, no: int = 0, k: int = 0) -> bytes:
    """One instruction: jumps over `yes` or `no` steps."""
    return struct.pack("=HBBI", code, yes, no, k)
