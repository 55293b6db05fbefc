"""A small process that has torch and numpy ready and forks one worker per submission.

It starts before any solution or grader is read, so that a worker, its copy, cannot hold one. It has a single thread,
runs no learner's code itself, and ends when the grader's end of its socket closes: no orphans.

Requests: {"op": "fork", "worker", "allowance", "folder", "modules"} with two descriptors (the worker's socket, its
output pipe) and {"op": "kill", "worker"}. Events: ready, forked, failed, died.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import importlib.machinery
import os
import selectors
import signal
import socket
import sys
import time
from typing import Any

from workbook.errors import WireError
from workbook.sandbox import syscalls
from workbook.sandbox.layers import Sandbox
from workbook.sandbox.limits import Allowance
from workbook.sandbox.processes import children, descendants
from workbook.wire import channel
from workbook.wire.codec import decode
from workbook.worker import meta, worker

# What the loop of `measure_slowness` takes on the reference machine; slower machines get longer deadlines.
REFERENCE_SECONDS = 0.0085
STRAY_SECONDS = 10.0  # for the hunt after processes that outlive their worker


def preload(modules: tuple[str, ...]) -> list[str]:
    """Import and touch each module once, so that no worker pays for lazy initialisation. Returns what failed."""
    failed = []
    for name in modules:
        try:
            importlib.import_module(name)
            _touch(name)
        except Exception as error:
            sys.modules.pop(name, None)
            failed.append(f"{name}{_origin(name)}: {type(error).__name__}: {error}")
    return failed


def _touch(name: str) -> None:
    if name == "torch":
        import torch

        torch.set_num_threads(1)
        with contextlib.suppress(RuntimeError):  # can be set only once
            torch.set_num_interop_threads(1)
        weight = torch.ones(2, 2, requires_grad=True)
        total = torch.sigmoid(torch.randn(2, 2) @ weight).sum() + torch.ones(2, dtype=torch.float64).tanh().sum()
        torch.autograd.grad(total, weight)
    if name == "numpy":
        import numpy

        numpy.random.default_rng(0).normal(size=3) @ numpy.ones(3)


def _origin(name: str) -> str:
    """Where a module that cannot be imported was found: another file of its name may stand in the library's way."""
    found = importlib.machinery.PathFinder.find_spec(name)
    return f" from {found.origin}" if found is not None and found.origin else ""


def measure_slowness() -> float:
    """How many times slower than the reference machine this one is just now; never under 1."""
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        total = 0
        for number in range(100_000):
            total += number * number % 7
        best = min(best, time.perf_counter() - start)
    return min(20.0, max(1.0, best / REFERENCE_SECONDS))


class Zygote:
    """The loop: requests from the grader on one side, deaths of workers on the other."""

    def __init__(self, control: socket.socket, sandbox: Sandbox) -> None:
        self.control = control
        self.sandbox = sandbox
        self.workers: dict[int, int] = {}  # pid -> worker number
        self.frames = channel.FrameReader()
        self.descriptors: list[int] = []

    def serve(self, failed: list[str]) -> None:
        slowness = measure_slowness()
        wake_read, wake_write = os.pipe()
        os.set_blocking(wake_read, False)
        os.set_blocking(wake_write, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake_write)
        _adopt_orphans()
        ready = {"failed": failed, "slowness": slowness, "pid": os.getpid(), "scratch": self.sandbox.root}
        self.tell({"event": "ready", **ready})
        meta.warm()  # after `ready`: the grader has its own imports to make meanwhile
        gc.freeze()  # a collection in a worker would otherwise write to, and so copy, every page
        with selectors.DefaultSelector() as selector:
            selector.register(self.control, selectors.EVENT_READ)
            selector.register(wake_read, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fd == wake_read:
                        with contextlib.suppress(BlockingIOError):
                            os.read(wake_read, 4096)
                        self.bury()
                    elif not self.read_requests():
                        return

    def tell(self, event: dict[str, Any]) -> None:
        channel.send(self.control, event)

    def read_requests(self) -> bool:
        """Carry out what has arrived; False at the end of the grader's pipe."""
        data, descriptors, _, _ = socket.recv_fds(self.control, 65536, 8)
        if not data:
            return False
        self.descriptors += descriptors
        for payload in self.frames.feed(data):
            request = decode(payload)
            if request["op"] == "fork":
                self.fork(request)
            elif request["op"] == "kill":
                for pid, number in self.workers.items():
                    if number == request["worker"]:
                        kill_group(pid)
        return True

    def fork(self, request: dict[str, Any]) -> None:
        line, output = self.descriptors.pop(0), self.descriptors.pop(0)
        self.import_more(request["modules"])
        try:
            pid, entry = self.sandbox.fork(request["worker"], Allowance(**request["allowance"]), request["folder"])
        except OSError as error:
            os.close(line)
            os.close(output)
            self.tell({"event": "failed", "worker": request["worker"], "reason": str(error)})
            return
        if entry is not None:
            try:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                worker.run(line, output, entry)  # which closes all other descriptors
            finally:
                os._exit(0)
        os.close(line)
        os.close(output)
        self.workers[pid] = request["worker"]
        self.tell({"event": "forked", "worker": request["worker"], "pid": pid})

    def import_more(self, modules: list[str]) -> None:
        """Import what the answers to a problem will need. One that fails will fail in the worker, where it is told."""
        missing = [name for name in modules if name not in sys.modules]
        for name in missing:
            with contextlib.suppress(Exception):
                importlib.import_module(name)
        if missing:
            gc.freeze()

    def bury(self) -> None:
        """Report dead workers, once all that they left behind is dead too: orphans become children of this process."""
        dead = self.reap()
        if dead:
            self.kill_strays()
        for number, status in dead:
            self.sandbox.forget(number)
            self.tell({"event": "died", "worker": number, "status": status})

    def reap(self) -> list[tuple[int, int]]:
        """Worker numbers and wait statuses of the workers that have died."""
        dead = []
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            if pid in self.workers:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(pid, signal.SIGKILL)
                dead.append((self.workers.pop(pid), status))
        return dead

    def kill_strays(self) -> None:
        """Kill every process below this one that belongs to no living worker, however fast they multiply."""
        deadline = time.monotonic() + STRAY_SECONDS
        while time.monotonic() < deadline:
            strays = [child for child in children(os.getpid()) if child not in self.workers]
            if not strays:
                return
            for stray in strays:
                for pid in (stray, *descendants(stray)):
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
            for stray in strays:
                with contextlib.suppress(ChildProcessError):
                    os.waitpid(stray, 0)

    def end(self) -> None:
        for pid in self.workers:
            kill_group(pid)
        for pid in self.workers:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
        self.workers.clear()
        self.kill_strays()
        self.sandbox.close()


def kill_group(pid: int) -> None:
    """Kill a worker and every process of its group; a group that does not exist yet is killed as a process."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _adopt_orphans() -> None:
    """Make this process the parent of what a worker's death leaves behind, so that it can be found (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)


def main(descriptor: int, modules: tuple[str, ...]) -> None:
    """Serve on a connected socket until its other end closes."""
    os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the grader's to answer
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    with contextlib.suppress(OSError):  # already done where this is a new interpreter
        os.setsid()  # what kills the grader's group leaves this process to clear up
    control = socket.socket(fileno=descriptor)
    failed = preload(modules)  # the sandbox looks where these came from
    zygote = Zygote(control, Sandbox())
    try:
        zygote.serve(failed)
    except (OSError, WireError):
        pass  # the grader is gone
    finally:
        zygote.end()


if __name__ == "__main__":
    main(int(sys.argv[1]), tuple(sys.argv[2].split(",")))
