"""The application: every command's options, and what becomes of an error."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from workbook.errors import WorkbookError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Graded coding exercises. Alone, it shows your progress and the next thing to do.",
)

STOPPED = 130  # the exit code after Ctrl-C

Number = Annotated[int, typer.Argument(metavar="N", help="the problem's number")]
Numbers = Annotated[
    list[int] | None, typer.Argument(metavar="[N ...]", help="problem numbers; all where none is given")
]


@app.callback(invoke_without_command=True)
def overview(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        from workbook.cli import learning

        raise typer.Exit(learning.overview())


@app.command()
def grade(
    numbers: Numbers = None,
    file: Annotated[
        Path | None, typer.Option("--file", metavar="PATH", help="grade this file, notebook or folder instead")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="print one JSON object and nothing else")] = False,
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="also write JUnit XML")] = None,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="exit 0 also when something did not pass")] = False,
    require_sandbox: Annotated[bool, typer.Option("--require-sandbox", help="refuse without the full sandbox")] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="run one problem in this process, unscored, for breakpoints")
    ] = False,
) -> None:
    """Grade exercises: say what is right, what is wrong, and why."""
    from workbook.cli import grading

    options = grading.Options(file, json, junit, exit_zero, require_sandbox, debug)
    raise typer.Exit(grading.grade(numbers or [], options))


@app.command()
def hint(number: Number) -> None:
    """Show the next hint of a problem; each call gives one more."""
    from workbook.cli import learning

    raise typer.Exit(learning.hint(number))


@app.command()
def solution(
    number: Number,
    force: Annotated[bool, typer.Option("--force", help="show it before you have passed")] = False,
) -> None:
    """Show the solution of a problem you have passed, to compare with yours."""
    from workbook.cli import learning

    raise typer.Exit(learning.solution(number, force=force))


@app.command()
def reset(number: Number) -> None:
    """Put the stub of a problem back; your file is kept in .workbook/backups."""
    from workbook.cli import learning

    raise typer.Exit(learning.reset(number))


@app.command()
def watch(
    number: Annotated[int | None, typer.Argument(metavar="[N]", help="the problem to begin with")] = None,
    poll: Annotated[bool, typer.Option("--poll", help="look for changes by time, where none are reported")] = False,
) -> None:
    """Grade an exercise each time you save it."""
    from workbook.cli import learning

    raise typer.Exit(learning.watch(number, poll=poll))


@app.command()
def notebook(
    number: Number,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open it in the browser")] = True,
) -> None:
    """Open the companion notebook of a problem in JupyterLab."""
    from workbook.cli import notebooks

    raise typer.Exit(notebooks.notebook(number, browser=browser))


progress_app = typer.Typer(help="Your progress on several machines.", rich_markup_mode=None)
app.add_typer(progress_app, name="progress")


@progress_app.command("merge")
def progress_merge(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="another .workbook/progress.json")],
) -> None:
    """Take in another copy's progress file: of each problem the newer verdict counts, and any against "not started"."""
    from workbook.cli import learning

    raise typer.Exit(learning.merge_progress(file))


@app.command()
def doctor() -> None:
    """Say what this machine has and lacks for grading."""
    from workbook.cli import doctoring

    raise typer.Exit(doctoring.doctor())


@app.command()
def build(
    only_check: Annotated[bool, typer.Option("--check", help="change nothing; fail where a file is stale")] = False,
) -> None:
    """Make stubs, notebooks and the README's reports from their sources (for authors)."""
    from workbook.cli import shared

    shared.for_authors("build")
    from workbook.cli import authoring

    raise typer.Exit(authoring.build(check=only_check))


@app.command()
def check(numbers: Numbers = None) -> None:
    """Prove problems sound, graders included (for authors)."""
    from workbook.cli import shared

    shared.for_authors("check")
    from workbook.cli import authoring

    raise typer.Exit(authoring.check(numbers or []))


@app.command()
def new(number: Number, slug: Annotated[str, typer.Argument(metavar="SLUG", help="such as moving_average")]) -> None:
    """Make a new problem that already works, to be edited (for authors)."""
    from workbook.cli import shared

    shared.for_authors("new")
    from workbook.cli import authoring

    raise typer.Exit(authoring.new(number, slug))


@app.command()
def add(
    pack: Annotated[Path, typer.Argument(metavar="PACK", help="a folder, zip or git checkout with one problem")],
    number: Annotated[int | None, typer.Option("--as", metavar="N", help="give it this number")] = None,
    prerequisite: Annotated[
        list[str] | None,
        typer.Option(metavar="OLD=NEW", help="which problem here is the pack's prerequisite OLD; none drops it"),
    ] = None,
) -> None:
    """Check a problem's pack and put it into the workbook (for authors)."""
    from workbook.cli import shared

    shared.for_authors("add")
    from workbook.cli import packing

    raise typer.Exit(packing.add(pack, number, prerequisite or []))


@app.command()
def remove(
    number: Number,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="PATH", help="the pack's folder, or its zip where it ends so")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="drop the prerequisite of problems that build on it")] = False,
) -> None:
    """Take a problem out of the workbook, into a pack (for authors)."""
    from workbook.cli import shared

    shared.for_authors("remove")
    from workbook.cli import packing

    raise typer.Exit(packing.remove(number, out, force=force))


@app.command()
def release(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="a folder that is empty or not there yet")],
    zipped: Annotated[bool, typer.Option("--zip", help="also make DIR.zip")] = False,
) -> None:
    """Make a learner's copy, which grades without solutions (for authors)."""
    from workbook.cli import shared

    shared.for_authors("release")
    from workbook.cli import releasing

    raise typer.Exit(releasing.release(out, zipped=zipped))


@app.command()
def update(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="a newer release, as a folder or zip")],
    older: Annotated[bool, typer.Option("--older", help="go back to an older release")] = False,
) -> None:
    """Bring new problems and mended checks into this copy; what you wrote stays."""
    from workbook.cli import updating

    raise typer.Exit(updating.update(release, older=older))


def main() -> None:
    """Entry point of the `workbook` command: runs it and turns every error into one line and an exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller: there is nobody to tell
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # A terminal whose encoding lacks a sign must not end the program.
        getattr(sys, name).reconfigure(errors="backslashreplace")
    try:
        code = app(standalone_mode=False)
        sys.stdout.flush()
    except typer.Exit as done:  # also how typer passes on Ctrl-C
        code = done.exit_code
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except WorkbookError as error:
        print(error, file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the flush at exit cannot fail too
        code = 0
    except Exception as error:
        code = _unexpected(error)
    if code == STOPPED:
        print("Stopped.", file=sys.stderr)
    _leave(code)


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
    usage = getattr(error, "format_message", None)
    if usage is not None:  # an error of the command line itself
        context = getattr(error, "ctx", None)
        where = f" See `{context.command_path} --help`." if context is not None else ""
        print(f"{usage()}{where}", file=sys.stderr)
        return int(getattr(error, "exit_code", 2))
    if os.environ.get("WORKBOOK_TRACEBACK"):
        raise error
    print(
        f"The workbook itself failed ({type(error).__name__}: {error}): run again with WORKBOOK_TRACEBACK=1 to see where.",
        file=sys.stderr,
    )
    return 3
