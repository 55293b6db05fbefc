"""Plain values as bytes: msgpack for the scalars, and a walk of our own for the containers.

A message is a version byte and one msgpack value. The types are exact: a list comes back as a list, a tuple as a tuple,
and a subclass does not travel. Reading the containers here, one header at a time, keeps the memory that hostile bytes
can claim in proportion to the bytes themselves.
"""

from __future__ import annotations

import functools
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgpack

from workbook.errors import WireError
from workbook.wire import arrays
from workbook.wire.arrays import CannotTravel

VERSION = 1

MAX_BYTES = 64 * 2**20  # of one message
MAX_VALUES = 200_000  # in one message, containers and dict keys included
MAX_DEPTH = 32  # containers within containers
MAX_ENTRIES = 4096  # of one dict
MAX_INT_BITS = 4096
MAX_NAME_BYTES = 1000  # of the type's name in a handle
# An array takes about a kilobyte of memory however few its elements, so that it counts as this many values.
ARRAY_VALUES = 16

# Codes of the extension types. TUPLE has no content: it is the first element of an array that is a tuple.
TUPLE, BIG_INT, COMPLEX, HANDLE, ARRAY, TENSOR = range(1, 7)

SCALARS = frozenset({type(None), bool, int, float, str, bytes})
_NUMPY_SCALARS = "?bBhHiIlLqQefdFDSU"  # the type codes of the numpy scalars that are plain Python values


@dataclass(frozen=True)
class Handle:
    """An object that stays in the worker: its number there, and the name of its type. The name is untrusted text."""

    id: int
    type_name: str = ""


def encode(
    value: Any, *, max_bytes: int = MAX_BYTES, max_values: int = MAX_VALUES, max_depth: int = MAX_DEPTH
) -> bytes:
    """The message of a value.

    None, bool, int (to 4096 bits), float, complex, str, bytes, list, tuple, dict (keys None, bool, int of 64 bits,
    float, str or bytes), Handle, numpy.ndarray and torch.Tensor travel, each by its exact type. Raises CannotTravel.
    """
    writer = _Writer(max_bytes, max_values, max_depth)
    writer.add(bytes([VERSION]))
    writer.value(value, 0)
    return b"".join(writer.parts)


def decode(data: bytes, *, max_bytes: int = MAX_BYTES, max_values: int = MAX_VALUES, max_depth: int = MAX_DEPTH) -> Any:
    """The value of a message: whatever the bytes, a value that `encode` takes, or a WireError."""
    if len(data) > max_bytes:
        raise WireError(f"a message of {len(data)} bytes, more than {max_bytes}")
    if not data or data[0] != VERSION:
        raise WireError(f"a message that does not start with the version {VERSION}")
    reader = _Reader(data, max_values, max_depth)
    try:
        value = reader.value(0)
    except (msgpack.exceptions.UnpackException, ValueError, OverflowError, RecursionError) as error:
        raise WireError(f"a message that is not msgpack: {type(error).__name__}") from None
    if reader.position() != len(data):
        raise WireError("a message with bytes after its value")
    return value


def normalise(value: Any) -> Any:
    """The value with plain subclasses turned into their base types, for the worker to use before `encode`.

    Numpy scalars become Python scalars, nn.Parameter becomes Tensor (and keeps requires_grad), subclasses of tuple and
    dict become tuple and dict through the methods of the base class, also within lists, tuples and dicts. Anything else
    is left as it is, for `encode` to refuse. Raises CannotTravel for what is too deep, too large, or contains itself.
    """
    return _Normaliser().value(value)


