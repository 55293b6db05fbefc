"""The grader's hold on the zygote: starts it, asks it for workers, hears of their deaths."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from workbook.errors import EngineFault, WireError
from workbook.sandbox import trees
from workbook.sandbox.layers import SWITCH
from workbook.sandbox.limits import Allowance
from workbook.sandbox.processes import children, descendants
from workbook.wire import channel
from workbook.wire.codec import decode
from workbook.worker import zygote
from workbook.worker.worker import HIGHEST

START_SECONDS = 180.0  # importing torch from a cold disk can take long
ANSWER_SECONDS = 30.0
# Where Python and the libraries look for themselves.
PASSED = {"PATH", "HOME", "LANG", "TZ", "TMPDIR", "TEMP", "TMP", "VIRTUAL_ENV", "CONDA_PREFIX", SWITCH}
PASSED_PREFIXES = ("LC_", "LD_", "DYLD_", "PYTHON", "OMP_", "MKL_", "OPENBLAS_", "KMP_")


@dataclass
class Worker:
    """One running worker: its number, its process id as seen from here, and the two ends that the grader holds."""

    number: int
    pid: int
    line: socket.socket
    output: int
    status: int | None = None  # wait status once dead


@dataclass
class ForkServer:
    """A running zygote. Not shared between threads."""

    control: socket.socket
    stop: Callable[[], None]
    slowness: float = 1.0
    pid: int = 0  # of the zygote
    scratch: str = ""  # the folder of the workers' files
    frames: channel.FrameReader = field(default_factory=channel.FrameReader)
    workers: dict[int, Worker] = field(default_factory=dict)
    counter: int = 0

    def fork(self, allowance: Allowance, folder: Path | None = None, modules: tuple[str, ...] = ()) -> Worker:
        """A fresh worker, which will say `started` on its line. Raises EngineFault where the system refuses one.

        Args:
            allowance: what the worker may use.
            folder: what it may read beside the libraries.
            modules: what the zygote is to have imported by then.
        """
        self.counter += 1
        number = self.counter
        ours, theirs = socket.socketpair()
        output, output_end = os.pipe()
        try:
            wanted = {"allowance": asdict(allowance), "folder": str(folder or ""), "modules": list(modules)}
            payload = channel.frame({"op": "fork", "worker": number, **wanted})
            socket.send_fds(self.control, [payload], [theirs.fileno(), output_end])
            event = self._await("forked", "failed", number=number, seconds=START_SECONDS if modules else ANSWER_SECONDS)
            if event["event"] == "failed":
                raise EngineFault(f"The system refused a worker process: {event['reason']}.")
        except BaseException as error:
            ours.close()
            os.close(output)
            if isinstance(error, OSError):
                raise EngineFault(f"The worker process could not be started: {error}.") from None
            raise
        finally:
            theirs.close()
            os.close(output_end)
        ours.setblocking(False)
        os.set_blocking(output, False)
        worker = Worker(number, event["pid"], ours, output)
        self.workers[number] = worker
        return worker

    def end(self, worker: Worker) -> int:
        """Kill a worker with all it started, wait for its death, close its ends; its wait status."""
        if worker.status is None:
            channel.send(self.control, {"op": "kill", "worker": worker.number})
            self.await_death(worker)
        worker.line.close()
        os.close(worker.output)
        self.workers.pop(worker.number, None)
        assert worker.status is not None
        return worker.status

    def family(self, worker: Worker) -> list[int]:
        """The processes of a worker. Orphans that the zygote adopted count as those of every worker."""
        known = {item.pid for item in self.workers.values()}
        orphans = [pid for pid in children(self.pid) if pid not in known]
        return [worker.pid, *descendants(worker.pid), *orphans, *(item for pid in orphans for item in descendants(pid))]

    def await_death(self, worker: Worker, seconds: float = ANSWER_SECONDS) -> bool:
        """Wait until the zygote reports this worker dead; False where that takes longer than `seconds`."""
        deadline = time.monotonic() + seconds
        while worker.status is None:
            if not self.hear(deadline - time.monotonic()):
                if seconds >= ANSWER_SECONDS:
                    raise EngineFault("The worker process could not be stopped.")
                return False
        return True

    def hear(self, seconds: float) -> bool:
        """Take in what the zygote says within `seconds`; False where it says nothing."""
        return bool(self._events(max(0.0, seconds)))

    def _events(self, seconds: float) -> list[dict[str, Any]]:
        if not select.select([self.control], [], [], seconds)[0]:
            return []
        try:
            data = self.control.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            for worker in self.workers.values():  # nobody else can now
                zygote.kill_group(worker.pid)
            raise EngineFault("The process that starts workers died: run the command again.")
        try:
            events = [decode(payload) for payload in self.frames.feed(data)]
        except WireError as error:
            raise EngineFault(f"The process that starts workers sent nonsense: {error}.") from None
        for event in events:
            if event["event"] == "died" and event["worker"] in self.workers:
                self.workers[event["worker"]].status = event["status"]
        return events

    def _await(self, *kinds: str, number: int | None = None, seconds: float = ANSWER_SECONDS) -> dict[str, Any]:
        deadline = time.monotonic() + seconds
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise EngineFault("The process that starts workers does not answer: run the command again.")
            for event in self._events(remaining):
                if event["event"] in kinds and (number is None or event["worker"] == number):
                    return event

    def await_ready(self) -> None:
        event = self._await("ready", seconds=START_SECONDS)
        self.slowness, self.pid, self.scratch = event["slowness"], event["pid"], event["scratch"]
        if event["failed"]:
            raise EngineFault(
                f"A library could not be imported ({'; '.join(event['failed'])}): if this file is not the library's own, "
                "rename it or take its folder out of PYTHONPATH; else install the library again."
            )

    def close(self) -> None:
        """End the zygote and with it every worker."""
        self.control.close()
        for worker in self.workers.values():
            worker.line.close()
            with contextlib.suppress(OSError):
                os.close(worker.output)
        self.workers.clear()
        self.stop()
        if self.scratch:  # the zygote removes it, unless it was killed
            trees.remove(self.scratch)


def start(modules: tuple[str, ...], *, fork: bool) -> ForkServer:
    """Start a zygote with `modules` ready.

    With `fork` it is a fork of this process, which saves a second import of torch: only for a process that has read
    no solution or grader yet and has one thread. Otherwise it is a new interpreter.
    """
    ours, theirs = socket.socketpair()
    if fork and threading.active_count() == 1 and sys.platform == "linux":
        zygote.preload(modules)
        stop = _fork(ours, theirs, modules)
    else:
        stop = _spawn(theirs, modules)
    theirs.close()
    server = ForkServer(ours, stop)
    try:
        server.await_ready()
    except BaseException:
        server.close()
        raise
    return server


def _fork(ours: socket.socket, theirs: socket.socket, modules: tuple[str, ...]) -> Callable[[], None]:
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        try:
            ours.close()
            descriptor = theirs.detach()
            os.closerange(3, descriptor)
            os.closerange(descriptor + 1, HIGHEST)
            zygote.main(descriptor, modules)
        finally:
            os._exit(0)

    def stop() -> None:
        _wait(lambda: os.waitpid(pid, os.WNOHANG)[0] != 0, lambda: os.kill(pid, signal.SIGKILL))

    return stop


def _spawn(theirs: socket.socket, modules: tuple[str, ...]) -> Callable[[], None]:
    descriptor = theirs.fileno()
    process = subprocess.Popen(
        # -P: a learner's torch.py in the current folder must not be imported in place of the library.
        [sys.executable, "-P", "-m", "workbook.worker.zygote", str(descriptor), ",".join(modules)],
        pass_fds=[descriptor],
        env=_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )

    def stop() -> None:
        _wait(lambda: process.poll() is not None, process.kill)

    return stop


def _environment() -> dict[str, str]:
    """What a new interpreter needs of the environment, and no secrets: its memory is the workers' too."""
    return {name: value for name, value in os.environ.items() if name in PASSED or name.startswith(PASSED_PREFIXES)}


def _wait(ended: Callable[[], bool], kill: Callable[[], None]) -> None:
    """Wait for a zygote whose pipe is closed to end by itself; kill it where it does not."""
    deadline = time.monotonic() + 5
    try:
        while not ended():
            if time.monotonic() > deadline:
                kill()
                deadline = float("inf")
            time.sleep(0.002)
    except ChildProcessError:
        pass
