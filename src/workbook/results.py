"""What a grading says: verdicts, checks, problems, the whole report. Plain frozen data that every layer shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["passed", "failed", "not_started", "error", "timeout", "memory", "crash", "skipped", "ungraded"]


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one check, in the words the learner reads."""

    id: str
    title: str
    verdict: Verdict
    points: float
    max_points: float
    message: str = ""
    pitfall: str | None = None
    hint: int | None = None
    output: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class ProblemResult:
    """The outcome of one problem. `score` is None where it is ungraded: never a zero."""

    number: int
    slug: str
    title: str
    file: str
    sha256: str
    grader: str
    verdict: Verdict
    score: float | None
    max_score: float
    checks: tuple[CheckResult, ...] = ()
    message: str = ""
    hidden: int = 0  # further checks that only the instructor's copy has


@dataclass(frozen=True)
class Report:
    """One grading of one or more problems."""

    workbook: str
    isolation: tuple[str, ...]
    problems: tuple[ProblemResult, ...]