class _Writer:
    """Collects the parts of one message, and refuses before memory is taken."""

    def __init__(self, max_bytes: int, max_values: int, max_depth: int) -> None:
        self.parts: list[bytes | memoryview] = []
        self.max_bytes, self.bytes_left = max_bytes, max_bytes
        self.max_values, self.values_left = max_values, max_values
        self.max_depth = max_depth
        self.packer = msgpack.Packer(unicode_errors="surrogatepass")

    def reserve(self, size: int) -> None:
        if size > self.bytes_left:
            raise CannotTravel(_too_many_bytes(self.max_bytes))

    def add(self, part: bytes | memoryview) -> None:
        self.reserve(len(part))
        self.bytes_left -= len(part)
        self.parts.append(part)

    def count(self, values: int) -> None:
        self.values_left -= values
        if self.values_left < 0:
            raise CannotTravel(f"more than {self.max_values} values")

    def value(self, value: Any, depth: int) -> None:
        kind = type(value)
        self.count(1)
        if kind in SCALARS:
            self.scalar(value)
        elif kind is list or kind is tuple or kind is dict:
            if depth >= self.max_depth:
                raise CannotTravel(_too_deep(kind, self.max_depth))
            self.container(value, depth)
        elif kind is complex:
            self.extension(COMPLEX, struct.pack(">dd", value.real, value.imag))
        elif kind is Handle:
            self.extension(HANDLE, _handle_payload(value))
        elif kind is _loaded("numpy", "ndarray"):
            self.array(ARRAY, arrays.encode_array, value)
        elif kind is _loaded("torch", "Tensor"):
            self.array(TENSOR, arrays.encode_tensor, value)
        else:
            raise CannotTravel(f"a value of type {kind.__name__}")

    def scalar(self, value: Any) -> None:
        kind = type(value)
        if kind is int and not -(2**63) <= value < 2**64:
            bits = value.bit_length()
            if bits > MAX_INT_BITS:
                raise CannotTravel(f"an int of more than {MAX_INT_BITS} bits")
            self.extension(BIG_INT, value.to_bytes(bits // 8 + 1, "big", signed=True))
            return
        if kind is str or kind is bytes:
            self.reserve(len(value))  # a character is a byte or more
        self.add(self.packer.pack(value))

    def container(self, value: Any, depth: int) -> None:
        # Copied first: a thread of the learner's may change the value between its header and its last element.
        if type(value) is dict:
            entries = list(value.items())
            if len(entries) > MAX_ENTRIES:
                raise CannotTravel(f"a dict of more than {MAX_ENTRIES} entries")
            self.add(self.packer.pack_map_header(len(entries)))
            for key, item in entries:
                self.key(key)
                self.value(item, depth + 1)
            return
        items = list(value)
        if len(items) > self.values_left:
            raise CannotTravel(f"more than {self.max_values} values")
        if type(value) is tuple:
            self.add(self.packer.pack_array_header(len(items) + 1))
            self.extension(TUPLE, b"")
        else:
            self.add(self.packer.pack_array_header(len(items)))
        for item in items:
            self.value(item, depth + 1)

    def key(self, key: Any) -> None:
        if type(key) not in SCALARS:
            raise CannotTravel(f"a dict key of type {type(key).__name__}")
        # Large ints can be chosen to have one hash, and a dict of 4096 such keys takes most of a second to build.
        if type(key) is int and not -(2**63) <= key < 2**64:
            raise CannotTravel("a dict key that is an int of more than 64 bits")
        self.count(1)
        self.scalar(key)

    def extension(self, code: int, payload: bytes) -> None:
        self.add(_extension_header(code, len(payload)))
        self.add(payload)

    def array(self, code: int, to_payload: Callable[..., tuple[bytes, bytes | memoryview]], value: Any) -> None:
        self.count(ARRAY_VALUES - 1)
        head, elements = to_payload(value, self.reserve)
        self.add(_extension_header(code, len(head) + len(elements)))
        self.add(head)
        self.add(elements)


class _Reader:
    """Reads one message. Each claim of a header is checked against the bytes that are left before anything is made."""

    def __init__(self, data: bytes, max_values: int, max_depth: int) -> None:
        self.data = data
        self.values_left = max_values
        self.max_depth = max_depth
        # A buffer of just this size: by default feeding takes twice the size.
        self.unpacker = msgpack.Unpacker(max_buffer_size=len(data), read_size=1, unicode_errors="surrogatepass")
        self.unpacker.feed(memoryview(data)[1:])

    def position(self) -> int:
        return int(self.unpacker.tell()) + 1

    def first_byte(self) -> int:
        """The byte that says what comes next."""
        position = self.position()
        if position >= len(self.data):
            raise WireError("a message that is cut off")
        return self.data[position]

    def count(self, values: int) -> None:
        self.values_left -= values
        if self.values_left < 0:
            raise WireError("a message of too many values")

    def value(self, depth: int) -> Any:
        first = self.first_byte()
        if _is_array(first) or _is_map(first):
            self.count(1)
            if depth >= self.max_depth:
                raise WireError("a message that is nested too deep")
            return self.sequence(depth) if _is_array(first) else self.mapping(depth)
        return self.single(self.unpacker.unpack())

    def single(self, item: Any) -> Any:
        """A value that is not a container, from what msgpack made of it."""
        self.count(1)
        kind = type(item)
        if kind in SCALARS:
            return item
        if kind is msgpack.ExtType:
            return self.extension(item.code, item.data)
        raise WireError(f"a message with a msgpack {kind.__name__}")

    def sequence(self, depth: int) -> Any:
        length = self.unpacker.read_array_header()
        self.check_room(length)
        items: list[Any] = []
        is_tuple = False
        if length and not (_is_array(self.first_byte()) or _is_map(self.first_byte())):
            item = self.unpacker.unpack()
            if type(item) is msgpack.ExtType and item.code == TUPLE:
                if item.data:
                    raise WireError("a message whose tuple marker has content")
                is_tuple = True
            else:
                items.append(self.single(item))
            length -= 1
        for _ in range(length):
            items.append(self.value(depth + 1))
        return tuple(items) if is_tuple else items

    def mapping(self, depth: int) -> dict[Any, Any]:
        length = self.unpacker.read_map_header()
        self.check_room(2 * length)
        if length > MAX_ENTRIES:
            raise WireError(f"a message with a dict of {length} entries")
        entries: dict[Any, Any] = {}
        for _ in range(length):
            first = self.first_byte()
            if _is_array(first) or _is_map(first):
                raise WireError("a message with a container as a dict key")
            key = self.unpacker.unpack()
            self.count(1)
            if type(key) not in SCALARS:
                raise WireError("a message with a dict key of a type that no key has")
            if key in entries:
                raise WireError("a message with a dict key that occurs twice")
            entries[key] = self.value(depth + 1)
        return entries

    def check_room(self, length: int) -> None:
        if length > len(self.data) - self.position():  # an element takes a byte at least
            raise WireError("a message whose header claims more than there is")
        if length > self.values_left + 1:  # the marker of a tuple is no value
            raise WireError("a message of too many values")

    def extension(self, code: int, payload: bytes) -> Any:
        if code == BIG_INT:
            number = int.from_bytes(payload[: MAX_INT_BITS // 8 + 1], "big", signed=True)
            if len(payload) > MAX_INT_BITS // 8 + 1 or number.bit_length() > MAX_INT_BITS:
                raise WireError(f"a message with an int of more than {MAX_INT_BITS} bits")
            return number
        if code == COMPLEX:
            if len(payload) != 16:
                raise WireError("a message with a complex number that is not 16 bytes")
            return complex(*struct.unpack(">dd", payload))
        if code == HANDLE:
            if not 8 <= len(payload) <= 8 + MAX_NAME_BYTES:
                raise WireError(f"a message with a handle of {len(payload)} bytes")
            return Handle(int.from_bytes(payload[:8], "big"), payload[8:].decode("utf-8", "surrogatepass"))
        if code in (ARRAY, TENSOR):
            self.count(ARRAY_VALUES - 1)
            return arrays.decode_array(payload) if code == ARRAY else arrays.decode_tensor(payload)
        raise WireError(f"a message with the extension {code} out of place")


class _Normaliser:
    """One walk of `normalise`, with what it has left to spend and the containers it is inside of."""

    def __init__(self) -> None:
        self.values_left = MAX_VALUES
        self.inside: set[int] = set()

    def value(self, value: Any) -> Any:
        self.values_left -= 1
        if self.values_left < 0:
            raise CannotTravel(f"more than {MAX_VALUES} values")
        kind = type(value)
        if kind is list or issubclass(kind, tuple | dict):
            return self.container(value, kind)
        if kind is _loaded("torch.nn", "Parameter"):
            return value.detach().requires_grad_(value.requires_grad)
        if kind in _numpy_scalar_types():
            # item() would cut the zero bytes off the end of a text.
            return _plain_text(value) if issubclass(kind, str | bytes) else value.item()
        return value

    def container(self, value: Any, kind: type) -> Any:
        if id(value) in self.inside:
            raise CannotTravel(f"a {kind.__name__} that contains itself")
        if len(self.inside) >= MAX_DEPTH:
            raise CannotTravel(_too_deep(kind, MAX_DEPTH))
        self.inside.add(id(value))
        try:
            # By methods of the base class: those of a learner's subclass may say something else each time.
            if issubclass(kind, dict):
                return {self.value(key): self.value(item) for key, item in list(dict.items(value))}
            if issubclass(kind, tuple):
                return tuple([self.value(item) for item in tuple.__iter__(value)])
            return [self.value(item) for item in list(value)]
        finally:
            self.inside.discard(id(value))


def _plain_text(value: Any) -> str | bytes:
    return str.__str__(value) if isinstance(value, str) else bytes(value)


def _loaded(module: str, name: str) -> Any:
    """A type of a module that has been imported; a value cannot be of a type that has not."""
    return getattr(sys.modules.get(module), name, None)


def _numpy_scalar_types() -> frozenset[type]:
    return _make_numpy_scalar_types() if "numpy" in sys.modules else frozenset()


@functools.cache
def _make_numpy_scalar_types() -> frozenset[type]:
    import numpy as np

    return frozenset(np.dtype(code).type for code in _NUMPY_SCALARS)


def _is_array(first: int) -> bool:
    return 0x90 <= first <= 0x9F or first in (0xDC, 0xDD)


def _is_map(first: int) -> bool:
    return 0x80 <= first <= 0x8F or first in (0xDE, 0xDF)


def _extension_header(code: int, length: int) -> bytes:
    """The msgpack header of an extension. Written here so that the elements of an array are copied once."""
    return struct.pack(">BBb", 0xC7, length, code) if length < 256 else struct.pack(">BIb", 0xC9, length, code)


def _handle_payload(handle: Handle) -> bytes:
    if type(handle.id) is not int or not 0 <= handle.id < 2**64 or type(handle.type_name) is not str:
        raise CannotTravel("a handle without a number or a name")
    name = handle.type_name.encode("utf-8", "surrogatepass")
    if len(name) > MAX_NAME_BYTES:
        raise CannotTravel(f"an object whose type has a name of more than {MAX_NAME_BYTES} bytes")
    return handle.id.to_bytes(8, "big") + name


def _too_deep(kind: type, max_depth: int) -> str:
    return f"a {kind.__name__} nested more than {max_depth} deep"


def _too_many_bytes(max_bytes: int) -> str:
    return f"more than {max_bytes // 2**20} MB" if max_bytes >= 2**20 else f"more than {max_bytes} bytes"
