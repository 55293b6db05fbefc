"""What a learner can do with a problem beside grading it: hints, the solution, the stub again, where they stand."""

from __future__ import annotations

import json
from pathlib import Path

from workbook import transaction
from workbook.content.catalog import Catalog
from workbook.content.layout import RELEASE_FILE
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.content.regions import without_marks
from workbook.errors import UsageError
from workbook.files.writing import backup, write_whole
from workbook.workspace import progress

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


def solution_text(problem: Problem) -> str:
    return without_marks(read(problem, problem.solution).rstrip())


def reset(problem: Problem) -> Path | None:
    """Put the released stub back and return the backup of the learner's file; None where it was the stub already."""
    stub = read(problem, problem.pristine).encode()
    try:
        old = problem.exercise.read_bytes() if problem.exercise.exists() else stub
        kept = backup(problem.exercise) if old != stub else None
        if old != stub or not problem.exercise.exists():
            write_whole(problem.exercise, stub.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{problem.exercise} cannot be reset: {error.strerror}.") from None
    return kept
