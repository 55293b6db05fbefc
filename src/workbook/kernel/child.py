"""The grader of one kernel: a process that stays warm between gradings, and ends with the kernel.

`python -m workbook.kernel.child FD` answers the requests that come over the socket FD, each a message of the wire.
The verdict is made here, since the kernel runs the learner's code and what that has patched.
"""

from __future__ import annotations

import select
import socket
import sys
from pathlib import Path
from typing import Any

from workbook.boundary.client import Cancelled
from workbook.content import catalog
from workbook.errors import WireError, WorkbookError
from workbook.grading.engine import Engine
from workbook.wire import channel
from workbook.workspace import progress

LONGEST = 2**16  # bytes of one request


def main(line: socket.socket) -> None:
    """Answer until the other end is closed."""
    engines: dict[Path, Engine] = {}
    try:
        while True:
            request = _next(line)
            answer: dict[str, Any]
            try:
                answer = _answer(line, engines, Path(request["root"]), int(request["number"]))
            except Cancelled:
                if _gone(line):
                    return
                answer = {"stopped": True}
            except WorkbookError as error:
                answer = {"error": str(error)}
            except Exception as error:
                answer = {"error": f"The workbook itself failed ({type(error).__name__}: {error}): restart the kernel."}
            channel.send(line, answer)
    except (OSError, EOFError, WireError):
        return  # the kernel is gone
    finally:
        for engine in engines.values():
            engine.close()


def _answer(line: socket.socket, engines: dict[Path, Engine], root: Path, number: int) -> dict[str, Any]:
    """Grade the exercise file of one problem and keep the progress."""
    if root not in engines:
        engines[root] = Engine(catalog.load(root))
        engines[root].start(fork=True)  # while this process has one thread and has read no solution
    engine = engines[root]

    from workbook.grading.grading import Grading, Task
    from workbook.grading.session import grade
    from workbook.report.html import render_html
    from workbook.report.terminal import render

    task = Task.at(engine.catalog.problem(number))
    report = grade(Grading(engine, [task], cancelled=lambda: _waiting(line)))
    notes: list[str] = []
    try:
        progress.save(root, progress.with_report(progress.load(root, notes.append), report))
    except WorkbookError as error:
        notes.append(str(error))
    text = "\n".join(shown.plain.rstrip() for shown in render(report, "%hint"))
    return {"html": render_html(report), "text": text.rstrip(), "verdict": report.problems[0].verdict, "notes": notes}


def _next(line: socket.socket) -> dict[str, Any]:
    """The next request to grade. What has no number was to stop a grading that had ended by itself."""
    while True:
        request: dict[str, Any] = channel.receive(line, max_bytes=LONGEST)
        if "number" in request:
            return request


def _waiting(line: socket.socket) -> bool:
    """Whether the kernel has said something during a grading, or is gone: in both cases the grading is to stop."""
    return bool(select.select([line], [], [], 0)[0])


def _gone(line: socket.socket) -> bool:
    return line.recv(1, socket.MSG_PEEK) == b""


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])))
