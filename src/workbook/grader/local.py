"""Source that runs in the grader's own process: the reference, and the pitfalls beside it.

It answers the same requests as a worker does, on its own copies of the values, with the same generators and thread
count; the grader's own generators are left as they were. Answers to plain calls are remembered, since no input of a
reference call depends on a learner's value.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

from workbook.ambient import undisturbed
from workbook.calls.operations import Operations
from workbook.errors import BrokenWorkbook
from workbook.grader.questions import is_plain
from workbook.model import Problem
from workbook.wire.codec import decode, encode

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
        self._operations: Operations | None = None
        self._digest = hashlib.sha256(source.encode()).digest()

    def session(self) -> Local:
        """Where one run of a program begins: here, what stays of the last one makes no difference."""
        return self

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        asked = encode({"op": op, **fields})
        key = hashlib.sha256(self._digest + asked).digest()
        plain = is_plain(op, fields)
        if plain and self.asked is not None:
            self.asked.add(key)
        if plain and self.answers is not None:
            known = self.answers.get(key)
            if known is not None:
                return decode(known)  # type: ignore[no-any-return]
        with undisturbed():
            answer = encode(self._loaded().carry_out(decode(asked)))
        if plain and self.answers is not None:
            self.answers.put(key, answer)
        return decode(answer)  # type: ignore[no-any-return]

    def _loaded(self) -> Operations:
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
                text = self.problem.support.read_text(encoding="utf-8")
                operations.do_support({"path": str(self.problem.support), "source": text})
            self._operations = operations
        return self._operations


def reference(problem: Problem, answers: Answers) -> Local:
    """The hidden solution of a problem, loaded at its first call."""
    try:
        source = problem.solution.read_text(encoding="utf-8")
    except OSError as error:
        raise BrokenWorkbook(f"solutions/{problem.solution.name} cannot be read: {error.strerror}.") from None
    return Local(problem, problem.solution, source, answers)
