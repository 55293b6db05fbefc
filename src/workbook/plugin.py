"""The pytest plugin: what makes a test in graders/ a check.

Plain `pytest graders/`, an editor's test explorer and `workbook grade` all go through it. It is loaded in every
pytest session of the environment, so it stays light and touches only tests in the graders folder of a workbook.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.errors import EngineFault, UsageError, WorkbookError
from workbook.results import CheckResult, Verdict

GRADING = pytest.StashKey[Any]()
OWN = pytest.StashKey[Path | None]()  # under plain pytest, whose engine is the plugin's own: what is submitted
PROBLEM = pytest.StashKey[Problem]()
COMPARISONS = pytest.StashKey[Any]()
SECONDS = pytest.StashKey[Any]()
WORDS: dict[Verdict, str] = {
    "passed": "PASSED",
    "failed": "WRONG",
    "not_started": "NOT STARTED",
    "error": "ERROR",
    "timeout": "TIMEOUT",
    "memory": "MEMORY",
    "crash": "CRASH",
    "skipped": "SKIPPED",
    "ungraded": "UNGRADED",
}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("workbook")
    group.addoption("--submission", metavar="PATH", help="a file or folder to grade in place of exercises/")
    group.addoption("--check-seed", type=int, default=0, metavar="N", help="seed of the checks' random data")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "points(n): how many points a check is worth (1 where it is not given)")
    config.addinivalue_line("markers", "hint(n): the number of the hint that helps with this check")
    config.addinivalue_line("markers", "hidden: a check that a learner's release does not have")


def pytest_unconfigure(config: pytest.Config) -> None:
    if OWN in config.stash:
        config.stash[GRADING].engine.close()


def pytest_itemcollected(item: pytest.Item) -> None:
    problem = _problem_of(item.config, item.path)
    if problem is not None:
        item.stash[PROBLEM] = problem
        _say_outcomes_shortly(item)


def _say_outcomes_shortly(item: pytest.Item) -> None:
    """Spare pytest the traceback of a check that did not pass: our message takes its place, and it is slow to make."""
    in_full = item.repr_failure

    def repr_failure(excinfo: pytest.ExceptionInfo[BaseException], *rest: Any, **options: Any) -> Any:
        from workbook.boundary.outcomes import Outcome

        if isinstance(excinfo.value, Outcome):
            return excinfo.value.message
        return in_full(excinfo, *rest, **options)

    item.repr_failure = repr_failure  # type: ignore[method-assign]


def use_grading(config: pytest.Config, grading: Any) -> None:
    """Grade the tasks of this grading, in place of one that the plugin makes for itself."""
    config.stash[GRADING] = grading


def _grading(config: pytest.Config, start: Path) -> Any:
    if GRADING not in config.stash:
        from workbook.grading.engine import Engine
        from workbook.grading.grading import Grading

        engine = Engine(catalog.load(catalog.find_root(start)))
        path = config.getoption("--submission")
        config.stash[OWN] = (config.invocation_params.dir / path) if path else None
        config.stash[GRADING] = Grading(engine, seed=config.getoption("--check-seed"))
    return config.stash[GRADING]


def _problem_of(config: pytest.Config, path: Path) -> Problem | None:
    """The problem that a grader file is for, or None for any other test file."""
    if path.parent.name != "graders" or not path.name.startswith("test_p"):
        return None
    try:
        grading = _grading(config, path.parent)
    except UsageError:
        return None  # a folder named graders that belongs to no workbook
    except WorkbookError as error:
        raise pytest.UsageError(str(error)) from None
    # A problem whose TOML file is broken fails its own checks and no others.
    found: Problem | None = grading.problem(path.stem.removeprefix("test_"))
    return found


def _seed(item: pytest.Item, grading: Any) -> int:
    return zlib.crc32(f"{grading.seed}:{item.name}".encode())


def _require_problem(request: pytest.FixtureRequest) -> tuple[Problem, Any]:
    problem = request.node.stash.get(PROBLEM, None)
    if problem is None:
        grading = request.config.stash.get(GRADING, None)
        broken = grading.engine.catalog.broken if grading is not None else {}
        reason = broken.get(request.node.path.stem.removeprefix("test_"))
        if reason is not None:
            raise pytest.UsageError(reason)
        raise pytest.UsageError("This fixture is for graders: a file graders/test_pNN_slug.py of a known problem.")
    grading = request.config.stash[GRADING]
    if problem.stem not in grading.tasks:
        from workbook.grading.grading import Task

        grading.tasks[problem.stem] = Task.at(problem, request.config.stash[OWN])
    return problem, grading


@pytest.fixture
def learner(request: pytest.FixtureRequest) -> Any:
    """The submission: `learner.name(...)` calls it in its worker."""
    from workbook.checks.sides import Side

    problem, grading = _require_problem(request)
    return Side(grading.backend(problem), grading.content(problem).interface, _seed(request.node, grading))


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> Any:
    """The hidden solution, with the interface of `learner`."""
    from workbook.checks.sides import Side

    problem, grading = _require_problem(request)
    content = grading.content(problem)
    return Side(content.reference.session(), content.interface, _seed(request.node, grading))


@pytest.fixture
def comparisons(request: pytest.FixtureRequest) -> Any:
    from workbook.checks.agree import Comparisons

    _require_problem(request)
    made = Comparisons(request.node.name)
    request.node.stash[COMPARISONS] = made
    return made


@pytest.fixture
def same(comparisons: Any) -> Any:
    """`same(got, expected, "what is wrong")`: one comparison within the grader."""
    return comparisons.same


@pytest.fixture
def shaped(comparisons: Any) -> Any:
    """`shaped(got, like)`: the value has the type, dtype and shape of another, before a grader computes with it."""
    return comparisons.shaped


@pytest.fixture
def agree(request: pytest.FixtureRequest, learner: Any, reference: Any, comparisons: Any) -> Any:
    """`agree("name", *args)`: the learner's value equals the reference's, or the check says where and why not."""
    from workbook.checks.agree import Agree

    problem, grading = _require_problem(request)
    content = grading.content(problem)
    submission = grading.submission(problem)
    stem = submission.path.stem
    module = "" if submission.places else stem if stem.isidentifier() else problem.stem
    return Agree(problem, learner, reference, content.interface, content.diagnosis, comparisons, module)


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> Any:
    """Random test data in the problem's library: a stream of its own for each check."""
    problem, grading = _require_problem(request)
    return grading.content(problem).draws(request.node.name, grading.seed)


