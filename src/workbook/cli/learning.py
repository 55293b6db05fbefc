"""The commands for learners beside grading: overview, hint, solution, reset."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from rich.table import Table

from workbook import progress
from workbook.catalog import Catalog, hint_text
from workbook.cli import shared
from workbook.errors import BrokenWorkbook, UsageError
from workbook.model import Problem, Report
from workbook.report.terminal import points


def overview() -> int:
    """Progress of every problem, and the next thing to do."""
    catalog = shared.open_catalog()
    reached = shared.load_progress(catalog.root)
    table = Table(title=catalog.title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("", "Problem", "Difficulty", "State", "Points"):
        table.add_column(heading, overflow="fold")
    for problem in catalog.problems:
        entry = reached.entry(problem.number)
        score = f"{points(entry.score)} of {points(entry.max_score)}" if entry.max_score else ""
        table.add_row(str(problem.number), problem.title, problem.difficulty, state(problem, entry), score)
    console = shared.console()
    console.print(table)
    current = next((item for item in catalog.problems if reached.entry(item.number).verdict != "passed"), None)
    console.print()
    if current is None:
        console.print("All problems are passed.")
    else:
        console.print(how_to_go_on(current, started=reached.entry(current.number).verdict != "not_started"))
    return 0


def state(problem: Problem, entry: progress.Entry) -> str:
    words = {"passed": "passed", "not_started": "not started"}.get(entry.verdict, "in work")
    if entry.sha256 and entry.sha256 != _digest(problem.exercise):
        return f"{words}, changed since"
    return words


def _digest(path: Path) -> str:
    import hashlib

    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


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
        return "All problems are passed."
    return how_to_go_on(after, started=False)


def how_to_go_on(problem: Problem, *, started: bool) -> str:
    path = os.path.relpath(problem.exercise)
    what = "go on with" if started else "open"
    names = ", ".join(problem.entry_points[:3]) + (", …" if len(problem.entry_points) > 3 else "")
    write = "" if started else f", write {names} where it says NotImplementedError"
    return f"Next: {what} {path}{write}, then run `{shared.command()} grade {problem.number}`."


def hint(number: int) -> int:
    """The next hint of a problem; after the last, the last again."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    reached = shared.load_progress(catalog.root)
    given = reached.entry(number).hints
    shown = min(given + 1, len(problem.hints))
    console = shared.console()
    console.print(f"Hint {shown} of {len(problem.hints)}, problem {number}: {hint_text(problem, shown)}")
    if given >= len(problem.hints):
        console.print("That was the last one; there are no more.")
    else:
        shared.save_progress(catalog.root, progress.with_hint(reached, number, shown))
    return 0


def solution(number: int, *, force: bool) -> int:
    """The hidden solution, after a pass or with --force."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    passed = shared.load_progress(catalog.root).entry(number).verdict == "passed"
    if not passed and not force:
        raise UsageError(
            f"Problem {number} is not passed yet: pass it first, or use `{shared.command()} solution {number} --force`."
        )
    try:
        text = problem.solution.read_text(encoding="utf-8")
    except OSError as error:
        raise BrokenWorkbook(f"solutions/{problem.solution.name} cannot be read: {error.strerror}.") from None
    shared.console().print(text.rstrip())
    return 0


def reset(number: int) -> int:
    """The stub as it was released, in place of the learner's file, which is kept as a backup."""
    catalog = shared.open_catalog()
    problem = catalog.problem(number)
    try:
        stub = problem.pristine.read_bytes()
    except OSError as error:
        raise BrokenWorkbook(f"{problem.pristine} cannot be read: {error.strerror}.") from None
    console = shared.console()
    try:
        old = problem.exercise.read_bytes() if problem.exercise.exists() else None
        if old == stub:
            console.print(f"{problem.exercise.name} is as it was released: nothing to do.")
            return 0
        if old is not None:
            kept = backup(problem.exercise)
            console.print(f"Your file is kept as {os.path.relpath(kept)}.")
        progress.write_whole(problem.exercise, stub.decode("utf-8"))
    except OSError as error:
        raise UsageError(f"{problem.exercise} cannot be reset: {error.strerror}.") from None
    console.print(f"{problem.exercise.name} is the stub again.")
    return 0


def backup(path: Path) -> Path:
    """Copy a file into .workbook/backups, under its name and the time. Raises OSError."""
    folder = path.parent.parent / ".workbook" / "backups"
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now().strftime("%Y-%m-%d-%H%M%S-%f")
    kept = folder / f"{path.stem}.{stamp}{path.suffix}"
    with open(kept, "xb") as file:
        file.write(path.read_bytes())
    return kept
