"""One submission's worker, seen from the grader: sends requests, keeps every deadline, says what went wrong.

A worker that hangs, dies or eats memory costs the check that it was serving; the next check gets a fresh one. Only a
file that cannot be loaded ends the whole submission, since every check would meet the same fault.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from typing import Any, TypeVar

from workbook.boundary import replies
from workbook.boundary.outcomes import LearnerFault
from workbook.boundary.server import ForkServer, Worker
from workbook.boundary.submission import Submission
from workbook.boundary.usage import Meter, Usage
from workbook.content.problem import Problem
from workbook.errors import EngineFault, WireError
from workbook.sandbox.layers import Isolation
from workbook.sandbox.limits import MEGABYTE, Allowance
from workbook.text import decode_output
from workbook.wire import channel
from workbook.wire.codec import decode

KEPT_OUTPUT = 64 * 1024  # bytes of a check's output that are shown
WATCH_SECONDS = 0.02  # between two looks at a worker's memory
PATIENT_TIMEOUTS = 2
START_SECONDS = 30.0  # for a fork and the sandbox
SPARE_CPU_SECONDS = 30  # of processor time beyond the deadline, which comes first

Message = TypeVar("Message")


class Cancelled(KeyboardInterrupt):
    """The grading is out of date (a newer save), so it was stopped. Like Ctrl-C it passes through pytest."""


class Client:
    """Requests to the worker of one submission. Every method may raise LearnerFault or EngineFault."""

    def __init__(
        self,
        server: ForkServer,
        problem: Problem,
        submission: Submission,
        seed: int = 0,
        required: tuple[str, ...] = (),
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.server = server
        self.problem = problem
        self.submission = submission
        self.seed = seed
        self.required = required  # layers of the sandbox without which nothing is graded
        self.cancelled = cancelled  # asked while waiting for the learner
        self.isolation: tuple[str, ...] = ()
        self.seconds = 0.0  # inside the learner's calls, so far
        self._longest = 0.0
        self._peak_memory = 0
        self._watch: Meter | None = None
        self._next_look = 0.0
        self._worker: Worker | None = None
        self._frames = channel.FrameReader()
        self._counter = 0
        self._load_fault: LearnerFault | None = None
        self._call_start = 0.0
        self._allowed = 0.0  # seconds of the present call
        self._timeouts = 0
        self._output = bytearray()
        self._dropped = 0

    def session(self) -> Client:
        """The submission is one process from first to last, so that a state it keeps shows."""
        return self

    def request(self, op: str, **fields: Any) -> dict[str, Any]:
        """Carry out one operation in the worker, which is started and loaded first where need be."""
        if self.submission.fault:
            raise LearnerFault("error", self.submission.fault)
        if self._load_fault is not None:
            raise LearnerFault(self._load_fault.verdict, self._load_fault.message)
        if self._worker is None:
            self._start()
        return self._exchange(op, fields, called=str(fields["target"][-1]) if "target" in fields else replies.RESULT)

    @property
    def usage(self) -> Usage:
        return Usage(self._longest, self.seconds, self._peak_memory / MEGABYTE)

    def take_output(self) -> str:
        """What the learner's code has printed since the last time, escaped, with a note where it was cut."""
        if self._worker is not None:
            self._read_output(self._worker)
        text = decode_output(bytes(self._output))
        if self._dropped:
            text += f"\n… ({self._dropped} more bytes of output are not shown)"
        self._output.clear()
        self._dropped = 0
        return text

    def close(self) -> None:
        """End the worker and everything it started."""
        if self._worker is not None:
            worker, self._worker = self._worker, None
            self.server.end(worker)

    def _start(self) -> None:
        self._frames = channel.FrameReader()
        limits = self.problem.limits
        cpu_seconds = int(limits.total_seconds * self.server.slowness) + SPARE_CPU_SECONDS
        allowance = Allowance(memory_mb=limits.memory_mb, cpu_seconds=cpu_seconds)
        worker = self._worker = self.server.fork(
            allowance, self.submission.folder or self.submission.path, self.problem.preload
        )
        self._watch = None
        try:
            started = self._receive(worker, time.monotonic() + START_SECONDS, "", replies.isolation)
        except LearnerFault:  # none of the learner's code has run yet
            raise EngineFault("The worker process did not start: see `workbook doctor`.") from None
        self.isolation = started.active
        lacking = [layer for layer in self.required if layer not in started.active]
        if lacking:
            self.close()
            raise EngineFault(f"The sandbox is not complete (missing: {', '.join(lacking)}): see `workbook doctor`.")
        self._watch = Meter(self.server, worker, allowance, started.folder)
        try:
            self._exchange(
                "load",
                {
                    "path": str(self.submission.path),
                    "name": self.problem.stem,
                    "folder": str(self.submission.folder or ""),
                    "source": self.submission.source,
                    "seed": self.seed,
                },
                called="",
            )
            if self.problem.support.is_file():
                source = self.problem.support.read_text(encoding="utf-8")
                self._exchange("support", {"path": str(self.problem.support), "source": source}, called="")
        except LearnerFault as fault:
            self._load_fault = fault
            self.close()
            raise

    def _exchange(self, op: str, fields: dict[str, Any], called: str) -> dict[str, Any]:
        """Send one request and wait for its reply, within the deadlines of the call and of the submission."""
        worker = self._worker
        assert worker is not None
        self._counter += 1
        limits, slowness = self.problem.limits, self.server.slowness
        start = self._call_start = time.monotonic()
        left = limits.total_seconds * slowness - self.seconds
        # Code that has hung twice will hang again: it is not waited for as long.
        patience = limits.call_seconds if self._timeouts < PATIENT_TIMEOUTS else limits.call_seconds / 5
        self._allowed = patience * slowness
        deadline = start + min(self._allowed, max(left, 0.0))
        try:
            self._send(worker, channel.frame({"op": op, "id": self._counter, **fields}), deadline, called)
            reply = self._receive(worker, deadline, called, lambda reply: replies.checked(reply, op, fields))
        finally:
            taken = time.monotonic() - start
            self.seconds += taken
            if op != "load":
                self._longest = max(self._longest, taken)
        if reply.get("id") != self._counter:
            self._kill(worker)
            raise LearnerFault("crash", "The code interfered with the grader's connection to it.")
        if time.monotonic() >= self._next_look:
            self._look(worker, called)
        if not reply["ok"]:
            raise replies.fault(reply["error"], called, self.submission, self.problem.number)
        return reply

    def _send(self, worker: Worker, payload: bytes, deadline: float, called: str) -> None:
        view = memoryview(payload)
        while view:
            self._wait(worker, deadline, called, writing=True)
            try:
                view = view[worker.line.send(view) :]
            except BlockingIOError:
                continue
            except OSError:
                raise self._death(worker, called) from None

    def _receive(self, worker: Worker, deadline: float, called: str, check: Callable[[Any], Message]) -> Message:
        while True:
            self._wait(worker, deadline, called, writing=False)
            try:
                data = worker.line.recv(1 << 20)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                raise self._death(worker, called)
            try:
                for payload in self._frames.feed(data):
                    reply = decode(payload)
                    self._read_output(worker)
                    return check(reply)
            except WireError as error:
                self._kill(worker)
                raise LearnerFault("error", f"The returned value cannot be read: {error}.") from None

    def _wait(self, worker: Worker, deadline: float, called: str, *, writing: bool) -> None:
        """Wait until the line is ready, draining the output meanwhile; raise at a deadline, a death or a hoard."""
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise self._overdue(worker, called)
            readers: list[Any] = [worker.output, self.server.control]
            if not writing:
                readers.append(worker.line)
            ready, writable, _ = select.select(
                readers, [worker.line] if writing else [], [], min(remaining, WATCH_SECONDS)
            )
            if worker.output in ready:
                self._read_output(worker)
            if self.server.control in ready:
                self.server.hear(0)
            if writable or worker.line in ready:
                return
            if worker.status is not None:
                raise self._death(worker, called)
            if self.cancelled is not None and self.cancelled():
                self._kill(worker)
                raise Cancelled
            self._look(worker, called)

    def _look(self, worker: Worker, called: str) -> None:
        """Stop a worker that uses more than it may of what the system itself does not limit everywhere."""
        if self._watch is None:  # no code of the learner's runs yet
            return
        excess = self._watch.look()
        # Many calls take less time than a look, and memory does not fill faster than looks come.
        self._next_look = time.monotonic() + WATCH_SECONDS
        self._peak_memory = max(self._peak_memory, self._watch.peak)
        if excess is not None:
            self._kill(worker)
            raise LearnerFault(excess[0], f"{replies.subject(called)} {excess[1]} and was stopped.")

    def _overdue(self, worker: Worker, called: str) -> LearnerFault:
        limits, slowness = self.problem.limits, self.server.slowness
        spent = self.seconds + time.monotonic() - self._call_start
        self._kill(worker)
        self._timeouts += 1
        if spent >= limits.total_seconds * slowness:
            total = limits.total_seconds * slowness
            return LearnerFault("timeout", f"All calls together took more than the {total:.0f} seconds allowed.")
        return LearnerFault(
            "timeout",
            f"{replies.subject(called)} had not finished after {self._allowed:.0f} seconds and was stopped: "
            "look for a loop that never ends.",
        )

    def _death(self, worker: Worker, called: str) -> LearnerFault:
        """The worker is gone, or no longer answers: wait for its end and say how it came."""
        self.server.await_death(worker, 1.0)
        status = worker.status
        self._kill(worker)
        if status is None:
            return LearnerFault("crash", "The code closed the grader's connection to it.")
        return LearnerFault(
            "crash", f"{replies.subject(called)} ended the whole Python process: {replies.how(status)}."
        )

    def _kill(self, worker: Worker) -> None:
        self._read_output(worker)
        self._worker = None
        self.server.end(worker)

    def _read_output(self, worker: Worker) -> None:
        """Take what is in the output pipe now; beyond KEPT_OUTPUT it is counted and dropped."""
        for _ in range(64):  # a flood must not keep the grader from its deadline
            try:
                data = os.read(worker.output, 65536)
            except OSError:
                return
            if not data:
                return
            room = KEPT_OUTPUT - len(self._output)
            self._output += data[:room]
            self._dropped += len(data[room:])


def worker_isolation(server: ForkServer) -> Isolation:
    """Start a worker, ask which layers of isolation it has, and end it."""
    worker = server.fork(Allowance())
    try:
        worker.line.settimeout(START_SECONDS)
        return replies.isolation(channel.receive(worker.line))
    except (OSError, EOFError, WireError) as error:
        raise EngineFault(f"A worker started but does not answer: {error}.") from None
    finally:
        server.end(worker)
