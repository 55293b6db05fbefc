"""A failing input as lines that can be pasted into a console, and the two answers to it side by side."""

from __future__ import annotations

from typing import Any

from workbook.checks.case import Case

WIDTH = 100


def paste(case: Case, module: str, library: str) -> str:
    """Lines of Python that make the same call, or "" where a line would be too long to read.

    `module` is what the function is imported from; "" where it cannot be.
    """
    assert isinstance(case.target, str)
    name, _, method = case.target.partition(".")
    lines = ["import torch" if library == "torch" else "import numpy as np"]
    lines += [f"from {module} import {name}"] if module else []
    for argument, value in case.args.items():
        lines.append(f"{argument} = {literal(value)}")
    keywords = case.interface.signature(case.target)
    defaults = keywords.defaults if keywords else frozenset()
    call = ", ".join(
        [
            *(f"{item}={item}" if item in defaults else item for item in case.names[: len(case.arguments)]),
            *(f"{item}={item}" for item in case.keywords),
        ]
    )
    start = f"{name}({', '.join(case.init_names)}).{method}" if method else name
    lines.append(f"print({start}({call}))")
    return "\n".join(lines) if all(len(line) <= WIDTH - 4 for line in lines) else ""


def literal(value: Any) -> str:
    """A value as an expression that makes it again."""
    kind = type(value).__module__
    if kind.startswith("torch"):
        numbers = value.float() if value.is_floating_point() and value.itemsize < 4 else value  # NumPy lacks bfloat16
        return f"torch.tensor({_numbers(_shortest(numbers.numpy()))}, dtype={value.dtype})"
    if kind.startswith("numpy"):
        return f"np.array({_numbers(_shortest(value))}, dtype=np.{value.dtype})"
    return repr(value)


def _shortest(array: Any) -> Any:
    """Nested lists in which a float32 is the shortest number that gives it, not its expansion in float64."""
    return array.astype(str).astype("float64").tolist() if array.dtype == "float32" else array.tolist()


def _numbers(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_numbers(item) for item in value) + "]"
    return repr(value)


def told_apart(expected: Any, got: Any) -> tuple[str, str]:
    """Two results on a line each, with enough digits to differ; ("", "") where that does not fit a line."""
    kinds = [_kind(value) for value in (expected, got)]
    if kinds[0] != kinds[1]:
        return f"{kinds[0]} {_brief(expected, 6)}".strip(), f"{kinds[1]} {_brief(got, 6)}".strip()
    for digits in (6, 9, 12, 17):
        shown = _brief(expected, digits), _brief(got, digits)
        if "" in shown:
            return "", ""
        if shown[0] != shown[1]:
            return shown
    return "", ""


def _kind(value: Any) -> str:
    """Type and dtype, in short."""
    if hasattr(value, "dtype"):
        library = "tensor" if type(value).__module__.startswith("torch") else "array"
        return f"{library} of {str(value.dtype).removeprefix('torch.')}"
    return type(value).__name__


def _brief(value: Any, digits: int) -> str:
    """A result on one line, or "" where it does not fit."""
    kind = type(value)
    if kind.__module__.startswith(("torch", "numpy")):
        shown = _list(value.tolist(), digits)
    elif kind is dict:
        shown = ", ".join(f"{key} {_brief(item, digits)}" for key, item in value.items())
    else:
        shown = repr(value)
    return shown if len(shown) <= WIDTH - 16 else ""


def _list(value: Any, digits: int) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_list(item, digits) for item in value) + "]"
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)
