"""Whatever bytes a worker sends: a plain value or a WireError, in memory that the bytes themselves justify."""

from __future__ import annotations

import contextlib
import random
import re
import socket
import struct
import threading
import tracemalloc
from typing import Any

import msgpack
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workbook.errors import WireError
from workbook.wire.arrays import CannotTravel
from workbook.wire.channel import FrameReader, frame, receive, send
from workbook.wire.codec import (
    ARRAY,
    ARRAY_VALUES,
    BIG_INT,
    COMPLEX,
    HANDLE,
    MAX_BYTES,
    MAX_VALUES,
    TENSOR,
    TUPLE,
    Handle,
    decode,
    encode,
)

quick = settings(max_examples=250)
MEGABYTE = 2**20

SEEDS = [
    encode(value)
    for value in (
        [None, True, False, 0, -1, 2**63, 1.5, "text \ud800", b"bytes"],
        [2**70, -(2**4000), 1j, Handle(3, "Layer"), (), ((1,), [2])],
        {"a": 1, 2: [3], None: {}, True: (), 1.5: b"", b"k": {"deep": {"deeper": [[[]]]}}},
        np.arange(6.0).reshape(2, 3).T,
        [np.zeros((0, 3), np.int8), np.array(True), np.ones((2, 2), np.complex64)],
        torch.arange(6.0, requires_grad=True).reshape(2, 3),
        (torch.ones(2, 3, dtype=torch.bfloat16).T, torch.empty(4, 5, device="meta"), torch.tensor([True, False])),
    )
]


def extension(code: int, payload: bytes) -> bytes:
    return bytes(msgpack.packb(msgpack.ExtType(code, payload)))


def sound(data: bytes) -> None:
    """Bytes that decode give a value that is itself fit to travel, and arrives the same; others a WireError."""
    try:
        value = decode(data)
    except WireError:
        return
    message = encode(value)
    assert encode(decode(message)) == message


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    message = bytearray(draw(st.sampled_from(SEEDS)))
    for _ in range(draw(st.integers(1, 4))):
        # Mostly near the start, where the headers are.
        at = draw(st.integers(0, min(len(message), 40)) | st.integers(0, len(message)))
        kind = draw(st.sampled_from(["flip", "set", "insert", "delete", "truncate", "repeat"]))
        if kind == "flip" and at < len(message):
            message[at] ^= 1 << draw(st.integers(0, 7))
        elif kind == "set" and at < len(message):
            message[at] = draw(st.sampled_from([0, 1, 0x7F, 0x80, 0x90, 0xC7, 0xDD, 0xDF, 0xFF]))
        elif kind == "insert":
            message[at:at] = draw(st.binary(min_size=1, max_size=6))
        elif kind == "delete":
            del message[at : at + draw(st.integers(1, 6))]
        elif kind == "truncate":
            del message[at:]
        else:
            message[at:at] = message[at : at + draw(st.integers(1, 20))]
    return bytes(message)


@quick
@given(st.binary(max_size=200).map(lambda data: b"\x01" + data) | st.binary(max_size=20))
def test_random_bytes(data: bytes) -> None:
    sound(data)


@quick
@given(mutated())
def test_messages_that_were_tampered_with(data: bytes) -> None:
    sound(data)


codes = st.sampled_from([-1, 0, TUPLE, BIG_INT, COMPLEX, HANDLE, ARRAY, TENSOR, 7, 127])


@quick
@given(codes.flatmap(lambda code: st.binary(max_size=40).map(lambda payload: (code, payload))), st.booleans())
def test_extensions_with_any_content(item: tuple[int, bytes], first: bool) -> None:
    code, payload = item
    raw = b"\xc7" + bytes([len(payload), code % 256]) + payload
    sound(b"\x01" + (b"\x92" + raw + raw if first else raw))


sizes = st.integers(0, 5) | st.sampled_from([2**31, 2**32, 2**39, 2**40, 2**63, 2**64 - 1])
dtypes = st.sampled_from(
    [b"bool", b"float64", b"bfloat16", b"complex64", b"object", b"str", b"longdouble", b"", b"\xff"]
)


