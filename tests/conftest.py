"""What the tests share: the project's own workbook, a warm engine, and a way to grade a piece of source."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import hypothesis
import pytest
from helpers.grading import result_of
from helpers.workbooks import ROOT

from workbook.author.copy import learners_copy
from workbook.author.release import assemble
from workbook.content import catalog
from workbook.content.problem import Problem
from workbook.grading.engine import Engine
from workbook.results import ProblemResult

Grade = Callable[[int, str], ProblemResult]

# Releases of the same content have the same bytes.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1800000000")

# The same examples in every run: a change that did not touch the code must not turn it red.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis.settings.load_profile("repeatable")


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
        return result_of(engine, problem, path)

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
            # tests/author/release/test_release_corpus.py proves the keys of this one, and more thoroughly.
            with mock.patch.object(assemble, "prove"):
                assemble.release(catalog.load(ROOT), folder, zipped=True, say=lambda line: None)
    return folder


@pytest.fixture
def learners(released: Path, tmp_path: Path) -> Path:
    """A released copy to work in, and to be damaged at will."""
    return Path(shutil.copytree(released, tmp_path / "learner"))
