"""A fork that is also the first process of new Linux namespaces, by one raw call of clone.

The child sees no network, can name no process outside, and is process 1 of its own: when it dies, all that it started
dies with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal

from workbook.sandbox import privileges, syscalls

CLONE_NEWNS = 0x00020000
CLONE_NEWUTS = 0x04000000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
FLAGS = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNS


class Refused(Exception):
    """The system does not give namespaces here; the message says why."""


class Start:
    """The child's part of `clone`: what is left to do in its namespaces, in the order of these methods, once."""

    def __init__(self, ready: int, user: int, group: int) -> None:
        self._ready = ready
        self._user, self._group = user, group  # as they are outside: in here everyone is 65534 until mapped

    def map_ids(self) -> None:
        """Give users a number within the namespace: all of them where the parent is root, else this one.

        Raises OSError where the system refuses.
        """
        mapped = os.read(self._ready, 1) != b""  # waits for the parent
        os.close(self._ready)
        if mapped:
            return
        privileges.set_dumpable(True)  # the files of an undumpable process belong to root
        try:
            _write("/proc/self/uid_map", f"{self._user} {self._user} 1")
            _write("/proc/self/setgroups", "deny")
            _write("/proc/self/gid_map", f"{self._group} {self._group} 1")
        finally:
            privileges.set_dumpable(False)

    def seal(self) -> None:
        """Forbid further user namespaces below this one, in each of which a process would be as strong again."""
        with contextlib.suppress(OSError):  # where /proc/sys cannot be written, as in many containers
            _write("/proc/sys/user/max_user_namespaces", "0")


def clone() -> tuple[int, Start | None]:
    """Fork into new namespaces: (pid, None) in the parent, (0, start) in the child.

    The caller must have a single thread. Raises Refused where the system refuses the namespaces.
    """
    user, group = os.geteuid(), os.getegid()
    # PyDLL keeps the interpreter's lock during the call: in the child there would be nobody to hand it back.
    libc, python = ctypes.PyDLL(None, use_errno=True), ctypes.pythonapi
    ready, tell = os.pipe()
    python.PyOS_BeforeFork()
    pid = libc.syscall(syscalls.number("clone"), ctypes.c_long(FLAGS | signal.SIGCHLD), None, None, None, None)
    number = ctypes.get_errno()
    if pid == 0:
        python.PyOS_AfterFork_Child()
        os.close(tell)
        return 0, Start(ready, user, group)
    python.PyOS_AfterFork_Parent()
    os.close(ready)
    try:
        if pid < 0:
            raise Refused(_reason(number))
        if user == 0:
            with contextlib.suppress(OSError):
                _map_all(pid)
                os.write(tell, b"r")
    finally:
        os.close(tell)  # the child goes on at the latest now
    return pid, None


def _map_all(pid: int) -> None:
    """Give every user and group of this namespace the same number in the child's."""
    for name in ("uid_map", "gid_map"):
        with open(f"/proc/self/{name}", encoding="ascii") as own:
            lines = [line.split() for line in own]
        _write(f"/proc/{pid}/{name}", "".join(f"{inside} {inside} {count}\n" for inside, _, count in lines))


def _write(path: str, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _reason(number: int) -> str:
    if number == errno.EPERM:
        return "the system refuses user namespaces to this process (a container or a setting forbids them)"
    if number in (errno.ENOSPC, errno.EUSERS):
        return "the system's limit on user namespaces (user.max_user_namespaces) is reached"
    return f"clone: {os.strerror(number)}"
