"""What the tests share: the project's own workbook, a warm engine, and a way to grade a piece of source."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import hypothesis
import pytest

from workbook.author.copy import learners_copy
from workbook.author.release import assemble
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.grading.engine import Engine
from workbook.grading.session import grade
from workbook.results import CheckResult, ProblemResult

ROOT = Path(__file__).parents[1]
PROBLEMS = catalog.load(ROOT).problems

Grade = Callable[[int, str], ProblemResult]

# Releases of the same content have the same bytes.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1800000000")

# The same examples in every run: a change that did not touch the code must not turn it red.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")


@dataclass
class Completed:
    """A finished command: exit code and both streams as text."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def book() -> catalog.Catalog:
    return catalog.load(ROOT)


@pytest.fixture(scope="session")
def engine(book: catalog.Catalog) -> Iterator[Engine]:
    engine = Engine(book)
    yield engine
    engine.close()


@pytest.fixture
def grade_file(engine: Engine) -> Callable[[Problem, Path], ProblemResult]:
    """Grade one file in this process, with the warm engine."""

    def run(problem: Problem, path: Path) -> ProblemResult:
        engine.submission = path
        try:
            return grade(engine, [problem]).problems[0]
        finally:
            engine.submission = None

    return run


@pytest.fixture
def grade_source(grade_file: Callable[[Problem, Path], ProblemResult], book: catalog.Catalog, tmp_path: Path) -> Grade:
    """Grade a piece of source as a submission for problem N."""

    def run(number: int, source: str) -> ProblemResult:
        problem = book.problem(number)
        path = tmp_path / f"{problem.stem}.py"
        path.write_text(source, encoding="utf-8")
        return grade_file(problem, path)

    return run


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the workbook, with the stubs as they were released, to be damaged at will."""
    target = tmp_path / "workbook"
    target.mkdir()
    learners_copy(catalog.load(ROOT), target)
    return target


@pytest.fixture(scope="session")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the whole workbook, made once for all processes of a run. Nobody changes it: copy it first."""
    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent
    folder = base / "released"
    with open(base / "released.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            # tests/test_release_corpus.py proves the keys of this one, and more thoroughly.
            with mock.patch.object(assemble, "prove"):
                assemble.release(catalog.load(ROOT), folder, zipped=True, say=lambda line: None)
    return folder


@pytest.fixture
def learners(released: Path, tmp_path: Path) -> Path:
    """A released copy to work in, and to be damaged at will."""
    return Path(shutil.copytree(released, tmp_path / "learner"))


def workbook(*arguments: str | Path, cwd: Path, code: int | None = None) -> Completed:
    """Run the real command in a folder; with `code`, the exit code it must have."""
    done = subprocess.run(
        [sys.executable, "-m", "workbook", *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        timeout=300,
        env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
        check=False,
    )
    completed = Completed(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in completed.err, completed.err
    if code is not None:
        assert completed.code == code, (completed.code, completed.out, completed.err)
    return completed


def check(result: ProblemResult, name: str) -> CheckResult:
    """The result of the check with this function name."""
    found = [item for item in result.checks if item.id.rpartition("::")[2].partition("[")[0] == name]
    assert found, f"no check {name} in {[item.id for item in result.checks]}"
    return found[0]


def only_problem(copy: Path, stem: str) -> Problem:
    """Leave one problem in a copy of the workbook."""
    for path in [*copy.glob("exercises/*.toml"), *copy.glob("graders/test_*.py")]:
        if stem not in path.name:
            path.unlink()
    (copy / "README.md").write_text("# A course\n", encoding="utf-8")
    (problem,) = catalog.load(copy).problems
    return problem


def make_release(copy: Path, out: Path, *, zipped: bool = False) -> Path:
    assemble.release(catalog.load(copy), out, zipped=zipped, say=lambda line: None)
    return out


def own_command(folder: Path, *arguments: str) -> Completed:
    """The command with the engine that is in the released folder, as after `make grade` there."""
    done = subprocess.run(
        [sys.executable, "-m", "workbook", *arguments],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(folder / "src"), "COLUMNS": "200", "NO_COLOR": "1"},
        timeout=300,
        check=False,
    )
    return Completed(done.returncode, done.stdout.decode(), done.stderr.decode())
