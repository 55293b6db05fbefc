"""A Report in the words and colours of the terminal. Colour only repeats what a word or sign already says."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from workbook.model import CheckResult, ProblemResult, Report, Verdict
from workbook.text import wrap

WIDTH = 100
NARROWEST = 20  # columns for a title
LONGEST = 200  # characters of a printed line of the learner's
IN_FULL = 2  # failing checks explained in full, each with another mistake; of the rest the first line is enough
SIGNS: dict[Verdict, tuple[str, str]] = {
    "passed": ("✓", "green"),
    "failed": ("✗", "red"),
    "not_started": ("·", "dim"),
    "error": ("!", "red"),
    "timeout": ("!", "red"),
    "memory": ("!", "red"),
    "crash": ("!", "red"),
    "skipped": ("-", "yellow"),
    "ungraded": ("?", "yellow"),
}
NAMES: dict[Verdict, str] = {
    "passed": "passed",
    "failed": "wrong",
    "not_started": "not started",
    "error": "error",
    "timeout": "out of time",
    "memory": "out of memory",
    "crash": "crashed",
    "skipped": "skipped",
    "ungraded": "not graded",
}


def render(report: Report, command: str = "workbook", *, width: int = WIDTH) -> Iterator[Text]:
    """Lines of the report, to be printed one after the other; problems not started take one line each.

    Args:
        command: how the reader calls us, for the advice at the end.
        width: columns at which sentences are wrapped.
    """
    for problem in report.problems:
        if problem.verdict == "not_started":
            yield _line(problem, "not started")
        else:
            yield from _problem(problem, command, width)


def points(value: float) -> str:
    return f"{value:g}"


def _line(problem: ProblemResult, state: str) -> Text:
    return Text.assemble((f"Problem {problem.number}", "bold"), f" · {problem.title}: {state}")


def _problem(problem: ProblemResult, command: str, width: int) -> Iterator[Text]:
    yield from _heading(problem, width)
    if problem.message:
        yield from _paragraph(problem.message, "  ", width)
    told: dict[str, str] = {}  # message -> title of the check where it stands in full
    pitfalls: set[str] = set()
    printed: set[str] = set()
    explained = 0
    for check in problem.checks:
        if check.verdict == "passed" or not check.message:
            yield from _check_line(check, width)
            continue
        if check.message in told:
            yield from _check_line(check, width, "as above")
            continue
        told[check.message] = check.title
        if check.pitfall in pitfalls:
            yield from _check_line(check, width, "the same mistake")
            continue
        yield from _check_line(check, width)
        if explained < IN_FULL:
            yield from _paragraph(check.message, "      ", width)
        else:
            yield from _paragraph(check.message.partition("\n")[0], "      ", width)
        if check.pitfall is not None:
            pitfalls.add(check.pitfall)
        explained += 1
        if check.output and check.output not in printed:
            printed.add(check.output)
            yield Text("      Your code printed:", "dim")
            for line in _short(check.output):
                yield Text(f"      | {line}", "dim")
    yield from _verdict(problem, command)
    yield Text("")


def _heading(problem: ProblemResult, width: int) -> Iterator[Text]:
    """Number and title, and the file beside them, or below where both do not fit."""
    title = f"Problem {problem.number} · {problem.title}"
    if len(title) + 2 + len(problem.file) <= width:
        yield Text.assemble((title, "bold"), f"  {problem.file}")
    else:
        yield from (Text(line, "bold") for line in wrap(title, width).splitlines())
        yield Text(f"  {problem.file}")


def _check_line(check: CheckResult, width: int, note: str = "") -> Iterator[Text]:
    """The sign, the points and the title, which goes on below its own start where it is long."""
    sign, colour = SIGNS[check.verdict]
    score = f"{points(check.points)}/{points(check.max_points)}"
    words = [] if check.verdict in ("passed", "failed") else [NAMES[check.verdict]]
    words += [note] if note else []
    after = f" ({', '.join(words)})" if words else ""
    start = Text.assemble("  ", (sign, colour), (f" {score:<5} ", "dim"))
    for number, line in enumerate(wrap(check.title + after, max(width - len(start), NARROWEST)).splitlines()):
        shown = Text.assemble(" " * len(start) if number else start, line)
        shown.highlight_words([after.strip()], "dim")
        yield shown


def _verdict(problem: ProblemResult, command: str) -> Iterator[Text]:
    held = f"{problem.hidden} hidden check{'s are' if problem.hidden != 1 else ' is'} graded by your instructor"
    if problem.verdict == "passed":
        score = f"{points(problem.max_score)} of {points(problem.max_score)} points"
        said = f"All public checks passed: {score} ({held})." if problem.hidden else f"Passed: {score}."
        yield Text(f"  {said}", "bold green")
        return
    if problem.verdict == "ungraded":
        yield Text("  Not graded, which is not your fault: no score is given or taken.", "bold yellow")
        return
    assert problem.score is not None
    score = f"{points(problem.score)} of {points(problem.max_score)} points"
    if problem.hidden:
        yield Text(f"  {score} of the public checks: not passed yet ({held}).", "bold")
    else:
        yield Text(f"  {score}: not passed yet.", "bold")
    hint = next((check.hint for check in problem.checks if check.verdict == "failed" and check.hint), None)
    if hint is not None:
        yield Text(f"  Stuck? {command} hint {problem.number}")


def _paragraph(message: str, indent: str, width: int) -> Iterator[Text]:
    for line in wrap(message, width, indent).splitlines():
        yield Text(line)


def _short(output: str, most: int = 20) -> list[str]:
    lines = [line if len(line) <= LONGEST else f"{line[:LONGEST]} …" for line in output.rstrip("\n").splitlines()]
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], f"… ({len(lines) - most + 1} more lines; --json has them)"]
