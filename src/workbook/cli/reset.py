"""`workbook reset`."""

from __future__ import annotations

from workbook.cli import shared
from workbook.cli.command import Number, command
from workbook.text import shown
from workbook.workspace import exercise


@command
def reset(number: Number) -> int:
    """Put the stub of a problem back; your file is kept in .workbook/backups."""
    problem = shared.open_catalog().problem(number)
    missing = not problem.exercise.exists()
    kept = exercise.reset(problem)
    console = shared.console()
    if kept is None and not missing:
        console.print(f"{problem.exercise.name} is as it was released: nothing to do.")
        return 0
    if kept is not None:
        console.print(f"Your file is kept as {shown(kept)}.")
    console.print(f"{problem.exercise.name} is the stub again.")
    return 0
