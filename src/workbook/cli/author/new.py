"""`workbook new`: makes a complete small problem, and says what to edit."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import Number, author_command


@author_command
def new(number: Number, slug: Annotated[str, typer.Argument(metavar="SLUG", help="such as moving_average")]) -> int:
    """Make a new problem that already works, to be edited (for authors)."""
    from workbook.author.new import new_problem

    catalog = shared.open_catalog(may_be_empty=True)
    problem = new_problem(catalog, number, slug)
    console = shared.console()
    console.print(f"Problem {number} is made, and works. Edit these into yours:")
    for path in (
        problem.solution,
        problem.settings,
        problem.pitfalls,
        problem.grader,
        problem.recipe,
        problem.lesson,
    ):
        console.print(f"  {os.path.relpath(path)}")
    command = shared.command()
    console.print(
        f"Then run `{command} build` to make its stub and notebook, and `{command} check {number}` to prove it sound."
    )
    return 0
