"""The C library and the kernel's own calls, as the layers need them: numbers, arguments, errors. Imports nothing of ours."""

from __future__ import annotations

import ctypes
import functools
import os
import platform
import sys

# Numbers of calls on the processors of COLUMN; None where a processor has no such call.
_OLD: dict[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bind": (49, 200),
    "bpf": (321, 280),
    "capget": (125, 90),
    "capset": (126, 91),
    "chmod": (90, None),
    "chown": (92, None),
    "chroot": (161, 51),
    "clone": (56, 220),
    "connect": (42, 203),
    "delete_module": (176, 106),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fanotify_init": (300, 262),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "fcntl": (72, 25),
    "finit_module": (313, 273),
    "fremovexattr": (199, 16),
    "fsetxattr": (190, 7),
    "futimesat": (261, None),
    "init_module": (175, 105),
    "inotify_add_watch": (254, 27),
    "inotify_init": (253, None),
    "inotify_init1": (294, 26),
    "ioctl": (16, 29),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "lchown": (94, None),
    "lremovexattr": (198, 15),
    "lsetxattr": (189, 6),
    "memfd_create": (319, 279),
    "migrate_pages": (256, 238),
    "mmap": (9, 222),
    "modify_ldt": (154, None),
    "mount": (165, 40),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open": (2, None),
    "open_by_handle_at": (304, 265),
    "openat": (257, 56),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "prlimit64": (302, 261),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "removexattr": (197, 14),
    "request_key": (249, 218),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "semget": (64, 190),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "setxattr": (188, 5),
    "shmget": (29, 194),
    "socket": (41, 198),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
    "utime": (132, None),
    "utimensat": (280, 88),
    "utimes": (235, None),
}
# The younger ones, which are the same on every processor.
_YOUNG = {
    "clone3": 435,
    "fchmodat2": 452,
    "file_setattr": 469,
    "fsconfig": 431,
    "fsmount": 432,
    "fsopen": 430,
    "fspick": 433,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "io_uring_setup": 425,
    "landlock_add_rule": 445,
    "landlock_create_ruleset": 444,
    "landlock_restrict_self": 446,
    "listmount": 458,
    "memfd_secret": 447,
    "mount_setattr": 442,
    "move_mount": 429,
    "open_tree": 428,
    "open_tree_attr": 467,
    "openat2": 437,
    "pidfd_getfd": 438,
    "pidfd_open": 434,
    "pidfd_send_signal": 424,
    "process_madvise": 440,
    "quotactl_fd": 443,
    "removexattrat": 466,
    "setxattrat": 463,
    "statmount": 457,
}
COLUMN = {"x86_64": 0, "aarch64": 1}

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP = 1, 4, 8, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 36, 38


def unavailable() -> str:
    """Why the calls of the kernel cannot be used on this system, or "" where they can."""
    if sys.platform != "linux":
        return "only Linux has it"
    if platform.machine() not in COLUMN or sys.maxsize < 2**32:
        return f"the numbers of the system calls are not known for {platform.machine()}"
    return ""


def number(name: str) -> int | None:
    """The number of a call on this processor; None where it has none. KeyError for a call that nobody needs here."""
    if name in _YOUNG:
        return _YOUNG[name]
    column = COLUMN.get(platform.machine())
    return None if column is None else _OLD[name][column]


@functools.cache  # made in the zygote, for all workers
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def call(
    name: str, *arguments: int | bytes | ctypes.Array[ctypes.c_uint32] | ctypes.Array[ctypes.c_uint64] | None
) -> int:
    """The result of a call of the kernel. Raises OSError that names it."""
    wanted = number(name)
    if wanted is None:
        raise OSError(f"{name}: its number is not known for {platform.machine()}")
    passed = [ctypes.c_long(item) if type(item) is int else item for item in arguments]
    result = int(libc().syscall(ctypes.c_long(wanted), *passed))
    if result < 0:
        raise error(name)
    return result


def prctl(option: int, *arguments: int | ctypes.c_char_p) -> None:
    """Raises OSError."""
    padded = [*arguments, 0, 0, 0, 0][:4]
    passed = [ctypes.c_ulong(item) if type(item) is int else item for item in padded]
    if libc().prctl(option, *passed) != 0:
        raise error("prctl")


def error(what: str) -> OSError:
    """The error that the C library just met."""
    code = ctypes.get_errno()
    return OSError(code, f"{what}: {os.strerror(code)}")
