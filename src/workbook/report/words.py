"""What a report says, in words: the same ones in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbook.results import CheckResult, ProblemResult, Verdict

LONGEST = 200  # characters of a printed line of the learner's
MOST_PRINTED = 20  # lines of what the learner's code printed
IN_FULL = 2  # wrong answers explained in full, each with another mistake; of the rest the first line is enough
PRINTED = "Your code printed:"
SIGNS: dict[Verdict, str] = {
    "passed": "✓",
    "failed": "✗",
    "not_started": "·",
    "error": "!",
    "timeout": "!",
    "memory": "!",
    "crash": "!",
    "skipped": "-",
    "ungraded": "?",
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


@dataclass(frozen=True)
class CheckWords:
    """One check: its sign, its points, its title, a note behind it; then what is to be said of it, and what the
    learner's code printed, as far as that has not been said and shown before."""

    verdict: Verdict
    sign: str
    points: str
    title: str
    note: str = ""
    message: str = ""
    printed: tuple[str, ...] = ()


def title(problem: ProblemResult) -> str:
    return f"Problem {problem.number} · {problem.title}"


def points(value: float) -> str:
    return f"{value:g}"


def checks(problem: ProblemResult) -> Iterator[CheckWords]:
    """Every check in order. A mistake is explained where it first shows, and only named afterwards."""
    told: set[str] = set()
    pitfalls: set[str] = set()
    printed: set[str] = set()
    explained = 0
    for check in problem.checks:
        if check.verdict == "passed" or not check.message:
            yield _check(check)
            continue
        if check.message in told:
            yield _check(check, "as above")
            continue
        told.add(check.message)
        if check.pitfall in pitfalls:
            yield _check(check, "the same mistake")
            continue
        # What an exception says is never cut.
        whole = explained < IN_FULL or check.verdict != "failed"
        message = check.message if whole else check.message.partition("\n")[0]
        explained += 1
        if check.pitfall is not None:
            pitfalls.add(check.pitfall)
        output: tuple[str, ...] = ()
        if check.output and check.output not in printed:
            printed.add(check.output)
            output = _short(check.output)
        yield _check(check, message=message, printed=output)


def verdict(problem: ProblemResult) -> str:
    """The line under the checks."""
    if problem.verdict == "not_started":
        return "not started"
    if problem.score is None:
        return "Not graded, which is not your fault: no score is given or taken."
    score = f"{points(problem.score)} of {points(problem.max_score)} points"
    held = f"{problem.hidden} hidden check{'s are' if problem.hidden != 1 else ' is'} graded by your instructor"
    if problem.verdict == "passed":
        return f"All public checks passed: {score} ({held})." if problem.hidden else f"Passed: {score}."
    return f"{score} of the public checks: not passed yet ({held})." if problem.hidden else f"{score}: not passed yet."


def advice(problem: ProblemResult, hint: str) -> str:
    """Where help is to be had, if anywhere. `hint` is how the reader asks for one, without the number."""
    number = next((check.hint for check in problem.checks if check.verdict == "failed" and check.hint), None)
    if number is None or problem.verdict in ("passed", "ungraded"):
        return ""
    return f"Stuck? {hint} {problem.number}"


def _check(check: CheckResult, remark: str = "", *, message: str = "", printed: tuple[str, ...] = ()) -> CheckWords:
    words = [] if check.verdict in ("passed", "failed") else [NAMES[check.verdict]]
    words += [remark] if remark else []
    return CheckWords(
        check.verdict,
        SIGNS[check.verdict],
        f"{points(check.points)}/{points(check.max_points)}",
        check.title,
        f" ({', '.join(words)})" if words else "",
        message,
        printed,
    )


def _short(output: str) -> tuple[str, ...]:
    lines = [line if len(line) <= LONGEST else f"{line[:LONGEST]} …" for line in output.rstrip("\n").splitlines()]
    if len(lines) > MOST_PRINTED:
        rest = len(lines) - MOST_PRINTED + 1
        lines = [*lines[: MOST_PRINTED - 1], f"… ({rest} more lines; --json has them)"]
    return tuple(lines)
