"""The application: all commands, and what becomes of an error."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import os
import sys
from typing import NoReturn

import typer

from workbook.cli import doctor, grade, hint, notebook, overview, progress, reset, solution, update, watch
from workbook.cli.command import for_authors
from workbook.errors import WorkbookError
from workbook.text import one_line

STOPPED = 130  # the exit code after Ctrl-C

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Graded coding exercises. Alone, it shows your progress and the next thing to do.",
)
app.callback(invoke_without_command=True)(overview.overview)
for each in (grade.grade, hint.hint, solution.solution, reset.reset, watch.watch, notebook.notebook):
    app.command()(each)
progress_app = typer.Typer(help="Your progress on several machines.", rich_markup_mode=None)
progress_app.command()(progress.merge)
app.add_typer(progress_app, name="progress")
app.command()(doctor.doctor)
app.command()(update.update)


def _refused(context: typer.Context) -> None:
    raise for_authors(str(context.info_name))


if importlib.util.find_spec("workbook.cli.author") is not None:
    from workbook.cli.author import add, build, check, new, release, remove

    for author in (build.build, check.check, new.new, add.add, remove.remove, release.release):
        app.command()(author)
else:  # a learner's copy is made without them
    for name in ("build", "check", "new", "add", "remove", "release"):
        settings = {"ignore_unknown_options": True, "allow_extra_args": True}
        app.command(name, hidden=True, add_help_option=False, context_settings=settings)(_refused)


def main() -> None:
    """Entry point of the `workbook` command: runs it and turns every error into one line and an exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: there is nobody to tell
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # A terminal whose encoding lacks a sign must not end the program.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    try:
        code = app(standalone_mode=False)
    except typer.Exit as done:  # also how typer passes on Ctrl-C
        code = done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except WorkbookError as error:
        print(error, file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:
        _nowhere()
        code = 0
    except Exception as error:
        code = _unexpected(error)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _nowhere()
    except OSError as error:
        code = _no_room(error)
    if code == STOPPED:
        print("Stopped.", file=sys.stderr)
    _leave(code)


def _nowhere() -> None:
    """Let what is left to print vanish, so that the flush at exit cannot fail too."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _leave(code: int | str | None) -> NoReturn:
    """Exit. Where torch was imported, its tear-down would take a third as long as its import, and frees nothing that
    the end of the process does not."""
    if "torch" not in sys.modules:
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            stream.flush()
    os._exit(code if isinstance(code, int) else 0)


def _unexpected(error: Exception) -> int:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT) and error.filename is None:
        return _no_room(error)
    usage = getattr(error, "format_message", None)
    if usage is not None:  # an error of the command line itself
        context = getattr(error, "ctx", None)
        where = f" See `{context.command_path} --help`." if context is not None else ""
        print(one_line(f"{usage()}{where}"), file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
    if os.environ.get("WORKBOOK_TRACEBACK"):
        raise error
    what = one_line(f"{type(error).__name__}: {error}")
    print(f"The workbook itself failed ({what}): run again with WORKBOOK_TRACEBACK=1 to see where.", file=sys.stderr)
    return 3


def _no_room(error: OSError) -> int:
    """Say that what was printed did not reach its end: the disk, or the device, that it goes to is full."""
    _nowhere()
    print(f"The output could not be written ({error.strerror}): make room, or send it elsewhere.", file=sys.stderr)
    return 3
