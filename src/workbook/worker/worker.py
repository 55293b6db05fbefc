"""The process a submission runs in: takes requests on a socket, answers with plain values.

What it says is about the learner's own values only. A learner who takes it over gains nothing: the verdict is made
elsewhere, by code that this process never held.
"""

from __future__ import annotations

import builtins
import contextlib
import io
import os
import signal
import socket
import sys
from typing import Any, NoReturn

from workbook.errors import WireError
from workbook.sandbox import layers, limits
from workbook.wire import channel
from workbook.wire.arrays import CannotTravel
from workbook.worker.faults import describe_exception
from workbook.worker.operations import Operations

LINE = 200  # far from 0, 1 and 2, and from what a learner's files will get
HIGHEST = 4096  # the zygote opens no descriptor beyond


def run(line: int, output: int, entry: layers.Entry) -> None:
    """Serve the grader on descriptor `line`, with all output going to `output`, until the line closes."""
    for name in ("SIGINT", "SIGTERM", "SIGPIPE"):
        with contextlib.suppress(AttributeError, ValueError):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    isolation = entry.enter()
    _take_descriptors(line, output)
    serve(socket.socket(fileno=LINE), isolation)


def serve(sock: socket.socket, isolation: layers.Isolation) -> None:
    """The request loop. Every request gets one reply with its number, whatever the learner's code does."""
    builtins.input = _no_input
    operations = Operations()
    started = {"active": list(isolation.active), "missing": isolation.missing, "folder": isolation.folder}
    channel.send(sock, {"event": "started", **started})
    while True:
        try:
            request = channel.receive(sock)
        except (EOFError, OSError):
            return
        try:
            with limits.spared_memory():
                reply = {"ok": True, **operations.carry_out(request)}
        except BaseException as error:  # SystemExit and KeyboardInterrupt are the learner's too
            reply = {"ok": False, "error": describe_exception(error, operations.source)}
        flush()
        reply["id"] = request["id"]
        try:
            channel.send(sock, reply)
        except CannotTravel as error:
            fault = {"kind": "travel", "type": "", "message": str(error), "frames": []}
            channel.send(sock, {"ok": False, "id": request["id"], "error": fault})
        except WireError:
            return


def flush() -> None:
    """Push out what the learner printed, so that it is in the pipe before the reply is on the line."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def _no_input(prompt: object = "") -> NoReturn:
    raise EOFError("input() has nothing to read while grading: use the arguments of the function")


def _take_descriptors(line: int, output: int) -> None:
    """Put the line at LINE, output at 1 and 2, nothing at 0, and close the rest."""
    os.dup2(line, LINE)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.closerange(3, LINE)
    os.closerange(LINE + 1, HIGHEST)
    streams = {"stdin": io.TextIOWrapper(io.FileIO(0, closefd=False)), "stdout": _writer(1), "stderr": _writer(2)}
    for name, stream in streams.items():
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _writer(descriptor: int) -> Any:
    raw = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)
