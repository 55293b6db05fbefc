"""What a learner can do with a problem beside grading it: hints, the solution, the stub again, where they stand."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from workbook import progress, transaction
from workbook.catalog import Catalog, hint_text
from workbook.errors import BrokenWorkbook, UsageError
from workbook.model import RELEASE_FILE, Problem

WORDS = {"passed": "passed", "not_started": "not started"}


def state(problem: Problem, entry: progress.Entry) -> str:
    """Where a problem stands, in words."""
    words = WORDS.get(entry.verdict, "in work")
    if entry.verdict == "passed" and hidden_checks(problem):
        words = "public checks passed"
    if entry.sha256 and entry.sha256 != digest(problem.exercise):
        return f"{words}, changed since"
    return words


def hidden_checks(problem: Problem) -> int:
    """How many checks of a problem only the instructor has; none where this is no released copy."""
    try:
        released = json.loads((problem.root / RELEASE_FILE).read_text(encoding="utf-8"))
        return int(released["problems"][problem.stem]["hidden"])
    except (OSError, ValueError, KeyError, TypeError):
        return 0


def all_passed(book: Catalog) -> str:
    """What is said where nothing is left to do."""
    if any(map(hidden_checks, book.problems)):
        return "All public checks are passed; your instructor grades further ones."
    return "All problems are passed."


def digest(path: Path) -> str:
    """SHA-256 of a file, or "" where it cannot be read."""
    try:
        return transaction.digest(path)
    except OSError:
        return ""


def shown(path: Path) -> str:
    """A path as the reader would type it from here."""
    try:
        return os.path.relpath(path)
    except ValueError:  # another drive, on Windows
        return str(path)


def next_hint(book: Catalog, problem: Problem, warn: Callable[[str], None]) -> tuple[int, str]:
    """Number and text of the next hint, which counts as given from now on; after the last, the last again."""
    reached = progress.load(book.root, warn)
    given = reached.entry(problem.number).hints
    number = min(given + 1, len(problem.hints))
    if number > given:
        try:
            progress.save(book.root, progress.with_hint(reached, problem.number, number))
        except progress.ProgressNotSaved as error:
            warn(str(error))
    return number, hint_text(problem, number)


def solution_text(problem: Problem) -> str:
    try:
        lines = problem.solution.read_text(encoding="utf-8").rstrip().splitlines()
        return "\n".join(line for line in lines if line.strip() not in ("# BEGIN SOLUTION", "# END SOLUTION"))
    except OSError as error:
        raise BrokenWorkbook(f"solutions/{problem.solution.name} cannot be read: {error.strerror}.") from None


def reset(problem: Problem) -> Path | None:
    """Put the released stub back and return the backup of the learner's file; None where it was the stub already."""
    try:
        stub = problem.pristine.read_bytes()
    except OSError as error:
        raise BrokenWorkbook(f"{problem.pristine} cannot be read: {error.strerror}.") from None
    try:
        old = problem.exercise.read_bytes() if problem.exercise.exists() else stub
        kept = backup(problem.exercise) if old != stub else None
        if old != stub or not problem.exercise.exists():
            progress.write_whole(problem.exercise, stub.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{problem.exercise} cannot be reset: {error.strerror}.") from None
    return kept


def backup(path: Path) -> Path:
    """Copy a file into .workbook/backups, under its name and the time. Raises OSError, or UsageError for that folder."""
    kept = path.parent.parent / transaction.backup_path(path.name)
    content = path.read_bytes()
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with open(kept, "xb") as file:
            file.write(content)
    except OSError as error:
        raise UsageError(
            f"No backup of {path.name} can be made in {shown(kept.parent)} ({error.strerror}): nothing was changed."
        ) from None
    return kept
