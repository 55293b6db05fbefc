"""What a worker says of itself and of the learner's code: checked for its form, and put into the learner's words."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from typing import Any

from workbook.boundary.outcomes import LearnerFault
from workbook.boundary.submission import Submission
from workbook.errors import WireError
from workbook.sandbox.layers import Isolation
from workbook.text import clean
from workbook.wire.codec import Handle

RESULT = "The result"  # what a request is about that calls nothing: a value kept in the worker
MOST_FRAMES = 50  # of a learner's traceback that are shown; an honest worker sends fewer


def isolation(message: Any) -> Isolation:
    """The first message of a worker, which it sends before it meets the learner's code."""
    if type(message) is not dict or message.get("event") != "started":
        raise WireError("the first message is malformed")
    return Isolation(tuple(message["active"]), message["missing"], message["folder"])


def checked(reply: Any, op: str, fields: dict[str, Any]) -> dict[str, Any]:
    """A reply in the form that the grader relies on; the worker may be the learner's by now."""
    if type(reply) is not dict:
        raise WireError("a reply is not a table")
    if reply.get("ok") is True:
        kept = fields.get("keep") or op in ("put", "view")
        if op not in ("load", "support") and "value" not in reply:
            raise WireError("a reply has no value")
        if kept and type(reply["value"]) is not Handle:
            raise WireError("a reply has a value in place of an object")
        return reply
    error = reply.get("error")
    fields = {"kind": str, "type": str, "message": str, "frames": list}
    frame = {"file": str, "line": int, "function": str, "text": str}
    if (
        type(error) is dict
        and all(type(error.get(name)) is kind for name, kind in fields.items())
        and all(
            type(item) is dict and all(type(item.get(name)) is kind for name, kind in frame.items())
            for item in error["frames"]
        )
    ):
        return {"ok": False, "id": reply.get("id"), "error": error}
    raise WireError("an error reply is malformed")


def fault(error: dict[str, Any], called: str, submission: Submission, number: int) -> LearnerFault:
    """A fault that the worker reported, in the learner's words, with the learner's own lines."""
    kind, message, frames = error["kind"], clean(error["message"], limit=25_000), error["frames"][:MOST_FRAMES]
    if kind == "wrong_type":
        return LearnerFault("failed", f"Wrong type: {message}.")
    if kind == "travel":
        what = f"{called} cannot be graded" if called == RESULT else f"{called} returned what cannot be graded"
        return LearnerFault("error", f"{what}: {message}.")
    if kind in ("signature", "missing"):
        return LearnerFault("error", message[:1].upper() + message[1:] + ("" if message.endswith("?") else "."))
    if kind == "syntax":
        return LearnerFault("error", f"The file is not valid Python: {message}")
    if kind == "not_started":
        return LearnerFault("not_started", _not_started(called, frames))
    where = "\n".join(_collapsed([_frame(frame, submission) for frame in frames]))
    if error["type"] == "BdbQuit":
        message += f"\nTo stop in a debugger, run `workbook grade {number} --debug`."
    verdict = "memory" if kind == "memory" else "error"
    during = f"{subject(called)} raised an exception" if called else "Loading the file raised an exception"
    return LearnerFault(verdict, f"{during}:\n{where}{chr(10) if where else ''}{message}")  # type: ignore[arg-type]


def subject(called: str) -> str:
    return called or "Loading the file"


def _collapsed(lines: list[str]) -> list[str]:
    """Lines of a traceback in which one that comes again at once is counted, as in a runaway recursion."""
    shown: list[str] = []
    for line, group in itertools.groupby(lines):
        count = sum(1 for _ in group)
        shown.append(f"{line}  ({count} times)" if count > 1 else line)
    return shown


def _frame(frame: dict[str, Any], submission: Submission) -> str:
    own = frame["file"] == str(submission.path)
    where = submission.place(frame["line"]) if own else f"{os.path.basename(frame['file'])}, line {frame['line']}"
    function = "" if frame["function"] == "<module>" else f", in {frame['function']}"
    text = f": {frame['text']}" if frame["text"] else ""
    return clean(f"  {where}{function}{text}", limit=500)


def _not_started(called: str, frames: list[dict[str, Any]]) -> str:
    innermost = clean(frames[-1]["function"], limit=100) if frames else called
    if called and innermost not in (called, "<module>", "__init__", "__call__", "forward"):
        return f"Needs `{innermost}` first: it is not written yet."
    return "Not written yet."


def how(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        name = str(number)
        with contextlib.suppress(ValueError):
            name = signal.Signals(number).name
        plain = {
            # The first process of a namespace cannot be aborted: the C library then makes it fault.
            "SIGSEGV": "a segmentation fault, or an abort",
            "SIGABRT": "an abort",
            "SIGKILL": "killed, perhaps for its memory",
        }
        return plain.get(name, f"signal {name}")
    return f"exit code {os.WEXITSTATUS(status)} (os._exit?)"
