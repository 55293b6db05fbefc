"""A filter of system calls (seccomp): refuses those that a submission has no use for and that reach out of its process.

It closes what the other layers leave open: Unix sockets with a path, memory that no process is charged for, and the
parts of the kernel where its faults are found. It also holds where a container forbids namespaces.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
from typing import NamedTuple

from workbook.sandbox import syscalls

# Refused with EPERM. Sockets are refused where they are made; a pair of connected ones is harmless.
_REFUSED = (
    *("socket", "connect", "bind"),
    # programs, other processes and what they may use
    *("execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp"),
    *("pidfd_open", "pidfd_getfd", "pidfd_send_signal", "setpriority", "ioprio_set", "move_pages", "migrate_pages"),
    # memory that belongs to no process, or outlives it
    *("memfd_create", "memfd_secret", "shmget", "semget", "msgget", "mq_open", "add_key", "request_key", "keyctl"),
    # namespaces and mounts
    *("unshare", "setns", "mount", "umount2", "pivot_root", "chroot", "open_tree", "open_tree_attr", "move_mount"),
    *("fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr", "name_to_handle_at", "open_by_handle_at"),
    *("quotactl", "quotactl_fd"),
    # what others do with files, and what is mounted
    *("inotify_init", "inotify_init1", "inotify_add_watch", "fanotify_init", "listmount", "statmount"),
    # the kernel's rarer parts
    *("io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "userfaultfd", "perf_event_open", "syslog"),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "reboot", "swapon", "swapoff"),
    *("acct", "modify_ldt"),
)
# Mode, owner, times and extended attributes of a file. Landlock does not see these calls, and the owner of a file needs
# no right to write to it: refused where files other than the submission's own can be named.
_OF_FILES = (
    *("chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat"),
    *("utime", "utimes", "futimesat", "utimensat", "file_setattr"),
    *(
        "setxattr",
        "lsetxattr",
        "fsetxattr",
        "setxattrat",
        "removexattr",
        "lremovexattr",
        "fremovexattr",
        "removexattrat",
    ),
)
_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Refused with ENOSYS, since their flags cannot be seen: in their place come clone and openat.
_LACKING = ("clone3", "openat2")


class _Test(NamedTuple):
    """A call that is refused where an argument, of which only the bits of `mask` count, is (or is not) one of `values`."""

    call: str
    argument: int
    mask: int
    values: tuple[int, ...]
    negated: bool = False


_ALL = 0xFFFFFFFF
_NEW_NAMESPACES, _SHARED_ANONYMOUS, _TMPFILE = 0x7E020000, 0x01 | 0x20, 0x400000
_SETLEASE, _NOTIFY = 1024, 1026
_BY_ARGUMENT = (
    _Test("clone", 0, _NEW_NAMESPACES, (0,), negated=True),
    _Test("mmap", 3, _SHARED_ANONYMOUS, (_SHARED_ANONYMOUS,)),  # it stays when the process that filled it ends
    _Test("openat", 2, _TMPFILE, (_TMPFILE,)),  # a file without a name, whose size nobody sees
    _Test("open", 1, _TMPFILE, (_TMPFILE,)),
    # A lease makes others wait who open the file; a notice tells what they do in a folder.
    _Test("fcntl", 1, _ALL, (_SETLEASE, _NOTIFY)),
    # Flags, version, project and encryption of a file, and verity, which makes it unchangeable: the owner may set them.
    _Test("ioctl", 1, _ALL, (0x40086602, 0x40046602, 0x40087602, 0x401C5820, 0x800C6613, 0x40806685)),
    # Limits and processors of processes other than the caller.
    *(
        _Test(call, 0, _ALL, (0,), negated=True)
        for call in ("prlimit64", "sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler")
    ),
)
_X32 = 0x40000000

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # places in what a filter sees
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_MODE_FILTER = 2


def program(*, own_files_only: bool = False) -> bytes:
    """The filter for this processor, to be made once. Without `own_files_only` no file's mode or times can be changed."""
    syscalls.libc()
    refuse, lacking = (_step(_RETURN, k=_ERROR | code) for code in (errno.EPERM, errno.ENOSYS))
    allow = _step(_RETURN, k=_ALLOW)
    steps = [
        _step(_LOAD, k=_ARCHITECTURE),
        _step(_EQUAL, 1, 0, _AUDIT[platform.machine()]),  # 32-bit calls have other numbers
        _step(_RETURN, k=_KILL),
        _step(_LOAD, k=_NUMBER),
    ]
    if platform.machine() == "x86_64":
        steps += [_step(_AT_LEAST, 0, 1, _X32), refuse]
    refused = _REFUSED if own_files_only else (*_REFUSED, *_OF_FILES)
    for names, answer in ((_LACKING, lacking), (refused, refuse)):
        for number in map(syscalls.number, names):
            if number is not None:
                steps += [_step(_EQUAL, 0, 1, number), answer]
    for test in _BY_ARGUMENT:
        number = syscalls.number(test.call)
        if number is not None:
            last = len(test.values) - 1
            found, other = (allow, refuse) if test.negated else (refuse, allow)
            look = [_step(_LOAD, k=_ARGUMENTS + 8 * test.argument), _step(_AND, k=test.mask)]
            look += [_step(_EQUAL, last - place + 1, 0, value) for place, value in enumerate(test.values)]
            steps += [_step(_EQUAL, 0, len(look) + 2, number), *look, other, found]
    steps.append(allow)
    return b"".join(steps)


def install(filter_program: bytes) -> None:
    """Lay the filter on this process and all that it starts, for ever. Raises OSError where the system refuses."""
    buffer = ctypes.create_string_buffer(filter_program, len(filter_program))
    header = struct.pack("@HP", len(filter_program) // 8, ctypes.addressof(buffer))
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.prctl(syscalls.PR_SET_SECCOMP, _MODE_FILTER, ctypes.c_char_p(header))


def _step(code: int, yes: int = 0, no: int = 0, k: int = 0) -> bytes:
    """One instruction: jumps over `yes` or `no` steps."""
    return struct.pack("=HBBI", code, yes, no, k)
