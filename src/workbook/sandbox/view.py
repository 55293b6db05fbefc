"""What a worker sees of the file system, in a mount namespace of its own: as little as it needs, and read-only.

Everything else is not there: no path can be looked up, listed or watched, and no process is in sight, since there is
no /proc. Mode, times and owner of what is there cannot be changed, not even by its owner.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterable

from workbook.sandbox import syscalls

_NOSUID, _NODEV, _NOEXEC, _BIND, _REC, _PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID = 1, 2


def mount_scratch(folder: str, owner: tuple[int, int], megabytes: int) -> None:
    """Mount an empty file system in memory over `folder`, seen by this process and its children alone.

    It is gone, with all in it, when the last of them ends. Raises OSError where the system refuses.
    """
    options = f"size={megabytes}m,nr_inodes=4096,mode=700,uid={owner[0]},gid={owner[1]}"
    _mount("workbook", folder, "tmpfs", _NOSUID | _NODEV | _NOEXEC, options)


def distinct(paths: Iterable[str]) -> tuple[str, ...]:
    """The paths that exist, and where links in them lead, without those that lie below another."""
    found = {os.path.abspath(path) for path in paths if os.path.exists(path)}
    kept: list[str] = []
    for path in sorted(found | {os.path.realpath(path) for path in found}):
        if not any(_within(path, other) for other in kept):
            kept.append(path)
    return tuple(kept)


def narrow(paths: Iterable[str], scratch: str, owner: tuple[int, int], megabytes: int) -> None:
    """Leave of the file system only `paths` (from `distinct`), read-only, and an empty `scratch` in memory.

    Raises OSError where the system refuses; all is then as it was.
    """
    _mount(None, "/", None, _REC | _PRIVATE)
    _mount("workbook", scratch, "tmpfs", _NOSUID, "size=4m,mode=755")
    try:
        for path in paths:
            _show(path, scratch + path)
        inner = scratch + scratch
        os.makedirs(inner, exist_ok=True)
        attributes = (ctypes.c_uint64 * 4)(_ATTR_RDONLY | _ATTR_NOSUID, 0, 0, 0)
        syscalls.call("mount_setattr", _AT_FDCWD, os.fsencode(scratch), _AT_RECURSIVE, attributes, 32)
        mount_scratch(inner, owner, megabytes)
        os.chdir(scratch)
        syscalls.call("pivot_root", b".", b".")
    except OSError:
        with contextlib.suppress(OSError):
            os.chdir("/")
            syscalls.call("umount2", os.fsencode(scratch), _DETACH)
        raise
    syscalls.call("umount2", b".", _DETACH)  # what was the root lies on top of the new one
    os.chdir("/")


def _show(path: str, place: str) -> None:
    if os.path.isdir(path):
        os.makedirs(place, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.close(os.open(place, os.O_CREAT | os.O_CLOEXEC, 0o644))
    _mount(path, place, None, _BIND | _REC)


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None = None) -> None:
    texts = [None if text is None else os.fsencode(text) for text in (source, target, kind, options)]
    syscalls.call("mount", *texts[:3], flags, texts[3])
