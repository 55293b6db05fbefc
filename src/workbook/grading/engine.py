"""What outlives a grading: the catalog, a zygote started at first need, references, pitfalls, answers remembered.

A second grading in the same process imports nothing again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbook.answers.key import read_key
from workbook.answers.keyed import REFERENCE, Keyed, KeyedDraws, pitfall_source
from workbook.answers.local import Answers, Local, reference
from workbook.boundary import server
from workbook.boundary.client import worker_isolation
from workbook.checks.diagnose import Diagnosis
from workbook.checks.draws import RandomValues
from workbook.checks.sides import Backend
from workbook.content.catalog import Catalog
from workbook.content.layout import keyed
from workbook.content.problem import Problem
from workbook.content.signatures import Interface, problem_interface
from workbook.pitfalls import read_pitfalls
from workbook.sandbox.layers import Isolation

PRELOADED = ("numpy", "torch", "jaxtyping")
Stamp = tuple[tuple[int, int], ...]


@dataclass
class Content:
    """What the hidden files of one problem give, with the times at which they were read."""

    stamp: Stamp
    interface: Interface
    reference: Backend
    diagnosis: Diagnosis
    draws: Callable[[str, int], Any]  # the random test data of a check, by its name and the seed of the grading
    hidden: int = 0  # checks that only the instructor's copy has
    seed: int | None = None  # the one seed that a key was recorded with


@dataclass
class Engine:
    """What one workbook's gradings share. Close it to end all processes."""

    catalog: Catalog
    answers: Answers = field(default_factory=Answers)
    _server: server.ForkServer | None = None
    _contents: dict[str, Content] = field(default_factory=dict)

    def start(self, *, fork: bool = False) -> server.ForkServer:
        """The zygote, started if it does not run. See `server.start` for when it may be a fork of this process."""
        if self._server is None:
            self._server = server.start(PRELOADED, fork=fork)
        return self._server

    def content(self, problem: Problem) -> Content:
        """Reference, pitfalls and interface of a problem, read again when a file has changed.

        Where there is no solution, as in a released copy, the recorded answer key stands in for it.
        """
        files = (problem.solution, problem.pitfalls, problem.key)
        stamp = tuple(_stamp(path) for path in (*files, *map(problem.root.joinpath, keyed(problem.stem))))
        known = self._contents.get(problem.stem)
        if known is None or known.stamp != stamp:
            interface = problem_interface(problem)
            if problem.released and not problem.solution.is_file():
                known = self._recorded(problem, stamp, interface)
            else:
                known = self._computed(problem, stamp, interface)
            self._contents[problem.stem] = known
        return known

    def use(self, problem: Problem, content: Content) -> None:
        """Grade a problem with this content for as long as its files stay as they are."""
        self._contents[problem.stem] = content

    def _computed(self, problem: Problem, stamp: Stamp, interface: Interface) -> Content:
        pitfalls = read_pitfalls(problem)
        sources = [Local(problem, problem.pitfalls, pitfall.source, self.answers) for pitfall in pitfalls]

        def draws(check: str, seed: int) -> RandomValues:
            return RandomValues(f"{problem.stem}::{check}", problem.library, seed)

        diagnosis = Diagnosis(pitfalls, sources, interface)
        return Content(stamp, interface, reference(problem, self.answers), diagnosis, draws)

    def _recorded(self, problem: Problem, stamp: Stamp, interface: Interface) -> Content:
        key = read_key(problem)
        sources = [Keyed(key, pitfall_source(place)) for place in range(len(key.pitfalls))]
        diagnosis = Diagnosis(key.pitfalls, sources, interface)

        def draws(check: str, seed: int) -> KeyedDraws:
            return KeyedDraws(key, check)

        return Content(stamp, interface, Keyed(key, REFERENCE), diagnosis, draws, key.hidden, key.seed)

    def probe_isolation(self) -> Isolation:
        """The layers of isolation that a worker has here, found by starting one."""
        return worker_isolation(self.start())

    def close(self) -> None:
        running, self._server = self._server, None
        if running is not None:
            running.close()


def _stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does."""
    try:
        status = path.stat()
    except OSError:
        return (0, -1)
    return (status.st_mtime_ns, status.st_size)
