"""Find the first place where a learner's value differs from the expected one. Pure: no text for the learner here.

Values are trees, as the wire decodes them: None, bool, int, float, complex, str, bytes, list, tuple, dict, NumPy arrays
and torch tensors, each of exactly that type. NumPy and torch are looked up only once such a value has arrived, so
that importing this module stays cheap.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from workbook.compare.causes import is_time, shape_cause, time_axis
from workbook.compare.shown import apart, shorten

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Relative to the largest expected number of an array; every other dtype with a fraction is compared like float64.
TOLERANCES = {"float32": 1e-5, "complex64": 1e-5, "float16": 1e-2, "bfloat16": 2e-2}
_TOLERANCE = 1e-10

_LISTED_KEYS = 5

_NAMES: dict[type, str] = {
    type(None): "nothing (None)",
    bool: "a bool (True or False)",
    int: "a whole number",
    float: "a number",
    complex: "a complex number",
    str: "a string",
    bytes: "a bytes string",
    list: "a list",
    tuple: "a tuple",
    dict: "a dict",
}


@dataclass(frozen=True)
class Divergence:
    """The first place where a learner's value differs from the expected one.

    `index` and `axes` are the position and the names of its axes; `wrong` of `total` values differ by more than
    `allowed`; `largest` is the largest error found (infinite where a NaN or an infinity stands against a number).
    """

    kind: Literal["type", "keys", "length", "dtype", "device", "shape", "values"]
    expected: str
    got: str
    path: str = ""
    index: tuple[int, ...] = ()
    axes: tuple[str, ...] = ()
    largest: float = 0.0
    allowed: float = 0.0
    wrong: int = 0
    total: int = 0
    nans: int = 0
    cause: str = ""


@dataclass(frozen=True)
class _Rules:
    axes: tuple[str, ...]
    tolerance: float | None
    exact: bool

    def axes_of(self, dimensions: int) -> tuple[str, ...]:
        """The names of the axes where they fit this array; in a tree they need not fit every one.

        An array with one axis less is taken to be the state at one time.
        """
        timeless = tuple(name for name in self.axes if not is_time(name))
        return next((names for names in (self.axes, timeless) if len(names) == dimensions), ())


@dataclass(frozen=True)
class _Leaf:
    path: str
    got: Any
    expected: Any


def first_divergence(
    got: Any,
    expected: Any,
    *,
    axes: Sequence[str] = (),
    tolerance: float | None = None,
    exact: bool = False,
) -> Divergence | None:
    """The first divergence of `got` from `expected`, or None where they agree. It never raises.

    Stages, in this order, each over the whole tree: structure (types, keys, lengths), dtypes, devices, shapes, values.

    Args:
        axes: names of the axes of every array with that many axes. The first wrong value is the earliest along the
            axis called time, length, seq_len or step.
        tolerance: the error allowed, relative to the largest finite |expected| of the array (to 1 where that is 0).
            By default it follows from the dtype. Integers, bools and texts are always compared exactly.
        exact: numbers must be equal (0.0 equals -0.0, NaN equals NaN).
    """
    rules = _Rules(tuple(axes), tolerance, exact)
    leaves: list[_Leaf] = []
    found = _structure(_Leaf("", got, expected), leaves)
    if found is not None:
        return found
    for stage in (_dtype, _device, _shape, _values):
        for leaf in leaves:
            found = stage(leaf, rules)
            if found is not None:
                return replace(found, path=leaf.path)
    return None


# Structure


def _structure(leaf: _Leaf, leaves: list[_Leaf]) -> Divergence | None:
    """Compare types, keys and lengths from the root down; collect the pairs that hold values."""
    got, expected, path = leaf.got, leaf.expected, leaf.path
    if not _same_type(got, expected):
        return _type_divergence(leaf)
    if type(expected) is dict:
        missing, unexpected = _absent(expected, got), _absent(got, expected)
        if missing or unexpected:
            return Divergence("keys", expected=_listed(missing), got=_listed(unexpected), path=path)
    elif type(expected) in (list, tuple):
        if len(got) != len(expected):
            return Divergence("length", expected=str(len(expected)), got=str(len(got)), path=path)
    else:
        if expected is not None:
            leaves.append(leaf)
        return None
    for child in _children(leaf):
        found = _structure(child, leaves)
        if found is not None:
            return found
    return None


def _children(leaf: _Leaf) -> Iterator[_Leaf]:
    if type(leaf.expected) is dict:
        by_identity = {_identity(key): value for key, value in leaf.got.items()}
        for key, value in leaf.expected.items():
            yield _Leaf(f"{leaf.path}[{_label(key)}]", by_identity[_identity(key)], value)
    else:
        for index, (got, expected) in enumerate(zip(leaf.got, leaf.expected, strict=True)):
            yield _Leaf(f"{leaf.path}[{index}]", got, expected)


def _same_type(got: Any, expected: Any) -> bool:
    if type(got) is not type(expected):
        return type(got) is int and type(expected) is float
    return type(got) in _NAMES or _is_array(got) or _is_tensor(got)


def _type_divergence(leaf: _Leaf) -> Divergence:
    got = _type_name(leaf.got)
    if type(leaf.expected) is int and type(leaf.got) is float:
        got = "a number with a decimal point"
    # Inside a list or dict a None was put there on purpose; at the top it is what a function without return gives.
    cause = "is the return missing?" if leaf.got is None and not leaf.path else ""
    return Divergence("type", expected=_type_name(leaf.expected), got=got, path=leaf.path, cause=cause)


def _type_name(value: Any) -> str:
    if _is_tensor(value):
        return "a torch tensor"
    if _is_array(value):
        return "a NumPy array"
    if type(value) in _NAMES:
        return _NAMES[type(value)]
    # The wire's handle says which type it stands for. That is untrusted text.
    name = str(getattr(value, "type_name", ""))
    return f"an object of type {shorten(name) if name.isidentifier() else type(value).__name__}"


def _is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and type(value) is torch.Tensor


def _is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is numpy.ndarray


def _absent(keys: dict[Any, Any], other: dict[Any, Any]) -> list[Any]:
    present = {_identity(key) for key in other}
    return [key for key in keys if _identity(key) not in present]


def _identity(key: Any) -> Any:
    """What makes two keys the same: type and value, so that 1 is not True, and one NaN is another."""
    return type(key), repr(key) if type(key) is float else key


def _listed(keys: list[Any]) -> str:
    if not keys:
        return ""
    shown = ", ".join(_label(key) for key in keys[:_LISTED_KEYS])
    more = f" and {len(keys) - _LISTED_KEYS} more" if len(keys) > _LISTED_KEYS else ""
    return f"{'key' if len(keys) == 1 else 'keys'} {shown}{more}"


def _label(key: Any) -> str:
    return shorten(repr(key))  # repr escapes whatever a terminal could act on


# Dtype, device and shape: of arrays and tensors only


def _dtype(leaf: _Leaf, rules: _Rules) -> Divergence | None:
    got, expected = _dtype_name(leaf.got), _dtype_name(leaf.expected)
    return Divergence("dtype", expected=expected, got=got) if got != expected else None


def _dtype_name(value: Any) -> str:
    """The dtype of an array or a tensor; empty for anything else."""
    if _is_tensor(value):
        return str(value.dtype).removeprefix("torch.")
    return str(value.dtype.name) if _is_array(value) else ""


def _device(leaf: _Leaf, rules: _Rules) -> Divergence | None:
    if not _is_tensor(leaf.expected) or leaf.got.device.type == leaf.expected.device.type:
        return None
    return Divergence("device", expected=leaf.expected.device.type, got=leaf.got.device.type)


def _shape(leaf: _Leaf, rules: _Rules) -> Divergence | None:
    if not (_is_tensor(leaf.expected) or _is_array(leaf.expected)):
        return None
    got, expected = tuple(leaf.got.shape), tuple(leaf.expected.shape)
    if got == expected:
        return None
    axes = rules.axes_of(len(expected))
    cause = shape_cause(got, expected, axes)
    return Divergence("shape", expected=str(expected), got=str(got), axes=axes, cause=cause)


# Values


def _values(leaf: _Leaf, rules: _Rules) -> Divergence | None:
    got, expected = leaf.got, leaf.expected
    if _is_tensor(expected):
        if expected.device.type == "meta":  # has no values
            return None
        return _array_values(_from_tensor(got), _from_tensor(expected), _dtype_name(expected), rules)
    if _is_array(expected):
        return _array_values(got, expected, _dtype_name(expected), rules)
    if type(expected) in (float, complex):
        import numpy as np

        number_got = _as_float(got) if type(got) is int else got
        return _array_values(np.array(number_got), np.array(expected), "", rules)
    if got == expected:
        return None
    largest = abs(_as_float(got - expected)) if type(expected) is int else 0.0
    return Divergence("values", *apart(expected, got), largest=largest, wrong=1, total=1)


def _from_tensor(tensor: Any) -> NDArray[Any]:
    import torch

    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype.is_complex:
        tensor = tensor.to(torch.complex128)
    elif tensor.dtype.is_floating_point:  # NumPy knows no bfloat16
        tensor = tensor.to(torch.float64)
    array: NDArray[Any] = tensor.numpy()
    return array


def _as_float(x: int) -> float:
    """The nearest finite float."""
    try:
        return float(x)
    except OverflowError:
        return sys.float_info.max if x > 0 else -sys.float_info.max


@dataclass(frozen=True)
class _Errors:
    """What is wrong in two flat arrays: a mask, the size of the largest error, the size allowed."""

    wrong: NDArray[Any]
    largest: float
    allowed: float
    nans: int = 0


def _array_values(got: NDArray[Any], expected: NDArray[Any], dtype: str, rules: _Rules) -> Divergence | None:
    """Compare arrays of one shape and one dtype."""
    import numpy as np

    with np.errstate(all="ignore"):
        flat_got, flat_expected = got.reshape(-1), expected.reshape(-1)
        if expected.dtype.kind in "fc":
            tolerance = TOLERANCES.get(dtype, _TOLERANCE) if rules.tolerance is None else rules.tolerance
            errors = _float_errors(flat_got, flat_expected, tolerance, rules.exact)
        else:
            errors = _integer_errors(flat_got, flat_expected)
    if not errors.wrong.any():
        return None
    axes = rules.axes_of(expected.ndim)
    places = np.argwhere(errors.wrong.reshape(expected.shape))  # in C order
    time = time_axis(axes)
    place = places[0] if time is None else places[places[:, time].argmin()]
    index = tuple(int(i) for i in place)
    return Divergence(
        "values",
        *apart(expected[index].item(), got[index].item()),
        index=index,
        axes=axes,
        largest=errors.largest,
        allowed=errors.allowed,
        wrong=int(errors.wrong.sum()),
        total=expected.size,
        nans=errors.nans,
    )


def _float_errors(got: NDArray[Any], expected: NDArray[Any], tolerance: float, exact: bool) -> _Errors:
    import numpy as np

    wide = np.result_type(expected.dtype, np.float64)  # float64 or complex128
    got, expected = got.astype(wide), expected.astype(wide)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    finite = np.isfinite(got) & np.isfinite(expected)
    error = np.where(same, 0.0, np.where(finite, np.abs(got - expected), np.inf))
    sizes = np.abs(expected[np.isfinite(expected)])
    scale = min(float(sizes.max()), sys.float_info.max) if sizes.any() else 1.0
    # Finite, so that no tolerance lets a NaN or an infinity pass for a number.
    allowed = 0.0 if exact else min(tolerance * scale, sys.float_info.max)
    return _Errors(
        wrong=~same & (error > allowed),
        largest=float(error.max(initial=0.0)),
        allowed=allowed,
        nans=int((np.isnan(got) & ~np.isnan(expected)).sum()),
    )


def _integer_errors(got: NDArray[Any], expected: NDArray[Any]) -> _Errors:
    """Integers and bools, exactly. A float64 would merge neighbours beyond 2**53."""
    import numpy as np

    wrong = got != expected
    if expected.dtype.kind == "b":  # the distance of True from False says nothing
        return _Errors(wrong, largest=0.0, allowed=0.0)
    # Differences modulo 2**64 are right where the larger comes first, also for negative numbers.
    distance = np.maximum(got, expected).astype(np.uint64) - np.minimum(got, expected).astype(np.uint64)
    return _Errors(wrong, largest=float(distance.max(initial=0)), allowed=0.0)
