"""The reference and the known mistakes of a released copy: they answer from the key, and nothing else.

A question that the key does not hold is the workbook's fault, never the learner's: what needs its answer is ungraded.
"""

from __future__ import annotations

from typing import Any

from workbook.answers.key import Key
from workbook.answers.questions import Questions
from workbook.errors import EngineFault
from workbook.wire.codec import Handle, decode

REFERENCE = "reference"


class NotInKey(EngineFault):
    """A question that the answer key has no answer to."""


class KnownFailure(Exception):
    """A known mistake that raised an exception when the key was recorded."""


def pitfall_source(place: int) -> str:
    """What the questions to a known mistake are addressed to: its place in the list of them."""
    return f"pitfall {place}"


class Keyed:
    """A source whose answers are in a key; `request` has the form of Client.request. It stands for one run."""

    def __init__(self, key: Key, source: str) -> None:
        self._key = key
        self._source = source
        self._questions = Questions(source)

    def session(self) -> Keyed:
        return Keyed(self._key, self._source)

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        answer = self._key.answers.get(self._questions.name(op, fields))
        if answer is None:
            target = fields.get("target", [op])[-1]
            raise NotInKey(
                f"The answer key holds no answer to this call of {target}: tell your instructor; "
                "`workbook update` with a newer release may mend it."
            )
        reply = decode(answer)
        if reply is None:
            raise KnownFailure
        assert type(reply) is dict
        if type(reply.get("value")) is Handle:
            self._questions.met(reply["value"])
        return reply


class KeyedDraws:
    """The random test data of one check as it was drawn when the key was recorded, whatever numpy would draw today.

    Has the methods of RandomValues; what is asked for only has to fit in shape.
    """

    def __init__(self, key: Key, check: str) -> None:
        self._key = key
        self._check = check
        self._left = iter(key.draws.get(check, ()))

    def uniform(self, low: float, high: float, size: Any) -> Any:
        return self._next(size)

    def normal(self, size: Any, scale: float = 1.0) -> Any:
        return self._next(size)

    def integers(self, low: int, high: int, size: Any) -> Any:
        return self._next(size)

    def _next(self, size: Any) -> Any:
        drawn = next(self._left, None)
        value = decode(drawn) if drawn is not None else None
        if value is None or tuple(value.shape) != ((size,) if isinstance(size, int) else tuple(size)):
            raise NotInKey(
                f"The answer key holds no such random data for {self._check}: tell your instructor; "
                "`workbook update` with a newer release may mend it."
            )
        return value
