"""The hand examples of a problem's TOML file, as values of its library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbook.model import Problem


@dataclass(frozen=True)
class ExampleValues:
    """One example: the call's arguments by name, what it returns, and how exactly that is given."""

    call: str
    arguments: dict[str, Any]
    returns: Any
    tolerance: float | None  # relative to max|expected|; None where the numbers are exact


def as_values(problem: Problem) -> dict[str, ExampleValues]:
    """Every example by its name: nested lists become float64 (integers: int64) tensors or arrays."""
    return {
        example.name: ExampleValues(
            example.call,
            {name: _value(item, problem.library) for name, item in example.arguments.items()},
            _value(example.returns, problem.library),
            None if example.decimals is None else 0.5 * 10.0**-example.decimals,
        )
        for example in problem.examples
    }


def _value(item: Any, library: str) -> Any:
    if isinstance(item, dict):
        return {name: _value(value, library) for name, value in item.items()}
    if not isinstance(item, list):
        return item
    import numpy as np

    array = np.array(item)
    if library == "numpy":
        return array
    import torch

    return torch.from_numpy(array)
