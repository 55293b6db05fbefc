"""Numbers and texts as a sentence shows them: short, and different where the values differ."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

_ALL_DIGITS = 17  # tell any two float64 apart, and repr needs no more


_LONGEST_INT = 20  # digits: the whole of uint64


_LONGEST_TEXT = 36  # columns of a string, between its quotes


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
