"""Every error that a user can meet. Each message reads "what failed: what to do" and fits on one line."""

from __future__ import annotations

from workbook.text import one_line


class WorkbookError(Exception):
    """Base of the errors shown as one line, never as a traceback; a list of faults follows as further arguments, each a
    line of its own. `exit_code` is what the process exits with."""

    exit_code = 3

    def __str__(self) -> str:
        """The message, each argument in one line, whatever the names in it hold."""
        return "\n".join(one_line(str(line)) for line in self.args)

    def _render_traceback_(self) -> list[str]:
        """What IPython shows in a notebook."""
        return [str(self)]


class UsageError(WorkbookError):
    """The command line asks for something that does not exist (a problem, a file, an option)."""

    exit_code = 2


class BrokenWorkbook(WorkbookError):
    """A file of the workbook itself (TOML, grader, solution, stub) is missing or wrong: never the learner's fault."""


class EngineFault(WorkbookError):
    """The machine or the engine failed (no memory for a worker, a dead zygote): the check is ungraded, never a zero."""


class WireError(WorkbookError):
    """Bytes that are not a message, or a value that cannot be one."""
