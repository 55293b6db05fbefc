"""Plain values between the grader and a worker that may send any bytes at all.

`codec` turns values into bytes and back, `arrays` does so for ndarrays and tensors, `channel` frames the bytes on a
socket. There is no pickle: whatever the bytes, decoding gives a value of an exact plain type, or a WireError.
"""

from __future__ import annotations

from workbook.errors import WireError
from workbook.wire.arrays import CannotTravel
from workbook.wire.channel import FrameReader, frame, receive, send
from workbook.wire.codec import MAX_BYTES, MAX_DEPTH, MAX_ENTRIES, MAX_VALUES, Handle, decode, encode, normalise

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_ENTRIES",
    "MAX_VALUES",
    "CannotTravel",
    "FrameReader",
    "Handle",
    "WireError",
    "decode",
    "encode",
    "frame",
    "normalise",
    "receive",
    "send",
]
