"""Landlock: rules about files, TCP and signals that a Linux process lays on itself and can never take off again.

The kernel's interface has versions; what a kernel does not know is left out.
"""

from __future__ import annotations

import ctypes
import os
import stat
import sys
from collections.abc import Iterable, Iterator

from workbook.sandbox import syscalls

_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_SOCK, _MAKE_BLOCK = 1 << 6, 1 << 9, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_OF_VERSION = ((1, (1 << 13) - 1), (2, 1 << 13), (3, _TRUNCATE), (5, _IOCTL_DEV))
_FILE_ONLY = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV  # what a rule on a file may hold
_BIND_AND_CONNECT_TCP = 3  # from version 4
_ABSTRACT_SOCKETS_AND_SIGNALS = 3  # from version 6

READ = _READ_FILE | _READ_DIR
WRITE = _WRITE_FILE | _TRUNCATE
# What may be done in a folder of one's own: files, folders, links and pipes; no programs, devices or sockets.
REMOVE_FILE = 1 << 5
OWN = ~(_EXECUTE | _IOCTL_DEV | _MAKE_CHAR | _MAKE_SOCK | _MAKE_BLOCK)

Rule = tuple[int, int]  # an open descriptor of a path, and what may be done at and below it


def version() -> int:
    """The version of the interface that this kernel has; 0 where there is none."""
    if sys.platform != "linux":
        return 0
    try:
        return syscalls.call("landlock_create_ruleset", None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def rules(paths: Iterable[str], access: int) -> Iterator[Rule]:
    """A rule for each of the paths that exists. Its descriptor is the caller's to close."""
    for path in paths:
        try:
            yield os.open(path, os.O_PATH | os.O_CLOEXEC), access
        except OSError:
            continue


def restrict(allowed: Iterable[Rule], known: int) -> None:
    """Deny this process, for ever, every file but those allowed, TCP, and signals to others. Raises OSError.

    `known` is the kernel's version. Denied as well: abstract Unix sockets of others; setuid programs gain nothing.
    """
    files = 0
    for since, rights in _OF_VERSION:
        files |= rights if known >= since else 0
    handled = [files]
    if known >= 4:
        handled.append(_BIND_AND_CONNECT_TCP)
    if known >= 6:
        handled.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    attributes = (ctypes.c_uint64 * len(handled))(*handled)
    ruleset = syscalls.call("landlock_create_ruleset", attributes, ctypes.sizeof(attributes), 0)
    try:
        for descriptor, access in allowed:
            access &= files
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                access &= _FILE_ONLY
            rule = access.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
            syscalls.call("landlock_add_rule", ruleset, _RULE_PATH_BENEATH, rule, 0)
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        syscalls.call("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)
