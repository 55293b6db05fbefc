"""Proves a release before it is put in place: it grades the solution and the known mistakes as it should."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path

from workbook.author.trial import SLOW, Only, name_of
from workbook.checks.agree import LACKS
from workbook.content import catalog
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.errors import BrokenWorkbook
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.pitfalls import read_pitfalls
from workbook.results import ProblemResult


def prove(book: Catalog, copy: Path, say: Callable[[str], None]) -> None:
    """Grade with the keys of a copy of the release, whose files this may change.

    Raises BrokenWorkbook where the solution does not pass, or where grading it or a known mistake asks
    for what its key does not hold. Known mistakes are spared the checks that take long.
    """
    engine = Engine(catalog.load(copy))
    try:
        for problem in book.problems:
            say(f"Proving the answer key of problem {problem.number} …")
            public = engine.catalog.problem(problem.number)
            right = _graded(engine, public, read(problem, problem.solution))
            if right.verdict != "passed":
                first = next((item.message for item in right.checks if item.verdict not in ("passed", "skipped")), "")
                raise _failure(problem, f"its own solution is {right.verdict}", right.message or first)
            quick = [name_of(item.id) for item in right.checks if item.seconds < SLOW]
            for pitfall in read_pitfalls(problem):
                wrong = _graded(engine, public, pitfall.source, quick)
                gap = next((item.message for item in wrong.checks if LACKS in item.message), "")
                if wrong.verdict == "ungraded" or gap:
                    raise _failure(problem, f"it cannot tell the mistake {pitfall.slug}", wrong.message or gap)
    finally:
        engine.close()


def _graded(engine: Engine, problem: Problem, source: str, checks: Collection[str] | None = None) -> ProblemResult:
    plugins = [] if checks is None else [Only(checks)]
    return grade(Grading(engine, [Task.of(problem, source)]), plugins=plugins).problems[0]


def _failure(problem: Problem, what: str, message: str) -> BrokenWorkbook:
    why = message.strip().splitlines()[-1] if message.strip() else "no reason given"
    return BrokenWorkbook(f"The answer key of problem {problem.number} is not complete, {what}: {why}")
