"""`workbook watch`: grades what is saved, until q or Ctrl-C."""

from __future__ import annotations

from typing import Annotated

import typer

from workbook.cli import shared
from workbook.cli.command import command
from workbook.cli.next_step import first_open


@command
def watch(
    number: Annotated[int | None, typer.Argument(metavar="[N]", help="the problem to begin with")] = None,
    poll: Annotated[bool, typer.Option("--poll", help="look for changes by time, where none are reported")] = False,
) -> int:
    """Grade an exercise each time you save it."""
    catalog = shared.open_catalog()
    shared.warn_of_broken(catalog)
    if number is not None:
        start = catalog.problem(number)
    else:
        start = first_open(catalog, shared.load_progress(catalog.root)) or catalog.problems[0]

    from workbook.grading.engine import Engine

    engine = Engine(catalog)
    shared.console().print("Starting …")
    try:
        engine.start(fork=True)  # while this process has one thread and has read no solution

        from workbook.watch.loop import Watch
        from workbook.watch.screen import Screen

        Watch(engine, catalog, start, Screen(shared.console()), poll=poll).run()
    finally:
        engine.close()
    return 0
