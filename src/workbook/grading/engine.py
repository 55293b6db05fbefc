"""All that one process needs to grade: the catalog, a zygote started at first need, references, pitfalls, answers.

It outlives a grading: a second one in the same process imports nothing again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from workbook.answers.key import read_key
from workbook.answers.keyed import REFERENCE, Keyed, KeyedDraws, pitfall_source
from workbook.answers.local import Answers, Local, reference
from workbook.boundary import server
from workbook.boundary.client import Client, worker_isolation
from workbook.boundary.submission import Submission, find_submission
from workbook.boundary.usage import Usage
from workbook.checks.diagnose import Diagnosis
from workbook.checks.draws import RandomValues
from workbook.checks.sides import Backend
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.content.signatures import Interface, problem_interface
from workbook.errors import BrokenWorkbook
from workbook.pitfalls import read_pitfalls
from workbook.sandbox.layers import FULL, Isolation

PRELOADED = ("numpy", "torch", "jaxtyping")
Stamp = tuple[tuple[int, int], ...]


@dataclass
class Content:
    """What the hidden files of one problem give, with the times at which they were read."""

    stamp: Stamp
    interface: Interface
    reference: Backend
    diagnosis: Diagnosis
    draws: Callable[[str], Any]  # the random test data of a check, by its name
    hidden: int = 0  # checks that only the instructor's copy has


@dataclass
class Engine:
    """Grades submissions of one workbook, one after the other. Close it to end all processes."""

    catalog: Catalog
    submission: Path | None = None
    seed: int = 0
    debug: bool = False  # run the submission in this process, without limits, so that breakpoints work
    require_sandbox: bool = False  # grade nothing where a layer of the sandbox is missing
    cancelled: Callable[[], bool] | None = None  # asked during a grading: whether it is out of date
    answers: Answers = field(default_factory=Answers)
    usage: dict[str, Usage] = field(default_factory=dict)  # of each problem's last submission
    _server: server.ForkServer | None = None
    _contents: dict[str, Content] = field(default_factory=dict)
    _looked_at: set[str] = field(default_factory=set)  # problems whose files this grading has seen to be unchanged
    _clients: dict[str, Client] = field(default_factory=dict)
    _submissions: dict[str, Submission] = field(default_factory=dict)

    def start(self, *, fork: bool = False) -> server.ForkServer:
        """The zygote, started if it does not run. See `server.start` for when it may be a fork of this process."""
        if self._server is None:
            self._server = server.start(PRELOADED, fork=fork)
        return self._server

    def backend(self, problem: Problem) -> Backend:
        """Where the submission for a problem runs: a worker, or this process when debugging."""
        if self.debug:
            found = self.find(problem)
            return Local(problem, found.path, found.source.decode("utf-8", "replace"))
        return self.client(problem)

    def client(self, problem: Problem) -> Client:
        for stem, other in self._clients.items():
            if stem != problem.stem:
                other.close()  # what it left running must not go on unwatched
        if problem.stem not in self._clients:
            required = FULL if self.require_sandbox else ()
            submission = self.find(problem)
            client = Client(self.start(), problem, submission, self.seed, required, self.cancelled)
            self._clients[problem.stem] = client
        return self._clients[problem.stem]

    def find(self, problem: Problem) -> Submission:
        if problem.stem not in self._submissions:
            self._submissions[problem.stem] = find_submission(problem, self.submission)
        return self._submissions[problem.stem]

    def submit(self, problem: Problem, source: str) -> None:
        """Make a piece of source the next submission for a problem, under the path of its exercise."""
        self._submissions[problem.stem] = Submission(problem.exercise, source.encode())

    def content(self, problem: Problem) -> Content:
        """Reference, pitfalls and interface of a problem, read again when a file has changed.

        Where there is no solution, as in a released copy, the recorded answer key stands in for it.
        """
        if problem.stem in self._looked_at:
            return self._contents[problem.stem]
        files = (problem.pristine, problem.solution, problem.pitfalls, problem.support, problem.key)
        released = (problem.grader, problem.settings)  # what a key must have been recorded for
        stamp = tuple(_stamp(path) for path in (*files, *released))
        known = self._contents.get(problem.stem)
        if known is None or known.stamp != stamp:
            interface = problem_interface(problem)
            if problem.released and not problem.solution.is_file():
                known = self._recorded(problem, stamp, interface)
            else:
                known = self._computed(problem, stamp, interface)
            self._contents[problem.stem] = known
        self._looked_at.add(problem.stem)
        return known

    def use(self, problem: Problem, content: Content) -> None:
        """Grade a problem with this content for as long as its files stay as they are."""
        self._contents[problem.stem] = content

    def _computed(self, problem: Problem, stamp: Stamp, interface: Interface) -> Content:
        pitfalls = read_pitfalls(problem)
        sources = [Local(problem, problem.pitfalls, pitfall.source, self.answers) for pitfall in pitfalls]

        def draws(check: str) -> RandomValues:
            return RandomValues(f"{problem.stem}::{check}", problem.library, self.seed)

        diagnosis = Diagnosis(pitfalls, sources, interface)
        return Content(stamp, interface, reference(problem, self.answers), diagnosis, draws)

    def _recorded(self, problem: Problem, stamp: Stamp, interface: Interface) -> Content:
        key = read_key(problem)
        if key.seed != self.seed:
            raise BrokenWorkbook(
                f"The answer key of problem {problem.number} was recorded with the check seed {key.seed}: "
                f"leave --check-seed out, or give {key.seed}."
            )
        sources = [Keyed(key, pitfall_source(place)) for place in range(len(key.pitfalls))]
        diagnosis = Diagnosis(key.pitfalls, sources, interface)
        return Content(stamp, interface, Keyed(key, REFERENCE), diagnosis, partial(KeyedDraws, key), key.hidden)

    def probe_isolation(self) -> Isolation:
        """The layers of isolation that a worker has here, found by starting one."""
        return worker_isolation(self.start())

    def end_submissions(self) -> tuple[str, ...]:
        """End every worker and forget what was submitted; the isolation that was in force."""
        isolation: tuple[str, ...] = ()
        for stem, client in self._clients.items():
            self.usage[stem] = client.usage
            isolation = isolation or client.isolation
            client.close()
        self._clients.clear()
        self._submissions.clear()
        self._looked_at.clear()
        return isolation

    def close(self) -> None:
        running, self._server = self._server, None
        self._clients.clear()
        self._submissions.clear()
        if running is not None:
            running.close()


def _stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        status = path.stat()
    except OSError:
        return (0, -1)
    return (status.st_mtime_ns, status.st_size)
