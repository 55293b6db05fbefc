"""`workbook remove`: takes a problem out into a pack, and says what was kept of a learner's work."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import Number, author_command
from workbook.text import shown


@author_command
def remove(
    number: Number,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="PATH", help="the pack's folder, or its zip where it ends so")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="drop the prerequisite of problems that build on it")] = False,
) -> int:
    """Take a problem out of the workbook, into a pack (for authors)."""
    book = shared.open_catalog()
    problem = book.problem(number)

    from workbook.author.packs.removing import take_out

    target = out if out is not None else book.root / "packs" / problem.stem
    removed = take_out(book, problem, target, force=force)
    console = shared.console()
    console.print(f"Problem {number} · {problem.title} is taken out. Its pack is {shown(target)}.")
    for kept in removed.kept:
        console.print(f"Kept a learner's work as {shown(book.root / kept)}.")
    for other in removed.changed:
        console.print(f"Problem {other.number} does not have it as a prerequisite any more.")
    readme = book.root / "README.md"
    if readme.is_file() and problem.stem in readme.read_text(encoding="utf-8", errors="replace"):
        console.print(f"README.md shows a report or session of {problem.stem}, which is gone: take it out there.")
    console.print(f"`{shared.command()} build` takes it out of the list in README.md.")
    return 0
