"""The file that is graded: read once, so that what is hashed is what runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from workbook.errors import UsageError
from workbook.model import Problem

LARGEST = 2**20  # bytes of one submitted file


@dataclass(frozen=True)
class Submission:
    """One learner's file for one problem. `folder` is what the worker may read beside it; `fault` why it cannot run."""

    path: Path
    source: bytes
    folder: Path | None = None
    fault: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source).hexdigest()


def find_submission(problem: Problem, path: Path | None) -> Submission:
    """The submission for a problem: its exercise file, or the file or folder given.

    A missing exercise is a fault of that submission only, so that the other problems are still graded; a path that
    was asked for and is not there is a UsageError.
    """
    if path is None:
        if not problem.exercise.is_file():
            return Submission(
                problem.exercise,
                b"",
                fault=f"{problem.exercise.name} is missing: `workbook reset {problem.number}` brings the stub back.",
            )
        return _read(problem.exercise, problem.exercise.parent)
    if path.is_dir():
        file = path / problem.exercise.name
        if not file.is_file():
            raise UsageError(f"{path} has no {problem.exercise.name}: a folder serves a problem by the stub's name.")
        return _linked(file) or _read(file, path)
    if not path.exists():
        raise UsageError(f"{path} does not exist: check the path after --file.")
    return _linked(path) or _read(path, None)


def _linked(path: Path) -> Submission | None:
    """The fault of a submission that is a link: it could name any file that the grader, and not the learner, can read."""
    if not path.is_symlink():
        return None
    return Submission(path, b"", fault=f"{path.name} is a link to another file: hand in the file itself.")


def _read(path: Path, folder: Path | None) -> Submission:
    path = path.resolve()
    folder = folder.resolve() if folder else None
    try:
        if not path.is_file():
            raise UsageError(f"{path} is not a regular file.")
        with open(path, "rb") as file:
            source = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    if len(source) > LARGEST:
        return Submission(path, b"", folder, f"the file is larger than {LARGEST // 2**20} MB, too large to be graded.")
    return Submission(path, source, folder)
