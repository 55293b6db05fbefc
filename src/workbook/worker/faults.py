"""An exception of the learner's, as plain data: kind, message, and the frames that are in the learner's own file."""

from __future__ import annotations

import dis
import traceback
from dataclasses import dataclass
from typing import Any

LONGEST = 20_000  # characters of one message; more is cut with a note that says so
MOST_FRAMES = 40


@dataclass
class Source:
    """The submission as it was read: its path and its lines, for quoting."""

    path: str = ""
    folder: str = ""
    lines: tuple[str, ...] = ()

    def holds(self, filename: str) -> bool:
        return bool(filename) and (filename == self.path or (bool(self.folder) and filename.startswith(self.folder)))


class Refusal(Exception):
    """A request that the submission cannot meet: a missing name, wrong parameters, a value that cannot travel."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def describe_exception(error: BaseException, source: Source) -> dict[str, Any]:
    """Kind, type, message and frames of an exception. Never raises, whatever the exception's own methods do."""
    try:
        if type(error) is Refusal:
            return {"kind": error.kind, "type": "", "message": str(error), "frames": []}
        name = type.__getattribute__(type(error), "__name__")
        return {
            "kind": _kind(error, source),
            "type": name,
            "message": _message(error),
            "frames": _frames(error, source),
        }
    except BaseException:
        fault = "an exception that cannot be described (its own methods fail)"
        return {"kind": "exception", "type": "", "message": fault, "frames": []}


def _kind(error: BaseException, source: Source) -> str:
    if isinstance(error, NotImplementedError) and _raised_by(error, source):
        return "not_started"
    if isinstance(error, MemoryError):
        return "memory"
    if isinstance(error, SystemExit):
        return "exit"
    if isinstance(error, SyntaxError):
        return "syntax"
    if type(error) is RuntimeError and ("can't allocate memory" in str(error) or "not enough memory" in str(error)):
        return "memory"  # torch's allocator
    return "exception"


def _raised_by(error: BaseException, source: Source) -> bool:
    """Whether a `raise` statement of the submission raised this: torch has NotImplementedErrors of its own."""
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    return source.holds(code.co_filename) and code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"SystemExit: the code called exit({'' if error.code is None else repr(error.code)[:200]})"
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    if isinstance(error, SyntaxError):
        lines = text.splitlines()
        # The first line names the file, which the report names anyway; the rest shows the place.
        text = "\n".join(lines[1:] if lines and lines[0].lstrip().startswith("File ") else lines)
        text = f"line {error.lineno}:\n{text}" if error.lineno else text
    if len(text) > LONGEST:
        text = f"{text[:LONGEST]} … ({len(text) - LONGEST} more characters)"
    return text


def _frames(error: BaseException, source: Source) -> list[dict[str, Any]]:
    """The learner's own frames, outermost first."""
    frames = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if source.holds(code.co_filename):
            own = code.co_filename == source.path
            text = source.lines[line - 1].strip() if own and 0 < line <= len(source.lines) else ""
            frames.append({"file": code.co_filename, "line": line, "function": code.co_name, "text": text[:300]})
    if len(frames) > MOST_FRAMES:  # a runaway recursion: the two ends tell it
        frames = frames[: MOST_FRAMES // 2] + frames[-MOST_FRAMES // 2 :]
    return frames
