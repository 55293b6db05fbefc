"""%%solve: from a cell to the exercise file."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.content.signatures import read_interface
from workbook.errors import UsageError
from workbook.files.writing import backup, write_bytes
from workbook.notebook.cells import explain
from workbook.notebook.merging import CannotMerge, merge, take_apart, without_unchanged
from workbook.text import shown


@dataclass(frozen=True)
class Solved:
    """Whether the exercise file was changed, and what the learner is to be told of it."""

    changed: bool
    notes: tuple[str, ...] = ()


def solve(problem: Problem, cell: str) -> Solved:
    """Put a cell's definitions into the exercise file; of its old content a backup is kept.

    Definitions that are still those of the stub are left out, so that an untouched cell undoes no work. Raises
    UsageError, and changes nothing, where the cell or the file is no Python.
    """
    name = problem.relative(problem.exercise)
    stub = read(problem, problem.pristine)
    try:
        old = problem.exercise.read_bytes() if problem.exercise.exists() else stub.encode()
        text = old.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except OSError as error:
        raise UsageError(f"{name} cannot be read ({error.strerror}): nothing was changed.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{name} is not UTF-8 text: save it as UTF-8, or `workbook reset {problem.number}`.") from None
    try:
        pieces = take_apart(cell)
        changed = without_unchanged(pieces, stub)
        if not changed.pieces and not changed.imports:
            return Solved(False, _nothing(problem, pieces.names))
        merged = merge(text, changed).text
    except CannotMerge as error:
        if error.in_file:
            where = f", line {error.line}" if error.line else ""
            raise UsageError(
                f"{name}{where}: {error}. Mend it, or `workbook reset {problem.number}`; nothing was changed."
            ) from None
        raise UsageError(f"Nothing was changed. {explain(error, cell, first=2)}") from None
    new = (codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b"") + merged.encode("utf-8")
    notes = list(_strangers(problem, pieces.names, stub))
    if new != old or not problem.exercise.exists():
        try:
            kept = backup(problem.exercise) if problem.exercise.exists() and new != old else None
            write_bytes(problem.exercise, new)
        except OSError as error:
            raise UsageError(f"{name} cannot be written ({error.strerror}): nothing was changed.") from None
        if kept is not None and old != stub.encode():
            notes.append(f"{name} is changed; as it was before, it is kept as {shown(kept)}.")
    return Solved(new != old, tuple(notes))


def _nothing(problem: Problem, names: set[str]) -> tuple[str, ...]:
    return (
        () if names else (f"The cell defines nothing, so {problem.relative(problem.exercise)} is graded as it stands.",)
    )


def _strangers(problem: Problem, names: set[str], stub: str) -> tuple[str, ...]:
    """A word on a cell that defines nothing of what the stub has: most likely a name is misspelt."""
    interface = read_interface(stub)
    if not names or names & {*interface.functions, *interface.classes}:
        return ()
    wanted = dict.fromkeys(target.partition(".")[0] for target in problem.entry_points)
    return (f"The cell defines none of {', '.join(wanted)}: check the spelling, if it should.",)
