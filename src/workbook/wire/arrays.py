"""Arrays and tensors as bytes: dtype, shape, order of strides, requires_grad, and the elements.

A payload is

    flags (1 byte) · length of the dtype's name (1) · the name · number of dimensions (1)
    · each dimension (8, big-endian) · the layout (1 a dimension) · the elements, in the machine's byte order

The layout lists the dimensions from the largest stride to the smallest. The elements stand in that order, so that a
transposed view arrives transposed. A tensor on the device "meta" has no elements.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbook.errors import WireError

if TYPE_CHECKING:
    import numpy as np
    import torch

MAX_DIMENSIONS = 32
# Far more than can be sent, and far less than the 64 bits at which numpy and torch raise errors of their own.
MAX_ELEMENTS = 2**40

REQUIRES_GRAD, META = 1, 2

ITEM_SIZES = {
    "bool": 1,
    **{f"{kind}{bits}": bits // 8 for kind in ("uint", "int") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": bits // 8 for bits in (16, 32, 64)},
    **{f"complex{bits}": bits // 8 for bits in (64, 128)},
}
TENSOR_ITEM_SIZES = {**ITEM_SIZES, "bfloat16": 2}

# A bool is a byte, and a view of an array of other numbers may hold any byte. Two "true" bytes that differ compare in
# ways that depend on the instruction used, so that only 0 and 1 travel.
TRUTH = bytes([0]) + bytes([1]) * 255

Reserve = Callable[[int], None]


class CannotTravel(WireError):
    """A value that has no form on the wire. The message names it as a noun phrase: "a value of type Foo"."""


@dataclass(frozen=True)
class _Head:
    """What a payload says before its elements."""

    flags: int
    dtype: str
    shape: tuple[int, ...]
    layout: tuple[int, ...]

    def pack(self) -> bytes:
        name = self.dtype.encode("ascii")
        size = len(self.shape)
        return struct.pack(
            f">BB{len(name)}sB{size}Q{size}B", self.flags, len(name), name, size, *self.shape, *self.layout
        )


def encode_array(array: np.ndarray[Any, Any], reserve: Reserve) -> tuple[bytes, bytes | memoryview]:
    """The head and the elements of an ndarray of any supported dtype and of at most 32 dimensions.

    `reserve(n)` is called before any copy is made and raises where n more bytes do not fit. The elements may share the
    array's memory. Raises CannotTravel.
    """
    import numpy as np

    name = array.dtype.name
    if ITEM_SIZES.get(name) != array.dtype.itemsize:
        raise CannotTravel(f"an array of dtype {name}")
    shape = tuple(array.shape)
    _check_travels("an array", shape)
    reserve(array.nbytes)
    layout = _layout(shape, array.strides)
    native = array.astype(np.dtype(name), copy=False)
    flat = np.ascontiguousarray(native.transpose(layout)).reshape(-1).view(np.uint8)
    return _Head(0, name, shape, layout).pack(), _elements(name, flat.data)


def encode_tensor(tensor: torch.Tensor, reserve: Reserve) -> tuple[bytes, bytes | memoryview]:
    """The head and the elements of a dense tensor on the CPU or on "meta"; otherwise as `encode_array`."""
    import torch

    if tensor.is_quantized:
        raise CannotTravel("a quantised tensor")
    if tensor.is_nested:
        raise CannotTravel("a nested tensor")
    if tensor.layout is not torch.strided:
        raise CannotTravel("a sparse tensor (call .to_dense() first)")
    if tensor.device.type not in ("cpu", "meta"):
        raise CannotTravel(f"a tensor on the device {tensor.device} (call .cpu() first)")
    name = str(tensor.dtype).removeprefix("torch.")
    if name not in TENSOR_ITEM_SIZES:
        raise CannotTravel(f"a tensor of dtype {name}")
    shape = tuple(tensor.shape)
    _check_travels("a tensor", shape)
    layout = _layout(shape, tensor.stride())
    meta = tensor.device.type == "meta"
    head = _Head(REQUIRES_GRAD * tensor.requires_grad + META * meta, name, shape, layout).pack()
    if meta:
        return head, b""
    reserve(tensor.numel() * TENSOR_ITEM_SIZES[name])
    try:
        plain = tensor.detach().resolve_conj().resolve_neg()
        flat = plain.permute(layout).contiguous().reshape(-1).view(torch.uint8).numpy()
    except RuntimeError:
        # The tensors inside torch.vmap and torch.func.grad look like any other and have no memory of their own.
        raise CannotTravel("a tensor whose numbers cannot be read here (is it still inside vmap or grad?)") from None
    return head, _elements(name, flat.data)


def decode_array(payload: bytes) -> np.ndarray[Any, Any]:
    """The ndarray of a payload, in writable memory of its own. Raises WireError."""
    import numpy as np

    head, elements = _read_head(payload, ITEM_SIZES)
    if head.flags:
        raise WireError("an array with flags that only tensors have")
    _check_elements(head, elements, ITEM_SIZES)
    stored = np.ndarray([head.shape[axis] for axis in head.layout], np.dtype(head.dtype), buffer=elements).copy()
    if head.layout == tuple(range(len(head.shape))):
        return stored
    return stored.transpose(np.argsort(head.layout))


def decode_tensor(payload: bytes) -> torch.Tensor:
    """The tensor of a payload: a leaf that is no view, in memory of its own, or on "meta". Raises WireError."""
    import torch

    head, elements = _read_head(payload, TENSOR_ITEM_SIZES)
    if head.flags & ~(REQUIRES_GRAD | META):
        raise WireError("a tensor with unknown flags")
    if head.flags & REQUIRES_GRAD and not head.dtype.startswith(("float", "bfloat", "complex")):
        raise WireError(f"a tensor of dtype {head.dtype} that requires gradients")
    if not head.flags & META:
        _check_elements(head, elements, TENSOR_ITEM_SIZES)
    elif elements:
        raise WireError("a tensor on the device meta with elements")
    device = "meta" if head.flags & META else "cpu"
    # Made with its strides at once: a view of a contiguous tensor would refuse detach_() and the like.
    tensor = torch.empty_strided(
        head.shape, _strides(head.shape, head.layout), dtype=getattr(torch, head.dtype), device=device
    )
    if elements:
        flat = torch.as_strided(tensor, (tensor.numel(),), (1,)).view(torch.uint8)
        flat.numpy().data[:] = elements
    return tensor.requires_grad_(bool(head.flags & REQUIRES_GRAD))


def _layout(shape: tuple[int, ...], strides: Sequence[int]) -> tuple[int, ...]:
    """The dimensions from the largest stride to the smallest; equal strides keep the order of the dimensions."""
    return tuple(sorted(range(len(shape)), key=lambda axis: -abs(strides[axis])))


def _strides(shape: tuple[int, ...], layout: tuple[int, ...]) -> tuple[int, ...]:
    """Strides, in elements, of a dense tensor of this shape whose dimensions are stored in the order of `layout`."""
    strides, step = [0] * len(shape), 1
    for axis in reversed(layout):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def _absurd(shape: tuple[int, ...]) -> bool:
    # A zero among the dimensions must not hide the others: strides are computed from all of them.
    return math.prod(max(size, 1) for size in shape) >= MAX_ELEMENTS


def _check_travels(what: str, shape: tuple[int, ...]) -> None:
    if len(shape) > MAX_DIMENSIONS:
        raise CannotTravel(f"{what} of more than {MAX_DIMENSIONS} dimensions")
    if _absurd(shape):
        raise CannotTravel(f"{what} of shape {shape}, which is too large")


def _elements(dtype: str, raw: memoryview) -> bytes | memoryview:
    return bytes(raw).translate(TRUTH) if dtype == "bool" else raw


def _read_head(payload: bytes, item_sizes: dict[str, int]) -> tuple[_Head, memoryview]:
    """The checked head, and a view of what follows it."""
    try:
        flags, length = struct.unpack_from(">BB", payload)
        name, count = struct.unpack_from(f">{length}sB", payload, 2)
        if count > MAX_DIMENSIONS:
            raise WireError(f"an array of {count} dimensions")
        start = 3 + length
        numbers = struct.unpack_from(f">{count}Q{count}B", payload, start)
    except struct.error:
        raise WireError("an array whose head is cut off") from None
    dtype = name.decode("latin-1")
    if dtype not in item_sizes:
        raise WireError(f"an array of unknown dtype {dtype!r}")
    shape, layout = numbers[:count], numbers[count:]
    if sorted(layout) != list(range(count)):
        raise WireError(f"an array whose layout {layout} is not an order of its dimensions")
    if _absurd(shape):
        raise WireError(f"an array of shape {shape}")
    return _Head(flags, dtype, shape, layout), memoryview(payload)[start + 9 * count :]


def _check_elements(head: _Head, elements: memoryview, item_sizes: dict[str, int]) -> None:
    expected = math.prod(head.shape) * item_sizes[head.dtype]
    if len(elements) != expected:
        raise WireError(f"an array of shape {head.shape} with {len(elements)} bytes of elements, not {expected}")
    if head.dtype == "bool" and bytes(elements).translate(None, b"\0\1"):
        raise WireError("an array of bool with an element that is neither true nor false")
