"""What to do next, said after a report and under the overview."""

from __future__ import annotations

from workbook.cli import shared
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.results import Report
from workbook.text import shown
from workbook.workspace import exercise, progress


def first_open(catalog: Catalog, reached: progress.Progress) -> Problem | None:
    """The first problem that has not passed."""
    return next((item for item in catalog.problems if reached.entry(item.number).verdict != "passed"), None)


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
        return exercise.all_passed(catalog)
    return how_to_go_on(after, started=False)


def how_to_go_on(problem: Problem, *, started: bool) -> str:
    path = shown(problem.exercise)
    what = "go on with" if started else "open"
    names = ", ".join(problem.entry_points[:3]) + (", …" if len(problem.entry_points) > 3 else "")
    write = "" if started else f", write {names} where it says NotImplementedError"
    return f"Next: {what} {path}{write}, then run `{shared.command()} grade {problem.number}`."
