"""The commands for authors."""

from __future__ import annotations

import os

from workbook import building
from workbook.cli import shared
from workbook.engine import Engine


def build(*, check: bool) -> int:
    """Make every built file; with `check`, only say which are stale (exit 1 then)."""
    catalog = shared.open_catalog()
    console = shared.console()
    stale = 0

    def handle(built: building.Built) -> None:
        nonlocal stale
        if built.stale:
            stale += 1
            console.print(f"{'stale' if check else 'built'}  {os.path.relpath(built.path, catalog.root)}")
            if not check:
                building.write(built)

    for problem in catalog.problems:
        if building.edited(problem):
            console.print(f"kept   exercises/{problem.exercise.name}: it is edited, so it is not built again")
            stale += check
        for built in building.stubs(problem):
            handle(built)
    engine = Engine(catalog)
    try:
        engine.start(fork=True)
        handle(building.readme(catalog, engine))
    finally:
        engine.close()
    if check and stale:
        console.print("Some built files are not what their sources make: run `workbook build`.")
        return 1
    console.print("All built files are fresh.")
    return 0
