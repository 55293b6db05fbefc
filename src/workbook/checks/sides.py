"""What a grader writes `learner` and `reference` with: one interface, whatever stands behind it.

Functions are called by name and return plain values; objects (instances of the submission's classes, tensors put
there, support models) stay in their process and are `Remote` here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from workbook.content.signatures import Interface
from workbook.errors import BrokenWorkbook
from workbook.wire.codec import Handle


class Backend(Protocol):
    """What stands behind a side."""

    def request(self, op: str, **fields: Any) -> dict[str, Any]: ...

    def session(self) -> Backend:
        """The backend for one run that shares no object with those before it."""


class Side:
    """The submission (or the reference, or a pitfall) as a grader sees it: `side.name(...)` calls `name`."""

    def __init__(self, backend: Backend, interface: Interface, seed: int = 0) -> None:
        self._backend = backend
        self._interface = interface
        self._seed = seed

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return Function(self, ["name", name], name, keep=name in self._interface.classes)

    @property
    def seed(self) -> int:
        """What the generators are seeded with before each call."""
        return self._seed

    def _anew(self) -> Side:
        """This side for one more run, whose answers depend on nothing that was asked before."""
        return Side(self._backend.session(), self._interface, self._seed)

    def put(self, tensor: Any, *, requires_grad: bool = False) -> Remote:
        """Send a tensor to stay in the other process."""
        return self._remote(self._request("put", value=tensor, requires_grad=requires_grad))

    @property
    def support(self) -> Support:
        """The classes and functions of graders/support, which run in the learner's process."""
        return Support(self)

    def _request(self, op: str, **fields: Any) -> dict[str, Any]:
        reply = self._backend.request(op, **fields)
        if "value" not in reply:
            raise BrokenWorkbook(f"a reply to {op} has no value.")
        return reply

    def _remote(self, reply: dict[str, Any], class_name: str = "") -> Remote:
        handle = reply["value"]
        if type(handle) is not Handle:
            raise BrokenWorkbook("an object was asked for and a value came.")
        return Remote(self, handle, class_name)


class Support:
    def __init__(self, side: Side) -> None:
        self._side = side

    def __getattr__(self, name: str) -> Function:
        return Function(self._side, ["support", name], "", keep=True)


class Function:
    """One function or method on the other side."""

    def __init__(self, side: Side, target: list[Any], signature: str, *, keep: bool) -> None:
        self._side = side
        self._target = target
        self._signature = signature
        self._keep = keep

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        """The returned value; for a class, the object, which stays there."""
        reply = self.reply(*arguments, **keywords)
        return self._side._remote(reply, self._signature) if self._keep else reply["value"]

    def keep(self, *arguments: Any, **keywords: Any) -> Remote:
        """Call, and leave the returned object where it is."""
        return self._side._remote(self._ask("call", arguments, keywords, keep=True))

    def reply(self, *arguments: Any, **keywords: Any) -> dict[str, Any]:
        """The whole reply: `value`, and `changed`, the places of the arguments that the call modified."""
        return self._ask("call", arguments, keywords, keep=self._keep)

    def count(self, method: str, *arguments: Any, **keywords: Any) -> tuple[Any, int]:
        """The value, and how often `method` of the same object was called during the call."""
        reply = self._ask("call", arguments, keywords, keep=False, count=method)
        calls = reply.get("calls")
        return reply["value"], calls if type(calls) is int else -1

    def vjp(
        self, arguments: Sequence[Any], cotangent: Any, *, wrt: Sequence[Remote] = (), **keywords: Any
    ) -> tuple[Any, list[Any]]:
        """The value of a call and the gradients of <value, cotangent>: one for every float tensor argument, in order,
        then one for every held tensor of `wrt`; None where no gradient arrives."""
        handles = [remote._handle for remote in wrt]
        reply = self._ask("vjp", tuple(arguments), keywords, cotangent=cotangent, wrt=handles)
        gradients = reply.get("gradients")
        return reply["value"], gradients if type(gradients) is list else []

    def _ask(self, op: str, arguments: tuple[Any, ...], keywords: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
        signature = self._side._interface.signature(self._signature) if self._signature else None
        named: dict[str, Any] = {}
        if signature is not None:
            arguments, named = signature.split(arguments)
        return self._side._request(
            op,
            target=self._target,
            args=_handles(list(arguments)),
            kwargs=_handles({**named, **keywords}),
            seed=self._side._seed,
            **fields,
        )


class Remote:
    """An object that lives on the other side. `remote.method(...)` calls it; `remote[:, t]` is a view made there."""

    def __init__(self, side: Side, handle: Handle, class_name: str = "") -> None:
        self._side = side
        self._handle = handle
        self._class_name = class_name

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        signature = f"{self._class_name}.{name}" if self._class_name else ""
        return Function(self._side, ["object", self._handle, name], signature, keep=False)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return Function(self._side, ["object", self._handle, "__call__"], "", keep=False)(*arguments, **keywords)

    def __getitem__(self, index: Any) -> Remote:
        items = index if type(index) is tuple else (index,)
        sent = [[item.start, item.stop, item.step] if type(item) is slice else item for item in items]
        return self._side._remote(self._side._request("view", handle=self._handle, index=sent))

    def get(self) -> Any:
        """The object's value, where it is plain data."""
        return self._side._request("get", handle=self._handle)["value"]

    def attr(self, name: str) -> Any:
        """The value of one attribute."""
        return self._side._request("attr", handle=self._handle, name=name)["value"]

    def parameters_count(self) -> int:
        """How many numbers the parameters of this nn.Module hold."""
        count = self._side._request("parameters", handle=self._handle)["value"]
        return count if type(count) is int else -1


def _handles(value: Any) -> Any:
    if type(value) is Remote:
        return value._handle
    if type(value) in (list, tuple):
        return type(value)(_handles(item) for item in value)
    if type(value) is dict:
        return {key: _handles(item) for key, item in value.items()}
    return value
