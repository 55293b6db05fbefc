"""`workbook progress merge`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbook.cli import overview, shared
from workbook.cli.command import command
from workbook.workspace import progress


@command
def merge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="another .workbook/progress.json")],
) -> int:
    """Take in another copy's progress file: of each problem the newer verdict counts, and any against "not started"."""
    catalog = shared.open_catalog()
    other = progress.read_other(file)
    merged = progress.merge(shared.load_progress(catalog.root), other)
    progress.save(catalog.root, merged)
    shared.console().print(f"Merged with {file}: of each problem the newer verdict is kept.")
    return overview.show()
