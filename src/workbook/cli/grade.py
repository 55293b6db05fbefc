"""`workbook grade`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from workbook.cli import shared
from workbook.cli.command import Numbers, command
from workbook.content.catalog import Catalog
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, UsageError
from workbook.results import Report

if TYPE_CHECKING:
    from workbook.grading.engine import Engine


@dataclass(frozen=True)
class Options:
    file: Path | None = None
    json: bool = False
    junit: Path | None = None
    exit_zero: bool = False
    require_sandbox: bool = False
    debug: bool = False


@command
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
) -> int:
    """Grade exercises: say what is right, what is wrong, and why."""
    return _grade(numbers or [], Options(file, json, junit, exit_zero, require_sandbox, debug))


def _grade(numbers: list[int], options: Options) -> int:
    """Grade and report; the exit code: 0 all passed, 1 something did not, 3 something could not be graded."""
    catalog = shared.open_catalog()
    file = options.file.absolute() if options.file else None
    problems = _select(catalog, numbers, file)
    if options.debug and (len(problems) != 1 or options.json):
        raise UsageError("--debug runs one problem: name its number, and leave --json out.")
    if options.debug and options.require_sandbox:
        raise UsageError("--debug runs the code in this process, which no sandbox holds: leave --require-sandbox out.")
    if options.junit is not None:
        _check_writable(options.junit)
    shared.warn_of_broken(catalog)

    from workbook.grading.engine import Engine

    engine = Engine(catalog)
    try:
        if not options.debug:
            # Before pytest is imported and any solution is read: this process still has nothing to hide.
            # Not where strangers are graded: a new interpreter has no memory of this one's environment either.
            engine.start(fork=not options.require_sandbox)
        if options.require_sandbox:
            _require_sandbox(engine)

        from workbook.grading.grading import Grading, Task
        from workbook.grading.session import grade as run

        with _spinner(options) as show:
            tasks = [Task.at(problem, file) for problem in problems]
            report = run(
                Grading(engine, tasks, debug=options.debug, require_sandbox=options.require_sandbox),
                junit=options.junit.absolute() if options.junit else None,
                progress=show,
            )
    finally:
        engine.close()
    _print(catalog, report, options, given=bool(numbers) or file is not None)
    if file is None and not options.debug:
        from workbook.workspace import progress

        reached = shared.load_progress(catalog.root)
        shared.save_progress(catalog.root, progress.with_report(reached, report))
    asked_for_all = not numbers and file is None
    if asked_for_all and catalog.broken:
        return BrokenWorkbook.exit_code
    return exit_code(report, exit_zero=options.exit_zero)


def exit_code(report: Report, *, exit_zero: bool = False) -> int:
    verdicts = {problem.verdict for problem in report.problems}
    if "ungraded" in verdicts:
        return 3
    return 0 if verdicts == {"passed"} or exit_zero else 1


def _select(catalog: Catalog, numbers: list[int], file: Path | None) -> tuple[Problem, ...]:
    """The problems to grade: those named, or the one that the file is for, or those that the folder has."""
    if file is None:
        return catalog.select(numbers)
    if not file.exists():
        raise UsageError(f"{file} does not exist: check the path after --file.")
    if file.is_dir():
        chosen = catalog.select(numbers)
        if not numbers:
            chosen = tuple(problem for problem in chosen if (file / problem.exercise.name).is_file())
            known = {problem.exercise.name for problem in catalog.problems}
            for other in sorted(path.name for path in file.glob("*.py") if path.name not in known):
                shared.warn(f"{other} is not graded: it is not named like a stub.")
            for problem in catalog.problems:
                if problem not in chosen and (file / problem.notebook.name).is_file():
                    path = os.path.relpath(file / problem.notebook.name)
                    shared.warn(f"{problem.notebook.name} is not graded: grade it by itself, with --file {path}.")
            if not chosen:
                raise UsageError(f"{file} has no file named like a stub (such as {catalog.problems[0].exercise.name}).")
        return chosen
    if len(numbers) > 1:
        raise UsageError("One file answers one problem: name one number, or give a folder.")
    if numbers:
        return catalog.select(numbers)
    found = catalog.by_stem(file.stem)
    if found is None:
        raise UsageError(
            f"{file.name} is not named like a stub: say which problem it is for, as in `grade 1 --file …`."
        )
    return (found,)


def _check_writable(path: Path) -> None:
    folder = path.absolute().parent
    if path.is_dir() or not folder.is_dir() or not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"{path} cannot be written: give --junit a file in a folder that exists.")


def _require_sandbox(engine: Engine) -> None:
    missing = engine.probe_isolation().missing
    if missing:
        raise BrokenWorkbook(
            f"The sandbox is not complete (missing: {', '.join(missing)}), so nothing was graded: "
            "see `workbook doctor`, or leave --require-sandbox out."
        )


def _spinner(options: Options) -> AbstractContextManager[Callable[[Problem, str], None] | None]:
    """What is being checked, while it takes: on a terminal only."""
    if options.json or options.debug or not sys.stderr.isatty():
        return nullcontext(None)
    return _Spinner()


class _Spinner:
    def __enter__(self) -> Callable[[Problem, str], None]:
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        columns = (SpinnerColumn(), TimeElapsedColumn(), TextColumn("{task.description}", markup=False))
        console = shared.console(stderr=True)
        self.progress = Progress(*columns, console=console, transient=True)
        room = max(20, console.width - 16)  # beside the sign and the time
        task = self.progress.add_task("Starting …", total=None)
        self.progress.start()

        def show(problem: Problem, title: str) -> None:
            text = f"Problem {problem.number}: {title}"
            self.progress.update(task, description=text if len(text) <= room else f"{text[: room - 2]} …")

        return show

    def __exit__(self, *reason: Any) -> None:
        self.progress.stop()


def _print(catalog: Catalog, report: Report, options: Options, *, given: bool) -> None:
    if options.json:
        from workbook.report.json import as_json

        print(as_json(report))
        return
    from workbook.report.terminal import render

    console = shared.console()
    for line in render(report, f"{shared.command()} hint", width=shared.width(console)):
        console.print(line)
    if options.debug:
        console.print("Run in this process without limits: this result is not scored.")
    elif options.file is None:
        from workbook.cli.next_step import next_step

        console.print(next_step(catalog, report, alone=not given))