@quick
@given(
    st.sampled_from([ARRAY, TENSOR]),
    st.sampled_from([0, 1, 2, 3, 4, 255]),
    dtypes,
    st.lists(sizes, max_size=34),
    st.binary(max_size=64),
    st.data(),
)
def test_array_heads_of_any_kind(
    code: int, flags: int, dtype: bytes, shape: list[int], elements: bytes, data: st.DataObject
) -> None:
    layout = data.draw(st.permutations(range(len(shape))) | st.lists(st.integers(0, 255), max_size=len(shape)))
    head = struct.pack(f">BB{len(dtype)}sB{len(shape)}Q", flags, len(dtype), dtype, len(shape), *shape)
    sound(b"\x01" + extension(code, head + bytes(layout) + elements))


@pytest.mark.parametrize("message", SEEDS)
def test_a_message_cut_anywhere_is_refused(message: bytes) -> None:
    for length in range(len(message)):
        with pytest.raises(WireError):
            decode(message[:length])


def array(
    dtype: bytes, shape: list[int], elements: bytes, *, layout: bytes = b"", flags: int = 0, code: int = ARRAY
) -> bytes:
    """The msgpack extension of an array of any claims."""
    count = len(shape)
    head = struct.pack(f">BB{len(dtype)}sB{count}Q", flags, len(dtype), dtype, count, *shape)
    return extension(code, head + (layout or bytes(range(count))) + elements)


def test_the_array_helper_makes_what_encode_makes() -> None:
    ones = np.ones((2, 3))
    assert b"\x01" + array(b"float64", [2, 3], ones.tobytes()) == encode(ones)


def claim(header: int, size: int) -> bytes:
    return bytes([header]) + size.to_bytes(4, "big")


LIST, DICT, STR, BYTES, EXTENSION = 0xDD, 0xDF, 0xDB, 0xC6, 0xC9
MARKER = extension(TUPLE, b"")
ZERO = encode(np.zeros(()))[1:]
DISTINCT_KEYS = b"".join(bytes(msgpack.packb(i)) + b"\x80" for i in range(1, 6000))

