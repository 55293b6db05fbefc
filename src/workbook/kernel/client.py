"""The kernel's hold on its grader: one child process, started at the first grading and again where it has died."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbook.errors import EngineFault
from workbook.wire import channel
from workbook.wire.channel import FrameReader
from workbook.wire.codec import decode

STOP_SECONDS = 10.0


class Interrupted(EngineFault):
    """The learner has stopped a grading."""


@dataclass(frozen=True)
class Graded:
    """One grading: the report as HTML and as text, the problem's verdict, and what else is to be said."""

    html: str
    text: str
    verdict: str
    notes: tuple[str, ...] = ()


class KernelGrader:
    """Grades exercise files, one at a time. The child ends when this end of its line is closed, however that comes."""

    def __init__(self) -> None:
        self._line: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._frames = FrameReader()

    @property
    def pid(self) -> int:
        """The child's process id; 0 where none runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else 0

    def grade(self, root: Path, number: int) -> Graded:
        """Grade the exercise file of a problem and record the progress.

        Raises Interrupted where the kernel is interrupted meanwhile, EngineFault where grading is not possible.
        """
        try:
            if not self.pid:
                self._start()
            answer = self._ask({"root": str(root), "number": number})
        except KeyboardInterrupt:
            raise Interrupted("Stopped: nothing was recorded." if self._stop() else "Stopped.") from None
        except OSError:
            self.close()
            raise EngineFault(
                "The process that grades ended: run the cell again; `workbook doctor` may say why."
            ) from None
        if "error" in answer:
            raise EngineFault(answer["error"])
        return Graded(answer["html"], answer["text"], answer["verdict"], tuple(answer["notes"]))

    def close(self) -> None:
        """End the child."""
        process, line = self._process, self._line
        self._process = self._line = None
        if line is not None:
            line.close()
        if process is not None:
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self) -> None:
        self.close()
        ours, theirs = socket.socketpair()
        try:
            self._process = subprocess.Popen(
                # -P: the current folder holds the learner's files, which must not stand in for ours.
                [sys.executable, "-P", "-m", "workbook.kernel.child", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # an interrupt of the kernel must not reach it: it is told to stop
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        except OSError as error:
            ours.close()
            raise EngineFault(f"The process that grades could not be started ({error.strerror}): try again.") from None
        finally:
            theirs.close()
        self._line, self._frames = ours, FrameReader()

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        assert self._line is not None
        channel.send(self._line, request)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._line is not None
        while data := self._line.recv(1 << 16):
            # An interrupt between two pieces loses none: what has come is kept for the answer to `_stop`.
            for message in self._frames.feed(data):
                answer: dict[str, Any] = decode(message)
                return answer
        raise ConnectionResetError

    def _stop(self) -> bool:
        """Have the child stop grading, and end it where it does not within some seconds; whether it was still at it."""
        try:
            if self._line is not None:
                channel.send(self._line, {})
                self._line.settimeout(STOP_SECONDS)
                answer = self._answer()
                self._line.settimeout(None)
                return "stopped" in answer
        except (OSError, KeyboardInterrupt):
            pass
        if self._process is not None:
            self._process.kill()
        self.close()
        return True
