"""Walks over what a submission made: by descriptor, never by a long path, never recursive, and always bounded.

A submission nests its folders as deep as it likes, gives them names of any length and closes them to their own owner.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import time

DEEPEST = 64  # folders nested in each other that are looked into
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def remove(path: str, seconds: float = 10.0) -> bool:
    """Remove a folder with all in it; False where it, or some of it, is still there after `seconds`. Never raises.

    Nobody else may be changing it. Every folder within is first moved up into the outermost, so that no path is long
    and no more than two descriptors are open.
    """
    deadline = time.monotonic() + seconds
    try:
        top = _open(path, None)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    token, count = secrets.token_hex(8), 0  # names that a submission cannot have taken
    try:
        waiting = [""]
        while waiting:
            name = waiting.pop()
            below = _open(name, top) if name else os.dup(top)
            try:
                for entry in _entries(below):
                    if time.monotonic() > deadline:
                        return False
                    if entry.is_dir(follow_symlinks=False):
                        moved = f"{token}{count}"
                        count += 1
                        _permit(entry.name, below)  # a folder that may not be written to cannot be moved
                        os.rename(entry.name, moved, src_dir_fd=below, dst_dir_fd=top)
                        waiting.append(moved)
                    else:
                        os.unlink(entry.name, dir_fd=below)
            finally:
                os.close(below)
            if name:
                os.rmdir(name, dir_fd=top)
        os.rmdir(path)
    except OSError:
        return False
    finally:
        os.close(top)
    return True


def exceeds(path: str, most_bytes: int, most_files: int) -> bool:
    """Whether a folder that changes meanwhile holds more than that, is nested too deep, or cannot be looked into."""
    size = count = 0
    opened: list[tuple[int, list[str]]] = []
    todo = [path]
    try:
        while True:
            while not todo:
                if not opened:
                    return False
                descriptor, todo = opened.pop()
                os.close(descriptor)
            parent = opened[-1][0] if opened else None
            try:
                below = _open(todo.pop(), parent)
            except (FileNotFoundError, NotADirectoryError):
                continue  # it was there a moment ago
            except OSError:
                return True
            opened.append((below, todo))
            todo = []
            for entry in _entries(below, most_files + 1):
                with contextlib.suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    size, count = size + status.st_blocks * 512, count + 1
                    if stat.S_ISDIR(status.st_mode):
                        todo.append(entry.name)
                if size > most_bytes or count > most_files:
                    return True
            if todo and len(opened) > DEEPEST:
                return True
    except OSError:
        return True
    finally:
        for descriptor, _ in opened:
            os.close(descriptor)


def _entries(descriptor: int, most: int | None = None) -> list[os.DirEntry[str]]:
    found = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            found.append(entry)
            if len(found) == most:
                break
    return found


def _open(name: str, parent: int | None) -> int:
    """A descriptor of a folder, which is opened to its owner first if need be. Follows no link."""
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        _permit(name, parent)
        return os.open(name, _FOLDER, dir_fd=parent)


def _permit(name: str, parent: int | None) -> None:
    """Give the owner of a folder all rights to it, though another may have put a link in its place meanwhile."""
    if not hasattr(os, "O_PATH"):
        os.chmod(name, 0o700, dir_fd=parent)
        return
    descriptor = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{descriptor}", 0o700)
    finally:
        os.close(descriptor)
