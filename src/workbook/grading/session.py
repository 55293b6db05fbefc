"""One grading, from problems to a Report: pytest runs the checks, in this process, with a warm engine."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from workbook import plugin
from workbook.boundary.client import Cancelled
from workbook.content.layout import path_of
from workbook.content.problem import Problem
from workbook.errors import BrokenWorkbook, EngineFault
from workbook.grading.grading import Grading
from workbook.results import CheckResult, ProblemResult, Report, Verdict
from workbook.text import clean, one_line

# pytest's own plugins that a grading has no use for; the first two collect garbage five times over, most of a warm
# grading's time.
UNUSED = (
    "unraisableexception",
    "threadexception",
    "cacheprovider",
    "stepwise",
    "doctest",
    "unittest",
    "pastebin",
    "logging",
    "legacypath",
    "faulthandler",
    "setuponly",
    "setupplan",
    "subtests",
)

Announce = Callable[[Problem, str], None]


def grade(
    grading: Grading,
    *,
    junit: Path | None = None,
    progress: Announce | None = None,
    plugins: Sequence[Any] = (),
) -> Report:
    """Grade every task, and close the grading.

    Args:
        grading: what to grade, in order.
        junit: where pytest is to write its JUnit XML.
        progress: called before each check with the problem and the check's title.
        plugins: further pytest plugins.

    Raises KeyboardInterrupt on Ctrl-C, Cancelled where the grading was told that it is out of date.
    """
    problems = [task.problem for task in grading.tasks.values()]
    broken = {problem.stem: fault for problem in problems if (fault := _content_fault(grading, problem))}
    collector = Collector(grading, {problem.grader: problem for problem in problems}, progress)
    collector.faults.update(broken)
    present = [item.grader for item in problems if item.stem not in broken]
    output = io.StringIO()
    isolation: tuple[str, ...] = ()
    try:
        if present:
            paths = [str(path) for path in present]
            code = _run_pytest(grading, paths, [collector, *plugins], junit, output)
            if code == pytest.ExitCode.INTERRUPTED:
                raise collector.interrupted if isinstance(collector.interrupted, Cancelled) else KeyboardInterrupt
            if code in (pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.USAGE_ERROR):
                raise EngineFault(f"pytest itself failed: {clean(output.getvalue().strip(), limit=2000)}")
        results = tuple(_problem_result(grading, problem, collector) for problem in problems)
    finally:
        isolation = grading.close()
    return Report(grading.engine.catalog.title, isolation, results)


def _content_fault(grading: Grading, problem: Problem) -> str:
    """Why a problem cannot be graded at all, said once and not for every check; "" where nothing is known."""
    if not problem.grader.is_file():
        return f"{problem.relative(problem.grader)} is missing."
    try:
        grading.content(problem).diagnosis.forget()
    except BrokenWorkbook as error:
        return str(error)
    return ""


def _run_pytest(grading: Grading, files: list[str], plugins: list[Any], junit: Path | None, output: Any) -> int:
    root = grading.engine.catalog.root
    for name in list(sys.modules):
        if name.partition(".")[0] == "graders":
            del sys.modules[name]  # of another workbook, or as it was before an edit
    arguments = [
        f"--rootdir={root}",
        "--import-mode=importlib",
        *(part for name in UNUSED for part in ("-p", f"no:{name}")),
        "-o",
        "addopts=",
        "-o",
        "filterwarnings=",
        "--disable-plugin-autoload",
        "-p",
        "workbook.plugin",
        "-q",
        "--tb=short",
        "--capture=no",  # what is printed goes into `output`; capturing the descriptors would hide our progress too
        "--continue-on-collection-errors",  # one broken grader does not stop the others
        "-W",
        "ignore::pytest.PytestWarning" if grading.debug else "ignore",
        "-c",
        str(root / "pyproject.toml"),
        *([f"--junitxml={junit}"] if junit else []),
        *files,
    ]
    with contextlib.ExitStack() as stack:
        stack.enter_context(_environment(root))
        if not grading.debug:
            stack.enter_context(contextlib.redirect_stdout(output))
            stack.enter_context(contextlib.redirect_stderr(output))
        return int(pytest.main(arguments, plugins=plugins))


@contextlib.contextmanager
def _environment(root: Path) -> Iterator[None]:
    """Run in the workbook's folder, out of reach of a PYTEST_ADDOPTS in the caller's environment."""
    folder = os.getcwd()
    saved = {name: os.environ.pop(name) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS") if name in os.environ}
    path = list(sys.path)
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(folder)
        os.environ.update(saved)
        sys.path[:] = path


@dataclass
class Collector:
    """A pytest plugin that keeps the result of every check, and what kept a grader from being collected."""

    grading: Grading
    problems: dict[Path, Problem]
    progress: Announce | None = None
    checks: dict[str, list[CheckResult]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    interrupted: BaseException | None = None

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self.interrupted = excinfo.value

    def pytest_configure(self, config: pytest.Config) -> None:
        plugin.use_grading(config, self.grading)

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        problem = item.stash.get(plugin.PROBLEM, None)
        if self.progress is not None and problem is not None:
            self.progress(problem, plugin.title_of(item))

    def pytest_runtest_logreport(self, report: Any) -> None:
        result = getattr(report, "workbook_check", None)
        if result is not None:
            stem = Path(report.fspath).stem.removeprefix("test_")
            self.checks.setdefault(stem, []).append(result)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            stem = Path(str(report.nodeid).partition("::")[0]).stem.removeprefix("test_")
            lines = str(report.longrepr).strip().splitlines() or ["no reason given"]
            reason = clean(lines[-1].removeprefix("E").strip(), limit=500)
            self.faults[stem] = f"{path_of('grader', stem)} could not be read: {reason}"


def _problem_result(grading: Grading, problem: Problem, collector: Collector) -> ProblemResult:
    checks = tuple(collector.checks.get(problem.stem, ()))
    submission = grading.submission(problem)
    root = grading.engine.catalog.root
    message = ""
    if problem.stem in collector.faults:
        message = collector.faults[problem.stem]
    elif not checks:
        message = f"{problem.relative(problem.grader)} has no check, so there is nothing to pass."
    verdict = "ungraded" if message else _problem_verdict(checks)
    return ProblemResult(
        number=problem.number,
        slug=problem.slug,
        title=problem.title,
        file=_shown(submission.path, root),
        sha256=submission.sha256,
        grader=_shown(problem.grader, root),
        verdict=verdict,
        score=None if verdict == "ungraded" else sum(check.points for check in checks),
        max_score=sum(check.max_points for check in checks),
        checks=tuple(replace(check, message=check.message.strip()) for check in checks),
        message=message,
        hidden=0 if problem.stem in collector.faults else grading.content(problem).hidden,
    )


def _problem_verdict(checks: Sequence[CheckResult]) -> Verdict:
    verdicts = {check.verdict for check in checks} - {"skipped"}
    if "ungraded" in verdicts or not verdicts:
        return "ungraded"
    if verdicts == {"passed"}:
        return "passed"
    return "not_started" if verdicts == {"not_started"} else "failed"


def _shown(path: Path, root: Path) -> str:
    """A path as a reader wants it: relative to the workbook where it is inside."""
    return one_line(str(path.relative_to(root)) if path.is_relative_to(root) else str(path))
