"""The smallest input on which a submission still fails, as lines that can be pasted into Python.

The candidates are cut from the check's own input by a fixed ladder that never looks at the learner's values, so that
the reference's answers to them can be recorded beforehand. Their numbers are rounded to two places, to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from workbook.grader.case import Case
from workbook.model import TIME_AXES

STEPS = (1, 2, 3, 4)
MOST_NUMBERS = 48  # in all arguments together: more cannot be read
LONG = 100  # steps: so many are not stretched further, since nothing new would show
WIDTH = 100


def ladder(case: Case) -> Iterator[Case]:
    """Ever larger cuts of a case: one row and channel over 1 to 4 steps, then two of each, then all of them."""
    axes = case.axes()
    sizes = _sizes(case, axes)
    if not sizes:
        return
    time = next((name for name in sizes if name in TIME_AXES), None)
    steps = [step for step in STEPS if time is not None and step <= sizes[time]] or [1]
    seen = set()
    for step, others in [*((step, 1) for step in steps), (steps[-1], 2), (steps[-1], 10**9)]:
        wanted = tuple((name, min(size, step if name == time else others)) for name, size in sizes.items())
        if wanted not in seen:
            seen.add(wanted)
            yield case.with_args(_cut(case, axes, dict(wanted)))


def smallest(case: Case, fails: Callable[[Case], bool]) -> Case | None:
    """The first rung of the ladder that fails and is small enough to be shown, or None."""
    return next((candidate for candidate in readable(case) if fails(candidate)), None)


def readable(case: Case) -> Iterator[Case]:
    """The rungs of the ladder that are small enough to be shown."""
    for candidate in ladder(case):
        if _count(candidate) > MOST_NUMBERS:
            return
        yield candidate


def stretched(case: Case) -> Case | None:
    """The same call with other numbers, and three times the steps where they are few, or None where the axes are not known.

    It depends on the check's own input only. Integers stay as they are: they may be ids or lengths.
    """
    axes = case.axes()
    sizes = _sizes(case, axes)
    time = next((name for name in sizes if name in TIME_AXES), None)
    if not sizes or case.cotangent is not None:
        return None
    values = {}
    for name, value in case.args.items():
        if hasattr(value, "shape"):
            for axis, label in enumerate(axes[name]):
                if label == time and sizes[label] < LONG:
                    value = _tripled(value, axis)
            value = _varied(value)
        values[name] = value
    return case.with_args(values)


def _tripled(value: Any, axis: int) -> Any:
    if type(value).__module__.startswith("torch"):
        import torch

        return torch.cat([value] * 3, dim=axis)
    import numpy as np

    return np.concatenate([value] * 3, axis=axis)


def _varied(value: Any) -> Any:
    """Other numbers of the same sign and a similar size, different at each place.

    Whole numbers and the four operations only, which round alike on every machine: recorded answers are for these
    numbers to the last bit.
    """
    if type(value).__module__.startswith("torch"):
        import torch

        if not value.is_floating_point():
            return value
        places = torch.arange(value.numel(), dtype=torch.float64).reshape(value.shape)
        return (value.double() * (0.4 + _scattered(places, 101)) + 0.01 * _scattered(places, 97)).to(value.dtype)
    import numpy as np

    if value.dtype.kind != "f":
        return value
    steps = np.arange(value.size, dtype=float).reshape(value.shape)
    return (value * (0.4 + _scattered(steps, 101)) + 0.01 * _scattered(steps, 97)).astype(value.dtype)


def _scattered(places: Any, prime: int) -> Any:
    """A number in [0, 1) for each whole number, float64 as they are; neighbours get numbers that lie apart."""
    return (places * 37 + 11) % prime / prime


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


def _sizes(case: Case, axes: Mapping[str, tuple[str, ...]]) -> dict[str, int]:
    """Size of each named axis; none at all where an annotation is computed ("4*hidden"), sizes disagree, or a tensor is
    on the meta device, which has no numbers to show or to vary."""
    sizes: dict[str, int] = {}
    for name, value in case.args.items():
        shape = getattr(value, "shape", None)
        if shape is None:
            continue
        if str(getattr(value, "device", "")) == "meta":
            return {}
        names = axes.get(name, ())
        if len(names) != len(shape) or not all(axis.isidentifier() for axis in names):
            return {}
        for axis, size in zip(names, shape, strict=True):
            if sizes.setdefault(axis, size) != size:
                return {}
    return sizes


def _cut(case: Case, axes: Mapping[str, tuple[str, ...]], sizes: Mapping[str, int]) -> dict[str, Any]:
    values = {}
    for name, value in case.args.items():
        if hasattr(value, "shape"):
            index = tuple(slice(0, sizes[axis]) for axis in axes[name])
            value = _rounded(value[index])
        values[name] = value
    return values


def _rounded(value: Any) -> Any:
    """A contiguous copy with floats rounded to two places."""
    if type(value).__module__.startswith("torch"):
        value = value.clone().contiguous()
        return value.double().mul(100).round().div(100).to(value.dtype) if value.is_floating_point() else value
    return value.round(2).copy() if value.dtype.kind == "f" else value.copy()


def _count(case: Case) -> int:
    total = 0
    for value in case.args.values():
        if hasattr(value, "shape"):
            count = 1
            for size in value.shape:
                count *= size
            total += count
    return total