FORGED = {
    "nested lists of 4 billion": (claim(LIST, 2**32 - 1) * 30, "claims more than there is"),
    "nested lists that claim all that is left": (claim(LIST, 20_000) * 31 + b"\x90" * 20_000, "cut off"),
    "nested lists that claim all the values": (
        claim(LIST, MAX_VALUES - 1) * 2 + b"\xc0" * MAX_VALUES,
        "too many values",
    ),
    "nested dicts that claim all that is left": (
        (claim(DICT, 2000) + b"\x00") * 31 + b"\xc0" + DISTINCT_KEYS,
        "cut off",
    ),
    "a dict of 4 billion": (claim(DICT, 2**32 - 1) + bytes(100), "claims more than there is"),
    "a dict of 5000": (claim(DICT, 5000) + DISTINCT_KEYS, "a dict of 5000 entries"),
    "a str of 4 GB": (claim(STR, 2**32 - 1) + b"a" * 100, "not msgpack"),
    "bytes of 4 GB": (claim(BYTES, 2**32 - 1) + b"a" * 100, "not msgpack"),
    "an array of 4 GB": (claim(EXTENSION, 2**32 - 1) + bytes([ARRAY]) + b"a" * 100, "not msgpack"),
    "one value too many": (claim(LIST, MAX_VALUES) + b"\xc0" * MAX_VALUES, "too many values"),
    "a million empty lists": (claim(LIST, 10**6) + b"\x90" * 10**6, "too many values"),
    "a million nested lists": (b"\x91" * 10**6 + b"\xc0", "nested too deep"),
    "a million nested dicts": (b"\x81\x00" * 10**6 + b"\xc0", "nested too deep"),
    "33 nested tuples": ((b"\x92" + MARKER) * 33 + b"\xc0", "nested too deep"),
    "too many arrays": (claim(LIST, 20_000) + ZERO * 20_000, "too many values"),
    "an int of a megabyte": (extension(BIG_INT, b"\x7f" * MEGABYTE), "an int of more than 4096 bits"),
    "an int of 4097 bits": (extension(BIG_INT, b"\x01" + b"\xff" * 512), "an int of more than 4096 bits"),
    "a complex of 15 bytes": (extension(COMPLEX, bytes(15)), "complex number that is not 16 bytes"),
    "a handle of 7 bytes": (extension(HANDLE, bytes(7)), "a handle of 7 bytes"),
    "a handle with a long name": (extension(HANDLE, bytes(8 + 1001)), "a handle of 1009 bytes"),
    "a handle with a name that is no text": (extension(HANDLE, bytes(8) + b"\xff"), "not msgpack"),
    "a str that is not UTF-8": (b"\xa1\xff", "not msgpack"),
    "a tuple marker alone": (MARKER, "out of place"),
    "a tuple marker in second place": (b"\x92\x00" + MARKER, "out of place"),
    "a tuple marker with content": (b"\x91" + extension(TUPLE, b"a"), "marker has content"),
    "a tuple marker as a key": (b"\x81" + MARKER + b"\x00", "a dict key of a type"),
    "a list as a key": (b"\x81\x90\x00", "a container as a dict key"),
    "an array as a key": (b"\x81" + ZERO + b"\x00", "a dict key of a type"),
    "a huge int as a key": (b"\x81" + encode(2**70)[1:] + b"\x00", "a dict key of a type"),
    "a key twice": (b"\x82\x01\x00\x01\x00", "occurs twice"),
    "a key twice in another type": (b"\x82\x01\x00\xc3\x00", "occurs twice"),
    "no elements": (array(b"float64", [2, 3], b""), "0 bytes of elements, not 48"),
    "too many elements": (array(b"float64", [2], bytes(17)), "17 bytes of elements, not 16"),
    "huge sides": (array(b"float64", [2**63, 2**63], b""), "an array of shape"),
    "no elements and huge sides": (array(b"float64", [0, 2**39, 2**39], b""), "an array of shape"),
    "a size that wraps round to 0": (array(b"int8", [2**32, 2**32], b""), "an array of shape"),
    "the flags of a tensor": (array(b"float64", [1], bytes(8), flags=1), "flags that only tensors have"),
    "unknown flags": (array(b"float64", [1], bytes(8), flags=4, code=TENSOR), "unknown flags"),
    "ints that require gradients": (array(b"int64", [1], bytes(8), flags=1, code=TENSOR), "requires gradients"),
    "meta with elements": (array(b"float64", [1], bytes(8), flags=2, code=TENSOR), "meta with elements"),
    "meta of huge sides": (array(b"float64", [2**40], b"", flags=2, code=TENSOR), "an array of shape"),
    "an ndarray of bfloat16": (array(b"bfloat16", [1], bytes(2)), "unknown dtype 'bfloat16'"),
    "objects": (array(b"object", [1], bytes(8)), "unknown dtype 'object'"),
    "a bool that is neither": (array(b"bool", [2], b"\x01\x02"), "neither true nor false"),
    "33 dimensions": (array(b"int8", [1] * 33, b"\x00"), "33 dimensions"),
    "a dimension twice": (array(b"int8", [1, 1], b"a", layout=b"\x01\x01"), "not an order of its dimensions"),
    "a dimension that is not there": (
        array(b"int8", [1, 1], b"a", layout=b"\x01\x02"),
        "not an order of its dimensions",
    ),
    "a head that is cut off": (extension(TENSOR, b"\x00\x07float"), "head is cut off"),
}


@pytest.mark.parametrize("name", FORGED)
def test_forged_messages_are_refused_in_little_memory(name: str) -> None:
    forged, reason = FORGED[name]
    message = b"\x01" + forged
    # A value takes up to about 100 bytes, and the cap on values comes after at most MAX_VALUES of them.
    allowed = 4 * len(message) + 100 * min(len(message), MAX_VALUES) + 100_000
    assert peak_of_decoding(message, refused=reason) < allowed


@pytest.mark.parametrize(
    "value", [b"a" * 8 * MEGABYTE, "a" * 8 * MEGABYTE, np.zeros(MEGABYTE), torch.zeros(MEGABYTE), [b"a" * MEGABYTE] * 8]
)
def test_large_messages_take_a_few_times_their_size(value: Any) -> None:
    message = encode(value)
    assert peak_of_decoding(message) < 3.5 * len(message)


def peak_of_decoding(message: bytes, refused: str | None = None) -> int:
    """Bytes at the peak, those of the message not included. `refused` is what the WireError must say."""
    tracemalloc.start()
    try:
        with pytest.raises(WireError, match=re.escape(refused)) if refused else contextlib.nullcontext():
            decode(message)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_array_counts_as_many_values_when_it_arrives_too() -> None:
    message = encode([np.zeros(())] * 3)
    assert len(decode(message, max_values=3 * ARRAY_VALUES + 1)) == 3
    with pytest.raises(WireError):
        decode(message, max_values=3 * ARRAY_VALUES)


