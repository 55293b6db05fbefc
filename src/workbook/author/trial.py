"""Where a problem is put to the proof: grades made-up submissions with a warm engine and notes what failed."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest

from workbook.boundary.usage import Usage
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.grading.engine import Content, Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.results import CheckResult, ProblemResult

SLOW = 0.3  # seconds a check takes that is run late: one that trains


class Shuffled:
    """A pytest plugin that runs the checks in another order, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        random.Random(self.seed).shuffle(items)


class Ordered:
    """A pytest plugin that keeps the order of the checks but for those that are slow, which come last."""

    def __init__(self, slow: Callable[[pytest.Item], bool]) -> None:
        self.slow = slow

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items.sort(key=self.slow)


class Until:
    """A pytest plugin that runs no further check once a result satisfies a condition."""

    def __init__(self, condition: Callable[[CheckResult], bool]) -> None:
        self.condition = condition
        self.met = False

    def pytest_runtest_logreport(self, report: Any) -> None:
        result = getattr(report, "workbook_check", None)
        self.met = self.met or (result is not None and self.condition(result))

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        return True if self.met else None


class Only:
    """A pytest plugin that runs the checks of these names only."""

    def __init__(self, names: Collection[str]) -> None:
        self.names = names

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.name in self.names]


def fails(result: CheckResult) -> bool:
    """Whether a check did what a wrong answer should make it do."""
    return result.verdict not in ("passed", "skipped", "not_started", "ungraded")


def names(pitfall: str) -> Callable[[CheckResult], bool]:
    """The condition that a check names this pitfall."""
    return lambda result: result.pitfall == pitfall


class Trial:
    """One problem on trial. Everything that `grade` returns adds to what is known of its checks."""

    def __init__(self, engine: Engine, problem: Problem) -> None:
        self.engine = engine
        self.problem = problem
        self.failing: dict[str, str] = {}  # check -> the first submission that failed it
        self.usage = Usage()  # of the last submission
        self._solution: ProblemResult | None = None

    @property
    def content(self) -> Content:
        return self.engine.content(self.problem)

    @property
    def source(self) -> str:
        """The solution's text."""
        return read(self.problem, self.problem.solution)

    def grade(self, source: str, label: str, *, seed: int = 0, plugins: Sequence[Any] = ()) -> ProblemResult:
        """Grade a piece of source as the submission; `label` says what it is."""
        grading = Grading(self.engine, [Task.of(self.problem, source)], seed=seed)
        result = grade(grading, plugins=plugins).problems[0]
        self.usage = grading.usage.get(self.problem.stem, Usage())
        for check in result.checks:
            if fails(check):
                self.failing.setdefault(name_of(check.id), label)
        return result

    def solution(self) -> ProblemResult:
        """The solution's own result, graded once."""
        if self._solution is None:
            self._solution = self.grade(self.source, "the solution")
        return self._solution

    def quick_first(self, source: str, label: str, until: Callable[[CheckResult], bool]) -> ProblemResult:
        """Grade until one check satisfies the condition, the checks that took the solution longest last."""
        seconds = {name_of(check.id): check.seconds for check in self.solution().checks}
        order = Ordered(lambda item: seconds.get(item.name, 0.0) > SLOW)
        return self.grade(source, label, plugins=[order, Until(until)])

    def checks(self) -> list[str]:
        """Names of all checks, in order."""
        return [name_of(check.id) for check in self.solution().checks]


def name_of(node: str) -> str:
    """The check's name in a pytest node id, with the case of a parametrised one."""
    return node.rpartition("::")[2]
