"""What a submission uses of the machine, looked at from the grader: root ignores some of the system's limits."""

from __future__ import annotations

from dataclasses import dataclass

from workbook.boundary.server import ForkServer, Worker
from workbook.results import Verdict
from workbook.sandbox import processes, trees
from workbook.sandbox.limits import MEGABYTE, Allowance

MOST_FILES = 4096  # as many as the scratch folder in memory has room for


@dataclass
class Meter:
    """Looks at one worker and all that it started. `peak` is the most memory seen, in bytes."""

    server: ForkServer
    worker: Worker
    allowance: Allowance
    folder: str = ""  # the scratch folder, where it is one on disk
    peak: int = 0

    def __post_init__(self) -> None:
        self._base = processes.memory(self.worker.pid)  # what the zygote already holds is not the learner's

    def look(self) -> tuple[Verdict, str] | None:
        """The verdict on what is over its limit, and the rest of a sentence about it; None where nothing is."""
        family = self.server.family(self.worker)
        # A child starts with its parent's pages, which it shares with it as long as neither writes to them.
        used = sum(max(0, processes.memory(pid) - self._base) for pid in family)
        self.peak = max(self.peak, used)
        if used > self.allowance.memory_mb * MEGABYTE:
            return "memory", f"used more than {self.allowance.memory_mb} MB of memory"
        if len(family) > self.allowance.processes:
            return "error", f"started more than {self.allowance.processes} processes"
        if self.folder and trees.exceeds(self.folder, self.allowance.files_mb * MEGABYTE, MOST_FILES):
            return "error", f"wrote more than {self.allowance.files_mb} MB of files, or too many, or nested too deep"
        return None


@dataclass(frozen=True)
class Usage:
    """What a submission has used so far: seconds of its longest call and of all, memory beyond the zygote's."""

    longest_call: float = 0.0
    seconds: float = 0.0
    memory_mb: float = 0.0
