"""The hand examples of a problem's TOML file, as values of its library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbook.checks.case import Case
from workbook.content.problem import Example, Problem
from workbook.content.signatures import Interface


@dataclass(frozen=True)
class ExampleValues:
    """One example: the call's arguments by name, what it returns, and how exactly that is given."""

    call: str
    arguments: dict[str, Any]
    returns: Any
    tolerance: float | None  # relative to max|expected|; None where the numbers are exact


def as_values(problem: Problem) -> dict[str, ExampleValues]:
    """Every example by its name: nested lists become float64 (integers: int64) tensors or arrays."""
    return {example.name: _example(example, problem.library) for example in problem.examples}


def as_case(example: ExampleValues, interface: Interface) -> Case:
    """The call that an example shows; of "Class.method", the constructor's arguments are told by their names."""
    given = dict(example.arguments)
    init = None
    if "." in example.call:
        constructor = interface.signature(example.call.partition(".")[0])
        init = tuple(given.pop(name) for name in (constructor.parameters if constructor else ()))
    signature = interface.signature(example.call)
    required = [name for name in (signature.parameters if signature else ()) if name in given]
    required = [name for name in required if signature is not None and name not in signature.defaults]
    arguments = tuple(given.pop(name) for name in required)
    return Case(example.call, interface, arguments, init, keywords=given)


def _example(example: Example, library: str) -> ExampleValues:
    returns = _value(example.returns, library)
    tolerance = None
    if example.decimals is not None:
        tolerance = 0.5 * 10.0**-example.decimals / min(_scales(returns))
    arguments = {name: _value(item, library) for name, item in example.arguments.items()}
    return ExampleValues(example.call, arguments, returns, tolerance)


def _value(item: Any, library: str) -> Any:
    """A list is an array, unless a table is in it: then it stands for a tuple of values."""
    if isinstance(item, dict):
        return {name: _value(value, library) for name, value in item.items()}
    if not isinstance(item, list):
        return item
    if any(isinstance(part, dict) for part in item):
        return tuple(_value(part, library) for part in item)
    import numpy as np

    array = np.array(item)
    if library == "numpy":
        return array
    import torch

    return torch.from_numpy(array)


def _scales(value: Any) -> list[float]:
    """max|value| of every array in a result (1 where that is 0): what a tolerance is relative to."""
    if isinstance(value, dict):
        return [scale for item in value.values() for scale in _scales(item)]
    if isinstance(value, tuple):
        return [scale for item in value for scale in _scales(item)]
    return [float(abs(value).max() if hasattr(value, "max") else abs(value)) or 1.0]
