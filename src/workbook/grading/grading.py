"""One grading: which submissions are graded, with which seed, and the workers in which they run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from workbook.answers.local import Local
from workbook.boundary.client import Client
from workbook.boundary.submission import Submission, find_submission
from workbook.boundary.usage import Usage
from workbook.checks.sides import Backend
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook
from workbook.grading.engine import Content, Engine
from workbook.sandbox.layers import FULL


@dataclass(frozen=True)
class Task:
    """A problem, and what is submitted for it."""

    problem: Problem
    submission: Submission

    @classmethod
    def at(cls, problem: Problem, path: Path | None = None) -> Task:
        """The exercise file, or what a file or folder has for the problem. Raises UsageError where that is nothing."""
        return cls(problem, find_submission(problem, path))

    @classmethod
    def of(cls, problem: Problem, source: str) -> Task:
        """A piece of source, under the path of the problem's exercise."""
        return cls(problem, Submission(problem.exercise, source.encode()))


class Grading:
    """One run over some tasks. Close it to end its workers; the engine stays for the next."""

    def __init__(
        self,
        engine: Engine,
        tasks: Iterable[Task] = (),
        *,
        seed: int = 0,
        debug: bool = False,
        require_sandbox: bool = False,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        """
        Args:
            engine: warm or cold.
            tasks: what is graded, in order.
            seed: of the checks' random data.
            debug: run the submission in this process, without limits, so that breakpoints work.
            require_sandbox: grade nothing where a layer of the sandbox is missing.
            cancelled: asked during the grading: whether it is out of date.
        """
        self.engine = engine
        self.tasks = {task.problem.stem: task for task in tasks}
        self.seed = seed
        self.debug = debug
        self.usage: dict[str, Usage] = {}  # of each submission, once the grading is closed
        self._required = FULL if require_sandbox else ()
        self._cancelled = cancelled
        self._contents: dict[str, Content] = {}  # what this grading has seen to be unchanged
        self._clients: dict[str, Client] = {}

    def problem(self, stem: str) -> Problem | None:
        """The problem of this name, with the limits that its task gives it; None where its TOML file is broken."""
        if stem in self.tasks:
            return self.tasks[stem].problem
        return None if stem in self.engine.catalog.broken else self.engine.catalog.by_stem(stem)

    def submission(self, problem: Problem) -> Submission:
        return self.tasks[problem.stem].submission

    def content(self, problem: Problem) -> Content:
        """Reference, pitfalls and interface of a problem, looked at once in a grading."""
        if problem.stem not in self._contents:
            content = self.engine.content(problem)
            if content.seed not in (None, self.seed):
                raise BrokenWorkbook(
                    f"The answer key of problem {problem.number} was recorded with the check seed {content.seed}: "
                    f"leave --check-seed out, or give {content.seed}."
                )
            self._contents[problem.stem] = content
        return self._contents[problem.stem]

    def backend(self, problem: Problem) -> Backend:
        """Where the submission for a problem runs: a worker, or this process when debugging."""
        if self.debug:
            submission = self.submission(problem)
            return Local(problem, submission.path, submission.source.decode("utf-8", "replace"))
        return self.client(problem)

    def client(self, problem: Problem) -> Client:
        for stem, other in self._clients.items():
            if stem != problem.stem:
                other.close()  # what it left running must not go on unwatched
        if problem.stem not in self._clients:
            self._clients[problem.stem] = Client(
                self.engine.start(), problem, self.submission(problem), self.seed, self._required, self._cancelled
            )
        return self._clients[problem.stem]

    def close(self) -> tuple[str, ...]:
        """End every worker; the isolation that was in force."""
        isolation: tuple[str, ...] = ()
        for stem, client in self._clients.items():
            self.usage[stem] = client.usage
            isolation = isolation or client.isolation
            client.close()
        self._clients.clear()
        return isolation
