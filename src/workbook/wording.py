"""A divergence in plain sentences: what is wrong first, then how much of it. Nothing here computes a verdict."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from workbook.model import TIME_AXES, Divergence

_ALL_DIGITS = 17  # tell any two float64 apart, and repr needs no more
_LONGEST_INT = 20  # digits: the whole of uint64
_LONGEST_PATH = 60  # columns
_LONGEST_TEXT = 36  # columns of a string, between its quotes


def describe(divergence: Divergence) -> str:
    """Sentences for the learner, one a line; whoever shows them wraps them."""
    first = _FIRST[divergence.kind](divergence)
    if divergence.path:
        first = f"In {shorten('result' + divergence.path, _LONGEST_PATH)}: {first[0].lower()}{first[1:]}"
    lines = [first]
    if divergence.kind == "values" and (extent := _extent(divergence)):
        lines.append(extent)
    return "\n".join(lines)


def number(x: Any, digits: int = 6) -> str:
    """A readable form of a number with up to `digits` significant digits; whole numbers of Python are kept whole.

    Takes Python numbers, NumPy scalars, and arrays or tensors of one value.
    """
    if hasattr(x, "item"):
        x = x.item()
    if isinstance(x, bool):
        return str(x)
    if isinstance(x, int):
        # str() refuses integers of thousands of digits, and nobody would read them.
        if abs(x) < 10**_LONGEST_INT:
            return str(x)
        return _tidy(f"{Decimal(x):.{digits - 1}e}")
    if isinstance(x, complex):
        imaginary = number(x.imag, digits)
        return f"{number(x.real, digits)}{'' if imaginary.startswith('-') else '+'}{imaginary}j"
    return _tidy(repr(float(x)) if digits >= _ALL_DIGITS else f"{x:.{digits}g}")


def apart(expected: Any, got: Any) -> tuple[str, str]:
    """Two different values of one type as texts.

    Numbers get 6 significant digits or as many as it takes to tell them apart; long strings and bytes are cut around
    the first difference.
    """
    if isinstance(expected, (str, bytes)):
        if max(_columns(expected), _columns(got)) <= _LONGEST_TEXT:
            return repr(expected), repr(got)
        shared = min(len(expected), len(got))
        first = next((at for at in range(shared) if expected[at] != got[at]), shared)
        start = first - _fitting(expected[:first][::-1], _LONGEST_TEXT // 2)
        return _window(expected, start), _window(got, start)
    texts = number(expected), number(got)
    for digits in range(7, _ALL_DIGITS + 1):
        if texts[0] != texts[1]:
            break
        texts = number(expected, digits), number(got, digits)
    return texts


def shorten(text: str, longest: int = _LONGEST_TEXT) -> str:
    """The text, with its middle left out where it is longer."""
    if len(text) <= longest:
        return text
    half = (longest - 3) // 2
    return f"{text[:half]}...{text[-half:]}"


def is_time(axis: str) -> bool:
    """Whether an axis of this name is the time axis."""
    return axis in TIME_AXES


def _tidy(text: str) -> str:
    """1.5e+16 becomes 1.5e16, 1e-05 becomes 1e-5, -0 becomes 0."""
    if text in ("nan", "-nan"):
        return "NaN"
    mantissa, _, exponent = text.partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    if exponent:
        return f"{mantissa}e{int(exponent)}"
    return "0" if mantissa == "-0" else mantissa


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


def _window(text: str | bytes, start: int) -> str:
    end = start + _fitting(text[start:], _LONGEST_TEXT)
    return f"{'...' if start else ''}{text[start:end]!r}{'...' if end < len(text) else ''}"


def _columns(text: str | bytes) -> int:
    """What a text takes between its quotes: one escaped character can take ten."""
    return len(repr(text)) - len(repr(text[:0]))


def _fitting(text: str | bytes, columns: int) -> int:
    """How many characters from the start of a text fit into some columns, escaped; at least one where there is one."""
    taken = 0
    for at in range(len(text)):
        taken += _columns(text[at : at + 1])
        if taken > columns:
            return max(at, 1)
    return len(text)
