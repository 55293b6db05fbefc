"""A divergence in plain sentences: what is wrong first, then how much of it. Nothing here computes a verdict."""

from __future__ import annotations

from workbook.compare.causes import is_time
from workbook.compare.divergence import Divergence
from workbook.compare.shown import number, shorten

_LONGEST_PATH = 60  # columns


def describe(divergence: Divergence) -> str:
    """Sentences for the learner, one a line; whoever shows them wraps them."""
    first = _FIRST[divergence.kind](divergence)
    if divergence.path:
        first = f"In {shorten('result' + divergence.path, _LONGEST_PATH)}: {first[0].lower()}{first[1:]}"
    lines = [first]
    if divergence.kind == "values" and (extent := _extent(divergence)):
        lines.append(extent)
    return "\n".join(lines)


def _type(divergence: Divergence) -> str:
    return _sentence(f"Wrong type: expected {divergence.expected}, got {divergence.got}", divergence.cause)


def _keys(divergence: Divergence) -> str:
    parts = []
    if divergence.expected:
        parts.append(f"Missing {divergence.expected}.")
    if divergence.got:
        parts.append(f"Unexpected {divergence.got}.")
    return " ".join(parts)


def _length(divergence: Divergence) -> str:
    items = "item" if divergence.expected == "1" else "items"
    return f"Wrong length: expected {divergence.expected} {items}, got {divergence.got}."


def _dtype(divergence: Divergence) -> str:
    return f"Wrong dtype: expected {divergence.expected}, got {divergence.got}."


def _device(divergence: Divergence) -> str:
    return (
        f"Wrong device: expected {divergence.expected}, got {divergence.got}. "
        "The result belongs on the device of the inputs."
    )


def _shape(divergence: Divergence) -> str:
    names = f" = ({', '.join(divergence.axes)})" if divergence.axes else ""
    return _sentence(f"Wrong shape: expected {divergence.expected}{names}, got {divergence.got}", divergence.cause)


def _values(divergence: Divergence) -> str:
    place = _place(divergence.index, divergence.axes)
    return f"Wrong value{place}: expected {divergence.expected}, got {divergence.got}."


_FIRST = {
    "type": _type,
    "keys": _keys,
    "length": _length,
    "dtype": _dtype,
    "device": _device,
    "shape": _shape,
    "values": _values,
}


def _place(index: tuple[int, ...], axes: tuple[str, ...]) -> str:
    """ " at time 3 (batch 0, channel 1, all counted from 0)": the time comes first; nothing for a single number."""
    if not index:
        return ""
    if not axes:
        if len(index) == 1:
            return f" at index {index[0]} (counted from 0)"
        return f" at {', '.join(f'axis {axis} = {i}' for axis, i in enumerate(index))} (all counted from 0)"
    times = [f"{_clock(axis)} {i}" for axis, i in zip(axes, index, strict=True) if is_time(axis)]
    others = [f"{axis} {i}" for axis, i in zip(axes, index, strict=True) if not is_time(axis)]
    if times and others:
        return f" at {', '.join(times)} ({', '.join(others)}, all counted from 0)"
    counted = "counted from 0" if len(index) == 1 else "all counted from 0"
    return f" at {', '.join(times or others)} ({counted})"


def _clock(axis: str) -> str:
    """A position on an axis called "length" is a time, not a length."""
    return "step" if axis == "step" else "time"


def _extent(divergence: Divergence) -> str:
    """How many values are off, by how much, and how many are NaN. Nothing where the first sentence says it all."""
    size = _size(divergence)
    if divergence.total == 1:
        return f"{size[0].upper()}{size[1:]}." if size and divergence.allowed else ""
    count = f"{divergence.wrong} of {divergence.total} values {'is' if divergence.wrong == 1 else 'are'} off"
    line = f"{count}; {size}." if size else f"{count}."
    if divergence.nans == 0 or divergence.wrong == 1:  # the first sentence shows a single NaN
        return line
    if divergence.nans == divergence.wrong:
        return f"{line} All of them are NaN."
    return f"{line} {divergence.nans} of them {'is' if divergence.nans == 1 else 'are'} NaN."


def _size(divergence: Divergence) -> str:
    """The largest error against the allowed one. Empty where an error has no size: texts, True and False, NaN."""
    if divergence.largest == 0:
        return ""
    if divergence.largest == float("inf"):
        if divergence.nans == divergence.wrong or divergence.total == 1:
            return ""
        return f"the largest error is infinite, allowed is {number(divergence.allowed, 3)}"
    largest = "the error" if divergence.wrong == 1 else "the largest error"
    return f"{largest} is {number(divergence.largest, 3)}, allowed is {number(divergence.allowed, 3)}"


def _sentence(text: str, cause: str) -> str:
    text = f"{text}: {cause}" if cause else text
    return text if text.endswith("?") else f"{text}."
