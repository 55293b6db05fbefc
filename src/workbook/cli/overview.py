"""`workbook` alone: progress of every problem, and the next thing to do."""

from __future__ import annotations

from datetime import datetime

import typer
from rich.table import Table

from workbook.cli import shared
from workbook.cli.next_step import first_open, how_to_go_on
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook
from workbook.report.words import points
from workbook.text import wrap
from workbook.workspace import exercise, progress

UNBOUNDED = 10_000  # columns: to see how many a table would take


def overview(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        raise typer.Exit(show())


def show() -> int:
    """Progress of every problem, and the next thing to do; exit 3 where a problem's file is broken."""
    catalog = shared.open_catalog()
    shared.warn_of_broken(catalog)
    reached = shared.load_progress(catalog.root)
    table = Table(title=catalog.title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("", "Problem", "Difficulty", "After", "State", "Points", "Graded"):
        table.add_column(heading, no_wrap=True)
    rows = [_overview_row(problem, reached.entry(problem.number)) for problem in catalog.problems]
    for row in rows:
        table.add_row(*row)
    console = shared.console()
    if console.measure(table, options=console.options.update(max_width=UNBOUNDED)).maximum <= console.width:
        console.print(table)
    else:
        console.print(wrap(catalog.title, console.width))
        for number, title, difficulty, after, state, score, when in rows:
            facts = [difficulty, f"after {after}" if after else "", state, score, when]
            console.print(f"{number:>2}  " + wrap(title, console.width, indent="    ")[4:])
            console.print(wrap("; ".join(fact for fact in facts if fact), console.width, indent="    "))
    current = first_open(catalog, reached)
    console.print()
    if current is None:
        console.print(exercise.all_passed(catalog))
    else:
        console.print(how_to_go_on(current, started=reached.entry(current.number).verdict != "not_started"))
    return BrokenWorkbook.exit_code if catalog.broken else 0


def _overview_row(problem: Problem, entry: progress.Entry) -> tuple[str, ...]:
    score = f"{points(entry.score)} of {points(entry.max_score)}" if entry.max_score else ""
    after = ", ".join(map(str, problem.prerequisites))
    where = exercise.state(problem, entry)
    return str(problem.number), problem.title, problem.difficulty, after, where, score, _when(entry.graded)


def _when(graded: str) -> str:
    """A time of the progress file as the reader's clock would show it."""
    return datetime.fromisoformat(graded).astimezone().strftime("%d %b %H:%M") if graded else ""
