"""`workbook solution`."""

from __future__ import annotations

from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import Number, command
from workbook.errors import UsageError
from workbook.workspace import exercise


@command
def solution(
    number: Number,
    force: Annotated[bool, typer.Option("--force", help="show it before you have passed")] = False,
) -> int:
    """Show the solution of a problem you have passed, to compare with yours."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    if problem.released and not problem.solution.is_file():
        raise UsageError("Solutions are not in this copy of the workbook: ask your instructor for them.")
    passed = shared.load_progress(catalog.root).entry(number).verdict == "passed"
    if not passed and not force:
        raise UsageError(
            f"Problem {number} is not passed yet: pass it first, or use `{shared.command()} solution {number} --force`."
        )
    shared.console().print(exercise.solution_text(problem))
    return 0
