"""A Report in the words and colours of the terminal. Colour only repeats what a word or sign already says."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from workbook.report import words
from workbook.results import ProblemResult, Report, Verdict
from workbook.text import wrap

WIDTH = 100
NARROWEST = 20  # columns for a title
COLOURS: dict[Verdict, str] = {"passed": "green", "not_started": "dim", "skipped": "yellow", "ungraded": "yellow"}


def render(report: Report, hint: str = "workbook hint", *, width: int = WIDTH, stuck: str = "") -> Iterator[Text]:
    """Lines of the report, to be printed one after the other; problems not started take one line each.

    Args:
        hint: how the reader asks for a hint, for the advice at the end.
        width: columns at which sentences are wrapped.
        stuck: what to say in place of how a hint is asked for by a command.
    """
    for problem in report.problems:
        if problem.verdict == "not_started":
            yield Text.assemble((f"Problem {problem.number}", "bold"), f" · {problem.title}: {words.verdict(problem)}")
        else:
            yield from _problem(problem, hint, width, stuck)


def _problem(problem: ProblemResult, hint: str, width: int, stuck: str) -> Iterator[Text]:
    yield from _heading(problem, width)
    if problem.message:
        yield from _paragraph(problem.message, "  ", width)
    for check in words.checks(problem):
        yield from _check_line(check, width)
        if check.message:
            yield from _paragraph(check.message, "      ", width)
        if check.printed:
            yield Text(f"      {words.PRINTED}", "dim")
            for line in check.printed:
                yield Text(f"      | {line}", "dim")
    style = {"passed": "bold green", "ungraded": "bold yellow"}.get(problem.verdict, "bold")
    yield Text(f"  {words.verdict(problem)}", style)
    advice = words.advice(problem, hint)
    if advice:
        yield Text(f"  {stuck or advice}")
    yield Text("")


def _heading(problem: ProblemResult, width: int) -> Iterator[Text]:
    """Number and title, and the file beside them, or below where both do not fit."""
    title = words.title(problem)
    if len(title) + 2 + len(problem.file) <= width:
        yield Text.assemble((title, "bold"), f"  {problem.file}")
    else:
        yield from (Text(line, "bold") for line in wrap(title, width).splitlines())
        yield Text(f"  {problem.file}")


def _check_line(check: words.CheckWords, width: int) -> Iterator[Text]:
    """The sign, the points and the title, which goes on below its own start where it is long."""
    colour = COLOURS.get(check.verdict, "red")
    start = Text.assemble("  ", (check.sign, colour), (f" {check.points:<5} ", "dim"))
    for number, line in enumerate(wrap(check.title + check.note, max(width - len(start), NARROWEST)).splitlines()):
        shown = Text.assemble(" " * len(start) if number else start, line)
        shown.highlight_words([check.note.strip()], "dim")
        yield shown


def _paragraph(message: str, indent: str, width: int) -> Iterator[Text]:
    for line in wrap(message, width, indent).splitlines():
        yield Text(line)
