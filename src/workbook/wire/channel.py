"""Messages on a stream socket: four big-endian bytes of length, then the message."""

from __future__ import annotations

import socket
from typing import Any

from workbook.errors import WireError
from workbook.wire.codec import MAX_BYTES, decode, encode

PREFIX_BYTES = 4
CHUNK_BYTES = 2**20


def frame(value: Any) -> bytes:
    """The bytes to send for a value, for a loop that sends them piece by piece. Raises CannotTravel."""
    message = encode(value)
    return len(message).to_bytes(PREFIX_BYTES, "big") + message


def send(sock: socket.socket, value: Any) -> None:
    """Send a value and wait until all of it is on its way. Raises CannotTravel (nothing is sent then) and OSError."""
    sock.sendall(frame(value))


def receive(sock: socket.socket, *, max_bytes: int = MAX_BYTES) -> Any:
    """Wait for the next value. Raises EOFError where the stream ends, WireError for what is not a message, OSError."""
    length = _checked_length(_read(sock, PREFIX_BYTES), max_bytes)
    return decode(_read(sock, length), max_bytes=max_bytes)


class FrameReader:
    """Cuts a stream into messages, for a loop that never blocks. Holds one unfinished message at most."""

    def __init__(self, *, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._buffer = bytearray()
        self._broken = False

    def feed(self, data: bytes) -> list[bytes]:
        """The messages, still encoded, that `data` completes.

        Raises WireError for a length of zero or above the cap, and from then on always: where the next message would
        start is unknown. Messages completed before that in the same `data` are lost.
        """
        if self._broken:
            raise WireError("a stream that was broken before")
        self._buffer += data
        messages: list[bytes] = []
        start, end = 0, len(self._buffer)
        with memoryview(self._buffer) as view:
            while end - start >= PREFIX_BYTES:
                body = start + PREFIX_BYTES
                try:
                    length = _checked_length(view[start:body], self._max_bytes)
                except WireError:
                    self._broken = True
                    raise
                if end - body < length:
                    break
                messages.append(bytes(view[body : body + length]))
                start = body + length
        del self._buffer[:start]
        return messages


def _checked_length(prefix: bytes | memoryview, max_bytes: int) -> int:
    length = int.from_bytes(prefix, "big")
    if not 0 < length <= max_bytes:
        raise WireError(f"a message whose length is given as {length} bytes, of {max_bytes} allowed")
    return length


def _read(sock: socket.socket, size: int) -> bytes:
    """Just `size` bytes. Memory grows with what arrives, not with what was announced."""
    data = bytearray()
    while len(data) < size:
        piece = sock.recv(min(size - len(data), CHUNK_BYTES))
        if not piece:
            raise EOFError("the stream ended")
        data += piece
    return bytes(data)
