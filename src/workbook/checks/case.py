"""One comparison: what is called with what, and how it runs on a side."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbook.checks.sides import Side
from workbook.content.signatures import Interface


@dataclass(frozen=True)
class Observation:
    """What one side did: its value, the names of the arguments it changed, the gradients where they were asked for."""

    value: Any
    changed: tuple[str, ...] = ()
    gradients: dict[str, Any] | None = None


@dataclass(frozen=True)
class Case:
    """A call to be made alike on learner, reference and pitfalls.

    `args` names every value that goes in, those of the constructor first; `expected` and `got` are filled in for the
    functions that explain a failure.
    """

    target: str | Callable[..., Any]
    interface: Interface
    arguments: tuple[Any, ...]
    init: tuple[Any, ...] | None = None
    keywords: Mapping[str, Any] = field(default_factory=dict)
    cotangent: Any = None
    expected: Any = None
    got: Any = None

    @property
    def entry_point(self) -> str:
        """The name whose pitfalls can explain a difference, or "" where a program calls several."""
        return self.target.partition(".")[0] if isinstance(self.target, str) else ""

    @property
    def args(self) -> dict[str, Any]:
        named = dict(zip(self.init_names, self.init or (), strict=False))
        named.update(zip(self.names, self.arguments, strict=False))
        return {**named, **self.keywords}

    @property
    def init_names(self) -> tuple[str, ...]:
        return self._names(self.entry_point) if self.init is not None else ()

    @property
    def names(self) -> tuple[str, ...]:
        if callable(self.target):
            return tuple(inspect.signature(self.target).parameters)[1:]
        return self._names(self.target)

    def axes(self) -> dict[str, tuple[str, ...]]:
        """The axis names of every argument, as the task's annotations give them."""
        found: dict[str, tuple[str, ...]] = {}
        if isinstance(self.target, str):
            for target in (self.entry_point, self.target):
                signature = self.interface.signature(target)
                found.update(signature.axes if signature else {})
        return found

    def result_axes(self) -> tuple[str, ...]:
        """The axis names of the result, as the task's annotation gives them."""
        signature = self.interface.signature(self.target) if isinstance(self.target, str) else None
        return signature.returns if signature else ()

    def with_args(self, values: Mapping[str, Any]) -> Case:
        """The same call on other values of the same names."""
        return replace(
            self,
            arguments=tuple(values[name] for name in self.names[: len(self.arguments)]),
            init=None if self.init is None else tuple(values[name] for name in self.init_names[: len(self.init)]),
            keywords={name: values[name] for name in self.keywords},
        )

    def run(self, side: Side) -> Observation:
        """Make the call on one side. What the side raises passes through."""
        side = side._anew()
        if callable(self.target):
            return Observation(self.target(side, *self.arguments, **self.keywords))
        name, _, method = self.target.partition(".")
        if not method:
            function = getattr(side, name)
        elif self.cotangent is not None:
            # The weights are put there, so that gradients can reach them.
            weights = [side.put(value, requires_grad=True) for value in self.init or ()]
            function = getattr(getattr(side, name)(*weights), method)
            return self._gradients(function, weights)
        else:
            function = getattr(getattr(side, name)(*(self.init or ())), method)
        if self.cotangent is not None:
            return self._gradients(function, [])
        reply = function.reply(*self.arguments, **self.keywords)
        return Observation(reply["value"], self._changed(reply.get("changed")))

    def _gradients(self, function: Any, weights: Sequence[Any]) -> Observation:
        value, gradients = function.vjp(self.arguments, self.cotangent, wrt=weights, **self.keywords)
        floats = [name for name, item in zip(self.names, self.arguments, strict=False) if _differentiable(item)]
        floats += [name for name, item in self.keywords.items() if _differentiable(item)]
        return Observation(value, gradients=dict(zip([*floats, *self.init_names], gradients, strict=False)))

    def _changed(self, places: Any) -> tuple[str, ...]:
        names = [*self.names[: len(self.arguments)], *self.keywords]
        if type(places) is not list:
            return ()
        # Required arguments travel before those with defaults, which keeps the order of the names.
        return tuple(names[place] for place in places if type(place) is int and 0 <= place < len(names))

    def _names(self, target: str) -> tuple[str, ...]:
        signature = self.interface.signature(target)
        return signature.parameters if signature else ()


def _differentiable(value: Any) -> bool:
    check = getattr(value, "is_floating_point", None)
    return check is not None and (check() or value.is_complex())
