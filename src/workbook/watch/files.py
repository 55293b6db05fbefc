"""Notices when an exercise is saved, however the editor saves: in place, by truncation, by rename."""

from __future__ import annotations

import importlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

# Changes made on another machine, or on the other side of WSL, are not reported by the system on these.
REMOTE = ("nfs", "cifs", "smb", "9p", "drvfs", "vboxsf", "fuse", "sshfs", "afs", "ncp")
SETTLE_MS = 30  # an editor's writes of one save lie closer together than this
POLL_MS = 200


def needs_polling(folder: Path, mounts: str = "/proc/mounts") -> bool:
    """Whether a folder lies on a file system that does not report changes."""
    try:
        with open(mounts, encoding="utf-8") as lines:
            found = [line.split()[1:3] for line in lines if len(line.split()) > 2]
    except OSError:
        return False
    best, kind = "", ""
    for place, name in found:
        inside = folder.is_relative_to(place.replace("\\040", " "))
        if inside and len(place) >= len(best):
            best, kind = place, name
    return kind.startswith(REMOTE)


class Files:
    """Watches a folder from a thread of its own and calls `notify` with the Python files that changed.

    The folder is watched, not the files: a file saved by rename is another file under the same name.
    """

    def __init__(self, folder: Path, notify: Callable[[set[Path]], None], *, poll: bool) -> None:
        self.polling = poll or needs_polling(folder)
        self._folder = folder
        self._notify = notify
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="files", daemon=True)

    def start(self) -> None:
        # Here and not in the thread: a grading walks through the modules that are there.
        importlib.import_module("watchfiles")
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join(timeout=5)

    def _watch(self) -> None:
        import watchfiles

        for changes in watchfiles.watch(
            self._folder,
            watch_filter=None,
            debounce=SETTLE_MS,
            step=10,
            stop_event=self._stop,
            rust_timeout=200,
            yield_on_timeout=False,
            force_polling=self.polling,
            poll_delay_ms=POLL_MS,
            recursive=False,
            raise_interrupt=False,
        ):
            paths = {Path(path) for _, path in changes}
            python = {path for path in paths if path.suffix == ".py" and not os.path.basename(path).startswith(".")}
            if python:
                self._notify(python)
