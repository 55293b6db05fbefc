"""`workbook update`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import command
from workbook.content import catalog
from workbook.errors import WorkbookError
from workbook.workspace import updating


@command
def update(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="a newer release, as a folder or zip")],
    older: Annotated[bool, typer.Option("--older", help="go back to an older release")] = False,
) -> int:
    """Bring new problems and mended checks into this copy; what you wrote stays."""
    root = catalog.find_root()
    planned = updating.plan(root, release, older=older)
    titles = _titles(root)
    updating.carry_out(root, planned)
    # Nothing is imported from here on: the engine's files may be others now.
    console = shared.console()
    for line in updating.lines(planned, {**titles, **_titles(root)}, shared.command()):
        console.print(line)
    return 0


def _titles(root: Path) -> dict[str, str]:
    """Titles of the problems that are there, by stem. A broken workbook is no reason against its update."""
    try:
        return {problem.stem: problem.title for problem in catalog.load(root, may_be_empty=True).problems}
    except WorkbookError:
        return {}
