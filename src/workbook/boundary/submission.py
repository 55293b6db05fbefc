"""The file that is graded: read once, so that what is hashed is what runs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from workbook.content.layout import HIDDEN_FOLDERS
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, UsageError
from workbook.notebook import cells
from workbook.text import one_line

LARGEST = 2**20  # bytes of one submitted file
NOTEBOOK = ".ipynb"
# Folders of a workbook whose files are nobody's submission.
HIDDEN = (*HIDDEN_FOLDERS, "tests", "src", ".workbook")


@dataclass(frozen=True)
class Submission:
    """One learner's file for one problem. `folder` is what the worker may read beside it; `fault` why it cannot run.

    `places` says for each line of the source where it stands, if that is another file: a notebook's cell and line.
    """

    path: Path
    source: bytes
    folder: Path | None = None
    fault: str = ""
    places: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.source).hexdigest()

    def place(self, line: int) -> str:
        """How a reader finds a line of the source."""
        named = self.places[line - 1] if 0 < line <= len(self.places) else ""
        return named or f"line {line}"


def find_submission(problem: Problem, path: Path | None) -> Submission:
    """The submission for a problem: its exercise file, or the file or folder given.

    A missing exercise is a fault of that submission only, so that the other problems are still graded; a path that
    was asked for and is not there is a UsageError.
    """
    if path is None:
        exercise = problem.exercise
        if not exercise.is_file():
            return _refused(
                exercise, f"{exercise.name} is missing: `workbook reset {problem.number}` brings the stub back."
            )
        return _hidden(problem, exercise) or _read(exercise, exercise.parent)
    if path.is_dir():
        file = path / problem.exercise.name
        if not file.is_file():
            notebook = path / problem.notebook.name
            if notebook.is_file():
                raise UsageError(
                    f"{path} has {notebook.name} but no {file.name}: grade the notebook itself, with --file {notebook}."
                )
            raise UsageError(f"{path} has no {problem.exercise.name}: a folder serves a problem by the stub's name.")
        # A folder that holds the workbook holds its solutions too: of that the code may read its own file alone.
        folder = None if problem.root.resolve().is_relative_to(path.resolve()) else path
        return _linked(file, path) or _linked(file, file) or _hidden(problem, file) or _read(file, folder)
    if not path.exists():
        raise UsageError(f"{path} does not exist: check the path after --file.")
    refused = _linked(path, path) or _hidden(problem, path)
    if refused is not None:
        return refused
    return _read_notebook(problem, path) if path.suffix == NOTEBOOK else _read(path, None)


def _refused(path: Path, fault: str, folder: Path | None = None) -> Submission:
    return Submission(path, b"", folder, one_line(fault))


def _linked(path: Path, given: Path) -> Submission | None:
    """The fault of a submission that is a link: it could name any file that the grader, and not the learner, can read."""
    if not given.is_symlink():
        return None
    what = "file" if given == path else "folder"
    return _refused(path, f"{given.name} is a link to another {what}: hand in the {what} itself.")


def _hidden(problem: Problem, path: Path) -> Submission | None:
    """The fault of a path that leads, by a link somewhere in it, to what a learner is not to see."""
    root = problem.root.resolve()
    if not _lies_hidden(path.resolve(), root):
        return None
    path = path.absolute()
    for folder in path.parents:  # an author may name a solution outright
        if folder.exists() and folder.samefile(root) and _lies_hidden(root / path.relative_to(folder), root):
            return None
    return _refused(path, f"{path.name} is reached by a link into the workbook's own files: hand in a file of yours.")


def _lies_hidden(path: Path, root: Path) -> bool:
    return any(path.is_relative_to(root / name) for name in HIDDEN)


def _read_notebook(problem: Problem, path: Path) -> Submission:
    """What the %%solve cells of a notebook make of the pristine stub. A notebook that cannot be used is a fault."""
    path = path.resolve()
    content = _content(path, cells.LARGEST)
    try:
        stub = problem.pristine.read_text(encoding="utf-8")
    except OSError as error:
        raise BrokenWorkbook(f"{problem.pristine} cannot be read: {error.strerror}.") from None
    try:
        made = cells.assemble(content, problem.number, stub)
    except cells.CannotUse as error:
        return _refused(path, f"{path.name} cannot be graded: {error}")
    return Submission(path, made.source.encode(), places=made.places)


def _content(path: Path, largest: int) -> bytes:
    """The first bytes of a file, at most one more than `largest`."""
    try:
        if not path.is_file():
            raise UsageError(f"{path} is not a regular file.")
        with open(path, "rb") as file:
            return file.read(largest + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from None


def _read(path: Path, folder: Path | None) -> Submission:
    path = path.resolve()
    folder = folder.resolve() if folder else None
    source = _content(path, LARGEST)
    if len(source) > LARGEST:
        return _refused(path, f"the file is larger than {LARGEST // 2**20} MB, too large to be graded.", folder)
    return Submission(path, source, folder)
