"""Where the scratch folders of workers lie: one folder for each zygote, locked as long as it lives, swept when nobody holds it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time

from workbook.sandbox import trees

PREFIX = "workbook-scratch-"
STALE_SECONDS = 60.0
SWEEP_SECONDS = 5.0


def make_root() -> tuple[str, int | None]:
    """A folder for the scratch folders of all workers, locked as long as this process lives."""
    parent = tempfile.gettempdir()
    with contextlib.suppress(OSError):
        _sweep(parent)
    root = tempfile.mkdtemp(prefix=PREFIX, dir=parent)
    os.chmod(root, 0o711)  # workers of root are another user
    return root, _lock(root)


def _lock(folder: str) -> int | None:
    """A descriptor that holds a lock on the folder, or None where another process does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _sweep(parent: str) -> None:
    """Remove the folders of zygotes that were killed together with their graders: nobody holds their locks.

    What cannot be removed is left for the next time: a start waits for it no longer than SWEEP_SECONDS.
    """
    deadline = time.monotonic() + SWEEP_SECONDS
    for entry in os.scandir(parent):
        if entry.name.startswith(PREFIX) and entry.is_dir(follow_symlinks=False):
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == os.geteuid() and status.st_mtime < time.time() - STALE_SECONDS:
                    descriptor = _lock(entry.path)
                    if descriptor is not None:
                        trees.remove(entry.path, deadline - time.monotonic())
                        os.close(descriptor)
