"""`workbook update`."""

from __future__ import annotations

from pathlib import Path

from workbook import catalog, updating
from workbook.cli import shared
from workbook.errors import WorkbookError


def update(path: Path, *, older: bool) -> int:
    """Bring a newer release into this copy, and say what that changed."""
    root = catalog.find_root()
    planned = updating.plan(root, path, older=older)
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
