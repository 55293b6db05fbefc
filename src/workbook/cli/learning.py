"""The commands for learners beside grading: overview, hint, solution, reset, watch, progress."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from rich.table import Table

from workbook import learning, progress
from workbook.catalog import Catalog
from workbook.cli import shared
from workbook.errors import BrokenWorkbook, UsageError
from workbook.learning import shown
from workbook.model import Problem, Report
from workbook.report.words import points
from workbook.text import wrap

UNBOUNDED = 10_000  # columns: to see how many a table would take


def overview() -> int:
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
        console.print(learning.all_passed(catalog))
    else:
        console.print(how_to_go_on(current, started=reached.entry(current.number).verdict != "not_started"))
    return BrokenWorkbook.exit_code if catalog.broken else 0


def _overview_row(problem: Problem, entry: progress.Entry) -> tuple[str, ...]:
    score = f"{points(entry.score)} of {points(entry.max_score)}" if entry.max_score else ""
    after = ", ".join(map(str, problem.prerequisites))
    where = learning.state(problem, entry)
    return str(problem.number), problem.title, problem.difficulty, after, where, score, _when(entry.graded)


def first_open(catalog: Catalog, reached: progress.Progress) -> Problem | None:
    """The first problem that has not passed."""
    return next((item for item in catalog.problems if reached.entry(item.number).verdict != "passed"), None)


def _when(graded: str) -> str:
    """A time of the progress file as the reader's clock would show it."""
    return datetime.fromisoformat(graded).astimezone().strftime("%d %b %H:%M") if graded else ""


def next_step(catalog: Catalog, report: Report, *, alone: bool) -> str:
    """The last line under a report: the first problem of it that has not passed, or the one after them."""
    open_ones = {item.number for item in report.problems if item.verdict not in ("passed", "ungraded")}
    if not open_ones and any(item.verdict == "ungraded" for item in report.problems):
        return "Tell the workbook's author what could not be graded; `workbook doctor` shows what this machine lacks."
    if open_ones:
        current = catalog.problem(min(open_ones))
        verdict = next(item.verdict for item in report.problems if item.number == current.number)
        start = "Start here: " if alone and verdict == "not_started" else "Next: "
        return start + how_to_go_on(current, started=verdict != "not_started").removeprefix("Next: ")
    last = max(problem.number for problem in report.problems)
    after = next((problem for problem in catalog.problems if problem.number > last), None)
    if after is None or alone:
        return learning.all_passed(catalog)
    return how_to_go_on(after, started=False)


def how_to_go_on(problem: Problem, *, started: bool) -> str:
    path = shown(problem.exercise)
    what = "go on with" if started else "open"
    names = ", ".join(problem.entry_points[:3]) + (", …" if len(problem.entry_points) > 3 else "")
    write = "" if started else f", write {names} where it says NotImplementedError"
    return f"Next: {what} {path}{write}, then run `{shared.command()} grade {problem.number}`."


def hint(number: int) -> int:
    """The next hint of a problem; after the last, the last again."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    given = shared.load_progress(catalog.root).entry(number).hints
    shown_number, text = learning.next_hint(catalog, problem, shared.warn)
    console = shared.console()
    console.print(f"Hint {shown_number} of {len(problem.hints)}, problem {number}: {text}")
    if given >= len(problem.hints):
        console.print("That was the last one; there are no more.")
    return 0


def solution(number: int, *, force: bool) -> int:
    """The hidden solution, after a pass or with --force."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    if problem.released and not problem.solution.is_file():
        raise UsageError("Solutions are not in this copy of the workbook: ask your instructor for them.")
    passed = shared.load_progress(catalog.root).entry(number).verdict == "passed"
    if not passed and not force:
        raise UsageError(
            f"Problem {number} is not passed yet: pass it first, or use `{shared.command()} solution {number} --force`."
        )
    shared.console().print(learning.solution_text(problem))
    return 0


def reset(number: int) -> int:
    """The stub as it was released, in place of the learner's file, which is kept as a backup."""
    problem = shared.open_catalog().problem(number)
    missing = not problem.exercise.exists()
    kept = learning.reset(problem)
    console = shared.console()
    if kept is None and not missing:
        console.print(f"{problem.exercise.name} is as it was released: nothing to do.")
        return 0
    if kept is not None:
        console.print(f"Your file is kept as {shown(kept)}.")
    console.print(f"{problem.exercise.name} is the stub again.")
    return 0


def merge_progress(file: Path) -> int:
    """Take the newer entries of another progress file into this workbook's."""
    catalog = shared.open_catalog()
    other = progress.read_other(file)
    merged = progress.merge(shared.load_progress(catalog.root), other)
    progress.save(catalog.root, merged)
    shared.console().print(f"Merged with {file}: of each problem the newer verdict is kept.")
    return overview()


def watch(number: int | None, *, poll: bool) -> int:
    """Grade what is saved, until q or Ctrl-C."""
    catalog = shared.open_catalog()
    shared.warn_of_broken(catalog)
    if number is not None:
        start = catalog.problem(number)
    else:
        start = first_open(catalog, shared.load_progress(catalog.root)) or catalog.problems[0]

    from workbook.engine import Engine

    engine = Engine(catalog)
    shared.console().print("Starting …")
    try:
        engine.start(fork=True)  # while this process has one thread and has read no solution

        from workbook.watching.loop import Watch
        from workbook.watching.screen import Screen

        Watch(engine, catalog, start, Screen(shared.console()), poll=poll).run()
    finally:
        engine.close()
    return 0
