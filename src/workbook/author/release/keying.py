"""Records the answer key of a problem: grades the solution in a mode in which each comparison asks all it could ask.

A wrong answer makes a comparison ask more than a right one: each known mistake on the same input, and on a stretched
one; the reference on ever larger cuts. None of these inputs depends on what the learner returned, so that all of them
can be asked beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from workbook.answers.key import Values, files_of, write_key
from workbook.answers.keyed import REFERENCE, pitfall_source
from workbook.answers.questions import Questions
from workbook.checks.case import Case, Observation
from workbook.checks.diagnose import Diagnosis
from workbook.checks.draws import RandomValues
from workbook.checks.shrink import readable, stretched
from workbook.checks.sides import Backend, Side
from workbook.checks.wanted import Wanted
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.errors import UsageError, WorkbookError
from workbook.grading.engine import Engine
from workbook.grading.grading import Grading, Task
from workbook.grading.session import grade
from workbook.wire.codec import Handle, decode, encode


@dataclass
class Notes:
    """What is written down, by check: the random draws, and the answer to each question."""

    values: Values = field(default_factory=Values)
    check: str = ""
    draws: dict[str, list[int]] = field(default_factory=dict)
    answers: dict[str, dict[bytes, int]] = field(default_factory=dict)

    def draw(self, value: Any) -> None:
        self.draws.setdefault(self.check, []).append(self.values.place(value))

    def answer(self, question: bytes, reply: dict[str, Any] | None) -> None:
        self.answers.setdefault(self.check, {})[question] = self.values.place(reply)


class Noted:
    """A source in whose place a key will answer: what it is asked, and what it answers, is written down."""

    def __init__(self, source: Backend, address: str, notes: Notes) -> None:
        self._source = source
        self._address = address
        self._notes = notes
        self._questions = Questions(address)

    def session(self) -> Noted:
        return Noted(self._source.session(), self._address, self._notes)

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        fields = decode(encode(fields))  # as they were sent, in case that the call changes them
        question = self._questions.name(op, fields)
        try:
            reply = self._source.request(op, **fields)
        except WorkbookError:
            raise
        except Exception:
            self._notes.answer(question, None)
            raise
        kept = dict(reply)
        if type(kept.get("value")) is Handle:
            kept["value"] = Handle(self._questions.met(kept["value"]), kept["value"].type_name)
        self._notes.answer(question, kept)
        return reply


class NotedValues(RandomValues):
    """Random test data that is written down as it is drawn."""

    def __init__(self, name: str, library: str, seed: int, notes: Notes) -> None:
        super().__init__(name, library, seed)
        self._notes = notes

    def _out(self, values: Any) -> Any:
        drawn = super()._out(values)
        self._notes.draw(drawn)  # at once: a check may change its data
        return drawn


class Thorough(Diagnosis):
    """A diagnosis that asks, after each comparison that came out right, all that a wrong answer could have asked."""

    def agreed(
        self,
        case: Case,
        got: Observation,
        expected: Observation,
        names: tuple[str, ...],
        wanted: Wanted,
        sides: tuple[Side, Side],
    ) -> None:
        super().agreed(case, got, expected, names, wanted, sides)
        learner, reference = sides
        for pitfall, source in zip(self.pitfalls, self.sources, strict=True):
            if pitfall.replaces in names:
                seen = self._run(source, case, learner.seed)
                longer = stretched(case)
                # One that gives the right value here is never named, so that its word on other inputs is not asked.
                if seen is not None and longer is not None and not wanted.alike(seen, expected):
                    self._run(source, longer, learner.seed)
        if isinstance(case.target, str) and case.cotangent is None:
            for candidate in readable(case):
                candidate.run(reference)


class CheckMarker:
    """A pytest plugin that tells the notes which check is running."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self._notes.check = item.name
        self._notes.draws.setdefault(item.name, [])
        self._notes.answers.setdefault(item.name, {})


def make_key(engine: Engine, problem: Problem, hidden: int, path: Path) -> None:
    """Write the key of a problem of the engine's workbook to `path`.

    Args:
        engine: of a workbook with solutions, whose graders are those that will be released.
        hidden: how many checks were cut out of the grader.

    Raises UsageError where the solution does not pass: its answers are no key then.
    """
    notes = Notes()
    content = engine.content(problem)
    pitfalls = content.diagnosis.pitfalls
    sources = [Noted(source, pitfall_source(place), notes) for place, source in enumerate(content.diagnosis.sources)]
    engine.use(
        problem,
        replace(
            content,
            reference=Noted(content.reference, REFERENCE, notes),
            diagnosis=Thorough(pitfalls, sources, content.interface),
            draws=lambda check, seed: NotedValues(f"{problem.stem}::{check}", problem.library, seed, notes),
        ),
    )
    grading = Grading(engine, [Task.of(problem, read(problem, problem.solution))])
    try:
        result = grade(grading, plugins=[CheckMarker(notes)]).problems[0]
    finally:
        engine.use(problem, content)
    if result.verdict != "passed":
        wrong = next((check for check in result.checks if check.verdict not in ("passed", "skipped")), None)
        why = result.message or (f"{wrong.id}: {wrong.message.splitlines()[0]}" if wrong else result.verdict)
        raise UsageError(f"The solution of problem {problem.number} does not pass, so nothing was released: {why}")
    write_key(path, _contents(problem, grading.seed, hidden, notes, content.diagnosis), notes.values)


def _contents(problem: Problem, seed: int, hidden: int, notes: Notes, diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "stem": problem.stem,
        "seed": seed,
        "hidden": hidden,
        "recorded_for": files_of(problem),
        "pitfalls": [
            # A check that is hidden is not named either.
            {"name": item.name, "replaces": item.replaces, "check": item.check if item.check in notes.draws else None}
            for item in diagnosis.pitfalls
        ],
        "checks": {name: {"draws": notes.draws[name], "answers": notes.answers[name]} for name in notes.draws},
    }