@pytest.fixture
def examples(request: pytest.FixtureRequest) -> Any:
    """The hand examples of the TOML file by name, as values of the problem's library."""
    from workbook.checks.examples import as_values

    problem, _ = _require_problem(request)
    return as_values(problem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, Any]:
    report = yield
    problem = item.stash.get(PROBLEM, None)
    if problem is None:
        return report
    if call.when == "setup":
        item.stash[SECONDS] = 0.0
    item.stash[SECONDS] += call.duration
    # One result for each check: its call, or whatever kept it from being called.
    if call.when == "call" or (call.when == "setup" and report.outcome != "passed"):
        result = _result(item, problem, call)
        report.workbook_check = result
        # What pytest's JUnit file, which is written after the teardown, has no place of its own for.
        item.user_properties += [
            ("problem", problem.number),
            ("title", result.title),
            ("verdict", result.verdict),
            ("points", result.points),
            ("max_points", result.max_points),
        ]
        if result.verdict not in ("passed", "skipped"):
            report.outcome = "failed"
            report.longrepr = f"{result.title}: {WORDS[result.verdict].lower()}\n{result.message}"
            if result.output:
                report.sections.append(("Output of the submission", result.output))
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: Any) -> tuple[str, str, str] | None:
    result = getattr(report, "workbook_check", None)
    if result is None or result.verdict in ("passed", "skipped"):
        return None
    return "failed", "F", WORDS[result.verdict]


def _result(item: pytest.Item, problem: Problem, call: pytest.CallInfo[None]) -> CheckResult:
    from workbook.boundary.client import Client

    grading = item.config.stash[GRADING]
    verdict, message, pitfall = _verdict(item, call)
    if verdict == "failed" and pitfall is None and not getattr(call.excinfo and call.excinfo.value, "form", False):
        pitfall = grading.content(problem).diagnosis.for_check(item.name)
        if pitfall is not None:
            message += f"\nA common cause: the code {pitfall}."
    backend = grading.backend(problem)
    output = backend.take_output() if isinstance(backend, Client) else ""
    points = _mark_value(item, "points", 1)
    worth = 0 if verdict == "skipped" else points
    return CheckResult(
        id=item.nodeid,
        title=title_of(item),
        verdict=verdict,
        points=points if verdict == "passed" else 0,
        max_points=worth,
        message=message,
        pitfall=pitfall,
        hint=_mark_value(item, "hint", None),
        output=output,
        seconds=round(item.stash[SECONDS], 4),
    )


def _verdict(item: pytest.Item, call: pytest.CallInfo[None]) -> tuple[Verdict, str, str | None]:
    from workbook.boundary.outcomes import Outcome

    if call.excinfo is None:
        made = item.stash.get(COMPARISONS, None)
        if made is None or made.made == 0:
            return "ungraded", "This check compared nothing, so it proves nothing: tell the workbook's author.", None
        return "passed", "", None
    error = call.excinfo.value
    if isinstance(error, Outcome):
        return error.verdict, error.message, error.pitfall
    if isinstance(error, pytest.skip.Exception):
        return "skipped", str(error), None
    if isinstance(error, EngineFault):
        return "ungraded", str(error), None
    place = call.excinfo.traceback[-1]
    where = f"{Path(str(place.path)).name}, line {place.lineno + 1}"
    reason = f"{type(error).__name__}: {error}" if not isinstance(error, WorkbookError) else str(error)
    return "ungraded", f"The grader itself failed, which is not your fault ({where}): {reason}", None


def title_of(item: pytest.Item) -> str:
    """The line the learner reads: the docstring's first, with the case of a parametrised check."""
    doc = getattr(getattr(item, "function", None), "__doc__", None) or item.name
    case = getattr(getattr(item, "callspec", None), "id", None)
    return doc.strip().splitlines()[0] + (f" [{case}]" if case else "")


def _mark_value(item: pytest.Item, name: str, default: Any) -> Any:
    mark = item.get_closest_marker(name)
    return mark.args[0] if mark is not None and mark.args else default


def pytest_sessionfinish(session: pytest.Session) -> None:
    if OWN in session.config.stash:
        session.config.stash[GRADING].close()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Under plain pytest: the score of each problem, after pytest's own summary of failures."""
    scores: dict[str, list[float]] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            result = getattr(report, "workbook_check", None)
            if result is not None:
                score = scores.setdefault(result.id.partition("::")[0], [0, 0])
                score[0] += result.points
                score[1] += result.max_points
    if scores:
        terminalreporter.section("points")
    for path, (got, most) in sorted(scores.items()):
        terminalreporter.write_line(f"{path}: {got:g} of {most:g}")
