"""What is asked of a reference or a pitfall, as digests that are the same on every machine.

A plain call is named by what it is: source, function, arguments, seed. What objects answer also depends on what was
done to them before, so that a request about objects is named by all such requests of its run, from the first one on.
Arrays count by their values, not by the order of their memory, which may differ from one library version to the next.
"""

from __future__ import annotations

import hashlib
from typing import Any

from workbook.wire.codec import Handle, encode

BYTES = 16  # of a digest


class Questions:
    """Names the requests of one run to one source, in their order.

    Objects are numbered in the order in which the answers brought them: `met` tells of each.
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._past = hashlib.sha256(source.encode()).digest()
        self._objects: dict[int, int] = {}

    def met(self, handle: Handle) -> int:
        """The number of an object in this run."""
        return self._objects.setdefault(handle.id, len(self._objects) + 1)

    def name(self, op: str, fields: dict[str, Any]) -> bytes:
        """The digest of a request; one about objects becomes part of the past of those that follow."""
        asked = encode(self._canonical({"op": op, **fields}))
        if is_plain(op, fields):
            return hashlib.sha256(b"plain" + self._source.encode() + asked).digest()[:BYTES]
        self._past = hashlib.sha256(self._past + asked).digest()
        return self._past[:BYTES]

    def _canonical(self, value: Any) -> Any:
        if type(value) is Handle:
            return ("object", self.met(value))
        if type(value) in (list, tuple):
            return type(value)(self._canonical(item) for item in value)
        if type(value) is dict:
            return {key: self._canonical(item) for key, item in value.items()}
        if type(value).__module__.startswith("torch"):
            import torch

            size = tuple(value.shape)
            kind = ("tensor", str(value.dtype), value.device.type, bool(value.requires_grad), size)
            if value.device.type == "meta":
                return kind
            return (*kind, value.detach().reshape(-1).contiguous().view(torch.uint8).numpy().tobytes())
        if type(value).__module__.startswith("numpy"):
            return ("array", value.dtype.name, tuple(value.shape), value.tobytes())
        return value


def is_plain(op: str, fields: dict[str, Any]) -> bool:
    """Whether a request is a call without objects, so that its answer is the same whenever it is asked."""
    return op in ("call", "vjp") and not fields.get("keep") and not any(map(_holds_objects, fields.values()))


def _holds_objects(value: Any) -> bool:
    if type(value) is Handle:
        return True
    if type(value) in (list, tuple):
        return any(map(_holds_objects, value))
    return type(value) is dict and any(map(_holds_objects, value.values()))
