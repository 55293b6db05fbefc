"""`workbook release`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import author_command
from workbook.text import shown


@author_command
def release(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="a folder that is empty or not there yet")],
    zipped: Annotated[bool, typer.Option("--zip", help="also make DIR.zip")] = False,
) -> int:
    """Make a learner's copy, which grades without solutions (for authors)."""
    from workbook.author.release.assemble import release as make

    catalog = shared.open_catalog()
    console = shared.console()
    target = out.absolute()
    make(catalog, target, zipped=zipped, say=console.print)
    count = len(catalog.problems)
    console.print(f"Released {count} problem{'s' if count != 1 else ''} in {shown(target)}.")
    if zipped:
        console.print(f"The same as one file: {shown(target)}.zip")
    return 0
