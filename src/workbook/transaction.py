"""Changes of several files that happen as a whole: whatever stops one, the next command finds the old files or the new.

A change is staged in .workbook/transaction: the new contents, copies of the old ones, and, last and in one step, the
file that says what is to be done. From then on the change holds: files are only renamed into place, and a change that
was killed is finished by the next command. One that fails (no room, no permission, Ctrl-C) is taken back; the same file
under another name says that, so that taking back can be killed as well.

This module imports nothing of the workbook, since a change may replace the engine: it, and the few lines that call it,
have to work while half of the other modules are old and half are new.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

FOLDER = Path(".workbook", "transaction")
BACKUPS = Path(".workbook", "backups")
FORWARD, BACK = "forward.json", "back.json"
VERSION = 1
PATIENCE = 5.0  # seconds to wait for another command to finish its change


@dataclass(frozen=True)
class Step:
    """What becomes of one file.

    `path` is relative to the workbook, with "/" on every system; `content` is the new content, None to delete the file;
    `before` is the digest of the content that the decision was made on, "" where there was no file.
    """

    path: str
    content: bytes | None
    before: str


def digest(path: Path) -> str:
    """SHA-256 of a file's content, "" where there is no such file. Raises OSError where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def change(root: Path, command: str, steps: Sequence[Step]) -> None:
    """Carry out all steps or none. `command` is named to the reader should it be interrupted.

    Raises OSError where it cannot be done, a file has changed meanwhile, or another command is at it; KeyboardInterrupt
    on Ctrl-C. Everything is as it was then.
    """
    folder = root / FOLDER
    with _locked(root):
        _settle(root)
        try:
            _stage(root, command, steps)
        except BaseException:
            _discard(folder)
            raise
        _carry_out(root)


def recover(start: Path) -> str:
    """Finish what a killed command left in the workbook at or above `start`; what was done, or "".

    Raises OSError where that cannot be done either.
    """
    for root in (start, *start.parents):
        if (root / FOLDER).is_dir() and _is_workbook(root):
            with _locked(root):
                return _settle(root)
    return ""


def backup_path(name: str) -> str:
    """Where a copy of a file is kept: its name and the time, in the folder of backups."""
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S-%f")
    whole = PurePosixPath(name)
    return (BACKUPS / f"{whole.stem}.{stamp}{whole.suffix}").as_posix()


def _is_workbook(root: Path) -> bool:
    try:
        return "[tool.workbook" in (root / "pyproject.toml").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


@contextlib.contextmanager
def _locked(root: Path) -> Iterator[None]:
    """One change at a time. The lock is on the folder itself and ends with the process, however that ends."""
    descriptor = os.open(root, os.O_RDONLY)
    try:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError as error:
                if time.monotonic() > deadline:
                    raise BlockingIOError(error.errno, "another command is changing this workbook") from None
                time.sleep(0.05)
            except OSError:  # a file system without locks
                break
        yield
    finally:
        os.close(descriptor)


def _stage(root: Path, command: str, steps: Iterable[Step]) -> None:
    folder = root / FOLDER
    listed = []
    for part in ("new", "old"):
        (folder / part).mkdir(parents=True)
    for number, step in enumerate(steps):
        target = _inside(root, step.path)
        if digest(target) != step.before:
            raise OSError(0, f"{step.path} has changed meanwhile")
        if step.before:
            shutil.copy(target, folder / "old" / str(number))
        if step.content is not None:
            _write(folder / "new" / str(number), step.content)
            if step.before:
                shutil.copymode(target, folder / "new" / str(number))
        after = "" if step.content is None else hashlib.sha256(step.content).hexdigest()
        listed.append({"path": step.path, "before": step.before, "after": after})
    intent = {"version": VERSION, "command": command, "steps": listed}
    _write(folder / "intent", json.dumps(intent, indent=1).encode())
    for part in ("new", "old", ""):
        _sync(folder / part)
    os.rename(folder / "intent", folder / FORWARD)
    _sync(folder)


def _settle(root: Path) -> str:
    """Finish or take back an interrupted change, whichever was under way. Call it with the lock held."""
    folder = root / FOLDER
    if not folder.is_dir():
        return ""
    if (folder / BACK).exists():
        done = f"An interrupted `workbook {_back(root)}` is taken back: everything is as it was before."
        _discard(folder)
        return done
    if (folder / FORWARD).exists():
        command, _ = _read(folder / FORWARD)
        try:
            _carry_out(root)
        except OSError as error:
            if folder.exists():
                raise
            return f"An interrupted `workbook {command}` is taken back, since it failed ({error.strerror or error})."
        return f"An interrupted `workbook {command}` is finished now."
    _discard(folder)
    return ""


def _carry_out(root: Path) -> None:
    """Do what is staged. Where that fails, take it back and raise; where even that fails, leave it to the next command."""
    folder = root / FOLDER
    try:
        _forward(root)
    except BaseException:
        os.rename(folder / FORWARD, folder / BACK)
        _back(root)
        _discard(folder)
        raise
    _discard(folder)


def _forward(root: Path) -> None:
    folder = root / FOLDER
    _, steps = _read(folder / FORWARD)
    for number, (path, before, after) in enumerate(steps):
        target, staged = _inside(root, path), folder / "new" / str(number)
        if after and not staged.exists():
            continue  # done before the interruption
        _keep_if_edited(root, path, (before, after))
        if after:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(staged, target)
        else:
            target.unlink(missing_ok=True)
            _prune(root, target.parent)


def _back(root: Path) -> str:
    folder = root / FOLDER
    command, steps = _read(folder / BACK)
    for number, (path, before, after) in reversed(list(enumerate(steps))):
        target, copy = _inside(root, path), folder / "old" / str(number)
        if before and not copy.exists():
            continue  # taken back before the interruption
        if digest(target) != before:
            _keep_if_edited(root, path, (before, after))
            if before:
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(copy, target)
            else:
                target.unlink()
        if not before:
            _prune(root, target.parent)
    return command


def _read(intent: Path) -> tuple[str, list[tuple[str, str, str]]]:
    try:
        data = json.loads(intent.read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise ValueError(f"version {data['version']}")
        return str(data["command"]), [(item["path"], item["before"], item["after"]) for item in data["steps"]]
    except (ValueError, KeyError, TypeError) as error:
        raise OSError(0, f"{intent} cannot be understood ({error})") from None


def _keep_if_edited(root: Path, path: str, known: tuple[str, str]) -> None:
    """Back up a file that was edited after the change began: nobody's work is lost."""
    target = root / path
    if digest(target) not in ("", *known):
        kept = root / backup_path(path)
        kept.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(target, kept)


def _discard(folder: Path) -> None:
    """Remove what was staged; first of all the file that says that something is to be done."""
    for name in (FORWARD, BACK):
        (folder / name).unlink(missing_ok=True)
    if folder.exists():
        shutil.rmtree(folder)


def _prune(root: Path, folder: Path) -> None:
    """Remove folders that became empty, but none of those at the top."""
    while len(folder.relative_to(root).parts) > 1:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _inside(root: Path, path: str) -> Path:
    parts = PurePosixPath(path).parts
    if not parts or PurePosixPath(path).is_absolute() or ".." in parts:
        raise OSError(0, f"{path!r} leads out of the workbook")
    return root.joinpath(*parts)


def _write(path: Path, content: bytes) -> None:
    with open(path, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Make what a folder lists outlast a power failure, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
