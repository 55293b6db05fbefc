"""Source that runs in the grader's own process: the reference, and the pitfalls beside it.

It answers the same requests as a worker does, on its own copies of the values, with the same generators and thread
count; the grader's own generators are left as they were. Answers are remembered, since no input of a reference call
depends on a learner's value: to a plain call by what is asked, about objects by all that its run asked up to there. A
second grading so finds them all.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

from workbook.answers.questions import is_plain
from workbook.content.problem import Problem
from workbook.content.reading import read
from workbook.seeding import undisturbed
from workbook.wire.codec import decode, encode
from workbook.worker.operations import Operations

REMEMBERED_BYTES = 64 * 2**20


class Answers:
    """A bounded memory of encoded answers, by the digest of what was asked of which source."""

    def __init__(self) -> None:
        self.kept: OrderedDict[bytes, bytes] = OrderedDict()
        self.size = 0

    def get(self, key: bytes) -> bytes | None:
        if key in self.kept:
            self.kept.move_to_end(key)
        return self.kept.get(key)

    def put(self, key: bytes, answer: bytes) -> None:
        self.kept[key] = answer
        self.size += len(answer)
        while self.size > REMEMBERED_BYTES:
            self.size -= len(self.kept.popitem(last=False)[1])


class Local:
    """A source loaded in this process. `request` has the form of Client.request; what the code raises passes through."""

    def __init__(
        self, problem: Problem, path: Path, source: str, answers: Answers | None = None, seed: int = 0
    ) -> None:
        self.problem = problem
        self.path = path
        self.source = source
        self.seed = seed
        self.answers = answers
        self.asked: set[bytes] | None = None  # digests of the questions asked, where an author wants to see them
        self.digest = hashlib.sha256(source.encode()).digest()
        self._operations: Operations | None = None
        self._whole = Run(self)

    def session(self) -> Run:
        """The source for one run of a program, with objects of its own."""
        return Run(self)

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        return self._whole.request(op, **fields)

    def loaded(self) -> Operations:
        """The source, run as a module once, without any object yet."""
        if self._operations is None:
            operations = Operations()
            # Under a name of its own: a solution must not be importable by the stub's name.
            operations.do_load(
                {
                    "path": str(self.path),
                    "name": f"workbook_local_{self.problem.stem}",
                    "folder": "",
                    "source": self.source.encode(),
                    "seed": self.seed,
                }
            )
            if self.problem.support.is_file():
                text = read(self.problem, self.problem.support)
                operations.do_support({"path": str(self.problem.support), "source": text})
            self._operations = operations
        return self._operations


class Run:
    """The requests of one run. Its objects are made only where an answer is not known from a run that began alike."""

    def __init__(self, local: Local) -> None:
        self._local = local
        self._past = local.digest  # of all requests about objects so far
        self._skipped: list[bytes] = []  # those of them that were answered from memory
        self._operations: Operations | None = None

    def session(self) -> Run:
        return Run(self._local)

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        asked, answers = encode({"op": op, **fields}), self._local.answers
        plain = is_plain(op, fields)
        key = hashlib.sha256((self._local.digest if plain else self._past) + asked).digest()
        if not plain:
            self._past = key
        elif self._local.asked is not None:
            self._local.asked.add(key)
        answer = answers.get(key) if answers is not None else None
        if answer is None:
            answer = self._carry_out(asked)
            if answers is not None:
                answers.put(key, answer)
        elif not plain:
            self._skipped.append(asked)
        return decode(answer)  # type: ignore[no-any-return]

    def _carry_out(self, asked: bytes) -> bytes:
        with undisturbed():
            if self._operations is None:
                self._operations = self._local.loaded().afresh()
            skipped, self._skipped = self._skipped, []
            for earlier in skipped:
                self._operations.carry_out(decode(earlier))
            return encode(self._operations.carry_out(decode(asked)))


def reference(problem: Problem, answers: Answers) -> Local:
    """The hidden solution of a problem, loaded at its first call."""
    return Local(problem, problem.solution, read(problem, problem.solution), answers)
