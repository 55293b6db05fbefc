"""The smallest input on which a submission still fails, as lines that can be pasted into Python.

The candidates are cut from the check's own input by a fixed ladder that never looks at the learner's values, so that
the reference's answers to them can be recorded beforehand. Their numbers are rounded to two places, to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from workbook.checks.case import Case
from workbook.compare.causes import TIME_AXES

STEPS = (1, 2, 3, 4)
MOST_NUMBERS = 48  # in all arguments together: more cannot be read
LONG = 100  # steps: so many are not stretched further, since nothing new would show


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
