"""A Report in the words and colours of the terminal. Colour only repeats what a word or sign already says."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from workbook.model import ProblemResult, Report, Verdict
from workbook.report import words
from workbook.text import wrap

WIDTH = 100
COLOURS: dict[Verdict, str] = {"passed": "green", "not_started": "dim", "skipped": "yellow", "ungraded": "yellow"}


def render(report: Report, command: str = "workbook", *, width: int = WIDTH) -> Iterator[Text]:
    """Lines of the report, to be printed one after the other; problems not started take one line each.

    Args:
        command: how the reader calls us, for the advice at the end.
        width: columns at which sentences are wrapped.
    """
    for problem in report.problems:
        if problem.verdict == "not_started":
            yield Text.assemble((f"Problem {problem.number}", "bold"), f" · {problem.title}: {words.verdict(problem)}")
        else:
            yield from _problem(problem, command, width)


def _problem(problem: ProblemResult, command: str, width: int) -> Iterator[Text]:
    yield Text.assemble((words.title(problem), "bold"), f"  {problem.file}")
    if problem.message:
        yield from _paragraph(problem.message, "  ", width)
    for check in words.checks(problem):
        colour = COLOURS.get(check.verdict, "red")
        yield Text.assemble(
            "  ", (check.sign, colour), (f" {check.points:<5} ", "dim"), check.title, (check.note, "dim")
        )
        if check.message:
            yield from _paragraph(check.message, "      ", width)
        if check.printed:
            yield Text(f"      {words.PRINTED}", "dim")
            for line in check.printed:
                yield Text(f"      | {line}", "dim")
    style = {"passed": "bold green", "ungraded": "bold yellow"}.get(problem.verdict, "bold")
    yield Text(f"  {words.verdict(problem)}", style)
    advice = words.advice(problem, f"{command} hint")
    if advice:
        yield Text(f"  {advice}")
    yield Text("")


def _paragraph(message: str, indent: str, width: int) -> Iterator[Text]:
    for line in wrap(message, width, indent).splitlines():
        yield Text(line)
