"""Every submission of tests/hostile, graded: none passes, hangs, leaks or spreads, and the next one is graded well.

Each file says in its docstring which verdicts its checks may have (`Expect:`), what it needs in order to be harmless
enough to be run (`Needs:`, layers of the sandbox), and whether it would pass without one (`Without the sandbox:`).
In the files, @TOKEN@ becomes a name by which what they leave behind can be found.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import shutil
import sys
import time
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from helpers.grading import result_of
from helpers.workbooks import ROOT

from workbook.author.build.security import security
from workbook.content import catalog
from workbook.content.problem import Limits, Problem
from workbook.grading.engine import Engine
from workbook.results import ProblemResult
from workbook.sandbox.environments import ENVIRONMENTS, broken, holds
from workbook.sandbox.layers import LAYERS, SWITCH

CORPUS = sorted((ROOT / "tests" / "hostile").glob("*.py"))
WATCHDOG_SECONDS = 60.0  # for one submission whose calls may take 3 seconds in all
MOST_MEMORY = 256 * 2**20  # by which the grader may grow while it grades one submission
LIMITS = Limits(call_seconds=1, total_seconds=3, memory_mb=300)

linux = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox, and /proc to look for remains, are Linux's")


def said(path: Path, key: str) -> set[str]:
    """The words after a key in a file's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    found = re.search(rf"^{key}: (.*)$", text, re.MULTILINE)
    return set(found[1].split()) if found else set()


CONTROLS = [path for path in CORPUS if said(path, "Without the sandbox")]


def new_engine() -> Engine:
    book = catalog.load(ROOT)
    limited = tuple(replace(problem, limits=LIMITS) for problem in book.problems if problem.number in (1, 11, 14))
    return Engine(replace(book, problems=limited))


def problem_of(engine: Engine, path: Path) -> Problem:
    return engine.catalog.problem(int(next(iter(said(path, "Problem")), "1")))


@pytest.fixture(scope="module")
def warm() -> Iterator[Engine]:
    """An engine with small limits, which grades all of the corpus."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORKBOOK_TEST_SECRET", "secret")
        engine = new_engine()
        engine.start()
    yield engine
    engine.close()


@pytest.fixture(scope="module")
def open_engine() -> Iterator[Engine]:
    """The same without any layer of the sandbox."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, "all")
        engine = new_engine()
        engine.start()
    yield engine
    engine.close()


def submit(engine: Engine, path: Path, folder: Path) -> tuple[ProblemResult, str]:
    """Grade a copy of a file in a folder where the work of another lies as well; the result, and the copy's token."""
    token = f"wb{uuid.uuid4().hex[:10]}"
    shutil.copy(engine.catalog.problems[0].solution, folder / "of_another.py")
    target = folder / path.name
    target.write_text(path.read_text(encoding="utf-8").replace("@TOKEN@", token), encoding="utf-8")
    return result_of(engine, problem_of(engine, path), target), token


def peak_memory() -> int:
    """The most memory this process has had since `forget_peak`, in bytes."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024


def forget_peak() -> int:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    return peak_memory()


def running(token: str) -> list[int]:
    """Processes that took the token as their name."""
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if token in process.name():
                found.append(process.pid)
    return found


def content() -> set[str]:
    """The files of the workbook."""
    folders = [ROOT / "exercises", ROOT / "solutions", ROOT / "graders"]
    found = {str(path) for folder in folders for path in folder.rglob("*") if "__pycache__" not in path.parts}
    return found | set(os.listdir(ROOT))


@linux
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_hostile_submission_gains_nothing(path, warm, tmp_path):
    missing = warm.probe_isolation().missing
    for layer in said(path, "Needs"):
        if layer in missing:
            pytest.skip(f"without the layer {layer} ({missing[layer]}) this would reach what it must not")
    honest = warm.catalog.problems[0].solution
    before = content()
    zygote = psutil.Process(warm.start().pid)
    base = forget_peak()

    start = time.monotonic()
    result, token = submit(warm, path, tmp_path)
    assert time.monotonic() - start < WATCHDOG_SECONDS

    verdicts = {check.verdict for check in result.checks}
    assert result.verdict == "failed", [(check.verdict, check.message) for check in result.checks]
    assert result.score < result.max_score
    assert verdicts <= said(path, "Expect"), [(check.verdict, check.message[:500]) for check in result.checks]
    assert len(result.checks) > 10
    assert peak_memory() - base < MOST_MEMORY

    assert zygote.children(recursive=True) == []
    assert running(token) == []
    assert os.listdir(warm.start().scratch) == []
    assert {path.name, "of_another.py"} == set(os.listdir(tmp_path))
    leaks = [check.message for check in result.checks if "LEAK" in check.message]
    assert leaks == []
    assert content() == before
    assert not Path(f"/tmp/{token}").exists()

    after, _ = submit(warm, honest, tmp_path)
    assert after.verdict == "passed", [(check.verdict, check.message) for check in after.checks]
    assert after.score == after.max_score


@linux
@pytest.mark.parametrize("path", CONTROLS, ids=lambda path: path.stem)
def test_without_the_sandbox_the_same_act_succeeds(path, open_engine, tmp_path):
    assert set(open_engine.probe_isolation().missing) == set(LAYERS) - {"process"}
    result, token = submit(open_engine, path, tmp_path)
    Path(f"/tmp/{token}").unlink(missing_ok=True)
    assert result.verdict == "passed", [(check.verdict, check.message) for check in result.checks]


WEAKER = [environment for environment in ENVIRONMENTS if environment.lacks]


@linux
@pytest.mark.parametrize("environment", WEAKER, ids=lambda environment: environment.name)
def test_what_holds_in_a_weaker_environment_holds(environment, tmp_path):
    """Every hostile submission that the table says is held there, and an honest one after each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(SWITCH, ",".join(environment.lacks))
        engine = new_engine()
        engine.start()
    try:
        assert engine.probe_isolation().active == environment.active
        for path in CORPUS:
            if holds(said(path, "Held by") or {"process"}, environment.active):
                result, _ = submit(engine, path, tmp_path)
                messages = [check.message for check in result.checks]
                assert result.verdict == "failed", (path.name, messages)
                assert not any("LEAK" in message for message in messages), (path.name, messages)
                assert os.listdir(engine.start().scratch) == []
                honest, _ = submit(engine, engine.catalog.problem(1).solution, tmp_path)
                assert honest.score == honest.max_score, path.name
    finally:
        engine.close()


def test_the_documented_table_is_the_one_of_the_data():
    (page,) = security(ROOT)
    assert not page.stale, "run `workbook build`"
    rows = [line for line in page.text.splitlines() if line.startswith("| ")]
    for path in CORPUS:
        (row,) = [line for line in rows if line.startswith(f"| {path.stem} |")]
        assert row.count("holds") >= 2, row
    for environment in ENVIRONMENTS[:2]:
        assert environment.lacks == ()
        assert list(broken(environment.active)) == []


def test_the_corpus_covers_the_threats():
    assert len(CORPUS) >= 40
    assert len(CONTROLS) >= 8
    for path in CORPUS:
        assert said(path, "Expect") <= {"passed", "failed", "error", "timeout", "memory", "crash", "not_started"}, (
            path.name
        )
        assert said(path, "Expect") - {"passed"}, path.name
