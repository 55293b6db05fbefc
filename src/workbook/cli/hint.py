"""`workbook hint`."""

from __future__ import annotations

from workbook.cli import shared
from workbook.cli.command import Number, command
from workbook.workspace import hints


@command
def hint(number: Number) -> int:
    """Show the next hint of a problem; each call gives one more."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    given = shared.load_progress(catalog.root).entry(number).hints
    shown_number, text = hints.next_hint(catalog, problem, shared.warn)
    console = shared.console()
    console.print(f"Hint {shown_number} of {len(problem.hints)}, problem {number}: {text}")
    if given >= len(problem.hints):
        console.print("That was the last one; there are no more.")
    return 0
