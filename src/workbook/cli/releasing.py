"""`workbook release`."""

from __future__ import annotations

from pathlib import Path

from workbook.cli import shared
from workbook.learning import shown


def release(out: Path, *, zipped: bool) -> int:
    """Make a learner's copy without answers."""
    from workbook.release.assemble import release as make

    catalog = shared.open_catalog()
    console = shared.console()
    target = out.absolute()
    make(catalog, target, zipped=zipped, say=console.print)
    count = len(catalog.problems)
    console.print(f"Released {count} problem{'s' if count != 1 else ''} in {shown(target)}.")
    if zipped:
        console.print(f"The same as one file: {shown(target)}.zip")
    return 0
