"""Where a problem is put to the proof: grades made-up submissions with a warm engine and notes what failed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from workbook.engine import Content, Engine
from workbook.errors import BrokenWorkbook
from workbook.model import Problem, ProblemResult
from workbook.run import grade


class Shuffled:
    """A pytest plugin that runs the checks in another order, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        random.Random(self.seed).shuffle(items)


class Bench:
    """One problem on the bench. Everything that `grade` returns adds to what is known of its checks."""

    def __init__(self, engine: Engine, problem: Problem) -> None:
        self.engine = engine
        self.problem = problem
        self.failing: dict[str, str] = {}  # check -> the first submission that failed it
        self._solution: ProblemResult | None = None

    @property
    def content(self) -> Content:
        return self.engine.content(self.problem)

    @property
    def source(self) -> str:
        """The solution's text."""
        try:
            return self.problem.solution.read_text(encoding="utf-8")
        except OSError as error:
            raise BrokenWorkbook(f"solutions/{self.problem.solution.name} cannot be read: {error.strerror}.") from None

    def grade(
        self, source: str, label: str, *, seed: int = 0, plugins: Sequence[Any] = (), options: Sequence[str] = ()
    ) -> ProblemResult:
        """Grade a piece of source as the submission; `label` says what it is."""
        before = self.engine.seed
        self.engine.seed = seed
        self.engine.submit(self.problem, source)
        try:
            result = grade(self.engine, [self.problem], plugins=plugins, options=options).problems[0]
        finally:
            self.engine.seed = before
        for check in result.checks:
            if check.verdict not in ("passed", "skipped", "not_started", "ungraded"):
                self.failing.setdefault(name_of(check.id), label)
        return result

    def solution(self) -> ProblemResult:
        """The solution's own result, graded once."""
        if self._solution is None:
            self._solution = self.grade(self.source, "the solution")
        return self._solution

    def checks(self) -> list[str]:
        """Names of all checks, in order."""
        return [name_of(check.id) for check in self.solution().checks]


def name_of(node: str) -> str:
    """The check's name in a pytest node id, with the case of a parametrised one."""
    return node.rpartition("::")[2]