def test_caps_can_be_set_lower() -> None:
    for caps, value in (({"max_bytes": 10}, "a" * 20), ({"max_values": 3}, [1, 2, 3]), ({"max_depth": 1}, [[]])):
        message = encode(value)
        with pytest.raises(CannotTravel):
            encode(value, **caps)
        with pytest.raises(WireError):
            decode(message, **caps)


def test_msgpack_s_own_timestamp_is_refused() -> None:
    stamp = msgpack.packb(msgpack.Timestamp(1, 2))
    for message in (stamp, b"\x91" + stamp, b"\x81" + stamp + b"\xc0"):
        with pytest.raises(WireError):
            decode(b"\x01" + message)


@pytest.mark.parametrize("message", [b"", b"\x01", b"\x00\xc0", b"\x02\xc0", b"\xc0", b"\x01\xc0\xc0", b"\x01\xc1"])
def test_a_wrong_version_an_empty_message_and_trailing_bytes_are_refused(message: bytes) -> None:
    with pytest.raises(WireError):
        decode(message)


@pytest.fixture
def pair() -> Any:
    ends = socket.socketpair()
    yield ends
    for end in ends:
        end.close()


def test_values_go_through_a_socket_larger_than_its_buffer(pair: tuple[socket.socket, socket.socket]) -> None:
    values = [None, {"a": [1.5]}, b"x" * 3 * MEGABYTE, "last"]

    def write() -> None:
        for value in values:
            send(pair[0], value)
        pair[0].close()

    writer = threading.Thread(target=write)
    writer.start()
    received = [receive(pair[1]) for _ in values]
    writer.join()
    assert received == values
    with pytest.raises(EOFError):
        receive(pair[1])


@pytest.mark.parametrize("kept", [1, 4, 5, 30])
def test_a_stream_that_ends_early_is_an_end(pair: tuple[socket.socket, socket.socket], kept: int) -> None:
    pair[0].sendall(frame("a" * 40)[:kept])
    pair[0].close()
    with pytest.raises(EOFError):
        receive(pair[1])


@pytest.mark.parametrize("length", [0, MAX_BYTES + 1, 2**32 - 1])
def test_a_length_out_of_bounds_is_refused_before_the_body(
    pair: tuple[socket.socket, socket.socket], length: int
) -> None:
    prefix = length.to_bytes(4, "big")
    pair[0].sendall(prefix)  # and no body: reading one would wait for ever
    with pytest.raises(WireError):
        receive(pair[1])
    reader = FrameReader()
    with pytest.raises(WireError):
        reader.feed(frame(1) + prefix)
    with pytest.raises(WireError):
        reader.feed(frame(1))


def test_what_cannot_travel_sends_nothing(pair: tuple[socket.socket, socket.socket]) -> None:
    with pytest.raises(CannotTravel):
        send(pair[0], ["a" * 1000, object()])
    send(pair[0], "next")
    assert receive(pair[1]) == "next"


@quick
@given(st.lists(st.binary(min_size=1, max_size=300), max_size=8), st.randoms(use_true_random=False))
def test_frames_are_found_however_the_stream_is_split(payloads: list[bytes], rng: random.Random) -> None:
    stream = b"".join(len(payload).to_bytes(4, "big") + payload for payload in payloads)
    reader, found, at = FrameReader(), [], 0
    while at < len(stream):
        size = rng.choice([1, 2, 3, 5, 50, 1000])
        found += reader.feed(stream[at : at + size])
        at += size
    assert found == payloads
    assert reader.feed(b"") == []


def test_a_frame_reader_holds_no_more_than_what_has_arrived() -> None:
    tracemalloc.start()
    try:
        reader = FrameReader()
        reader.feed(MAX_BYTES.to_bytes(4, "big"))
        for _ in range(1000):
            reader.feed(b"a" * 100)
        assert tracemalloc.get_traced_memory()[1] < 400_000
        small = FrameReader()
        for _ in range(2000):
            small.feed(frame("a" * 1000))
        assert tracemalloc.get_traced_memory()[1] < 400_000
        broken = FrameReader(max_bytes=10)
        for _ in range(2000):
            with contextlib.suppress(WireError):
                broken.feed(b"a" * 1000)
        assert tracemalloc.get_traced_memory()[1] < 400_000
    finally:
        tracemalloc.stop()
