"""Stops a piece of code at any one of its file operations: by SIGKILL, or by an exception raised there."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "shutil.rmtree"}


def stopped_at(number: int, root: Path, act: Callable[[], object], by: Exception | type[BaseException] | None) -> bool:
    """Carry out `act` in a child, which is stopped right before its file operation `number` (from 1) below `root`.

    `by` is raised there; None kills. Returns whether the child came so far. An exception of `act` is no fault.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside the threads of pytest-xdist
        child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 1
    reached = False
    count = 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count, reached
        if event not in CHANGES and not (event == "open" and str(arguments[0]).startswith(str(root))):
            return
        count += 1
        if count == number:
            reached = True
            if by is None:
                os.kill(os.getpid(), signal.SIGKILL)
            else:
                raise by

    try:
        sys.addaudithook(hook)
        act()
    except BaseException:
        pass
    finally:
        os._exit(int(reached))


def files(root: Path) -> dict[str, bytes]:
    """Every file below a folder by its relative path."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
